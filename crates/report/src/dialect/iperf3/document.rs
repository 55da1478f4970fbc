//! The document of a test, key by key as iperf3 has it, each key once.

mod end;
mod interval;
mod start;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use self::end::EndPart;
use self::interval::IntervalPart;
use self::start::StartPart;
use super::{Event, Form, Protocol, Role, ServerOutput, Way};

/// What is known of a test so far.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Document {
    start: StartPart,
    intervals: Vec<IntervalPart>,
    end: EndPart,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_data: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_output_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_output_json: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    shape: Shape,
    #[serde(skip)]
    is_wanted: bool,
    #[serde(skip)]
    name: Option<Name>,
}

/// What tells the lines of a test from those of others that go on at the same time.
#[derive(Debug, Clone, Serialize)]
struct Name {
    /// Its number.
    test: u64,
    /// The one in its `start`, which may have been alone when it was printed.
    #[serde(skip_serializing_if = "String::is_empty")]
    cookie: String,
}

/// What decides which keys there are.
#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    role: Role,
    protocol: Protocol,
    way: Way,
}

impl Shape {
    /// Whether a stream on which this end sends, or does not, is of the half that keys of
    /// bidirectional tests call reverse: from the server to the client, at both ends.
    fn is_reverse(self, sends: bool) -> bool {
        self.way == Way::Both && sends == (self.role == Role::Server)
    }
}

impl Document {
    pub fn new(form: &Form) -> Self {
        Self {
            start: StartPart::new(form),
            intervals: Vec::new(),
            end: EndPart::default(),
            title: form.title.clone(),
            extra_data: None,
            server_output_text: None,
            server_output_json: None,
            error: None,
            shape: Shape {
                role: form.role,
                ..Shape::default()
            },
            is_wanted: false,
            name: None,
        }
    }

    /// Lines of a stream name the test from now on, or no more.
    pub fn name(&mut self, number: Option<u64>) {
        self.name = number.map(|test| Name {
            test,
            cookie: self.start.cookie().to_owned(),
        });
    }

    /// Whether it is complete now.
    pub fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Contact(contact) => {
                self.shape.protocol = contact.protocol;
                self.shape.way = contact.way;
                self.is_wanted = contact.wants_server_output;
                self.title.clone_from(&contact.title);
                self.extra_data.clone_from(&contact.extra_data);
                self.start.meet(contact, self.shape.role);
            }
            Event::Connected(connected) => self.start.connect(connected),
            Event::Started(started) => self.start.begin(started, self.shape),
            Event::Interval(interval) => {
                self.intervals.push(IntervalPart::new(interval, self.shape));
            }
            Event::Ended(end) => {
                self.end = EndPart::new(end, self.shape);
                match end.server_output.clone() {
                    Some(ServerOutput::Text(text)) => self.server_output_text = Some(text),
                    Some(ServerOutput::Json(value)) => self.server_output_json = Some(value),
                    None => {}
                }
            }
            Event::Closed { error } => {
                self.error = error.map(str::to_owned);
                return true;
            }
            Event::Opened { .. } | Event::Listening { .. } | Event::Remark(_) => {}
        }
        false
    }

    /// Whether the client of this server wants it.
    pub fn is_wanted(&self) -> bool {
        self.is_wanted && self.shape.role == Role::Server
    }

    /// As a value within another document.
    pub fn value(&self) -> Value {
        serde_json::to_value(self).expect(TOTAL)
    }

    /// As a text of its own.
    pub fn pretty(&self) -> String {
        pretty(self)
    }

    /// The line of a stream for a test that starts.
    pub fn start_line(&self) -> String {
        self.line("start", &self.start)
    }

    /// The line of a stream for the latest interval, which is forgotten unless it is kept for the
    /// whole document.
    pub fn interval_line(&mut self, is_kept: bool) -> String {
        match is_kept {
            true => self.line("interval", &self.intervals.last()),
            false => {
                let last = self.intervals.pop();
                self.line("interval", &last)
            }
        }
    }

    /// The lines of a stream that end it.
    pub fn last_lines(&self) -> String {
        let error = self.error.as_ref().map(|error| self.line("error", error));
        let text = self.server_output_text.as_ref();
        let text = text.map(|text| self.line("server_output_text", text));
        let json = self.server_output_json.as_ref();
        let json = json.map(|json| self.line("server_output_json", json));
        let end = Some(self.line("end", &self.end));
        [error, text, json, end].into_iter().flatten().collect()
    }

    /// A line of a stream.
    fn line(&self, event: &str, data: &impl Serialize) -> String {
        #[derive(Serialize)]
        struct Line<'a, T> {
            event: &'a str,
            data: T,
            #[serde(flatten)]
            name: Option<&'a Name>,
        }
        let name = self.name.as_ref();
        let line = Line { event, data, name };
        serde_json::to_string(&line).expect(TOTAL) + "\n"
    }
}

/// Indented by tabs, as iperf3 does.
pub(super) fn pretty(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let form = PrettyFormatter::with_indent(b"\t");
    let mut serializer = Serializer::with_formatter(&mut text, form);
    value.serialize(&mut serializer).expect(TOTAL);
    text.push(b'\n');
    String::from_utf8_lossy(&text).into_owned()
}

/// Serialisation fails for maps with keys that are no strings and for writers that fail; there
/// are neither.
const TOTAL: &str = "documents serialise in memory";
