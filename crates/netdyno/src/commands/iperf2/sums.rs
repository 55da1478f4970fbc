//! Rows of several flows, or of both directions of one.

use std::collections::BTreeMap;
use std::net::IpAddr;

use engine::iperf2::Way;
use report::dialect::iperf2::{
    CsvEnds, Figures, Id, Row, TcpReceived, TcpSent, UdpReceived, UdpSent,
};

/// What is summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Of {
    /// Both directions of a flow.
    Flow(u32),
    /// All flows of an address.
    Peer(IpAddr),
}

/// A direction of a flow.
type Part = (u32, Way);

/// Sums that are not complete.
#[derive(Default)]
pub(super) struct Sums(BTreeMap<Of, Sum>);

#[derive(Default)]
struct Sum {
    /// Directions at work.
    active: Vec<Part>,
    /// Rows of this interval, and of whole flows.
    interval: Vec<(Part, Row)>,
    finals: Vec<(Part, Row)>,
    ends: Option<CsvEnds>,
}

/// A sum that is complete.
#[derive(Debug)]
pub(super) struct Total {
    pub of: Of,
    /// How many flows.
    pub flows: usize,
    /// How many directions of flows.
    pub parts: usize,
    /// Without a name.
    pub row: Row,
    /// Ends of one of the flows.
    pub ends: CsvEnds,
}

impl Sums {
    /// A direction of a flow is at work.
    pub fn enter(&mut self, of: Of, part: Part) {
        self.0.entry(of).or_default().active.push(part);
    }

    /// Takes a row; gives what is complete with it.
    pub fn take(&mut self, of: Of, part: Part, row: &Row, ends: CsvEnds) -> Vec<Total> {
        let Some(sum) = self.0.get_mut(&of) else {
            return Vec::new();
        };
        sum.ends = Some(ends);
        let mut totals = Vec::new();
        if row.is_final {
            sum.active.retain(|active| *active != part);
            sum.finals.push((part, row.clone()));
        } else {
            // A flow that is an interval ahead of the rest ends theirs.
            if sum.interval.iter().any(|(known, _)| *known == part) {
                totals.extend(sum.interval_total(of));
            }
            sum.interval.push((part, row.clone()));
        }
        let waits = |part: &Part| !sum.interval.iter().any(|(known, _)| known == part);
        if !sum.interval.is_empty() && !sum.active.iter().any(waits) {
            totals.extend(sum.interval_total(of));
        }
        if sum.active.is_empty() {
            totals.extend(sum.interval_total(of));
            let rows = std::mem::take(&mut sum.finals);
            totals.extend(total(of, rows, sum.ends));
            self.0.remove(&of);
        }
        totals
    }
}

impl Sum {
    fn interval_total(&mut self, of: Of) -> Option<Total> {
        total(of, std::mem::take(&mut self.interval), self.ends)
    }
}

fn total(of: Of, rows: Vec<(Part, Row)>, ends: Option<CsvEnds>) -> Option<Total> {
    let ends = ends?;
    let mut flows: Vec<u32> = rows.iter().map(|((flow, _), _)| *flow).collect();
    flows.sort_unstable();
    flows.dedup();
    let parts = rows.len();
    let (_, first) = rows.first()?;
    let mut row = first.clone();
    for (_, other) in &rows[1..] {
        add(&mut row, other);
    }
    Some(Total {
        of,
        flows: flows.len(),
        parts,
        row,
        ends,
    })
}

/// The earliest start, the latest end, and the sum of the rest.
fn add(row: &mut Row, other: &Row) {
    row.from_seconds = row.from_seconds.min(other.from_seconds);
    row.to_seconds = row.to_seconds.max(other.to_seconds);
    row.bytes += other.bytes;
    row.figures = match (&row.figures, &other.figures) {
        (Figures::TcpSent(a), Figures::TcpSent(b)) => Figures::TcpSent(TcpSent {
            writes: a.writes + b.writes,
            errors: a.errors + b.errors,
            retries: a.retries + b.retries,
            ..TcpSent::default()
        }),
        (Figures::TcpReceived(a), Figures::TcpReceived(b)) => {
            let mut by_size = a.by_size;
            for (class, more) in by_size.iter_mut().zip(b.by_size) {
                *class += more;
            }
            Figures::TcpReceived(TcpReceived {
                reads: a.reads + b.reads,
                by_size,
                ..TcpReceived::default()
            })
        }
        (Figures::UdpSent(a), Figures::UdpSent(b)) => Figures::UdpSent(UdpSent {
            datagrams: a.datagrams + b.datagrams,
            errors: a.errors + b.errors,
            frames: None,
        }),
        (Figures::UdpReceived(a), Figures::UdpReceived(b)) => Figures::UdpReceived(UdpReceived {
            lost: a.lost + b.lost,
            expected: a.expected + b.expected,
            out_of_order: a.out_of_order + b.out_of_order,
            received: a.received + b.received,
            ..UdpReceived::default()
        }),
        (a, b) => match (datagrams(a), datagrams(b)) {
            (Some(a), Some(b)) => Figures::Datagrams(a + b),
            _ => Figures::Bytes,
        },
    };
}

fn datagrams(figures: &Figures) -> Option<u64> {
    match figures {
        Figures::UdpSent(sent) => Some(sent.datagrams),
        Figures::UdpReceived(received) => Some(received.received),
        Figures::Datagrams(count) => Some(*count),
        _ => None,
    }
}

impl Total {
    /// The row's name: of a flow's both directions, or of all flows.
    pub fn named(&self, sum_only: bool) -> Row {
        let id = match self.of {
            Of::Flow(flow) => Id::FullDuplex(flow),
            Of::Peer(_) if sum_only => Id::SumOf(self.parts as u32),
            Of::Peer(_) => Id::Sum,
        };
        let mut row = Row {
            id,
            ..self.row.clone()
        };
        // One flow's own row has more than a sum.
        match &mut row.figures {
            Figures::TcpSent(sent) => {
                (sent.path, sent.frames, sent.write_times) = (None, None, None)
            }
            Figures::TcpReceived(received) => received.latency = None,
            Figures::Bounced(_) => row.figures = Figures::Bytes,
            _ => {}
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: fn() -> CsvEnds = || CsvEnds {
        from: ([127, 0, 0, 1], 1).into(),
        to: ([127, 0, 0, 1], 2).into(),
    };

    fn row(from_seconds: f64, to_seconds: f64, is_final: bool) -> Row {
        Row {
            id: Id::flow(1),
            from_seconds,
            to_seconds,
            is_final,
            bytes: 100,
            figures: Figures::UdpReceived(UdpReceived {
                jitter_ms: Some(1.0),
                lost: 1,
                expected: 10,
                received: 9,
                ..UdpReceived::default()
            }),
        }
    }

    #[test]
    fn a_sum_waits_for_all_flows() {
        let of = Of::Peer([127, 0, 0, 1].into());
        let (a, b) = ((1, Way::Receives), (2, Way::Receives));
        let mut sums = Sums::default();
        sums.enter(of, a);
        sums.enter(of, b);
        assert!(sums.take(of, a, &row(0.0, 1.0, false), ENDS()).is_empty());
        let totals = sums.take(of, b, &row(0.0, 1.1, false), ENDS());
        let [total] = totals.as_slice() else {
            panic!("{totals:?}");
        };
        assert_eq!(
            (total.flows, total.row.bytes, total.row.to_seconds),
            (2, 200, 1.1)
        );
        assert!(matches!(
            &total.row.figures,
            Figures::UdpReceived(sum) if sum.lost == 2 && sum.jitter_ms.is_none()
        ));
        assert!(sums.take(of, a, &row(0.0, 2.0, true), ENDS()).is_empty());
        let totals = sums.take(of, b, &row(0.0, 2.2, true), ENDS());
        assert_eq!((totals.len(), totals[0].row.is_final), (1, true));
        assert_eq!(totals[0].named(false).id, Id::Sum);
        assert_eq!(totals[0].named(true).id, Id::SumOf(2));
        // What comes later is of another test.
        assert!(sums.take(of, a, &row(0.0, 1.0, false), ENDS()).is_empty());
    }

    #[test]
    fn a_flow_that_stalls_does_not_hold_up_the_others() {
        let of = Of::Flow(1);
        let (a, b) = ((1, Way::Sends), (1, Way::Receives));
        let mut sums = Sums::default();
        sums.enter(of, a);
        sums.enter(of, b);
        assert!(sums.take(of, a, &row(0.0, 1.0, false), ENDS()).is_empty());
        let totals = sums.take(of, a, &row(1.0, 2.0, false), ENDS());
        assert_eq!((totals.len(), totals[0].parts), (1, 1));
        let totals = sums.take(of, b, &row(0.0, 2.0, true), ENDS());
        assert_eq!((totals.len(), totals[0].row.is_final), (1, false));
        let totals = sums.take(of, a, &row(0.0, 2.0, true), ENDS());
        assert_eq!(totals[0].named(false).id, Id::FullDuplex(1));
    }
}
