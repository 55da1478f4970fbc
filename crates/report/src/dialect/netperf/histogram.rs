//! How often operations took how long: what a netperf that was built with histograms adds to
//! `-v 2`. Debian's was not, so it is shown only where latency was asked for as well (`-j`).

use super::{Form, Layout, NetperfResult, Test, Way};

/// Decades, from units of a microsecond to tens of seconds.
const ROWS: [&str; 8] = [
    "UNIT_USEC",
    "TEN_USEC",
    "HUNDRED_USEC",
    "UNIT_MSEC",
    "TEN_MSEC",
    "HUNDRED_MSEC",
    "UNIT_SEC",
    "TEN_SEC",
];

/// The text; nothing where it was not asked for, or nothing was timed.
pub(super) fn histogram(result: &NetperfResult, form: &Form) -> String {
    if form.verbosity < 2 || result.times_ns.is_empty() {
        return String::new();
    }
    let mut rows = [[0_u64; 10]; ROWS.len()];
    let (mut beyond, mut total) = (0, 0);
    for (nanos, count) in &result.times_ns {
        total += count;
        let usecs = nanos / 1000;
        let decade = usecs.checked_ilog10().unwrap_or(0) as usize;
        match rows.get_mut(decade) {
            Some(row) => row[(usecs / 10_u64.pow(decade as u32)) as usize] += count,
            None => beyond += count,
        }
    }
    let mut text = title(form);
    for (name, row) in ROWS.iter().zip(rows) {
        text += &format!("{name:<14}");
        for count in row {
            text += &format!(": {count:4}");
        }
        text.push('\n');
    }
    text + &format!(">100_SECS: {beyond}\nHIST_TOTAL: {total:10}\n")
}

fn title(form: &Form) -> String {
    let call = match form.way {
        Way::Receive => "recv",
        _ => "send",
    };
    match (&form.layout, form.test) {
        (Layout::Classic, Test::UdpStream) => {
            format!("\nHistogram of time spent in {call}() call\n")
        }
        // netperf's own spelling.
        (Layout::Classic, Test::UdpRr) => "\nHistogram of request/reponse times.\n".to_owned(),
        (Layout::Classic, _) if form.way.counts_transactions() => {
            "\nHistogram of request/response times\n".to_owned()
        }
        (Layout::Classic, _) => format!("\n\nHistogram of time spent in {call}() call.\n"),
        _ => {
            let operation = match form.way {
                Way::Send => "send",
                Way::Receive => "recv",
                Way::Both => "request/response",
                Way::ConnectBoth => "connect/request/response/close",
                Way::Connect => "connect/close",
            };
            format!("\nHistogram of {operation} times\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::netperf::sample;

    #[test]
    fn counts_lie_in_their_decades() {
        let mut form = sample::form(Test::TcpRr);
        let times_ns = vec![
            (999, 1),
            (9_999, 2),
            (10_000, 3),
            (123_456, 4),
            (99_999_999_999, 5),
            (100_000_000_000, 6),
        ];
        let result = NetperfResult {
            times_ns,
            ..NetperfResult::default()
        };
        assert_eq!(histogram(&result, &form), "", "not asked for");
        form.verbosity = 2;
        let text = histogram(&result, &form);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "Histogram of request/response times");
        assert_eq!(
            lines[2],
            "UNIT_USEC     :    1:    0:    0:    0:    0:    0:    0:    0:    0:    2"
        );
        assert!(lines[3].starts_with("TEN_USEC      :    0:    3:"));
        assert!(lines[4].starts_with("HUNDRED_USEC  :    0:    4:"));
        assert!(lines[9].ends_with(":    5"));
        assert_eq!(lines[10..], [">100_SECS: 6", "HIST_TOTAL:         21"]);
    }
}
