//! The programs that tests and benches drive, and how to get them.

use std::process::Command;

use anyhow::Result;

use crate::shell;
use crate::sources::Sources;
use crate::step::Outcome;

/// A program and the Debian package that has it.
const PROGRAMS: [(&str, &str); 17] = [
    ("ip", "iproute2"),
    ("tc", "iproute2"),
    ("iperf3", "iperf3"),
    ("iperf", "iperf"),
    ("netperf", "netperf"),
    ("strace", "strace"),
    ("ethtool", "ethtool"),
    ("ps", "procps"),
    ("unshare", "util-linux"),
    ("nsenter", "util-linux"),
    ("setpriv", "util-linux"),
    ("taskset", "util-linux"),
    ("nstat", "iproute2"),
    ("vmstat", "procps"),
    ("mpstat", "sysstat"),
    ("clang", "clang"),
    ("llvm-strip", "llvm"),
];

/// The package that Debian keeps in its non-free component.
const NON_FREE: &str = "netperf";

/// Installs what is missing. What cannot be installed is no failure: the tests that need it say
/// that they did not run.
pub fn install() -> Result<Outcome> {
    let packages = missing();
    if packages.is_empty() {
        return Ok(Outcome::Passed);
    }
    let packages_text = packages.join(", ");
    if !not_run::is_root() {
        return Ok(Outcome::NotRun(format!(
            "{packages_text} missing, and only root installs them"
        )));
    }
    if not_run::program("apt-get").is_none() {
        return Ok(Outcome::NotRun(format!(
            "{packages_text} missing, and there is no apt-get"
        )));
    }
    let mut sources = None;
    if packages.contains(&NON_FREE) {
        sources = Sources::with_non_free()?;
    }
    let sources = sources.as_ref();
    let apt_get = || apt_get(sources);
    let install_command = || install_command(sources);
    shell::run(apt_get().arg("update"))?;
    if !shell::run(install_command().args(&packages))? {
        // One name that this release lacks fails them all: try each by itself.
        for package in &packages {
            shell::run(install_command().arg(package))?;
        }
    }
    let still = missing();
    Ok(if still.is_empty() {
        Outcome::Passed
    } else {
        Outcome::NotRun(format!("{} could not be installed", still.join(", ")))
    })
}

fn missing() -> Vec<&'static str> {
    let mut packages: Vec<_> = PROGRAMS
        .iter()
        .filter(|(program, _)| not_run::program(program).is_none())
        .map(|(_, package)| *package)
        .collect();
    packages.dedup();
    packages
}

fn install_command(sources: Option<&Sources>) -> Command {
    let mut command = apt_get(sources);
    command.args(["install", "--yes", "--no-install-recommends"]);
    command
}

fn apt_get(sources: Option<&Sources>) -> Command {
    let mut command = Command::new("apt-get");
    if let Some(sources) = sources {
        command.args(sources.options());
    }
    // iperf3's package asks whether it shall run as a daemon; another apt may hold the lock.
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(["-qq", "-o", "DPkg::Lock::Timeout=120"]);
    command
}
