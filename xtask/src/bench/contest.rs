//! A contest: who runs what, which figures are taken, and which bars netdyno has to meet.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::reading::Reading;
use super::spread::Spread;

/// A contest of the catalogue.
#[derive(Debug)]
pub struct Contest {
    /// As the command line names it.
    pub name: &'static str,
    /// What is compared.
    pub title: &'static str,
    /// Where.
    pub ground: Ground,
    /// Length of one run.
    pub seconds: u32,
    /// Whether, and for which stream, gaps between datagrams are recorded.
    pub meter: Option<Meter>,
    /// Whether the time is taken until so many connections are made.
    pub connections: Option<u64>,
    /// Whether system calls of both ends are counted (strace), which slows them.
    pub traced: bool,
    /// Who takes part.
    pub contenders: &'static [Contender],
    /// What has to come out.
    pub bars: &'static [Bar],
}

/// Where the two ends are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ground {
    /// One network stack.
    Loopback,
    /// Two network namespaces joined by a veth pair.
    Namespaces,
    /// The same with 600 Mbit/s and a queue of four full packets on the client's way out.
    SmallQueue,
}

/// A stream whose gaps are recorded.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Meter {
    /// UDP payload of its datagrams.
    pub payload_bytes: u32,
    /// Nominal distance.
    pub gap_ns: u64,
}

/// One tool with its two command lines. In them stand `{address}`, `{port}` and `{seconds}`; the
/// first word is the program.
#[derive(Debug)]
pub struct Contender {
    /// Unique in its contest.
    pub name: &'static str,
    /// The end that is started first.
    pub server: &'static str,
    /// The end whose CPU time and memory are taken.
    pub client: &'static str,
    /// Where the figures stand.
    pub reading: Reading,
}

/// A figure that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Payload that the receiver got.
    BitsPerSecond,
    /// Datagrams that the receiver got.
    MessagesPerSecond,
    /// Datagrams that the sender handed over: the kernel drops some of them at a full receiver,
    /// and a drop is cheaper than a delivery, so a higher figure is not by itself a better one.
    SentMessagesPerSecond,
    /// Datagrams that were lost, as a share of those that the receiver should have got.
    LostShare,
    /// Finished exchanges.
    TransactionsPerSecond,
    /// User and system time of the client's process.
    ClientCpuSeconds,
    /// The same of the server's process, until its client has ended.
    ServerCpuSeconds,
    /// How often the client's threads gave up their CPU to wait.
    ClientWaits,
    /// The same of the server's.
    ServerWaits,
    /// Calls of sched_yield(2) at both ends.
    Yields,
    /// Largest resident set of the client's process.
    ClientPeakBytes,
    /// The same over what was moved, s/bit.
    ClientCpuPerBit,
    /// Largest memory of the client and its children, shared pages divided among them (PSS).
    ClientPeakShare,
    /// Until all connections were made, s.
    StartSeconds,
    /// The flow that is farthest from the rate asked for, as a share of that rate.
    WorstRateError,
    /// 99th percentile of |gap - nominal gap| between datagrams.
    GapErrorP99Ns,
}

/// What one run gave.
pub type Sample = BTreeMap<Metric, f64>;

/// What has to come out for the first contender, netdyno, against another.
#[derive(Debug, Clone, Copy)]
pub struct Bar {
    /// Of which figure.
    pub metric: Metric,
    /// Against whom.
    pub rival: &'static str,
    /// How the two become one number.
    pub relation: Relation,
    /// What that number may be.
    pub bound: Bound,
}

/// How two figures become one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Ours over theirs.
    Ratio,
    /// Ours over theirs, of the coefficients of variation of all rounds: one figure.
    Variation,
    /// Ours less theirs, over a count.
    DifferencePer(u32),
    /// Ours, whatever theirs is.
    Ours,
}

/// A bound on a median.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Not below.
    AtLeast(f64),
    /// Not above.
    AtMost(f64),
}

/// One round: the order, and what each contender got.
#[derive(Debug, Serialize)]
pub struct Round {
    /// As they ran.
    pub order: Vec<&'static str>,
    /// By contender.
    pub samples: BTreeMap<&'static str, Sample>,
}

/// A bar, and what came out.
#[derive(Debug)]
pub struct Verdict {
    /// The bar.
    pub bar: Bar,
    /// One number a round in which both ran.
    pub figures: Vec<f64>,
    /// Their spread; none when the two never both ran.
    pub spread: Option<Spread>,
}

impl Contest {
    /// Holds the rounds against the bars.
    pub fn verdicts(&self, rounds: &[Round]) -> Vec<Verdict> {
        let ours = self.contenders.first().map_or("", |first| first.name);
        self.bars
            .iter()
            .map(|bar| {
                let all = |name| -> Vec<f64> {
                    let samples = rounds.iter().filter_map(|round| round.samples.get(name));
                    samples
                        .filter_map(|sample| sample.get(&bar.metric).copied())
                        .collect()
                };
                let figures: Vec<f64> = match bar.relation {
                    Relation::Variation => {
                        let [ours, theirs] = [ours, bar.rival].map(|name| variation(&all(name)));
                        vec![ours / theirs]
                    }
                    _ => rounds
                        .iter()
                        .filter_map(|round| {
                            let figure = |name| round.samples.get(name)?.get(&bar.metric).copied();
                            Some(bar.relation.of(figure(ours)?, figure(bar.rival)?))
                        })
                        .collect(),
                };
                let figures: Vec<f64> = figures
                    .into_iter()
                    .filter(|figure| figure.is_finite())
                    .collect();
                Verdict {
                    bar: *bar,
                    spread: Spread::of(figures.clone()),
                    figures,
                }
            })
            .collect()
    }
}

impl Verdict {
    /// Whether the median keeps the bound. What never ran has not met it.
    pub fn met(&self) -> bool {
        self.spread
            .is_some_and(|spread| self.bar.bound.holds(spread.median))
    }
}

/// Standard deviation over mean.
fn variation(figures: &[f64]) -> f64 {
    let count = figures.len() as f64;
    let mean = figures.iter().sum::<f64>() / count;
    let squares = figures.iter().map(|figure| (figure - mean).powi(2));
    (squares.sum::<f64>() / (count - 1.0)).sqrt() / mean
}

impl Relation {
    fn of(self, ours: f64, theirs: f64) -> f64 {
        match self {
            Self::Ratio | Self::Variation => ours / theirs,
            Self::DifferencePer(count) => (ours - theirs) / f64::from(count),
            Self::Ours => ours,
        }
    }
}

impl Bound {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(bound) => figure >= bound,
            Self::AtMost(bound) => figure <= bound,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(bound) => write!(f, ">= {bound}"),
            Self::AtMost(bound) => write!(f, "<= {bound}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEST: Contest = Contest {
        name: "c",
        title: "t",
        ground: Ground::Loopback,
        seconds: 1,
        meter: None,
        connections: None,
        traced: false,
        contenders: &[Contender {
            name: "ours",
            server: "",
            client: "",
            reading: Reading::Netdyno,
        }],
        bars: &[
            Bar {
                metric: Metric::BitsPerSecond,
                rival: "theirs",
                relation: Relation::Ratio,
                bound: Bound::AtLeast(0.9),
            },
            Bar {
                metric: Metric::BitsPerSecond,
                rival: "absent",
                relation: Relation::DifferencePer(2),
                bound: Bound::AtMost(5.0),
            },
        ],
    };

    fn round(ours: f64, theirs: f64) -> Round {
        let sample = |figure| Sample::from([(Metric::BitsPerSecond, figure)]);
        Round {
            order: vec![],
            samples: BTreeMap::from([("ours", sample(ours)), ("theirs", sample(theirs))]),
        }
    }

    #[test]
    fn ratios_are_taken_within_rounds_and_the_median_decides() {
        let verdicts = CONTEST.verdicts(&[round(8.0, 10.0), round(50.0, 50.0), round(19.0, 20.0)]);
        assert_eq!(verdicts[0].figures, [0.8, 1.0, 0.95]);
        assert!(verdicts[0].met());
        assert!(!CONTEST.verdicts(&[round(8.0, 10.0)])[0].met());
    }

    #[test]
    fn what_never_ran_has_no_figure_and_is_not_met() {
        let verdicts = CONTEST.verdicts(&[round(1.0, 1.0)]);
        assert_eq!(verdicts[1].spread, None);
        assert!(!verdicts[1].met());
    }

    #[test]
    fn relations() {
        assert_eq!(Relation::Ratio.of(1.0, 4.0), 0.25);
        assert_eq!(Relation::DifferencePer(10).of(120.0, 20.0), 10.0);
    }
}
