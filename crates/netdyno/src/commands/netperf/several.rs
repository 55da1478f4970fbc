//! Many equal tests at once: one process, one start, one window, one number.

use std::process::ExitCode;

use engine::netperf::client::{Client, Flow, Outcome};
use proto::netperf::Transport;
use report::dialect::netperf::{self as shown, Way};
use sys::signal::Signals;
use units::Nanos;

use super::keep::Keeper;
use super::{code, order, print};
use crate::dialect::netperf::{NetperfRequest, SeveralRequest};
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
    let mut keeper = Keeper::open(each, argv, number);
    let outcome = match client.run(&job, &mut |_| {}) {
        Ok(outcome) => outcome,
        Err(error) => {
            keeper.fail(&error.to_string());
            return fail(&error.to_string(), code(&error));
        }
    };
    client.close();
    keeper.take(&outcome);
    let rates: Vec<f64> = outcome
        .flows
        .iter()
        .map(|flow| rate(each, flow, &outcome))
        .collect();
    if request.detail {
        print(&detail(each, &outcome, &rates));
    }
    print(&format!("{}\n", shown::general(rates.iter().sum(), 6)));
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

/// What a flow did in the common window, in the unit asked for: what the other end acknowledged
/// or received, what came, or transactions.
fn rate(request: &NetperfRequest, flow: &Flow, outcome: &Outcome) -> f64 {
    if flow.error.is_some() {
        return 0.0;
    }
    let per_second = |count: u64, time: Nanos| {
        if time.is_zero() {
            0.0
        } else {
            count as f64 / time.as_secs_f64()
        }
    };
    let unit = request.form.unit;
    let count = match request.data.way {
        Way::Send if request.data.transport == Transport::Udp => {
            let results = flow.results.as_ref();
            results.map_or(flow.window.written_bytes, |results| {
                results.bytes_received.get()
            })
        }
        Way::Send => flow.window_acked.unwrap_or(flow.window.written_bytes),
        Way::Receive => flow.window.received_bytes,
        Way::Both | Way::ConnectBoth | Way::Connect if unit == shown::Unit::Trans => {
            flow.window.transactions
        }
        Way::Both | Way::ConnectBoth | Way::Connect => {
            flow.window.written_bytes + flow.window.received_bytes
        }
    };
    unit.figure(per_second(count, outcome.window))
}

/// A row for each flow, then how fairly they shared.
fn detail(request: &NetperfRequest, outcome: &Outcome, rates: &[f64]) -> String {
    let unit = request.form.unit.name();
    let mut text = format!(
        "{:>6} {:>22} {:>14} {:>10} {:>8}\n",
        "flow",
        "from",
        format!("{unit}/s"),
        "elapsed",
        "retrans"
    );
    for (number, (flow, rate)) in outcome.flows.iter().zip(rates).enumerate() {
        let from = flow.local.map_or("-".to_owned(), |local| local.to_string());
        let retransmits = flow
            .tcp_info
            .as_ref()
            .and_then(|info| info.tcpi_total_retrans)
            .map_or("-".to_owned(), |count| count.to_string());
        let elapsed = flow.elapsed.as_secs_f64();
        text += &format!("{number:>6} {from:>22} {rate:>14.2} {elapsed:>10.3} {retransmits:>8}\n");
        if let Some(error) = &flow.error {
            text += &format!("{:>6} {error}\n", "");
        }
    }
    let fairness = stats::jain(rates).map_or("-".to_owned(), |index| format!("{index:.3}"));
    let window = outcome.window.as_secs_f64();
    text + &format!("fairness (Jain) {fairness}, common window {window:.3} s\n")
}
