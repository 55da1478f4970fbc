//! A client's run.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use engine::iperf3::client::{self, ClientError, Job};
use engine::iperf3::{Contact, Event};
use proto::iperf3::{ErrorNumber, Parameters, Protocol, SessionError};
use record::{End, Status};
use report::dialect::iperf3::{self as output, Transcript};
use sys::signal::Signals;
use units::Bytes;

use super::keep::Kept;
use super::paper::Paper;
use super::pid_file::PidFile;
use super::{SPARE_DESCRIPTORS, credentials, debug, place, shown, system_info};
use crate::dialect::iperf3::Ask;

/// Runs it and prints what iperf3 prints.
pub(super) fn run(ask: &Ask, argv: &[String]) -> ExitCode {
    let paper = match Paper::of(&ask.common) {
        Ok(paper) => paper,
        Err(sentence) => {
            Paper::refuse(&sentence);
            return ExitCode::FAILURE;
        }
    };
    for note in &ask.common.notes {
        paper.complain(note);
    }
    let mut transcript = Transcript::new(ask.form(system_info()));
    match start(ask, argv, &paper, &mut transcript) {
        Ok(code) => code,
        Err(sentence) => {
            close(&paper, &mut transcript, ask, Some(&sentence));
            ExitCode::FAILURE
        }
    }
}

fn start(
    ask: &Ask,
    argv: &[String],
    paper: &Paper,
    transcript: &mut Transcript,
) -> Result<ExitCode, String> {
    let pid_file = ask.common.pid_file.as_deref().map(PidFile::write);
    let _pid_file = pid_file.transpose()?;
    let streams = 2 * u64::from(ask.parameters.parallel);
    sys::limits::descriptors(streams + SPARE_DESCRIPTORS);
    let signals = Signals::take().map_err(|error| format!("taking signals: {error}"))?;
    let job = job(ask)?;
    let mut parameters = job.parameters.clone();
    let mut kept: Option<Kept> = None;
    let mut tell = |event: Event<'_>| {
        match &event {
            Event::Contact(contact) => {
                parameters = contact.parameters.clone();
                let plan = ask.plan(&parameters);
                let peer = contact.peer.ip();
                kept = Some(Kept::begin(plan, &parameters, argv, End::Client, peer));
            }
            Event::Started(_) => kept.iter_mut().for_each(Kept::start),
            Event::Interval(interval) => {
                kept.iter_mut().for_each(|kept| kept.interval(interval));
            }
            Event::Connected(_) | Event::Remark(_) => (),
        }
        show(paper, transcript, &event, ask, &parameters);
    };
    let run = client::run(&job, Some(&signals), &mut tell);
    if let Some(outcome) = &run.outcome {
        remark(
            paper,
            transcript,
            &debug::outcome(ask.common.debug, outcome),
        );
        let end = shown::end(outcome, &parameters, ask.common.file.as_deref());
        let text = transcript.show(&output::Event::Ended(&end), &paper.stamp());
        paper.write(&text);
    }
    if let Some(kept) = kept {
        let (status, reason) = match &run.error {
            None => (Status::Ok, None),
            Some(ClientError::Interrupted) => (Status::Interrupted, None),
            Some(error) => (Status::Failed, Some(error.to_string())),
        };
        kept.finish(run.outcome.as_ref(), status, reason);
    }
    Ok(match run.error {
        None => {
            close(paper, transcript, ask, None);
            ExitCode::SUCCESS
        }
        Some(ClientError::Interrupted) => {
            let sentence = "interrupt - the client has terminated";
            if !is_json(ask) {
                paper.complain(sentence);
            }
            let closed = output::Event::Closed {
                error: Some(sentence),
            };
            let text = transcript.show(&closed, &paper.stamp());
            paper.write(&text);
            ExitCode::SUCCESS
        }
        Some(error) => {
            close(paper, transcript, ask, Some(&sentence(&error)));
            ExitCode::FAILURE
        }
    })
}

/// What scripts look for stands in it, in iperf3's words.
fn sentence(error: &ClientError) -> String {
    match error {
        ClientError::Session(SessionError::Busy) => {
            "the server is busy running a test. try again later".to_owned()
        }
        ClientError::Session(SessionError::Terminated(_)) => "the server has terminated".to_owned(),
        ClientError::Session(SessionError::Closed { .. }) => {
            format!("control socket has closed unexpectedly: {error}")
        }
        ClientError::Session(SessionError::Refused { number, .. })
            if *number == ErrorNumber::AUTHORIZATION =>
        {
            format!("test authorization failed: {error}; --use-pkcs1-padding is for 3.16 and older")
        }
        ClientError::Unreachable { .. } => nowhere(error.to_string()),
        other => other.to_string(),
    }
}

fn is_json(ask: &Ask) -> bool {
    ask.common.notation != output::Notation::Text
}

/// The last word: in a document where there is one, and on standard error where there is none.
fn close(paper: &Paper, transcript: &mut Transcript, ask: &Ask, error: Option<&str>) {
    let text = transcript.show(&output::Event::Closed { error }, &paper.stamp());
    paper.write(&text);
    if let Some(error) = error.filter(|_| !is_json(ask)) {
        paper.complain(&format!("error - {error}"));
    }
}

fn show(
    paper: &Paper,
    transcript: &mut Transcript,
    event: &Event<'_>,
    ask: &Ask,
    parameters: &Parameters,
) {
    let told = debug::event(ask.common.debug, output::Role::Client, event);
    remark(paper, transcript, &told);
    let stamp = paper.stamp();
    let text = match event {
        Event::Contact(told) => {
            if let Some(sentence) = fragments(told) {
                paper.complain(&sentence);
            }
            let size = |size: Option<Bytes>| size.map(|size| size.get() as u32);
            let opened = output::Event::Opened {
                control_mss: size(told.control_mss),
                udp_block: size(told.parameters.block).filter(|_| told.block_from_mss),
            };
            let before = transcript.show(&opened, &stamp);
            let contact = shown::contact(told, ask.host.clone(), ask.common.port, unix_ms());
            before + &transcript.show(&output::Event::Contact(&contact), &stamp)
        }
        Event::Connected(told) => {
            transcript.show(&output::Event::Connected(&shown::connected(told)), &stamp)
        }
        Event::Started(told) => {
            let started = shown::started(told, parameters);
            transcript.show(&output::Event::Started(&started), &stamp)
        }
        Event::Interval(told) => {
            transcript.show(&output::Event::Interval(&shown::interval(told)), &stamp)
        }
        Event::Remark(remark) => transcript.show(&output::Event::Remark(remark), &stamp),
    };
    paper.write(&text);
}

/// Whether datagrams are larger than what the path takes whole, as far as the control connection
/// tells.
fn fragments(told: &Contact) -> Option<String> {
    let block = told
        .parameters
        .block
        .filter(|_| told.parameters.protocol == Protocol::Udp)?;
    let whole = told.control_mss.filter(|mss| block > *mss)?;
    Some(format!(
        "warning: datagrams of {} bytes are larger than the {} bytes that this path's TCP sends \
         whole: they may go in fragments, and a lost one takes its datagram with it (-l)",
        block.get(),
        whole.get()
    ))
}

fn remark(paper: &Paper, transcript: &mut Transcript, lines: &[String]) {
    for line in lines {
        let text = transcript.show(&output::Event::Remark(line), &paper.stamp());
        paper.write(&text);
    }
}

pub(super) fn unix_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_millis() as u64)
}

/// What scripts look for, before the reason why there is no server to be had.
fn nowhere(reason: String) -> String {
    format!("unable to connect to server: {reason}")
}

/// The request with what only this machine knows.
fn job(ask: &Ask) -> Result<Job, String> {
    let common = &ask.common;
    let mut parameters = ask.parameters.clone();
    if let Some(path) = common.file.as_ref().filter(|_| ask.ends_with_file) {
        let data = std::fs::metadata(path)
            .map_err(|error| format!("reading the file '{}': {error}", path.display()))?;
        parameters.bytes = Some(Bytes::new(data.len()));
        parameters.time = None;
    }
    if let Some(credentials) = &ask.credentials {
        parameters.auth_token = Some(credentials::of_client(credentials)?);
    }
    Ok(Job {
        addresses: place::addresses(&ask.host, common.port, common.family).map_err(nowhere)?,
        parameters,
        bind: place::own(common.bind.as_deref(), common.family).map_err(nowhere)?,
        device: common
            .device
            .as_ref()
            .map(|device| device.as_str().to_owned()),
        first_port: ask.first_port,
        affinity: common.affinity,
        file: common.file.clone(),
        interval: common.interval,
        connect_timeout: ask.connect_timeout,
        receive_timeout: common.receive_timeout,
        send_timeout: common.send_timeout,
        keepalive: common.keepalive.map(Into::into),
    })
}
