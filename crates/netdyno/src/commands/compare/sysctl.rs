//! Sysctls of a side: which are the testbed's own or the server's, which are this machine's.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use plan::Path;
use record::End;
use sys::netns::NetNs;

use crate::cli::{SideRequest, Sysctl, Work};
use crate::exit::Exit;

/// Those that a run sets, as `run --sysctl` takes them: inside the namespaces of its testbed, or at
/// the server of a named host.
pub(super) fn for_run(side: &SideRequest) -> Vec<String> {
    let all = side.sysctls.iter().filter_map(|sysctl| {
        if is_of_testbed(side, sysctl) {
            Some(sysctl.clone())
        } else {
            of_server(side, sysctl)
        }
    });
    all.map(|sysctl| sysctl.to_string()).collect()
}

/// Those that are set on this machine, and put back.
pub(super) fn of_this_machine(side: &SideRequest) -> Vec<&Sysctl> {
    let all = side
        .sysctls
        .iter()
        .filter(|sysctl| !is_of_testbed(side, sysctl) && !is_only_of_server(side, sysctl));
    all.collect()
}

/// Whether those that are set on this machine are there, and may be set; nothing is changed.
pub(super) fn check(side: &SideRequest) -> Result<(), (String, Exit)> {
    for Sysctl { key, .. } in of_this_machine(side) {
        let opened = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open(file(key));
        opened.map_err(|error| match error.kind() {
            ErrorKind::NotFound => (format!("this kernel has no sysctl {key}"), Exit::Usage),
            _ => (
                format!(
                    "the sysctl {key} cannot be set: {error} (it is this machine's; run as root)"
                ),
                Exit::Missing,
            ),
        })?;
    }
    Ok(())
}

/// What the server of a named host has to set.
fn of_server(side: &SideRequest, sysctl: &Sysctl) -> Option<Sysctl> {
    let wanted = goes_to_host(side) && sysctl.end != Some(End::Client);
    wanted.then(|| Sysctl {
        end: Some(End::Server),
        ..sysctl.clone()
    })
}

fn is_only_of_server(side: &SideRequest, sysctl: &Sysctl) -> bool {
    goes_to_host(side) && sysctl.end == Some(End::Server)
}

fn goes_to_host(side: &SideRequest) -> bool {
    matches!(&side.work, Work::Run { plan, .. } if matches!(plan.path, Path::Host { .. }))
}

fn is_of_testbed(side: &SideRequest, sysctl: &Sysctl) -> bool {
    let Work::Run { plan, .. } = &side.work else {
        return false;
    };
    matches!(plan.path, Path::Testbed { .. }) && is_per_namespace(&sysctl.key)
}

/// Whether each network namespace has a value of its own: it is there in a new one, and may be
/// written. An ordinary user cannot make one to look at, nor set anything that is not.
fn is_per_namespace(key: &str) -> bool {
    if !key.starts_with("net.") {
        return false;
    }
    let path = file(key);
    let looked = std::thread::spawn(move || {
        NetNs::unshare()?;
        fs::metadata(path).map(|file| !file.permissions().readonly())
    });
    match looked.join() {
        Ok(Ok(writable)) => writable,
        Ok(Err(error)) => error.kind() == ErrorKind::PermissionDenied,
        Err(_) => false,
    }
}

/// `net.ipv4.tcp_sack` as sysctl(8) reads it: a slash in a name is a dot.
pub(in crate::commands) fn file(key: &str) -> PathBuf {
    let swap = |c| match c {
        '.' => '/',
        '/' => '.',
        c => c,
    };
    let path: String = key.chars().map(swap).collect();
    PathBuf::from("/proc/sys").join(path)
}

/// The value as it is.
pub(in crate::commands) fn read(key: &str) -> Result<String, String> {
    let text = fs::read_to_string(file(key));
    text.map(|text| text.trim_end().to_owned())
        .map_err(|error| format!("reading the sysctl {key}: {error}"))
}

/// Sets it for the calling thread's network namespace, or for all.
pub(in crate::commands) fn write(key: &str, value: &str) -> Result<(), String> {
    fs::write(file(key), value)
        .map_err(|error| format!("setting the sysctl {key} to '{value}': {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths() {
        assert_eq!(
            file("net.ipv4.tcp_sack").to_str(),
            Some("/proc/sys/net/ipv4/tcp_sack")
        );
        let vlan = file("net.ipv4.conf.eth0/100.forwarding");
        assert_eq!(
            vlan.to_str(),
            Some("/proc/sys/net/ipv4/conf/eth0.100/forwarding")
        );
    }

    #[test]
    fn what_a_namespace_has_for_itself() {
        assert!(is_per_namespace("net.ipv4.tcp_sack"));
        assert!(!is_per_namespace("kernel.timer_migration"));
        assert!(!is_per_namespace("net.ipv4.no_such_thing"));
    }
}
