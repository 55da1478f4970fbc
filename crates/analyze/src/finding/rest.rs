//! What is said when no rule explains the result.

use plan::{Arrival, Kind};
use record::{Cause, End, Evidence, Finding, LoadResult, Run};
use units::Nanos;

use super::way::Way;
use super::{finding, percent, row, weight};

/// With this much explained nothing more needs to be said.
const EXPLAINED: f64 = 0.5;

pub(super) fn rest(run: &Run, ways: &[Way], found: &[Finding]) -> Option<Finding> {
    let limits =
        |finding: &&Finding| !matches!(finding.cause, Cause::HeadOfLine | Cause::LocalPath);
    let best = found
        .iter()
        .filter(limits)
        .map(|finding| weight(finding, ways));
    if best.sum::<f64>() >= EXPLAINED {
        return None;
    }
    let offered: Vec<&Way> = ways
        .iter()
        .filter(|way| way.rate_asked().is_some())
        .collect();
    if !ways.is_empty() && offered.len() == ways.len() && offered.iter().all(|way| got_all(way)) {
        return Some(unlimited(offered.into_iter().map(all_of_it).collect()));
    }
    if ways.is_empty() && run.loads.iter().any(is_untold) {
        return Some(untold(run));
    }
    let exchanges = run.loads.iter().filter(|load| load.kind.is_exchange());
    let asked: Vec<_> = exchanges.filter(|load| load.kind != Kind::Probe).collect();
    match (ways.is_empty(), asked.first()) {
        (true, None) => (run.loads.iter().any(|load| load.transactions > Some(0))).then(|| {
            unlimited(vec![row(
                None,
                "loads",
                0.0,
                "",
                "only the probe ran".to_owned(),
            )])
        }),
        (true, Some(load)) => exchange(run, load),
        (false, _) => Some(cannot_tell(run, ways)),
    }
}

/// Whether it sent, and nobody told what came of it.
fn is_untold(load: &LoadResult) -> bool {
    let mut ways = load.directions.iter();
    ways.any(|way| way.received.is_none() && way.sent.is_some_and(|sent| sent.bytes > 0))
}

fn untold(run: &Run) -> Finding {
    let loads = run.loads.iter().filter(|load| is_untold(load));
    let evidence = loads.map(|load| {
        let says = format!("nobody told what was received of {}", load.name);
        row(None, "received.bytes", 0.0, "", says)
    });
    finding(
        Cause::CannotTell,
        None,
        (0.0, 1.0),
        evidence.collect(),
        "let the receiver tell: a server that reports, such as netdyno's own",
    )
}

/// Requests that go out at a rate of their own are not limited by the replies.
fn exchange(run: &Run, load: &LoadResult) -> Option<Finding> {
    let median = load.latency?.p50_ns?;
    let asked = run
        .plan
        .loads
        .iter()
        .find(|asked| asked.name == load.name)?;
    let (shown, took) = (Nanos::new(median), "latency.p50_ns");
    if asked.arrival == Arrival::Closed {
        let says = format!("each request waits for the reply before it: {shown} (median)");
        return Some(finding(
            Cause::RoundTrip,
            Some(&load.name),
            (1.0, 0.8),
            vec![row(End::Client, took, median as f64, "ns", says)],
            "more requests at once (depth=, flows=) or a shorter path give more transactions",
        ));
    }
    let short = run
        .doubts
        .iter()
        .any(|doubt| doubt.doubt == "sender-short-of-load");
    let says = format!("requests went out as they were due; the median took {shown}");
    let evidence = vec![row(End::Client, took, median as f64, "ns", says)];
    (!short).then(|| unlimited(evidence))
}

fn got_all(way: &Way) -> bool {
    way.rate_asked()
        .is_some_and(|asked| way.rate() >= 0.98 * asked)
        && way.lost_share() < 0.001
}

fn all_of_it(way: &Way) -> Evidence {
    let share = way.rate() / way.rate_asked().unwrap_or(f64::INFINITY);
    let says = format!(
        "{} got {} of what was offered",
        way.load.name,
        percent(share)
    );
    row(
        way.receiver(),
        "received.bits_per_second",
        way.rate(),
        "bit/s",
        says,
    )
}

fn unlimited(evidence: Vec<Evidence>) -> Finding {
    finding(
        Cause::Unlimited,
        None,
        (1.0, 0.9),
        evidence,
        "offer more (rate=, flows=) to find the limit",
    )
}

fn cannot_tell(run: &Run, ways: &[Way]) -> Finding {
    let mut evidence: Vec<Evidence> = ways
        .iter()
        .filter_map(|way| {
            let waits = way.waits()?;
            let says = format!(
                "of the time idle {}, receive window {}, send buffer {}, other {}",
                percent(waits.idle),
                percent(waits.receive_window),
                percent(waits.send_buffer),
                percent(waits.rest)
            );
            Some(row(way.sender, "tcp.busy", 1.0 - waits.idle, "share", says))
        })
        .collect();
    for end in End::BOTH {
        if run.hosts_observed.of(end).is_none() {
            let says = "its host's rows never came".to_owned();
            evidence.push(row(end, "hosts_observed", 0.0, "", says));
        }
    }
    if evidence.is_empty() {
        let says = "no socket told its closing figures".to_owned();
        evidence.push(row(None, "loads.tcp", 0.0, "", says));
    }
    finding(
        Cause::CannotTell,
        None,
        (0.0, 1.0),
        evidence,
        "observe both hosts, add --explain locks as root, or run longer",
    )
}
