//! How long a run takes and how often it is looked at.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Nanos;

use crate::{Load, TimingError};

/// The run's time line: idle (probe only), omit (warm-up, not counted), measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Probe-only time before the loads start; zero when the run has no probe.
    #[serde(rename = "idle_ns")]
    pub idle: Nanos,
    /// Warm-up after the loads' start that is not counted.
    #[serde(rename = "omit_ns")]
    pub omit: Nanos,
    /// Measured time. For loads that stop by bytes or count: the longest they may take;
    /// none means that they take what they take.
    #[serde(rename = "duration_ns")]
    pub duration: Option<Nanos>,
    /// Distance of the interval lines; none for no intervals.
    #[serde(rename = "interval_ns")]
    pub interval: Option<Nanos>,
}

impl Timing {
    /// Seconds of measuring when nothing else is asked, as the tools before us.
    pub const DEFAULT_DURATION: Nanos = Nanos::from_secs(10);
    /// Distance of interval lines when nothing else is asked.
    pub const DEFAULT_INTERVAL: Nanos = Nanos::from_secs(1);
    /// The shortest interval: below it the reporter's own cost would show.
    pub const SHORTEST_INTERVAL: Nanos = Nanos::from_millis(10);
    /// Probe-only time before the loads: ten samples at the default ten a second.
    pub const DEFAULT_IDLE: Nanos = Nanos::from_secs(1);
    /// The longest phase. Ends well before the monotonic clock's or a JSON number's (2^53 ns).
    pub const LONGEST: Nanos = Nanos::from_secs(30 * 24 * 3600);

    /// An interval as typed, where zero means none.
    pub fn interval_of(typed: Nanos) -> Option<Nanos> {
        (!typed.is_zero()).then_some(typed)
    }

    /// What these loads get when nothing else is asked.
    pub fn for_loads(loads: &[Load]) -> Self {
        Self {
            idle: if loads.iter().any(Load::is_probe) {
                Self::DEFAULT_IDLE
            } else {
                Nanos::ZERO
            },
            omit: Nanos::ZERO,
            duration: needing_time(loads).map(|_| Self::DEFAULT_DURATION),
            interval: Some(Self::DEFAULT_INTERVAL),
        }
    }

    /// Whether these loads can run on this time line.
    pub(crate) fn check(&self, loads: &[Load]) -> Result<(), TimingError> {
        if self.duration.is_some_and(Nanos::is_zero) {
            return Err(TimingError::NoTime);
        }
        for (phase, time) in [
            ("idle", Some(self.idle)),
            ("omit", Some(self.omit)),
            ("time", self.duration),
            ("interval", self.interval),
        ] {
            if let Some(time) = time.filter(|time| *time > Self::LONGEST) {
                return Err(TimingError::TooLong { phase, time });
            }
        }
        if let Some(interval) = self.interval.filter(|i| *i < Self::SHORTEST_INTERVAL) {
            return Err(TimingError::Interval(interval));
        }
        if !self.idle.is_zero() && !loads.iter().any(Load::is_probe) {
            return Err(TimingError::IdleWithoutProbe);
        }
        match self.duration {
            None => needing_time(loads).map_or(Ok(()), |(position, load)| {
                Err(TimingError::Endless {
                    position,
                    kind: load.kind,
                })
            }),
            Some(duration) => starts(loads, self.omit + duration),
        }
    }
}

/// The first load that ends only when the run does; a probe only if there is nothing else.
fn needing_time(loads: &[Load]) -> Option<(usize, &Load)> {
    let only_probes = loads.iter().all(Load::is_probe);
    (1..)
        .zip(loads)
        .find(|(_, load)| load.ends_by_time() && (only_probes || !load.is_probe()))
}

fn starts(loads: &[Load], end: Nanos) -> Result<(), TimingError> {
    match (1..).zip(loads).find(|(_, load)| load.delay >= end) {
        None => Ok(()),
        Some((position, load)) => Err(TimingError::DelayPastEnd {
            position,
            kind: load.kind,
            delay: load.delay,
        }),
    }
}
