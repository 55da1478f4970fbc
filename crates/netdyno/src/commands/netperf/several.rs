//! Many equal tests at once: one process, one start, one window, one number.

use std::io::Write;
use std::process::ExitCode;

use engine::netperf::client::{Client, ClientError, Flow, Job, News, Outcome};
use proto::netperf::Transport;
use report::dialect::netperf::{self as shown, Unit, Way};
use sys::signal::Signals;
use units::Nanos;

use super::facts::Keep;
use super::interim::Lines;
use super::{code, detail, order, print};
use crate::dialect::netperf::{Iteration, NetperfRequest, Repeated, SeveralRequest};
use crate::say;

/// Runs them and prints the sum.
pub(super) fn run(request: &SeveralRequest, argv: &[String], signals: Signals) -> ExitCode {
    let each = &request.each;
    let fail = |sentence: &str, code: u8| {
        say!("{sentence}");
        ExitCode::from(code)
    };
    let control = match order::control(each) {
        Ok(control) => control,
        Err(sentence) => return fail(&sentence, 255),
    };
    let number = request.count.get();
    let mut keep = Keep::new(each, argv, number, &control);
    keep.begin();
    let mut client = match Client::connect(&control, number, Some(signals)) {
        Ok(client) => client,
        Err(error) => return fail(&format!("waiting for events: {error}"), 1),
    };
    let Some(peer) = client.peer() else {
        return fail("there is no address to go to", 255);
    };
    let job = match order::job(each, peer) {
        Ok(job) => job,
        Err(sentence) => return fail(&sentence, 255),
    };
    let mut repeated = Repeated::new(each.repeat);
    let outcome = loop {
        let outcome = match once(each, &mut client, &job, &mut keep) {
            Ok(outcome) => outcome,
            Err(error) => return fail(&error.to_string(), code(&error)),
        };
        repeated.push(iteration(each, &outcome));
        if outcome.interrupted || !repeated.goes_on() {
            break outcome;
        }
        keep.begin();
    };
    client.close();
    if request.detail {
        print(&detail::rows(each, &outcome));
    }
    let means = repeated.means();
    let per_second = match each.form.unit {
        Unit::Trans => means.transactions_per_second,
        _ => means.bytes_per_second,
    };
    let sum = each.form.unit.figure(per_second);
    print(&format!("{}\n", shown::general(sum, 6)));
    if let Some(confidence) = repeated.confidence().filter(|wanted| !wanted.reached) {
        say!(
            "the sum of {} iterations is known to {:.1} % of itself and not to the {} % asked for",
            repeated.len(),
            confidence.throughput_percent,
            confidence.width_percent
        );
    }
    let failed: Vec<_> = outcome
        .flows
        .iter()
        .filter_map(|flow| flow.error.as_ref())
        .collect();
    match failed.first() {
        None => ExitCode::SUCCESS,
        Some(error) => fail(
            &format!(
                "{} of {number} tests failed; the first one: {error}",
                failed.len()
            ),
            code(error),
        ),
    }
}

/// One iteration of all. Standard output has one number in the end; lines meanwhile go where
/// people see them.
fn once(
    each: &NetperfRequest,
    client: &mut Client,
    job: &Job,
    keep: &mut Keep<'_>,
) -> Result<Outcome, ClientError> {
    let mut lines = Lines::new(each);
    let result = client.run(job, &mut |news| {
        keep.hear(&news);
        if let News::Progress(progress) = news {
            let _ = std::io::stderr().write_all(lines.next(progress).as_bytes());
        }
    });
    match &result {
        Ok(outcome) => keep.end(outcome),
        Err(error) => keep.fail(error),
    }
    result
}

/// The sum of all in the common window.
fn iteration(each: &NetperfRequest, outcome: &Outcome) -> Iteration {
    let sum = outcome
        .flows
        .iter()
        .map(|flow| count(each, flow))
        .sum::<u64>();
    let per_second = per_second(sum, outcome.window);
    let transactions = each.form.unit == Unit::Trans;
    Iteration {
        elapsed_seconds: outcome.window.as_secs_f64(),
        bytes_per_second: if transactions { 0.0 } else { per_second },
        transactions_per_second: if transactions { per_second } else { 0.0 },
        ..Iteration::default()
    }
}

/// What a flow did in the common window: bytes that the other end acknowledged or received, or
/// that came, or transactions.
pub(super) fn count(request: &NetperfRequest, flow: &Flow) -> u64 {
    if flow.error.is_some() {
        return 0;
    }
    match request.data.way {
        Way::Send if request.data.transport == Transport::Udp => {
            let results = flow.results.as_ref();
            results.map_or(flow.window.written_bytes, |results| {
                results.bytes_received.get()
            })
        }
        Way::Send => flow.window_acked.unwrap_or(flow.window.written_bytes),
        Way::Receive => flow.window.received_bytes,
        Way::Both | Way::ConnectBoth | Way::Connect if request.form.unit == Unit::Trans => {
            flow.window.transactions
        }
        Way::Both | Way::ConnectBoth | Way::Connect => {
            flow.window.written_bytes + flow.window.received_bytes
        }
    }
}

/// `count` over `time`; 0 when no time passed.
pub(super) fn per_second(count: u64, time: Nanos) -> f64 {
    if time.is_zero() {
        0.0
    } else {
        count as f64 / time.as_secs_f64()
    }
}
