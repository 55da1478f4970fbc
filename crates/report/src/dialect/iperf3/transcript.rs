//! What a test prints, as it goes.

use serde_json::Value;

use super::document::Document;
use super::text::{Text, of_server};
use super::{Event, Form, Interval, Notation, Role};

/// The output of one test at one end.
#[derive(Debug)]
pub struct Transcript {
    form: Form,
    text: Text,
    document: Document,
    kept: Option<String>,
}

/// What a server showed, for its client.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerOutput {
    /// Its lines.
    Text(String),
    /// Its document.
    Json(Value),
}

impl Transcript {
    /// Of a test that has not begun.
    pub fn new(form: Form) -> Self {
        Self {
            text: Text::default(),
            document: Document::new(&form),
            kept: None,
            form,
        }
    }

    /// The test's number, where others go on at the same time; none where it is alone. Lines of a
    /// stream name it.
    pub fn name(&mut self, number: Option<u64>) {
        self.document.name(number);
    }

    /// What is to be printed now. `stamp` is what each line of text begins with (`--timestamps`).
    pub fn show(&mut self, event: &Event<'_>, stamp: &str) -> String {
        if let Event::Interval(interval) = event
            && self.is_remainder(interval)
        {
            return String::new();
        }
        match self.form.notation {
            Notation::Text => self.show_text(event, stamp),
            Notation::Json => match self.document.take(event) {
                true => self.document.pretty(),
                false => String::new(),
            },
            Notation::JsonStream { document } => self.show_lines(event, document),
        }
    }

    /// What a server tells its client of its output, if the client wants it. Asked when all but
    /// the last events have come.
    pub fn server_output(&self) -> Option<ServerOutput> {
        match self.form.notation {
            Notation::Text => self.kept.clone().map(ServerOutput::Text),
            Notation::Json | Notation::JsonStream { .. } => self
                .document
                .is_wanted()
                .then(|| ServerOutput::Json(self.document.value())),
        }
    }

    fn show_text(&mut self, event: &Event<'_>, stamp: &str) -> String {
        if let Event::Contact(contact) = event
            && contact.wants_server_output
            && self.form.role == Role::Server
        {
            self.kept = Some(String::new());
        }
        let text = self.text.show(event, &self.form);
        let title = match &self.form.title {
            Some(title) if self.form.role == Role::Client => format!("{title}:  "),
            _ => String::new(),
        };
        let lines = text
            .split_inclusive('\n')
            .map(|line| format!("{stamp}{title}{line}"));
        let mut shown: String = lines.collect();
        if let Some(kept) = &mut self.kept {
            kept.push_str(&shown);
        }
        // Whatever the server's lines begin with, they have it already.
        if let Event::Ended(end) = event
            && let Some(output) = &end.server_output
        {
            shown.push_str(&of_server(output));
        }
        shown
    }

    fn show_lines(&mut self, event: &Event<'_>, with_document: bool) -> String {
        let is_last = self.document.take(event);
        match event {
            Event::Started(_) => self.document.start_line(),
            Event::Interval(_) => self.document.interval_line(with_document),
            _ if is_last && with_document => self.document.last_lines() + &self.document.pretty(),
            _ if is_last => self.document.last_lines(),
            _ => String::new(),
        }
    }

    /// What is left over at the end is no interval of its own: shorter than a tenth of one, and
    /// nothing moved in it.
    fn is_remainder(&self, interval: &Interval) -> bool {
        let longest = interval
            .streams
            .iter()
            .map(|stream| stream.end_seconds - stream.start_seconds)
            .fold(0.0, f64::max);
        interval.last
            && longest < self.form.interval_seconds / 10.0
            && interval.streams.iter().all(|stream| stream.bytes == 0)
    }
}
