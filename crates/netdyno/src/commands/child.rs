//! Programs that a command runs one after the other: netdyno itself, and commands of the user.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use sys::signal::Signals;
use sys::{Epoll, Events, Readiness};
use units::Nanos;

use crate::exit::Exit;

/// What a program did.
pub struct Ended {
    pub output: String,
    pub complaint: String,
    pub status: Option<ExitStatus>,
    pub interrupted: bool,
}

/// A run of `file`, by `program` or by this program.
pub fn netdyno_run(program: &[String], file: &Path) -> Result<Command, String> {
    let mut command = match program.split_first() {
        Some((program, words)) => {
            let mut command = Command::new(program);
            command.args(words);
            command
        }
        None => Command::new(
            std::env::current_exe()
                .map_err(|error| format!("finding netdyno's own program file: {error}"))?,
        ),
    };
    command.arg("run").arg(file).args(["--json", "--quiet"]);
    Ok(command)
}

/// `command` of the user, by the shell.
pub fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    sys::child::hears_signals(&mut shell);
    shell
}

/// Runs `command` to its end; ^C goes to it and all that it started, a second one kills them. Without
/// `signals` nothing disturbs it.
pub fn finish(mut command: Command, signals: Option<&Signals>) -> Result<Ended, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    sys::child::die_with_parent(&mut command);
    let mut child = command
        .spawn()
        .map_err(|error| format!("starting {program}: {error}"))?;
    let (said, interrupted) =
        watch(&mut child, signals).map_err(|error| format!("watching {program}: {error}"))?;
    let status = child.wait().ok();
    let [output, complaint] = said.map(|said| String::from_utf8_lossy(&said).into_owned());
    Ok(Ended {
        output,
        complaint,
        status,
        interrupted,
    })
}

/// What a program says on standard output and standard error.
type Said = [Vec<u8>; 2];

/// All that the child says until it ends, and whether a signal came meanwhile. What it leaves in
/// the background may hold its pipes open for longer: nobody waits for that.
fn watch(child: &mut Child, signals: Option<&Signals>) -> io::Result<(Said, bool)> {
    const END: u64 = 2;
    const SIGNAL: u64 = 3;
    let mut said = Said::default();
    let mut pipes = [
        child.stdout.take().map(OwnedFd::from).map(File::from),
        child.stderr.take().map(OwnedFd::from).map(File::from),
    ];
    let epoll = Epoll::new()?;
    for (key, pipe) in (0..).zip(pipes.iter().flatten()) {
        epoll.add(pipe, key, Readiness::READ)?;
    }
    let ending = sys::child::ending(child)?;
    epoll.add(&ending, END, Readiness::READ)?;
    if let Some(signals) = signals {
        epoll.add(signals, SIGNAL, Readiness::READ)?;
    }
    let mut events = Events::with_capacity(4);
    let mut chunk = vec![0; 64 * 1024];
    let (mut interrupted, mut has_ended) = (false, false);
    loop {
        // A pipe holds no more than one reading takes (pipe(7)).
        let last = has_ended;
        epoll.wait(&mut events, last.then_some(Nanos::ZERO))?;
        for (key, _) in events.iter() {
            match (key, signals) {
                (END, _) => {
                    epoll.remove(&ending)?;
                    has_ended = true;
                }
                (SIGNAL, Some(signals)) => {
                    while signals.next().is_some() {
                        let _ = sys::child::end_group(child, interrupted);
                        interrupted = true;
                    }
                }
                (key, _) => {
                    let index = key as usize;
                    let Some(pipe) = &mut pipes[index] else {
                        continue;
                    };
                    match pipe.read(&mut chunk)? {
                        0 => {
                            epoll.remove(&*pipe)?;
                            pipes[index] = None;
                        }
                        n => said[index].extend_from_slice(&chunk[..n]),
                    }
                }
            }
        }
        if last {
            return Ok((said, interrupted));
        }
    }
}

impl Ended {
    /// The last thing it said, or how it ended.
    pub fn reason(&self) -> String {
        let said = self
            .complaint
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty());
        let said = said.map(|line| line.strip_prefix("netdyno: ").unwrap_or(line).to_owned());
        let ending = || match self.status {
            Some(status) => format!("it ended with {status}"),
            None => "nobody knows how it ended".to_owned(),
        };
        said.unwrap_or_else(ending)
    }

    /// The code to exit with where it failed.
    pub fn exit(&self) -> Exit {
        let code = self.status.and_then(|status| status.code());
        match code {
            Some(2) => Exit::Usage,
            Some(3) => Exit::Unreachable,
            Some(4) => Exit::Peer,
            Some(6) => Exit::Invalid,
            _ => Exit::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(script: &str) -> Ended {
        finish(shell(script), None).unwrap()
    }

    #[test]
    fn all_that_it_says_is_heard() {
        let ended = ended("seq 1 100000; echo no >&2; exit 3");
        assert_eq!(ended.output.lines().count(), 100_000);
        assert_eq!(ended.reason(), "no");
        assert_eq!(ended.status.unwrap().code(), Some(3));
    }

    #[test]
    fn nobody_waits_for_what_stays_in_the_background() {
        let start = std::time::Instant::now();
        let ended = ended("yes & echo $! >&2");
        assert!(start.elapsed() < std::time::Duration::from_secs(100));
        let kill = format!("kill {} || true", ended.complaint.trim());
        assert!(
            finish(shell(&kill), None)
                .unwrap()
                .status
                .unwrap()
                .success()
        );
    }
}
