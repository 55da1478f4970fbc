//! A held contest, for eyes.

use std::collections::BTreeSet;
use std::fmt;

use super::Entry;
use super::contest::{Contender, Metric, Relation, Verdict};
use super::spread::Spread;

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contest = self.contest;
        writeln!(
            f,
            "{}: {} ({} s)",
            contest.name, contest.title, self.seconds
        )?;
        writeln!(f, "  {:<38} {:>9} {:>9} {:>9}", "", "min", "median", "max")?;
        for contender in contest.contenders {
            for metric in self.shown() {
                if let Some(spread) = self.spread(contender, metric) {
                    writeln!(f, "  {:<20} {metric:<17} {spread}", contender.name)?;
                }
            }
        }
        for verdict in &self.verdicts {
            writeln!(f, "  {verdict}")?;
        }
        for (name, why) in &self.absent {
            writeln!(f, "  not run: {name}: {why}")?;
        }
        for (name, why) in &self.failures {
            writeln!(f, "  FAILED: {name}: {why}")?;
        }
        Ok(())
    }
}

impl Entry {
    /// The figures that a bar is about, and the rate: a cheap client may have sent less.
    fn shown(&self) -> BTreeSet<Metric> {
        let barred = self.contest.bars.iter().map(|bar| bar.metric);
        barred.chain([Metric::BitsPerSecond]).collect()
    }

    fn spread(&self, contender: &Contender, metric: Metric) -> Option<Spread> {
        let samples = self
            .rounds
            .iter()
            .map(|round| round.samples.get(contender.name));
        Spread::of(
            samples
                .filter_map(|sample| sample?.get(&metric).copied())
                .collect(),
        )
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bar = self.bar;
        let what = match bar.relation {
            Relation::Ratio => format!("over {}: {}", bar.rival, bar.metric),
            Relation::Variation => format!("variation over {}: {}", bar.rival, bar.metric),
            Relation::DifferencePer(count) => {
                format!("less {}, per {count}: {}", bar.rival, bar.metric)
            }
            Relation::Ours => bar.metric.to_string(),
        };
        match self.spread {
            None => write!(f, "{what:<38} {:>29}  bar {}", "not run", bar.bound),
            Some(spread) => {
                let verdict = if self.met() { "met" } else { "MISSED" };
                write!(f, "{what:<38} {spread}  bar {}: {verdict}", bar.bound)
            }
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::BitsPerSecond => "bit/s",
            Self::MessagesPerSecond => "messages/s",
            Self::SentMessagesPerSecond => "sent messages/s",
            Self::LostShare => "lost share",
            Self::TransactionsPerSecond => "transactions/s",
            Self::ClientCpuSeconds => "client CPU s",
            Self::ServerCpuSeconds => "server CPU s",
            Self::ClientWaits => "client waits",
            Self::ServerWaits => "server waits",
            Self::Yields => "sched_yield calls",
            Self::ClientPeakBytes => "client peak B",
            Self::ClientCpuPerBit => "client CPU s/bit",
            Self::ClientPeakShare => "client peak share B",
            Self::StartSeconds => "start s",
            Self::WorstRateError => "worst rate error",
            Self::GapErrorP99Ns => "gap error p99 ns",
        })
    }
}
