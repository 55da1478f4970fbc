//! The first lines: how it ended, and what each load's receiver got.

use plan::{Kind, Load, Transport};
use record::{LoadResult, Run, Status};

use crate::prose::wrap;
use crate::quantity::{bytes, counted, frequency, nanos, percent, rate, seconds};
use crate::style::{Paint, Style};

pub(super) fn headline(run: &Run, style: Style) -> String {
    let mut text = ending(run, style);
    let silent = |load: &LoadResult| load.received.is_none() && load.sent.is_none();
    if run.loads.iter().all(silent) {
        return text;
    }
    for (load, asked) in main_loads(run) {
        let sentence = wrap(&sentence(load, asked), 0, 2, style.prose_width());
        text.push_str(&style.paint(Paint::Headline, &sentence));
        text.push('\n');
    }
    text
}

/// The loads that are not probes; the probes where there is nothing else.
fn main_loads(run: &Run) -> Vec<(&LoadResult, &Load)> {
    let all = run.loads.iter().zip(&run.plan.loads);
    let is_probe = |(load, _): &(&LoadResult, &Load)| load.kind == Kind::Probe;
    let main: Vec<_> = all.clone().filter(|pair| !is_probe(pair)).collect();
    if main.is_empty() { all.collect() } else { main }
}

/// Nothing when it went as planned.
fn ending(run: &Run, style: Style) -> String {
    let word = match run.status {
        Status::Ok => return String::new(),
        Status::Failed => "failed",
        Status::Interrupted => "interrupted",
        Status::Invalid => "invalid",
    };
    let reason = run.reason.as_deref().unwrap_or("for a reason not told");
    let sentence = wrap(&format!("{word}: {reason}"), 0, 2, style.prose_width());
    format!("{}\n", style.paint(Paint::Failure, &sentence))
}

fn sentence(load: &LoadResult, asked: &Load) -> String {
    let flows = counted(load.flows.into(), "flow");
    let name = &load.name;
    let Some(received) = load.received else {
        return format!("{name}: nothing is known of what was received ({flows})");
    };
    let over = seconds(Some(received.seconds));
    if load.kind.is_exchange() {
        let latency = load.latency.unwrap_or_default();
        return format!(
            "{name}: {} transactions/s, response time median {}, p99 {} ({flows}, {} in {over})",
            frequency(load.transactions_per_second),
            nanos(latency.p50_ns),
            nanos(latency.p99_ns),
            counted(load.transactions.unwrap_or(0), "transaction"),
        );
    }
    let by = match &load.directions[..] {
        [one] => format!("received by the {}", one.sender.other().name()),
        both => {
            let part = |direction: &record::Direction| {
                let got = direction.received.and_then(|tally| tally.bits_per_second);
                format!("{} by the {}", rate(got), direction.sender.other().name())
            };
            let parts: Vec<String> = both.iter().map(part).collect();
            format!("received in both directions together: {}", parts.join(", "))
        }
    };
    let mut sentence = format!("{name}: {} {by}", rate(received.bits_per_second));
    if load.kind.transport() == Transport::Udp {
        let lost: u64 = load.loss.iter().map(|loss| loss.lost).sum();
        let sent: u64 = load.loss.iter().map(|loss| loss.sent).sum();
        let share = (sent > 0).then(|| lost as f64 / sent as f64);
        sentence.push_str(&format!(", {} lost", percent(share)));
    }
    sentence.push_str(&format!(
        " ({flows}, {} in {over})",
        bytes(Some(received.bytes))
    ));
    if asked.trunc {
        sentence.push_str("; payload not touched by the receiver");
    }
    sentence
}
