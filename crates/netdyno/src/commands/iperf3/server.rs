//! A server's run.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use engine::iperf3::server::{Config, RateLimit, Server, ServerEnd};
use sys::signal::Signals;

use super::archive::Archive;
use super::desk::{Desk, Writer};
use super::paper::Paper;
use super::pid_file::PidFile;
use super::{credentials, place, system_info};
use crate::dialect::iperf3::Serve;

/// Descriptors of a server with very many streams.
const DESCRIPTORS: u64 = 65_536;
/// Tests at once, unless somebody says otherwise: a test costs a few threads.
const MOST_TESTS: u32 = 1024;

/// In the environment of a server that was left in the background by another one.
const STAYS: &str = "NETDYNO_IPERF3_STAYS";

fn is_left() -> bool {
    std::env::var_os(STAYS).is_some()
}

/// Serves until it is told to end.
pub(super) fn run(serve: &Serve, argv: &[String]) -> ExitCode {
    let end = if serve.daemon && !is_left() {
        leave(argv)
    } else {
        stay(serve, argv)
    };
    match end {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            match Paper::of(&serve.common) {
                Ok(paper) => paper.complain(&format!("error - {sentence}")),
                Err(_) => Paper::refuse(&sentence),
            }
            ExitCode::FAILURE
        }
    }
}

fn stay(serve: &Serve, argv: &[String]) -> Result<(), String> {
    let common = &serve.common;
    let paper = Arc::new(Paper::of(common)?);
    for note in &common.notes {
        paper.complain(note);
    }
    let pid_file = common.pid_file.as_deref().map(PidFile::write);
    let _pid_file = pid_file.transpose()?;
    if let Some(Err(error)) = common.affinity.map(sys::thread::admits) {
        return Err(format!("unable to set CPU affinity: {error}"));
    }
    let signals = Signals::take().map_err(|error| format!("taking signals: {error}"))?;
    sys::limits::descriptors(DESCRIPTORS);
    let form = serve.form(system_info());
    let archive = Archive::new(serve, argv);
    let desk = Arc::new(Desk::new(
        paper.clone(),
        form,
        &serve.common,
        serve.one_off,
        archive,
    ));
    let server = Server::bind(config(serve, &desk)?)
        .map_err(|error| format!("unable to start listener for connections: {error}"))?;
    desk.open(server.port());
    if is_left() {
        // For whoever has left us here; the log may be elsewhere.
        let _ = writeln!(std::io::stdout(), "listens");
    }
    let end = server.run(Some(&signals));
    match end.map_err(|error| format!("serving: {error}"))? {
        ServerEnd::Told => paper.complain("interrupt - the server has terminated"),
        ServerEnd::OneOff | ServerEnd::Idle => (),
    }
    Ok(())
}

fn config(serve: &Serve, desk: &Arc<Desk>) -> Result<Config, String> {
    let common = &serve.common;
    let desk = desk.clone();
    let authorize = serve.authorization.as_ref().map(credentials::of_server);
    let authorize = authorize.transpose()?;
    Ok(Config {
        bind: place::own(common.bind.as_deref(), common.family)?,
        family: common.family,
        port: common.port,
        device: common
            .device
            .as_ref()
            .map(|device| device.as_str().to_owned())
            .or_else(|| place::scope(common.bind.as_deref())),
        allow: Vec::new(),
        max_tests: serve.most_tests.unwrap_or(MOST_TESTS),
        one_off: serve.one_off,
        idle_timeout: serve.idle_timeout,
        rate_limit: serve.rate_limit.map(|limit| RateLimit {
            rate: limit.rate,
            over: limit.over,
            holds: false,
        }),
        max_duration: serve.longest_test,
        affinity: common.affinity,
        file: common.file.clone(),
        interval: common.interval,
        receive_timeout: common.receive_timeout,
        send_timeout: common.send_timeout,
        keepalive: common.keepalive.map(Into::into),
        authorize,
        scribes: Arc::new(move |number| Box::new(Writer::new(desk.clone(), number))),
    })
}

/// Starts a server in the background, and returns when it listens.
fn leave(argv: &[String]) -> Result<(), String> {
    let program =
        std::env::current_exe().map_err(|error| format!("finding this program: {error}"))?;
    let mut command = Command::new(program);
    command
        .arg("iperf3")
        .args(argv.iter().skip(1))
        .env(STAYS, "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    sys::child::in_new_session(&mut command);
    let mut child = command
        .spawn()
        .map_err(|error| format!("starting it in the background: {error}"))?;
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        let _ = BufReader::new(output).read_line(&mut line);
    }
    if line.is_empty() {
        let _ = child.wait();
        return Err("it ended at once; without -D it says why".to_owned());
    }
    Ok(())
}
