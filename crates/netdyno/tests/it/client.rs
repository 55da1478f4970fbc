//! `netdyno run` as a process.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use record::{Edge, End, Event, Phase, Run};

use crate::document;
use crate::process::{self, code, end_of, eventually, netdyno};
use crate::store::Store;

/// A run to be started. It prints its document unless told otherwise.
pub struct Client {
    command: Command,
    store: Store,
}

/// A run that goes on.
pub struct Running {
    child: Child,
    store: Store,
    begun: Instant,
}

/// A run that is over.
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    /// From the start of the process to its end.
    pub took: Duration,
    pub store: Store,
}

impl Client {
    /// `netdyno run` with `words`, split at spaces.
    pub fn new(words: &str) -> Self {
        Self::wrapped(netdyno(), "run", words)
    }

    /// `netdyno show` with `words`, of the runs in `store`.
    pub fn show(store: Store, words: &str) -> Ended {
        let mut client = Self::wrapped(netdyno(), "show", words);
        client.store = store;
        client.end()
    }

    /// Another program that takes netdyno's words after its own.
    pub fn wrapped(mut command: Command, name: &str, words: &str) -> Self {
        command.arg(name).args(words.split_whitespace());
        Self {
            command,
            store: Store::new(),
        }
    }

    /// One more word, which may hold spaces.
    pub fn word(mut self, word: &str) -> Self {
        self.command.arg(word);
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn start(self) -> Running {
        let Self { mut command, store } = self;
        let home = store.state_home();
        let file = |name: &str| File::create(home.join(name)).unwrap();
        if !command.get_envs().any(|(name, _)| name == "XDG_STATE_HOME") {
            command.env("XDG_STATE_HOME", home);
        }
        command
            .stdin(Stdio::null())
            .stdout(file("stdout"))
            .stderr(file("stderr"));
        let begun = Instant::now();
        Running {
            child: command.spawn().unwrap(),
            store,
            begun,
        }
    }

    /// Starts it and waits for its end.
    pub fn end(self) -> Ended {
        self.start().end()
    }

    /// The document of a run that goes to its end.
    pub fn document(self) -> Run {
        let ended = self.word("--json").end();
        ended.went_to_its_end();
        ended.document()
    }
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn tell(&self, signal: Signal) {
        process::tell(self.pid(), signal);
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Waits until `end` has looked so many times while the load counted.
    pub fn measures(&self, end: End, edges: usize) {
        eventually("edges of the measured time", || {
            let events = self.store.events();
            (measured(&events, end).count() >= edges).then_some(())
        });
    }

    pub fn end(mut self) -> Ended {
        let status = end_of(&mut self.child);
        let took = self.begun.elapsed();
        let read = |name: &str| {
            let bytes = fs::read(self.store.state_home().join(name)).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        Ended {
            code: code(status),
            stdout: read("stdout"),
            stderr: read("stderr"),
            took,
            store: self.store,
        }
    }
}

impl Ended {
    /// Fails the test unless the run ended as planned. That this machine had no time for a paced
    /// load, and the run is invalid for it, is no fault of the program.
    pub fn went_to_its_end(&self) {
        let run = serde_json::from_str::<serde_json::Value>(&self.stdout).unwrap_or_default();
        let short = run["reason"]
            .as_str()
            .is_some_and(|why| why.contains("was not offered as asked"));
        assert!(
            self.code == 0 || self.code == 6 && short,
            "code {}: {}{} {}",
            self.code,
            self.stderr,
            run["reason"],
            run["doubts"]
        );
    }

    /// The printed document; the store has the same.
    pub fn document(&self) -> Run {
        let printed = document::run(&self.stdout);
        assert_eq!(self.store.ids(), [printed.id.as_str()]);
        assert_eq!(
            self.store.document(),
            printed,
            "printed, and otherwise in the store"
        );
        printed
    }
}

/// The edges of the measured time at one end.
pub fn measured(events: &[Event], end: End) -> impl Iterator<Item = &Edge> {
    events.iter().filter_map(move |event| match event {
        Event::Edge(edge) if edge.end == end && edge.phase == Phase::Measure => Some(edge),
        _ => None,
    })
}
