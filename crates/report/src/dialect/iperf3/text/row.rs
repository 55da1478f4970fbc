//! Lines of a table.

use super::super::number::{bytes, loss, rate, ratio};
use super::super::{Form, PathSample};

/// What all lines of a table begin with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// None for the sum of several.
    pub socket: Option<i32>,
    pub tag: &'static str,
    pub start_seconds: f64,
    pub end_seconds: f64,
    pub bytes: u64,
}

/// What a line ends with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tail<'a> {
    /// Of TCP that is received, or of which nothing more is known.
    Plain,
    /// Of TCP that is sent, at the end of an interval.
    Path(&'a PathSample),
    /// Of TCP that is sent, of several streams or of a whole test.
    Retransmits(u64),
    /// Of UDP that is sent.
    Packets { packets: u64, is_wide: bool },
    /// Of UDP that is received, or of a whole test.
    Loss {
        jitter_seconds: f64,
        lost: Option<u64>,
        packets: u64,
    },
}

impl Row {
    /// The line; `mark` is its last word.
    pub fn line(&self, tail: &Tail<'_>, mark: &str, form: &Form) -> String {
        let id = match self.socket {
            Some(socket) => format!("[{socket:3}]"),
            None => "[SUM]".to_owned(),
        };
        let seconds = self.end_seconds - self.start_seconds;
        format!(
            "{id}{} {:6.2}-{:<6.2} sec  {}  {}{}{mark}\n",
            self.tag,
            self.start_seconds,
            self.end_seconds,
            bytes(self.bytes),
            rate(ratio(self.bytes as f64, seconds), form.unit),
            tail.text(),
        )
    }
}

impl Tail<'_> {
    fn text(&self) -> String {
        match *self {
            Tail::Plain => " ".repeat(18),
            Tail::Path(path) => format!(
                "  {:3}   {}       ",
                path.retransmits,
                bytes(path.cwnd_bytes)
            ),
            Tail::Retransmits(retransmits) => format!("  {retransmits:3}             "),
            Tail::Packets { packets, is_wide } => {
                let gap = if is_wide { "            " } else { "  " };
                format!("{gap}{packets}  ")
            }
            Tail::Loss {
                jitter_seconds,
                lost,
                packets,
            } => format!(
                "  {:5.3} ms  {}  ",
                jitter_seconds * 1e3,
                loss(lost, packets)
            ),
        }
    }
}
