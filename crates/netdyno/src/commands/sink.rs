//! Where the stream of events goes: the store, the screen, the document.

use std::io::{self, Write};

use anyhow::Result;
use record::{Event, Run, Status};

use crate::cli::{Output, RunRequest};
use crate::exit::Exit;
use crate::say;
use crate::store::{Store, Writer};

/// Everything that reads a run's events.
pub struct Sinks {
    output: Output,
    save: bool,
    store: Option<Writer>,
    events: Vec<Event>,
}

impl Sinks {
    /// Nothing came yet.
    pub fn open(request: &RunRequest) -> Self {
        Self { output: request.output, save: request.save, store: None, events: Vec::new() }
    }

    /// Takes an event.
    pub fn take(&mut self, event: Event) {
        if let (Event::Begin { id, .. }, true) = (&event, self.save) {
            self.store = open_store(id);
        }
        let failed = self.store.as_mut().and_then(|store| store.add(&event).err());
        if let Some(error) = failed {
            say!("{error:#}; this run is not kept any further");
            self.store = None;
        }
        if self.output == Output::JsonLines
            && let Ok(line) = json_line(&event)
        {
            let _ = io::stdout().write_all(line.as_bytes());
        }
        self.events.push(event);
    }

    /// Ends the stream, and gives the code to exit with.
    pub fn finish(&mut self, status: Status, reason: Option<String>, exit: Exit) -> Exit {
        self.take(Event::Finish { status, reason });
        let Some(run) = analyze::assemble(&self.events) else { return exit };
        if let Some(Err(error)) = self.store.as_mut().map(|store| store.finish(&run)) {
            say!("{error:#}");
        }
        if self.output != Output::JsonLines
            && let Ok(text) = whole(self.output, &run)
        {
            let _ = io::stdout().write_all(text.as_bytes());
        }
        if run.status == Status::Invalid { Exit::Invalid } else { exit }
    }
}

fn open_store(id: &str) -> Option<Writer> {
    let Some(store) = Store::of_environment() else {
        say!("neither XDG_STATE_HOME nor HOME says where to keep runs; this one is not kept");
        return None;
    };
    store.create(id).map_err(|error| say!("{error:#}; this run is not kept")).ok()
}

/// An event as a line.
///
/// # Errors
/// None for events as they are.
pub fn json_line(event: &Event) -> Result<String> {
    Ok(serde_json::to_string(event)? + "\n")
}

/// A whole run in the form asked.
///
/// # Errors
/// None for runs as they are.
pub fn whole(output: Output, run: &Run) -> Result<String> {
    let _ = output;
    Ok(serde_json::to_string_pretty(run)? + "\n")
}
