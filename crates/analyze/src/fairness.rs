//! How evenly the flows of a load fared.

use plan::Load;
use record::{Fairness, FlowRow};

/// By transactions for exchanges, by received bytes otherwise. None for a single flow, when a
/// flow's figure is missing, and when nothing moved.
pub(crate) fn fairness(load: &Load, rows: &[FlowRow]) -> Option<Fairness> {
    let share = |row: &FlowRow| match load.kind.is_exchange() {
        true => row.transactions,
        false => row.received_bytes,
    };
    let shares: Vec<f64> = rows
        .iter()
        .map(|row| share(row).map(|n| n as f64))
        .collect::<Option<_>>()?;
    if shares.len() < 2 {
        return None;
    }
    let jain = stats::jain(&shares)?;
    let (mean, all) = (stats::mean(&shares)?, stats::min_median_max(&shares)?);
    Some(Fairness {
        jain,
        min_share: all.min / mean,
        max_share: all.max / mean,
    })
}
