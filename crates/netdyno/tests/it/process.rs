//! Other processes: how they are told, and what the kernel says of them.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Longer than anything takes here that happens at all.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The program under test: the release build where the runner names it.
pub fn program() -> OsString {
    std::env::var_os("NETDYNO_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_netdyno").into())
}

/// The program, to be started. It ends with the test, however that ends.
pub fn netdyno() -> Command {
    let mut command = Command::new(program());
    sys::child::die_with_parent(&mut command);
    command
}

pub fn tell(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid as i32), signal).unwrap();
}

/// Asks again until there is an answer; what never comes fails the test.
pub fn eventually<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, ask).unwrap_or_else(|| panic!("{what}: not within {PATIENCE:?}"))
}

/// Asks again until there is an answer or `limit` is over.
pub fn within<T>(limit: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if Instant::now() > deadline {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for the end of a child that must end by itself; kills one that does not, and fails.
pub fn end_of(child: &mut Child) -> ExitStatus {
    let status = within(PATIENCE, || child.try_wait().unwrap());
    status.unwrap_or_else(|| {
        let _ = child.kill();
        let _ = child.wait();
        panic!("it did not end within {PATIENCE:?}");
    })
}

/// As a shell shows it: 128 and the signal's number for a process that a signal ended.
pub fn code(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap())
}

/// Whether the process runs: not gone, and no zombie.
pub fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

pub fn children(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    children
        .unwrap_or_default()
        .split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect()
}

/// CPU time of the whole process, user and system, in ticks of the kernel.
pub fn cpu_ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // proc_pid_stat(5): the name may hold anything; utime and stime are fields 14 and 15.
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let fields: Vec<&str> = fields.split(' ').collect();
    fields[11..13]
        .iter()
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum()
}

/// How often threads of the process have gone to sleep by themselves: each such sleep but the
/// last had a wake-up.
pub fn voluntary_switches(pid: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let switches = tasks.map(|task| {
        let status = fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.unwrap().trim().parse::<u64>().unwrap()
    });
    switches.sum()
}
