//! Lines of intervals.

use super::super::{Form, Interval, Protocol, StreamInterval, Way, sum};
use super::row::{Row, Tail};
use super::{RULE, Text};

impl Text {
    /// The head before the first one, a rule between those of several streams.
    pub(super) fn interval(&mut self, interval: &Interval, form: &Form) -> String {
        let mut lines = String::new();
        if !self.has_head {
            self.has_head = true;
            lines.push_str(&self.head(self.columns(interval)));
        } else if self.parallel > 1 {
            lines.push_str(RULE);
        }
        let mark = if interval.omitted { "(omitted)" } else { "" };
        for half in interval
            .streams
            .chunk_by(|one, next| one.sends == next.sends)
        {
            for stream in half {
                lines.push_str(&self.interval_line(stream, Some(stream.socket), mark, form));
            }
            if self.parallel > 1 {
                lines.push_str(&self.interval_line(&sum::interval(half.iter()), None, mark, form));
            }
        }
        lines
    }

    fn columns(&self, interval: &Interval) -> &'static str {
        let mut streams = interval.streams.iter();
        let sends_only = self.way != Way::Both && streams.clone().any(|stream| stream.sends);
        match self.protocol {
            Protocol::Udp if sends_only => "         Total Datagrams",
            Protocol::Udp => "         Jitter    Lost/Total Datagrams",
            _ if streams.any(|stream| stream.path.is_some()) => "         Retr  Cwnd",
            _ => "",
        }
    }

    fn interval_line(
        &self,
        stream: &StreamInterval,
        socket: Option<i32>,
        mark: &str,
        form: &Form,
    ) -> String {
        let row = Row {
            socket,
            tag: self.tag(stream.sends, form),
            start_seconds: stream.start_seconds,
            end_seconds: stream.end_seconds,
            bytes: stream.bytes,
        };
        let tail = match (&stream.datagrams, &stream.path) {
            (Some(datagrams), _) if stream.sends => Tail::Packets {
                packets: datagrams.packets,
                is_wide: self.way == Way::Both,
            },
            (Some(datagrams), _) => Tail::Loss {
                jitter_seconds: datagrams.jitter_seconds,
                lost: Some(datagrams.lost),
                packets: datagrams.packets,
            },
            (None, Some(path)) if socket.is_some() => Tail::Path(path),
            (None, Some(path)) => Tail::Retransmits(path.retransmits),
            (None, None) => Tail::Plain,
        };
        row.line(&tail, mark, form)
    }
}
