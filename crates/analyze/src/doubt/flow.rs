//! Doubts about a load's bytes: who counted them, and whether they were offered as asked.

use plan::{Arrival, Load};
use record::{Doubt, End, LoadReport, LoadResult, Run};
use units::BitRate;

use super::{about, doubt, the};
use crate::counted::Counted;
use crate::stream::Stream;

/// Share of the asked load below which the sender fell short.
const ENOUGH: f64 = 0.99;

pub(super) fn doubts(stream: &Stream, run: &Run) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for ((index, load), result) in stream.loads().zip(&run.loads) {
        for end in End::BOTH {
            doubts.extend(silent(stream, index, load, end));
            doubts.extend(short(stream, index, load, end));
            if let Some(closing) = stream.side(end).closing(index) {
                doubts.extend(broken(load, end, closing));
                doubts.extend(refused(load, end, closing));
            }
            doubts.extend(capped(result, end));
        }
    }
    doubts
}

fn silent(stream: &Stream, index: usize, load: &Load, end: End) -> Option<Doubt> {
    let side = stream.side(end);
    if !end.receives(load.kind) || side.closing(index).is_some() || !stream.traffic_began() {
        return None;
    }
    let known = match side
        .counted(index, &stream.plan.timing)
        .zip(side.edges.last())
    {
        Some((_, last)) => format!("its last word is of {:.2} s", last.at_ns as f64 / 1e9),
        None => "nothing is known of what it received".to_owned(),
    };
    let evidence = format!("{} never sent its closing figures; {known}", the(end));
    Some(doubt(
        "no-receiver-figures",
        about(&load.name, "received"),
        evidence,
    ))
}

/// Paced by us, and less went out than asked.
fn short(stream: &Stream, index: usize, load: &Load, end: End) -> Option<Doubt> {
    if !end.sends(load.kind) {
        return None;
    }
    let counted = stream.side(end).counted(index, &stream.plan.timing)?;
    let evidence = match load.arrival {
        Arrival::Closed => slow_bytes(stream, index, load, end, &counted)?,
        Arrival::Paced {
            requests_per_second,
        } => slow_requests(load, requests_per_second, 0.0, &counted)?,
        // The number of Poisson arrivals has its mean as its variance.
        Arrival::Poisson {
            requests_per_second,
        } => slow_requests(load, requests_per_second, 3.0, &counted)?,
    };
    let evidence = format!("{} sent {evidence}", the(end));
    Some(doubt(
        "sender-short-of-load",
        about(&load.name, "sent"),
        evidence,
    ))
}

fn slow_bytes(
    stream: &Stream,
    index: usize,
    load: &Load,
    end: End,
    counted: &Counted,
) -> Option<String> {
    let granted = stream
        .granted(index, end)
        .and_then(|granted| granted.rate_bits_per_second);
    let rate = granted
        .or(load.rate.map(BitRate::get))
        .filter(|_| !load.kind.is_exchange())?;
    let flows = f64::from(load.flows.get());
    let asked = rate as f64 * flows * counted.seconds;
    let written = counted.counters.written_bytes as f64 * 8.0;
    // A message that was due just before the edge may be counted just after it.
    let edge = load.size.get() as f64 * 8.0 * flows;
    let speed = |bits: f64| BitRate::new((bits / counted.seconds).round() as u64);
    (asked > 0.0 && written + edge < ENOUGH * asked).then(|| {
        let share = 100.0 * written / asked;
        format!(
            "{} of the {} asked for ({share:.1} %)",
            speed(written),
            speed(asked)
        )
    })
}

fn slow_requests(load: &Load, rate: f64, deviations: f64, counted: &Counted) -> Option<String> {
    let flows = f64::from(load.flows.get());
    let asked = rate * flows * counted.seconds;
    let written = counted.counters.written_messages as f64;
    let allowed = flows + deviations * asked.sqrt();
    (asked > 0.0 && written + allowed < ENOUGH * asked).then(|| {
        let share = 100.0 * written / asked;
        format!("{written} of the {asked:.0} requests that were due ({share:.1} %)")
    })
}

fn broken(load: &Load, end: End, closing: &LoadReport) -> Option<Doubt> {
    let reason = closing
        .broken_reason
        .as_deref()
        .unwrap_or("for a reason not told");
    let of = load.flows;
    let evidence = format!(
        "{} of {of} flows broke at {}; the first: {reason}",
        closing.broken,
        the(end)
    );
    (closing.broken > 0).then(|| doubt("flows-broken", about(&load.name, "received"), evidence))
}

fn refused(load: &Load, end: End, closing: &LoadReport) -> Option<Doubt> {
    let failures = closing.total.send_failures;
    let evidence = format!(
        "{}'s kernel refused {failures} sends for want of buffer (ENOBUFS)",
        the(end)
    );
    (failures > 0).then(|| doubt("send-refused", about(&load.name, "sent"), evidence))
}

fn capped(load: &LoadResult, end: End) -> Vec<Doubt> {
    let granted = match end {
        End::Client => &load.granted.client,
        End::Server => &load.granted.server,
    };
    let sentences = granted.iter().flat_map(|granted| &granted.capped);
    let evidence = sentences.map(|sentence| format!("{}: {sentence}", the(end)));
    evidence
        .map(|evidence| doubt("capped", about(&load.name, "granted"), evidence))
        .collect()
}
