//! What a stream counts while it runs.

use proto::iperf3::Arrivals;

use crate::published::Published;
use crate::tally::Tally;

/// Bytes and datagrams of one stream. Its worker writes, the coordinator reads at edges.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub tally: Tally,
    /// Highest number, lost, out of order, received, jitter in ns.
    arrivals: Published<5>,
}

impl Counts {
    /// Publishes what numbers and times of datagrams say.
    #[inline]
    pub fn set_arrivals(&self, arrivals: &Arrivals, jitter_ns: u64) {
        self.arrivals.set([
            arrivals.highest,
            arrivals.lost,
            arrivals.out_of_order,
            arrivals.received,
            jitter_ns,
        ]);
    }

    /// The same, with the jitter in ns.
    pub fn arrivals(&self) -> (Arrivals, u64) {
        let [highest, lost, out_of_order, received, jitter_ns] = self.arrivals.get();
        let arrivals = Arrivals {
            highest,
            lost,
            out_of_order,
            received,
        };
        (arrivals, jitter_ns)
    }
}
