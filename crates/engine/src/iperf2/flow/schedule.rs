//! When the next message of a stream may go, and how long it is.

use proto::iperf2::{FrameBlock, FrameSettings};
use stats::Random;
use sys::clock;
use units::Nanos;

use super::FrameSend;
use crate::flow::Pace;
use crate::iperf2::meter::Meter;

/// When messages go.
pub(crate) enum Schedule {
    /// As the socket takes them.
    Free,
    /// At a rate.
    Pace(Pace),
    /// Frames or bursts at regular times.
    Frames(Frames),
    /// A part of the round trip after each message.
    Near {
        /// The part.
        weight: f64,
        /// When the pause is over.
        until: Nanos,
    },
}

/// Frames at `start + n * period`.
pub(crate) struct Frames {
    pub sizes: Sizes,
    period: f64,
    start: Nanos,
    /// The frame that is next, from 1.
    next: u64,
    sent: u64,
    missed: u64,
    late: u64,
}

/// Bytes of frames.
pub(crate) enum Sizes {
    /// All the same.
    Fixed(usize),
    /// Log-normal with this mean and standard deviation.
    Drawn {
        mean: f64,
        deviation: f64,
        random: Random,
    },
}

impl Sizes {
    /// As a header asks for it.
    pub fn drawn(settings: &FrameSettings, seed: u64) -> Self {
        let frame = |bits: f64| bits / settings.per_second.max(1e-6) / 8.0;
        let mean = frame(settings.mean).clamp(1.0, MOST_FRAME);
        if settings.deviation <= 0.0 {
            return Self::Fixed(mean as usize);
        }
        Self::Drawn {
            mean,
            deviation: frame(settings.deviation),
            random: Random::part(seed, 0),
        }
    }

    /// The next frame's, at least `least`.
    pub fn draw(&mut self, least: usize) -> usize {
        let size = match self {
            Self::Fixed(size) => *size,
            Self::Drawn {
                mean,
                deviation,
                random,
            } => {
                let ratio = (*deviation / mean.max(1.0)).powi(2);
                let sigma2 = (1.0 + ratio).ln();
                let mu = mean.max(1.0).ln() - sigma2 / 2.0;
                (mu + sigma2.sqrt() * random.normal()).exp() as usize
            }
        };
        size.clamp(least, (MOST_FRAME as usize).max(least))
    }
}

/// The largest frame that is worth sending, bytes: what a peer may ask for has an end.
const MOST_FRAME: f64 = 64e6;

impl Frames {
    pub fn new(per_second: f64, sizes: Sizes, start: Nanos) -> Self {
        Self {
            sizes,
            period: 1e9 / per_second.max(1e-6),
            start,
            next: 1,
            sent: 0,
            missed: 0,
            late: 0,
        }
    }

    /// In datagrams.
    pub fn datagrams(self) -> FrameSend {
        FrameSend {
            frames: self,
            block: FrameBlock::default(),
        }
    }

    pub fn period_us(&self) -> u32 {
        (self.period / 1000.0) as u32
    }

    /// The frame that was begun last.
    pub fn number(&self) -> u32 {
        (self.next - 1) as u32
    }

    pub fn due(&self) -> Nanos {
        self.start + Nanos::new((self.period * (self.next - 1) as f64) as u64)
    }

    /// Begins the frame that is due at `now`. Frames whose whole time has passed are left out.
    pub fn begin(&mut self, now: Nanos, meter: &Meter) {
        let passed = ((now - self.start).get() as f64 / self.period) as u64;
        if passed + 1 > self.next {
            self.missed += passed + 1 - self.next;
            self.next = passed + 1;
        }
        let late = now - self.due();
        self.late += u64::from(late.get() as f64 > self.period / 2.0);
        self.next += 1;
        self.sent += 1;
        meter.frames.set([self.sent, self.missed, self.late]);
    }
}

impl Schedule {
    /// When the next message may go; zero for at once.
    pub fn due(&self) -> Nanos {
        match self {
            Self::Free => Nanos::ZERO,
            Self::Pace(pace) => pace.pacer.due(),
            Self::Frames(frames) => frames.due(),
            Self::Near { until, .. } => *until,
        }
    }

    /// Begins a message at `now` and gives its bytes, which are `usual` where nothing else is
    /// said, and at least `least`.
    pub fn begin(&mut self, now: Nanos, usual: usize, least: usize, meter: &Meter) -> usize {
        match self {
            Self::Free | Self::Near { .. } => usual.max(least),
            Self::Pace(pace) => {
                pace.sent(now);
                usual.max(least)
            }
            Self::Frames(frames) => {
                frames.begin(now, meter);
                frames.sizes.draw(least)
            }
        }
    }

    /// Notes that a message is out; `rtt_us` is the path's round trip.
    pub fn end(&mut self, rtt_us: impl FnOnce() -> u64) {
        if let Self::Near { weight, until } = self {
            let pause = rtt_us() as f64 * 1000.0 * *weight;
            *until = clock::now() + Nanos::new(pause as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_cannot_go_in_time_are_missed() {
        let meter = Meter::default();
        let mut frames = Frames::new(100.0, Sizes::Fixed(1000), Nanos::from_secs(1));
        assert_eq!(frames.due(), Nanos::from_secs(1));
        frames.begin(Nanos::from_secs(1), &meter);
        assert_eq!(frames.due(), Nanos::from_millis(1010));
        // Frames 2 and 3 have passed, frame 4 began 6 ms ago.
        frames.begin(Nanos::from_millis(1036), &meter);
        assert_eq!(frames.number(), 4);
        assert_eq!(meter.frames.get(), [2, 2, 1]);
        assert_eq!(frames.due(), Nanos::from_millis(1040));
    }

    #[test]
    fn drawn_sizes_have_the_mean() {
        let mut sizes = Sizes::Drawn {
            mean: 10_000.0,
            deviation: 2500.0,
            random: Random::part(1, 2),
        };
        let drawn: Vec<f64> = (0..20_000).map(|_| sizes.draw(92) as f64).collect();
        let (mean, deviation) = (
            stats::mean(&drawn).unwrap(),
            stats::standard_deviation(&drawn).unwrap(),
        );
        assert!((mean - 10_000.0).abs() < 100.0, "{mean}");
        assert!((deviation - 2500.0).abs() < 150.0, "{deviation}");
    }
}
