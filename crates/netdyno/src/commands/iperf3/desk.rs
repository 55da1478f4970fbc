//! What a server prints of its tests, which share one output.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::iperf3::server::{Scribe, TestError};
use engine::iperf3::{Event, Outcome};
use proto::iperf3::{ErrorNumber, Parameters, ServerOutput};
use record::Status;
use report::dialect::iperf3::{self as output, Form, Notation, Transcript};

use super::archive::Archive;
use super::client::unix_ms;
use super::keep::Kept;
use super::paper::Paper;
use super::{debug, shown};
use crate::dialect::iperf3::Common;

/// What all tests' writers share.
pub(super) struct Desk {
    paper: Arc<Paper>,
    debug: Option<u8>,
    form: Form,
    one_off: bool,
    file: Option<PathBuf>,
    archive: Archive,
    tests: Mutex<Tests>,
}

#[derive(Default)]
struct Tests {
    port: u16,
    running: u32,
    /// Some ran at the same time, since there was none.
    several: bool,
    /// The number of the latest.
    latest: u64,
}

impl Desk {
    pub fn new(
        paper: Arc<Paper>,
        form: Form,
        common: &Common,
        one_off: bool,
        archive: Archive,
    ) -> Self {
        Self {
            paper,
            debug: common.debug,
            form,
            one_off,
            file: common.file.clone(),
            archive,
            tests: Mutex::default(),
        }
    }

    /// Says that the first client may come.
    pub fn open(&self, port: u16) {
        self.tests().port = port;
        let opened = output::Event::Opened {
            control_mss: None,
            udp_block: None,
        };
        let mut banner = Transcript::new(self.form.clone());
        self.paper.write(&banner.show(&opened, &self.paper.stamp()));
        self.listen(port, 1);
    }

    fn listen(&self, port: u16, number: u64) {
        let mut banner = Transcript::new(self.form.clone());
        let listening = output::Event::Listening { port, number };
        self.paper
            .write(&banner.show(&listening, &self.paper.stamp()));
    }

    fn begin(&self, number: u64) {
        let mut tests = self.tests();
        tests.running += 1;
        tests.several |= tests.running > 1;
        tests.latest = tests.latest.max(number);
    }

    /// A test is over. When it was the only one the next client is expected, as iperf3 says it.
    fn end(&self, is_last: bool) {
        let mut tests = self.tests();
        tests.running = tests.running.saturating_sub(1);
        tests.several &= tests.running > 0;
        if tests.running == 0 && !is_last {
            self.listen(tests.port, tests.latest + 1);
        }
    }

    /// Whether lines of other tests are among those of each.
    fn has_several(&self) -> bool {
        self.tests().several
    }

    /// What the lines of a test begin with where others are among them.
    fn mark(&self, number: u64) -> String {
        match self.has_several() {
            true => format!("test #{number}:  "),
            false => String::new(),
        }
    }

    fn is_text(&self) -> bool {
        self.form.notation == Notation::Text
    }

    fn tests(&self) -> MutexGuard<'_, Tests> {
        self.tests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes one test's output, and keeps its run.
pub(super) struct Writer {
    transcript: Transcript,
    desk: Arc<Desk>,
    number: u64,
    parameters: Option<Parameters>,
    kept: Option<Kept>,
    outcome: Option<Outcome>,
    /// How it ended, and why if it is not what was asked.
    end: (Status, Option<String>),
}

impl Writer {
    /// Of the test with this number.
    pub fn new(desk: Arc<Desk>, number: u64) -> Self {
        desk.begin(number);
        Self {
            transcript: Transcript::new(desk.form.clone()),
            desk,
            number,
            parameters: None,
            kept: None,
            outcome: None,
            end: (Status::Failed, None),
        }
    }

    fn show(&mut self, event: &output::Event<'_>) {
        let paper = &self.desk.paper;
        let stamp = paper.stamp();
        let several = self.desk.has_several();
        self.transcript.name(several.then_some(self.number));
        let text = self.transcript.show(event, &stamp);
        if text.is_empty() || !self.desk.is_text() {
            return paper.write(&text);
        }
        paper.write(&marked(&text, &stamp, &self.desk.mark(self.number)));
    }

    fn remark(&mut self, lines: &[String]) {
        for line in lines {
            self.show(&output::Event::Remark(line));
        }
    }
}

/// Puts a mark behind the stamp of each line.
fn marked(text: &str, stamp: &str, mark: &str) -> String {
    let lines = text.split_inclusive('\n');
    let lines = lines.map(|line| {
        let line = line.strip_prefix(stamp).unwrap_or(line);
        format!("{stamp}{mark}{line}")
    });
    lines.collect()
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
                self.kept = self.desk.archive.begin(told);
                self.parameters = Some(told.parameters.clone());
            }
            Event::Connected(told) => {
                self.show(&output::Event::Connected(&shown::connected(told)));
            }
            Event::Started(told) => {
                self.kept.iter_mut().for_each(Kept::start);
                if let Some(parameters) = &self.parameters {
                    let started = shown::started(told, parameters);
                    self.show(&output::Event::Started(&started));
                }
            }
            Event::Interval(told) => {
                self.kept.iter_mut().for_each(|kept| kept.interval(told));
                self.show(&output::Event::Interval(&shown::interval(told)));
            }
            Event::Remark(remark) => self.show(&output::Event::Remark(remark)),
        }
    }

    fn ended(&mut self, outcome: &Outcome) {
        self.remark(&debug::outcome(self.desk.debug, outcome));
        let Some(parameters) = &self.parameters else {
            return;
        };
        let end = shown::end(outcome, parameters, self.desk.file.as_deref());
        self.show(&output::Event::Ended(&end));
        self.outcome = Some(outcome.clone());
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
            ErrorNumber::CLIENT_TERMINATED => "the client has terminated".to_owned(),
            _ => error.sentence.clone(),
        });
        self.show(&output::Event::Closed {
            error: sentence.as_deref(),
        });
        let ends = error.is_some_and(|error| error.number == ErrorNumber::SERVER_TERMINATED);
        if self.desk.is_text()
            && !ends
            && let Some(sentence) = &sentence
        {
            let mark = self.desk.mark(self.number);
            // A client that is interrupted is no error to iperf3.
            let left = error.is_some_and(|error| error.number == ErrorNumber::CLIENT_TERMINATED);
            let kind = if left { "" } else { "error - " };
            self.desk.paper.complain(&format!("{kind}{mark}{sentence}"));
        }
        // Who is not let in does not use up a server of one test.
        let refused = error.is_some_and(|error| error.number == ErrorNumber::AUTHORIZATION);
        self.desk.end(ends || (self.desk.one_off && !refused));
        self.end = match error {
            None => (Status::Ok, None),
            Some(error) if was_ended(error) => (Status::Interrupted, None),
            Some(error) => (Status::Failed, Some(error.sentence.clone())),
        };
    }
}

impl Drop for Writer {
    /// Writes the run's document. The client, who has gone by now, does not wait for the disk.
    fn drop(&mut self) {
        if let Some(kept) = self.kept.take() {
            let (status, reason) = self.end.clone();
            kept.finish(self.outcome.as_ref(), status, reason);
        }
    }
}

/// Whether somebody wanted the end, at either end.
fn was_ended(error: &TestError) -> bool {
    matches!(
        error.number,
        ErrorNumber::SERVER_TERMINATED | ErrorNumber::CLIENT_TERMINATED
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stands_behind_the_stamp_of_each_line() {
        let text = "12:00 [  5] one\n12:00 [  5] two\n";
        let shown = marked(text, "12:00 ", "test #3:  ");
        assert_eq!(
            shown,
            "12:00 test #3:  [  5] one\n12:00 test #3:  [  5] two\n"
        );
        assert_eq!(marked(text, "12:00 ", ""), text);
        assert_eq!(marked("one\n", "", "test #3:  "), "test #3:  one\n");
    }
}
