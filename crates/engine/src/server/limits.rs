//! What the server's owner permits, applied to a proposed plan.

use plan::{Arrival, Plan, Shape};
use proto::native::{Cap, RefuseCode};
use units::BitRate;

use super::Config;

/// Descriptors beside the flows: control connection, event descriptors of workers, listeners.
const SPARE_DESCRIPTORS: u64 = 512;

/// Applies the limits: caps what can be capped, refuses the rest. The sentence names the limit.
pub(super) fn apply(config: &Config, plan: &mut Plan) -> Result<Vec<Cap>, (RefuseCode, String)> {
    if let Some(most) = config.max_duration {
        let timing = &plan.timing;
        match timing.duration {
            Some(asked) if timing.idle + timing.omit + asked > most => {
                let sentence = format!(
                    "the run takes {} ({} idle, {} warm-up, {asked} measured), this server permits \
                     {most} (--max-duration)",
                    timing.idle + timing.omit + asked,
                    timing.idle,
                    timing.omit,
                );
                return Err((RefuseCode::TooLong, sentence));
            }
            Some(_) => (),
            None => {
                let sentence =
                    format!("the run has no duration, this server permits {most}: give one");
                return Err((RefuseCode::TooLong, sentence));
            }
        }
    }
    let flows: u64 = plan
        .loads
        .iter()
        .map(|load| u64::from(load.flows.get()))
        .sum();
    let descriptors = sys::limits::descriptors(flows + SPARE_DESCRIPTORS);
    if descriptors < flows + SPARE_DESCRIPTORS {
        let sentence = format!(
            "{flows} flows need {} descriptors, this server may open {descriptors} (ulimit -n)",
            flows + SPARE_DESCRIPTORS
        );
        return Err((RefuseCode::TooManyFlows, sentence));
    }
    if let Some(sentence) = config.max_rate.and_then(|most| too_fast(most, plan)) {
        return Err((RefuseCode::NotAllowed, sentence));
    }
    Ok(config
        .max_rate
        .map(|most| cap_rates(most, plan))
        .unwrap_or_default())
}

/// A request/response load goes as fast as its answers come, unless its requests have a rate of
/// their own: only then is its data rate known, and only then can a limit be kept.
fn too_fast(most: BitRate, plan: &Plan) -> Option<String> {
    let load = plan.loads.iter().find(|load| {
        let larger = load.request.max(load.reply).get() as f64 * 8.0 * f64::from(load.flows.get());
        load.kind.is_exchange()
            && match load.arrival {
                Arrival::Closed => true,
                Arrival::Paced {
                    requests_per_second,
                }
                | Arrival::Poisson {
                    requests_per_second,
                } => larger * requests_per_second > most.get() as f64,
            }
    })?;
    let larger = load.request.max(load.reply).get() * 8 * u64::from(load.flows.get());
    Some(format!(
        "load '{}': this server's --max-rate is {most} a test: give its requests a rate, rps={} at most",
        load.name,
        most.get() / larger.max(1)
    ))
}

/// Shares the highest rate of a test among its bulk flows of each direction; exchanges are left
/// alone, since their rate is set by the path and not by us.
fn cap_rates(most: BitRate, plan: &mut Plan) -> Vec<Cap> {
    let flows_to = |server: bool| -> u64 {
        let loads = plan.loads.iter().filter(|load| match load.kind.shape() {
            Shape::Bulk {
                to_server,
                to_client,
            } => {
                if server {
                    to_server
                } else {
                    to_client
                }
            }
            _ => false,
        });
        loads.map(|load| u64::from(load.flows.get())).sum()
    };
    let share = BitRate::new(most.get() / flows_to(true).max(flows_to(false)).max(1));
    let mut caps = Vec::new();
    for (index, load) in plan.loads.iter_mut().enumerate() {
        let asked = load.rate.or(load.pace);
        if load.kind.is_exchange() || asked.is_some_and(|asked| asked <= share) {
            continue;
        }
        load.rate = Some(share);
        load.pace = None;
        let asked = asked.map_or("no limit".to_owned(), |asked| asked.to_string());
        let sentence = format!(
            "load '{}': asked {asked}, got {share} a flow: the server's --max-rate is {most} a test",
            load.name
        );
        caps.push(Cap {
            load: index,
            rate: Some(share),
            sentence,
        });
    }
    caps
}
