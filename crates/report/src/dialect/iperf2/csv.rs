//! Comma-separated values (`-y C`), in the form of iperf 2.1 with the faults of its versions
//! mended: right times, rows of sums, and the server's report at a UDP client.

use std::net::SocketAddr;

use super::{Figures, Form, Id, Row, WallTime};

/// Where a row's data comes from and where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvEnds {
    /// The sender.
    pub from: SocketAddr,
    /// The receiver.
    pub to: SocketAddr,
}

/// A row of a sum has no flow's number.
const OF_SUM: i64 = -1;

impl Row {
    /// The row with its end: 9 fields, and 5 more of a UDP receiver. `at` is when it ended. Of a
    /// sum, `ends` are those of any of its flows.
    pub fn csv(&self, ends: &CsvEnds, at: &WallTime, form: &Form) -> String {
        let (number, from_port) = match &self.id {
            Id::Flow(flow) => (i64::from(flow.number), ends.from.port()),
            Id::FullDuplex(number) => (i64::from(*number), ends.from.port()),
            Id::Sum | Id::SumOf(_) | Id::ConnectTimes => (OF_SUM, 0),
        };
        let of_flow = matches!(self.id, Id::Flow(_));
        if form.excluded.data || (form.sum_only && of_flow) {
            return String::new();
        }
        let Self {
            from_seconds,
            to_seconds,
            bytes,
            ..
        } = self;
        let (from, to) = (ends.from.ip(), ends.to);
        let at = at.digits(form.enhanced);
        let bits_per_second = self.per_second(*bytes as f64 * 8.0);
        let mut line = format!(
            "{at},{from},{from_port},{},{},{number},{from_seconds:.1}-{to_seconds:.1},{bytes},\
             {bits_per_second:.0}",
            to.ip(),
            to.port()
        );
        if let Figures::UdpReceived(received) = &self.figures {
            let lost = received.lost;
            let expected = received.expected;
            let percent = match expected {
                0 => 0.0,
                expected => 100.0 * lost as f64 / expected as f64,
            };
            let jitter_ms = received.jitter_ms.unwrap_or(0.0);
            let out_of_order = received.out_of_order;
            line += &format!(",{jitter_ms:.3},{lost},{expected},{percent:.3},{out_of_order}");
        }
        line + "\n"
    }
}
