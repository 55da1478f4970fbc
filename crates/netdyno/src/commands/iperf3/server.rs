//! A server's run.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use engine::iperf3::server::{Config, RateLimit, Scribe, Server, ServerEnd, TestError};
use engine::iperf3::{Event, Outcome};
use proto::iperf3::{ErrorNumber, Parameters, ServerOutput};
use report::dialect::iperf3::{self as output, Form, Notation, Transcript};
use sys::signal::Signals;

use super::client::unix_ms;
use super::paper::Paper;
use super::pid_file::PidFile;
use super::{credentials, debug, place, shown, system_info};
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
        stay(serve)
    };
    match end {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            match Paper::of(&serve.common) {
                Ok(paper) => paper.complain(&format!("error - {sentence}")),
                Err(_) => crate::say!("{sentence}"),
            }
            ExitCode::FAILURE
        }
    }
}

fn stay(serve: &Serve) -> Result<(), String> {
    let common = &serve.common;
    let paper = Arc::new(Paper::of(common)?);
    for note in &common.notes {
        paper.complain(note);
    }
    let pid_file = common.pid_file.as_deref().map(PidFile::write);
    let _pid_file = pid_file.transpose()?;
    let signals = Signals::take().map_err(|error| format!("taking signals: {error}"))?;
    sys::limits::descriptors(DESCRIPTORS);
    let desk = Arc::new(Desk {
        paper: paper.clone(),
        debug: common.debug,
        form: serve.form(system_info()),
        one_off: serve.one_off,
        file: common.file.clone(),
    });
    let server = Server::bind(config(serve, &desk)?).map_err(|error| error.to_string())?;
    desk.listen(server.port(), 1);
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
    let (port, desk) = (common.port, desk.clone());
    let authorize = serve.authorization.as_ref().map(credentials::of_server);
    let authorize = authorize.transpose()?;
    Ok(Config {
        bind: place::own(common.bind.as_deref(), common.family)?,
        family: common.family,
        port: common.port,
        device: common
            .device
            .as_ref()
            .map(|device| device.as_str().to_owned()),
        allow: Vec::new(),
        max_tests: serve.most_tests.unwrap_or(MOST_TESTS),
        one_off: serve.one_off,
        idle_timeout: serve.idle_timeout,
        rate_limit: serve.rate_limit.map(|limit| RateLimit {
            rate: limit.rate,
            over: limit.over,
        }),
        max_duration: serve.longest_test,
        affinity: common.affinity,
        file: common.file.clone(),
        interval: common.interval,
        receive_timeout: common.receive_timeout,
        send_timeout: common.send_timeout,
        authorize,
        scribes: Arc::new(move |number| {
            Box::new(Writer {
                transcript: Transcript::new(desk.form.clone()),
                desk: desk.clone(),
                number,
                port,
                parameters: None,
            })
        }),
    })
}

/// What all tests' writers share.
struct Desk {
    paper: Arc<Paper>,
    debug: Option<u8>,
    form: Form,
    one_off: bool,
    file: Option<PathBuf>,
}

impl Desk {
    /// Says that the next client may come.
    fn listen(&self, port: u16, number: u64) {
        let mut banner = Transcript::new(self.form.clone());
        let stamp = self.paper.stamp();
        let mut text = String::new();
        if number == 1 {
            text = banner.show(
                &output::Event::Opened {
                    control_mss: None,
                    udp_block: None,
                },
                &stamp,
            );
        }
        text += &banner.show(&output::Event::Listening { port, number }, &stamp);
        self.paper.write(&text);
    }
}

/// Writes one test's output.
struct Writer {
    transcript: Transcript,
    desk: Arc<Desk>,
    number: u64,
    port: u16,
    parameters: Option<Parameters>,
}

impl Writer {
    fn show(&mut self, event: &output::Event<'_>) {
        let paper = &self.desk.paper;
        let text = self.transcript.show(event, &paper.stamp());
        paper.write(&text);
    }

    fn remark(&mut self, lines: &[String]) {
        for line in lines {
            self.show(&output::Event::Remark(line));
        }
    }
}

impl Scribe for Writer {
    fn tell(&mut self, event: Event<'_>) {
        let told = debug::event(self.desk.debug, output::Role::Server, &event);
        self.remark(&told);
        match event {
            Event::Contact(told) => {
                let host = told.peer.ip().to_canonical().to_string();
                let contact = shown::contact(told, host, told.peer.port(), unix_ms());
                self.show(&output::Event::Contact(&contact));
                self.parameters = Some(told.parameters.clone());
            }
            Event::Connected(told) => {
                self.show(&output::Event::Connected(&shown::connected(told)));
            }
            Event::Started(told) => {
                if let Some(parameters) = &self.parameters {
                    let started = shown::started(told, parameters);
                    self.show(&output::Event::Started(&started));
                }
            }
            Event::Interval(told) => self.show(&output::Event::Interval(&shown::interval(told))),
            Event::Remark(remark) => self.show(&output::Event::Remark(remark)),
        }
    }

    fn ended(&mut self, outcome: &Outcome) {
        self.remark(&debug::outcome(self.desk.debug, outcome));
        let end = shown::end(outcome, self.desk.file.as_deref());
        self.show(&output::Event::Ended(&end));
    }

    fn output(&mut self) -> Option<ServerOutput> {
        Some(match self.transcript.server_output()? {
            output::ServerOutput::Text(text) => ServerOutput::Text(text),
            output::ServerOutput::Json(value) => ServerOutput::Json(value.to_string()),
        })
    }

    fn closed(&mut self, error: Option<&TestError>) {
        let sentence = error.map(|error| match error.number {
            ErrorNumber::SERVER_TERMINATED => "interrupt - the server has terminated".to_owned(),
            _ => error.sentence.clone(),
        });
        self.show(&output::Event::Closed {
            error: sentence.as_deref(),
        });
        let ends = error.is_some_and(|error| error.number == ErrorNumber::SERVER_TERMINATED);
        if self.desk.form.notation == Notation::Text
            && !ends
            && let Some(sentence) = &sentence
        {
            self.desk.paper.complain(&format!("error - {sentence}"));
        }
        if !self.desk.one_off && !ends {
            self.desk.listen(self.port, self.number + 1);
        }
    }
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
