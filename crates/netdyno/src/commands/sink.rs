//! Where the stream of events goes: the store, the screen, the document.

use std::io::{self, Write};

use record::{Event, Run, Status};

use super::screen::{self, ProgressLine, Screen};
use crate::cli::{Output, RunRequest};
use crate::exit::Exit;
use crate::say;
use crate::store::{Label, Store, Writer};

/// Everything that reads a run's events.
pub struct Sinks {
    output: Output,
    save: bool,
    label: Label,
    store: Option<Writer>,
    screen: Screen,
    progress: ProgressLine,
    events: Vec<Event>,
    /// Results that standard output did not take.
    unwritten: Option<io::Error>,
}

impl Sinks {
    /// Nothing came yet.
    pub fn open(request: &RunRequest) -> Self {
        Self {
            output: request.output,
            save: request.save,
            label: request.label.clone(),
            store: None,
            screen: Screen::new(screen::style(), !request.quiet),
            progress: ProgressLine::new(!request.quiet),
            events: Vec::new(),
            unwritten: None,
        }
    }

    /// Takes an event.
    pub fn take(&mut self, event: Event) {
        if let (Event::Begin { id, .. }, true) = (&event, self.save) {
            self.store = open_store(id);
            let said = self
                .store
                .as_mut()
                .filter(|_| self.label != Label::default());
            if let Some(Err(error)) = said.map(|store| store.say(&self.label)) {
                say!("{error:#}");
            }
        }
        let added = self.store.as_mut().map(|store| store.add(&event));
        self.mind(added);
        let text = self.screen.take(&event);
        match self.output {
            Output::JsonLines => self.write(&report::json_line(&event)),
            Output::Text => self.write(&text),
            Output::Json | Output::Csv => (),
        }
        if matches!(event, Event::Edge(_)) {
            self.progress.show(&self.screen);
        }
        self.events.push(event);
    }

    /// Ends the stream, and gives the code to exit with.
    pub fn finish(mut self, status: Status, reason: Option<String>, exit: Exit) -> Exit {
        let mut finish = Event::Finish { status, reason };
        let went_well = analyze::assemble(self.events.iter().chain([&finish]));
        if let Some(reason) = went_well.as_ref().and_then(analyze::invalidity) {
            finish = Event::Finish {
                status: Status::Invalid,
                reason: Some(reason),
            };
        }
        self.take(finish);
        self.progress.clear();
        let Some(run) = analyze::assemble(&self.events) else {
            return exit;
        };
        let finished = self.store.as_mut().map(|store| store.finish(&run));
        self.mind(finished);
        let text = whole(self.output, &mut self.screen, &run);
        self.write(&text);
        // For people whose standard output goes to a program.
        if let Some(reason) = run.reason.as_ref().filter(|_| self.output != Output::Text) {
            say!("{reason}");
        }
        if let Some(error) = self.unwritten {
            say!("writing the result to standard output: {error}");
            return if exit == Exit::Done {
                Exit::Missing
            } else {
                exit
            };
        }
        if run.status == Status::Invalid {
            Exit::Invalid
        } else {
            exit
        }
    }

    /// A run that the store did not take is not kept.
    fn mind(&mut self, stored: Option<anyhow::Result<()>>) {
        if let Some(Err(error)) = stored {
            self.progress.clear();
            say!("{error:#}; this run is not kept");
            if let Some(store) = self.store.take() {
                store.discard();
            }
        }
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.progress.clear();
        let mut output = io::stdout().lock();
        // The run goes on and is kept; whoever reads a truncated result must not take it for whole.
        // A reader that went away, as `head` does, wants no more of it.
        let result = output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush());
        let failed = result
            .err()
            .filter(|error| error.kind() != io::ErrorKind::BrokenPipe);
        self.unwritten = self.unwritten.take().or(failed);
    }
}

fn open_store(id: &str) -> Option<Writer> {
    let Some(store) = Store::of_environment() else {
        say!("neither XDG_STATE_HOME nor HOME says where to keep runs; this one is not kept");
        return None;
    };
    store
        .create(id)
        .map_err(|error| say!("{error:#}; this run is not kept"))
        .ok()
}

/// What the end of a run adds, in the form asked.
pub fn whole(output: Output, screen: &mut Screen, run: &Run) -> String {
    match output {
        Output::Text => screen.finish(run),
        Output::Json => report::json(run),
        Output::Csv => report::csv(run),
        Output::JsonLines => String::new(),
    }
}
