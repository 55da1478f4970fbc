//! When the next message of a paced sender is due: absolute instants, so that lateness of one
//! wake-up never moves the next.

use plan::{Load, Transport};
use stats::Random;
use units::{BitRate, Bytes, Nanos};

/// The send times of one flow at an offered rate.
///
/// Sends follow `start + n * gap`. Messages closer together than the quantum go out in groups,
/// one timer for each group: a timer and its wake-up cost more CPU than the send itself (35 us of
/// it in a virtual machine whose timer is emulated). A wake-up that
/// is late by less than a group's time moves nothing. After a longer stall the sender catches up
/// at 8/7 of its rate at most, because a burst at full speed would overflow the very queues that
/// pacing is meant to spare. A forgiving one sends a quarter of what it is behind at once: one
/// stall is no flood, and on a machine that wakes it late again and again it keeps its rate, with
/// bursts no longer than the lateness itself.
#[derive(Debug, Clone)]
pub(crate) struct Pacer {
    gap: f64,
    group: u64,
    start: f64,
    /// Messages sent.
    count: u64,
    /// The instant before which the next group may not go.
    not_before: f64,
    /// Lateness of a wake-up that is made up for at once, ns.
    slack: f64,
    /// The part of all that it is behind that is made up for at once, if that is more.
    forgiven: f64,
    varying: Option<Box<Varying>>,
}

/// A rate that is drawn anew ten times a second.
#[derive(Debug, Clone)]
struct Varying {
    /// Log-normal: mean and standard deviation of the logarithm of the rate over its mean.
    mu: f64,
    sigma: f64,
    /// The gap at the mean rate.
    gap: f64,
    /// When the next rate is due.
    next: f64,
    random: Random,
}

impl Pacer {
    /// Shortest distance of two timers for datagrams: at 500 Mbit/s four full packets share one, and
    /// a queue of as many takes them. Over a shaper whose queue holds 6 kB, groups of 400 us lost
    /// 9 %, of 80 us 0.1 %; timers closer still cost more CPU than they even out.
    const DATAGRAM_QUANTUM: Nanos = Nanos::new(80_000);
    /// The same for streams, whose bytes TCP spaces again by its own clock.
    const STREAM_QUANTUM: Nanos = Nanos::from_millis(2);
    /// Lateness that is made up for; what is beyond is left out and shows as load not offered.
    const LONGEST_LAG: f64 = 1e9;

    /// The pacer of one flow of `load` at `rate`.
    pub fn of(load: &Load, rate: BitRate, start: Nanos) -> Self {
        let quantum = match load.kind.transport() {
            Transport::Tcp => Self::STREAM_QUANTUM,
            Transport::Udp => Self::DATAGRAM_QUANTUM,
        };
        Self::new(message_size(load), rate, quantum, start)
    }

    /// The pacer of a stream that writes `size` bytes at a time.
    pub fn stream(size: Bytes, rate: BitRate, start: Nanos) -> Self {
        Self::new(size, rate, Self::STREAM_QUANTUM, start)
    }

    /// The pacer of datagrams of `size` bytes.
    pub fn datagrams(size: Bytes, rate: BitRate, start: Nanos) -> Self {
        Self::new(size, rate, Self::DATAGRAM_QUANTUM, start)
    }

    /// Of messages that go so many at a time, whatever their rate.
    pub fn bursts(size: Bytes, rate: BitRate, burst: u32, start: Nanos) -> Self {
        let mut pacer = Self::new(size, rate, Nanos::ZERO, start);
        pacer.group = u64::from(burst.max(1));
        pacer.slack = pacer.group as f64 * pacer.gap;
        pacer
    }

    /// The pacer of datagrams that are `gap` ns apart. As iperf 2's own, which sleeps when it is
    /// 100 us early, they come by twos and threes when the gap is that short.
    pub fn gaps(gap: f64, start: Nanos) -> Self {
        const QUANTUM: Nanos = Nanos::new(300_000);
        Self::with_gap(gap.max(1.0), QUANTUM, start).forgiving()
    }

    /// On a busy machine wake-ups are late by more than a group takes, and a flow that makes up for
    /// one group at a time would fall behind for ever. A few messages may go at once where each has
    /// a timer of its own.
    pub fn forgiving(mut self) -> Self {
        const AT_ONCE: f64 = 8.0;
        self.forgiven = 0.25;
        if self.group == 1 {
            self.slack = AT_ONCE * self.gap;
        }
        self
    }

    /// `size` bytes at a time at `rate` from `start` on, with timers at least `quantum` apart.
    fn new(size: Bytes, rate: BitRate, quantum: Nanos, start: Nanos) -> Self {
        let gap = size.get() as f64 * 8e9 / rate.get().max(1) as f64;
        Self::with_gap(gap, quantum, start)
    }

    fn with_gap(gap: f64, quantum: Nanos, start: Nanos) -> Self {
        let group = (quantum.get() as f64 / gap).ceil().max(1.0) as u64;
        let start = start.get() as f64;
        Self {
            gap,
            group,
            start,
            count: 0,
            not_before: start,
            slack: group as f64 * gap,
            forgiven: 0.0,
            varying: None,
        }
    }

    /// The same with a rate that varies: log-normal, with a standard deviation of `deviation`
    /// times its mean.
    pub fn varying(mut self, deviation: f64, seed: u64) -> Self {
        let sigma2 = (1.0 + deviation * deviation).ln();
        self.varying = Some(Box::new(Varying {
            mu: -sigma2 / 2.0,
            sigma: sigma2.sqrt(),
            gap: self.gap,
            next: self.start,
            random: Random::part(seed, 1),
        }));
        self
    }

    /// Draws a new rate if one is due; what was planned so far stays.
    fn vary(&mut self, now: f64) {
        /// 0.1 s.
        const PERIOD: f64 = 1e8;
        let Some(varying) = &mut self.varying else {
            return;
        };
        if now < varying.next {
            return;
        }
        varying.next = now + PERIOD;
        let ratio = (varying.mu + varying.sigma * varying.random.normal()).exp();
        let planned = self.start + self.count as f64 * self.gap;
        self.gap = varying.gap / ratio.max(1e-3);
        self.start = planned - self.count as f64 * self.gap;
    }

    /// How many may go before the clock must be looked at again: those of a group.
    pub fn group_left(&self) -> u64 {
        self.group - self.count % self.group
    }

    /// The gap between two messages that is asked, ns.
    pub fn gap(&self) -> Nanos {
        Nanos::new(self.gap.round() as u64)
    }

    /// When the next message is due.
    #[inline]
    pub fn due(&self) -> Nanos {
        if !self.count.is_multiple_of(self.group) {
            // In the middle of a group: with its first.
            return Nanos::ZERO;
        }
        Nanos::new((self.start + self.count as f64 * self.gap).max(self.not_before) as u64)
    }

    /// Notes that the next message was sent at `now`.
    #[inline]
    pub fn sent(&mut self, now: Nanos) {
        if self.count.is_multiple_of(self.group) {
            let now = now.get() as f64;
            self.vary(now);
            let planned = self.start + self.count as f64 * self.gap;
            if now - planned > Self::LONGEST_LAG {
                self.start += now - planned - Self::LONGEST_LAG;
            }
            let group_time = self.group as f64 * self.gap;
            let due = planned.max(self.not_before);
            let slack = self.slack.max((now - planned) * self.forgiven);
            self.not_before = due.max(now - slack) + group_time * 0.875;
        }
        self.count += 1;
    }
}

/// Bytes of one message of a sender. A stream that we pace writes no more at a time than its rate
/// carries in 10 ms: a single usual write would be seconds of a low rate.
pub(crate) fn message_size(load: &Load) -> Bytes {
    let in_10_ms = load.rate.map(|rate| Bytes::new((rate.get() / 800).max(1)));
    match load.kind.transport() {
        Transport::Tcp => in_10_ms.map_or(load.size, |most| load.size.min(most)),
        Transport::Udp => load.size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends whenever due, with a clock that jumps as `late` says before each group.
    fn run(mut pacer: Pacer, messages: u64, late: impl Fn(u64) -> u64) -> Vec<u64> {
        let mut now = 0;
        (0..messages)
            .map(|i| {
                let due = pacer.due().get();
                if due > 0 {
                    now = now.max(due) + late(i);
                }
                pacer.sent(Nanos::new(now));
                now
            })
            .collect()
    }

    fn pacer(rate: u64, size: u64) -> Pacer {
        Pacer::new(
            Bytes::new(size),
            BitRate::new(rate),
            Pacer::DATAGRAM_QUANTUM,
            Nanos::new(1000),
        )
    }

    #[test]
    fn punctual_sends_are_a_gap_apart() {
        let sends = run(pacer(20_000_000, 1200), 1000, |_| 0);
        assert_eq!(sends[0], 1000);
        assert_eq!(sends[999], 1000 + 999 * 480_000);
    }

    #[test]
    fn lateness_does_not_add_up() {
        let sends = run(pacer(20_000_000, 1200), 1000, |_| 400_000);
        assert_eq!(sends[999], 1000 + 999 * 480_000 + 400_000);
    }

    #[test]
    fn catching_up_is_no_burst() {
        let sends = run(pacer(20_000_000, 1200), 1000, |i| {
            if i == 100 { 5_000_000 } else { 0 }
        });
        let short = sends
            .windows(2)
            .filter(|pair| pair[1] - pair[0] < 419_999)
            .count();
        assert_eq!(
            short, 2,
            "one at once and one early, then 7/8 of a gap at least"
        );
        assert_eq!(sends[999], 1000 + 999 * 480_000, "made up for in the end");
    }

    #[test]
    fn a_forgiving_one_keeps_its_rate_when_all_wake_ups_are_late() {
        // Whoever has to wait is woken 2 ms late.
        let last = |mut pacer: Pacer| {
            let mut now = 0;
            for _ in 0..2000 {
                let due = pacer.due().get();
                if due > now {
                    now = due + 2_000_000;
                }
                pacer.sent(Nanos::new(now));
            }
            now
        };
        let time = 2000 * 480_000;
        assert!(last(pacer(20_000_000, 1200)) > time * 5 / 4);
        let kept = last(pacer(20_000_000, 1200).forgiving());
        assert!(kept < time + 10_000_000, "{kept}");
    }

    fn half_a_gigabit() -> Pacer {
        Pacer::datagrams(
            Bytes::new(1400),
            BitRate::new(500_000_000),
            Nanos::new(1000),
        )
        .forgiving()
    }

    #[test]
    fn groups_keep_their_rate_when_all_wake_ups_are_late() {
        let late = 4_000_000;
        let (mut pacer, mut now, mut most, mut together) = (half_a_gigabit(), 0, 0, 0);
        for _ in 0..50_000 {
            let due = pacer.due().get();
            if due > now {
                now = due + late;
                together = 0;
            }
            pacer.sent(Nanos::new(now));
            together += 1;
            most = most.max(together);
        }
        let asked = 50_000 * 22_400;
        assert!(now < asked + 10 * late, "{now} ns for {asked}");
        // Whoever sends all that is due when it wakes up sends as many.
        assert!(most <= 2 * late / 22_400, "{most} at once");
    }

    #[test]
    fn one_stall_is_no_flood() {
        let stall = 40_000_000;
        let sends = run(half_a_gigabit(), 50_000, |i| {
            if i == 4 * 100 { stall } else { 0 }
        });
        let at = sends[4 * 100];
        let together = sends.iter().filter(|sent| **sent == at).count() as u64;
        let missed = stall / 22_400;
        assert!(together < missed * 2 / 5, "{together} of {missed}");
        assert!(sends[49_999] <= 1000 + 50_000 * 22_400, "made up for");
    }

    #[test]
    fn small_gaps_share_a_timer() {
        let sends = run(pacer(1_000_000_000, 1400), 1000, |_| 0);
        let timers = sends.windows(2).filter(|p| p[1] > p[0]).count();
        assert_eq!(timers, 999 / 8, "ceil(80 us / 11.2 us) = 8 in a group");
        assert_eq!(sends[992], 1000 + 992 * 11_200);
    }

    #[test]
    fn no_more_come_together_than_a_queue_of_6_kb_holds() {
        let sends = run(half_a_gigabit(), 1000, |_| 0);
        for four in sends.windows(5) {
            assert!(four[4] > four[0], "five full packets at once");
        }
    }

    #[test]
    fn iperf_2s_datagrams_come_by_threes_at_100_mbit_s() {
        let sends = run(Pacer::gaps(117_600.0, Nanos::new(1000)), 1000, |_| 0);
        let timers = sends.windows(2).filter(|p| p[1] > p[0]).count();
        assert_eq!(timers, 333);
        assert_eq!(sends[999], 1000 + 999 * 117_600);
        let slow = run(Pacer::gaps(1_000_000.0, Nanos::new(1000)), 1000, |_| 0);
        assert!(slow.windows(2).all(|p| p[1] > p[0]));
    }

    #[test]
    fn a_varying_rate_has_the_mean_that_was_asked() {
        let sends = run(pacer(20_000_000, 1200).varying(0.2, 7), 200_000, |_| 0);
        let seconds = (sends[199_999] - sends[0]) as f64 / 1e9;
        let asked = 199_999.0 * 480_000.0 / 1e9;
        assert!(
            (seconds / asked - 1.0).abs() < 0.05,
            "{seconds} for {asked}"
        );
        let gaps: Vec<u64> = sends.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
        assert!(*least < 400_000 && *most > 560_000, "{least} to {most}");
    }

    #[test]
    fn a_long_stall_is_left_out() {
        let sends = run(pacer(8_000_000, 1000), 20_000, |i| {
            if i == 10 { 5_000_000_000 } else { 0 }
        });
        assert_eq!(sends[19_999], 1000 + 19_999 * 1_000_000 + 4_000_000_000);
    }

    #[test]
    fn a_slow_stream_is_not_one_write_of_seconds() {
        let size = |text: &str| message_size(&Load::parse(text).unwrap()).get();
        assert_eq!(size("stream:rate=100k"), 125);
        assert_eq!(size("stream:rate=1G"), 128 << 10);
        assert_eq!(size("stream:rate=1"), 1);
        assert_eq!(size("udp-stream:rate=100k,size=1200"), 1200);
    }
}
