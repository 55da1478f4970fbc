//! `--allow-sysctl`: sysctls of this host that are as a client wants them while its test lasts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::server::{Set, Setter};
use proto::native::Sysctls as Settings;

use crate::commands::compare::{Changes, sysctl};
use crate::say;
use crate::store::Store;

/// What a client may have set: what shapes the speed of a network stack, and nothing that decides
/// who gets in, what is routed, or what runs in the kernel.
const PERMITTED: [&str; 5] = [
    "net.core.",
    "net.ipv4.tcp_",
    "net.ipv4.udp_",
    "net.mptcp.",
    "kernel.timer_migration",
];

/// Exceptions: the compiler of BPF and its hardening, keys.
const FORBIDDEN: [&str; 2] = ["net.core.bpf_", "net.ipv4.tcp_fastopen_key"];

/// Sets them, for one test at a time: two would undo each other.
#[derive(Debug)]
pub(super) struct Sysctls {
    store: Store,
    taken: Arc<AtomicBool>,
}

impl Sysctls {
    /// The note of what has to be put back is in `store`.
    pub fn new(store: Store) -> Self {
        let taken = Arc::default();
        Self { store, taken }
    }
}

impl Setter for Sysctls {
    fn set(&self, wanted: &Settings) -> Result<Set, String> {
        if let Some(key) = wanted.keys().find(|key| !is_permitted(key)) {
            return Err(format!(
                "the server does not set the sysctl {key}: it sets those of {}",
                PERMITTED.join("*, ").replace(", kernel", " and kernel")
            ));
        }
        let turn = Turn::take(&self.taken)?;
        let mut changes = Changes::of(&self.store, wanted.keys(), None).map_err(at_server)?;
        let set = changes.set(wanted.iter()).map_err(at_server);
        let read = |key: &String| Ok((key.clone(), sysctl::read(key).map_err(at_server)?));
        let now = set.and_then(|()| {
            wanted
                .keys()
                .map(read)
                .collect::<Result<Settings, String>>()
        });
        match now {
            Ok(now) => Ok(Set {
                now,
                kept: Box::new(Kept {
                    changes,
                    _turn: turn,
                }),
            }),
            Err(sentence) => {
                changes.put_back()?;
                Err(sentence)
            }
        }
    }
}

fn at_server(sentence: String) -> String {
    format!("the server, {sentence}")
}

fn is_permitted(key: &str) -> bool {
    // A slash in a name is a dot of it: it could lead out of the folder.
    let plain = !key.contains('/') && !key.contains("..");
    let starts = |names: &[&str]| names.iter().any(|name| key.starts_with(name));
    plain && starts(&PERMITTED) && !starts(&FORBIDDEN)
}

/// Sysctls that are not as they were. What is put back first goes first.
struct Kept {
    changes: Changes,
    _turn: Turn,
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Err(sentence) = self.changes.put_back() {
            say!("{sentence}");
        }
    }
}

/// The only test whose sysctls are set.
struct Turn(Arc<AtomicBool>);

impl Turn {
    fn take(taken: &Arc<AtomicBool>) -> Result<Self, String> {
        match taken.swap(true, Ordering::AcqRel) {
            false => Ok(Self(taken.clone())),
            true => {
                Err("the server's sysctls are set for another test: try again later".to_owned())
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shapes_speed_may_be_set_and_nothing_else() {
        for key in [
            "net.core.rmem_max",
            "net.ipv4.tcp_sack",
            "net.ipv4.udp_mem",
            "net.mptcp.enabled",
            "kernel.timer_migration",
        ] {
            assert!(is_permitted(key), "{key}");
        }
        for key in [
            "",
            "kernel.core_pattern",
            "kernel.modprobe",
            "net.ipv4.ip_forward",
            "net.ipv4.conf.all.rp_filter",
            "net.core.bpf_jit_harden",
            "net.ipv4.tcp_fastopen_key",
            "net.core./../../kernel.modprobe",
            "net.core...kernel.modprobe",
        ] {
            assert!(!is_permitted(key), "{key}");
        }
    }

    #[test]
    fn sysctls_are_set_for_one_test_at_a_time() {
        let taken = Arc::default();
        let first = Turn::take(&taken);
        assert!(first.is_ok() && Turn::take(&taken).is_err());
        drop(first);
        assert!(Turn::take(&taken).is_ok());
    }

    #[test]
    fn a_name_that_is_not_permitted_is_refused_with_those_that_are() {
        let folder = tempfile::tempdir().unwrap();
        let sysctls = Sysctls::new(Store::at(folder.path()));
        let wanted = Settings::from([("kernel.modprobe".to_owned(), "x".to_owned())]);
        let refused = sysctls.set(&wanted).err().unwrap();
        assert_eq!(
            refused,
            "the server does not set the sysctl kernel.modprobe: it sets those of net.core.*, \
             net.ipv4.tcp_*, net.ipv4.udp_*, net.mptcp.* and kernel.timer_migration"
        );
    }
}
