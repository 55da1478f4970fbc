//! The live line on a terminal: the current rate, and the time left.

use plan::Plan;
use record::{End, Interval};
use units::Nanos;

use crate::quantity::{nanos, per_second, rate};
use crate::style::Style;

/// One line without newline, cut to the screen: what each end's latest interval says, `elapsed`
/// after the common start.
pub fn progress(
    plan: &Plan,
    client: Option<&Interval>,
    server: Option<&Interval>,
    elapsed: Nanos,
    style: Style,
) -> String {
    let mut parts = vec![phase(plan, elapsed)];
    for (index, load) in plan.loads.iter().enumerate() {
        for end in End::BOTH.into_iter().filter(|end| end.receives(load.kind)) {
            let interval = if end == End::Client { client } else { server };
            let Some(interval) = interval else { continue };
            let Some(received) = interval.loads.get(index) else {
                continue;
            };
            let length = Nanos::new(interval.to_ns) - Nanos::new(interval.from_ns);
            let figure = match (load.kind.is_exchange(), load.is_probe()) {
                (true, true) => nanos(received.latency.and_then(|latency| latency.p50_ns)),
                (true, false) => {
                    let done = received.counters.transactions as f64;
                    per_second((!length.is_zero()).then(|| done / length.as_secs_f64()))
                }
                _ => format!(
                    "{} at the {}",
                    rate(received.received_bits_per_second),
                    end.name()
                ),
            };
            parts.push(format!("{} {figure}", load.name));
        }
    }
    parts.push(left(plan, elapsed));
    parts.join("  ").chars().take(style.width).collect()
}

/// What is being done now.
fn phase(plan: &Plan, elapsed: Nanos) -> String {
    let word = match elapsed {
        now if now < plan.timing.idle => "idle",
        now if now < plan.timing.idle + plan.timing.omit => "warm-up",
        _ => "measuring",
    };
    format!("{:5.1} s {word}", elapsed.as_secs_f64())
}

fn left(plan: &Plan, elapsed: Nanos) -> String {
    match plan.timing.duration {
        Some(duration) => {
            let end = plan.timing.idle + plan.timing.omit + duration;
            format!("{:.0} s left", (end - elapsed).as_secs_f64())
        }
        None => "until done".to_owned(),
    }
}
