//! What both hosts' counters gained in the measured time.

use plan::Timing;
use record::{End, HostObserved, HostsObserved, Observation, Rows};

use crate::cost;
use crate::stream::{Side, Stream};

pub(crate) fn hosts(stream: &Stream) -> HostsObserved {
    HostsObserved {
        client: host(stream, End::Client),
        server: host(stream, End::Server),
    }
}

fn host(stream: &Stream, end: End) -> Option<HostObserved> {
    let cpu = cost::host(stream, end);
    let window = window(stream.side(end), &stream.plan.timing);
    let measured = measured(&stream.side(end).observations, window);
    (cpu.is_some() || measured.is_some()).then(|| HostObserved {
        cpu,
        ..measured.unwrap_or_default()
    })
}

/// Measured time of this end: from the first load that counts to the last. Where the closing
/// figures never came, to the last reading.
fn window(side: &Side, timing: &Timing) -> (u64, u64) {
    let loads = side.report.into_iter().flat_map(|report| &report.loads);
    let open = loads.map(|load| load.window_ns).filter(|(a, b)| a < b);
    let both = open.reduce(|(from, to), (a, b)| (from.min(a), to.max(b)));
    both.unwrap_or(((timing.idle + timing.omit).get(), u64::MAX))
}

/// Between the readings next to the window's edges; none when these are not two.
fn measured(observations: &[&Observation], (from, to): (u64, u64)) -> Option<HostObserved> {
    let nearest = |instant: u64| {
        let distance = |at: &usize| observations[*at].at_ns.abs_diff(instant);
        (0..observations.len()).min_by_key(distance)
    };
    let (first, last) = (nearest(from)?, nearest(to)?);
    let mut now = Rows::default();
    let mut before = Rows::default();
    let mut highest = Rows::default();
    for (at, observation) in observations.iter().enumerate().take(last + 1) {
        now.apply(&observation.rows, &observation.gone);
        if at == first {
            before.clone_from(&now);
            highest = now.highest(&highest);
        } else if at > first {
            highest = highest.highest(&observation.rows);
        }
    }
    let (from, to) = (observations[first].at_ns, observations[last].at_ns);
    (first < last).then(|| HostObserved {
        cpu: None,
        seconds: Some((to - from) as f64 / 1e9),
        counted: now.since(&before),
        highest,
    })
}

/// What an end's counters gained over the whole run; none without two readings.
pub(crate) fn whole(side: &Side) -> Option<Rows> {
    let (first, others) = side.observations.split_first()?;
    let mut now = first.rows.clone();
    for observation in others {
        now.apply(&observation.rows, &observation.gone);
    }
    (!others.is_empty()).then(|| now.since(&first.rows))
}
