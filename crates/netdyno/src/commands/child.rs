//! Programs that a command runs one after the other: netdyno itself, and commands of the user.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use sys::signal::Signals;
use sys::{Epoll, Events, Readiness};

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

/// Runs `command` to its end; ^C goes to it and all that it started, a second one kills them.
pub fn finish(mut command: Command, signals: &Signals) -> Result<Ended, String> {
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
    let mut complaints = child.stderr.take();
    let complaints = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = &mut complaints {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let (output, interrupted) =
        read(&mut child, signals).map_err(|error| format!("watching {program}: {error}"))?;
    // What it left behind in its group holds no pipe of ours any more, and is in nobody's way.
    let status = child.wait().ok();
    Ok(Ended {
        output: String::from_utf8_lossy(&output).into_owned(),
        complaint: complaints.join().unwrap_or_default(),
        status,
        interrupted,
    })
}

/// All that the child prints, and whether a signal came meanwhile.
fn read(child: &mut Child, signals: &Signals) -> std::io::Result<(Vec<u8>, bool)> {
    const SIGNAL: u64 = 0;
    const OUTPUT: u64 = 1;
    let mut output = Vec::new();
    let mut interrupted = false;
    let Some(mut pipe) = child.stdout.take() else {
        return Ok((output, interrupted));
    };
    let epoll = Epoll::new()?;
    epoll.add(signals, SIGNAL, Readiness::READ)?;
    epoll.add(&pipe, OUTPUT, Readiness::READ)?;
    let mut events = Events::with_capacity(2);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        epoll.wait(&mut events, None)?;
        for (key, _) in events.iter() {
            if key == OUTPUT {
                match pipe.read(&mut chunk)? {
                    0 => return Ok((output, interrupted)),
                    n => output.extend_from_slice(&chunk[..n]),
                }
            }
            while key == SIGNAL && signals.next().is_some() {
                let _ = sys::child::end_group(child, interrupted);
                interrupted = true;
            }
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
