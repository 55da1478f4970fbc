//! `netdyno observe`.

use std::io::{self, Write};
use std::process::ExitCode;

use ::observe::{Effort, Sampler};
use engine::watch::{self, Heard};
use record::{End, Observation, Rows, Watched};
use sys::signal::{self, Signals};
use sys::{Epoll, Events, Readiness, clock};
use units::Nanos;

use crate::cli::ObserveRequest;
use crate::commands::place::Place;
use crate::exit::Exit;
use crate::{label, say};

/// Lines between two heads.
const PAGE: u32 = 20;

/// Watches until its time is over or a signal comes.
pub fn observe(request: &ObserveRequest) -> ExitCode {
    signal::ignore_broken_pipes();
    let signals = match Signals::take() {
        Ok(signals) => signals,
        Err(error) => {
            say!("taking signals: {error}");
            return Exit::Missing.into();
        }
    };
    let mut lines = Lines {
        request,
        host: None,
        rows: Rows::default(),
        last: None,
        shown: 0,
        closed: false,
    };
    match &request.on {
        None => here(request, &signals, &mut lines),
        Some(path) => {
            let place = match Place::prepare(path, true) {
                Ok(place) => place,
                Err(no_place) => {
                    say!("{}", no_place.sentence);
                    return no_place.exit.into();
                }
            };
            let heard = |heard| match heard {
                Heard::Host(facts) => lines.host = facts.hostname,
                Heard::Observed(observation) => lines.take(&observation),
            };
            match watch::watch(
                &place.peers,
                request.interval,
                request.time,
                &signals,
                heard,
            ) {
                Ok(()) => Exit::Done.into(),
                Err(error) => {
                    say!("{error}");
                    Exit::of(&error).1.into()
                }
            }
        }
    }
}

/// Watches this host.
fn here(request: &ObserveRequest, signals: &Signals, lines: &mut Lines) -> ExitCode {
    lines.host = ::observe::facts(None).hostname;
    match look(request, signals, lines) {
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            say!("waiting: {error}");
            Exit::Missing.into()
        }
    }
}

fn look(request: &ObserveRequest, signals: &Signals, lines: &mut Lines) -> io::Result<()> {
    let device = request.device.clone().or_else(usual_interface);
    let mut sampler = Sampler::new(device.as_deref());
    let epoll = Epoll::new()?;
    epoll.add(signals, 0, Readiness::READ)?;
    let mut events = Events::with_capacity(1);
    let began = clock::now();
    let until = request.time.map(|time| began + time);
    let mut next = began;
    loop {
        while clock::now() < next {
            epoll.wait(&mut events, Some(next - clock::now()))?;
            if signals.next().is_some() {
                return Ok(());
            }
        }
        let at = (clock::now() - began).get();
        lines.take(&sampler.observe(End::Client, at, Effort::Whole));
        if lines.closed || until.is_some_and(|until| until <= next) {
            return Ok(());
        }
        next = next + request.interval;
    }
}

/// Where packets to the world leave: the address is one of those that documents use (RFC 5737).
fn usual_interface() -> Option<String> {
    ::observe::interface::towards(std::net::Ipv4Addr::new(192, 0, 2, 1).into())
}

/// Readings become lines.
struct Lines<'a> {
    request: &'a ObserveRequest,
    host: Option<String>,
    rows: Rows,
    /// When the reading before was taken.
    last: Option<u64>,
    shown: u32,
    /// Nobody reads any more.
    closed: bool,
}

impl Lines<'_> {
    fn take(&mut self, observation: &Observation) {
        let before = self.rows.clone();
        self.rows.apply(&observation.rows, &observation.gone);
        if !self.request.json_lines {
            for sentence in &observation.unread {
                say!("{sentence}");
            }
        }
        let Some(last) = self.last.replace(observation.at_ns) else {
            return;
        };
        let watched = Watched {
            schema: Watched::SCHEMA.to_owned(),
            host: self.host.clone(),
            time: label::now(),
            seconds: Nanos::new(observation.at_ns.saturating_sub(last)).get() as f64 / 1e9,
            counted: self.rows.since(&before),
            gauges: self.rows.highest(&Rows::default()),
            unread: observation.unread.clone(),
        };
        let mut text = String::new();
        if self.request.json_lines {
            text = report::watch_json(&watched);
        } else {
            if self.shown.is_multiple_of(PAGE) {
                text = report::watch_header();
            }
            text.push_str(&report::watch_line(
                &watched,
                self.request.device.as_deref(),
            ));
        }
        self.shown += 1;
        let mut output = io::stdout().lock();
        let written = output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush());
        self.closed = written.is_err();
    }
}
