//! Lines while tests run (`-D`).

use std::time::{SystemTime, UNIX_EPOCH};

use engine::netperf::client::Progress;
use report::dialect::netperf::{self as shown, Interim, Test, Unit};

use crate::dialect::netperf::NetperfRequest;

/// One line after the other.
pub(super) struct Lines<'a> {
    request: &'a NetperfRequest,
    index: usize,
}

impl<'a> Lines<'a> {
    pub fn new(request: &'a NetperfRequest) -> Self {
        Self { request, index: 0 }
    }

    /// The text of the next one.
    pub fn next(&mut self, progress: Progress) -> String {
        let counters = progress.counters;
        let form = &self.request.form;
        let count = match self.request.data.way.counts_transactions() {
            true if form.unit == Unit::Trans || form.test == Test::TcpCc => counters.transactions,
            _ => counters.written_bytes + counters.received_bytes,
        };
        let seconds = progress.time.as_secs_f64();
        let line = Interim {
            index: self.index,
            per_second: count as f64 / seconds.max(f64::MIN_POSITIVE),
            seconds,
            ending_unix_ms: unix_ms(),
        };
        self.index += 1;
        shown::interim(&line, form)
    }
}

/// Wall time is a label.
fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| {
        u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
    })
}
