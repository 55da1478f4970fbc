//! What this machine lets a test do.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Whether the effective user is root.
pub fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| effective_uid(&status) == Some(0))
}

/// Whether a network namespace can be made with the rights that the test has. Root in a container
/// often cannot, so it is tried.
pub fn makes_namespaces() -> bool {
    Command::new("unshare")
        .args(["--net", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Where a program is, by `PATH` and the folders of administration that an ordinary user's `PATH`
/// leaves out.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin", "/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The second figure of `Uid:` in /proc/PID/status (proc_pid_status(5)).
pub(crate) fn effective_uid(status: &str) -> Option<u32> {
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    ids.split_whitespace().nth(1)?.parse().ok()
}
