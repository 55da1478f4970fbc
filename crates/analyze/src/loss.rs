//! Loss of datagrams, over the flows' whole life.

mod address;

use plan::{Kind, Transport};
use record::{End, UdpCounters, UdpLoss};

use crate::stream::{Side, Stream};

/// Most outages that a document shows.
const OUTAGES: usize = 10;

/// One for each end that receives datagrams of bulk load `load` and told of them.
pub(crate) fn loss(stream: &Stream, load: usize, kind: Kind) -> Vec<UdpLoss> {
    if kind.is_exchange() || kind.transport() != Transport::Udp {
        return Vec::new();
    }
    let receivers = End::BOTH.into_iter().filter(|end| end.receives(kind));
    receivers.filter_map(|end| at(stream, load, end)).collect()
}

fn at(stream: &Stream, load: usize, receiver: End) -> Option<UdpLoss> {
    let counters = whole_life(stream.side(receiver), load)?;
    let closing = stream.side(receiver).closing(load);
    let sender = stream.side(receiver.other()).closing(load);
    // Without the closing figures of both the tail is unknown: what sequence numbers tell of was
    // sent, no more.
    let written = closing
        .and(sender)
        .map(|closing| closing.total.written_messages);
    let sent = written
        .unwrap_or(counters.highest_plus_one)
        .max(counters.received);
    let lost = sent - counters.received;
    let mut outages = closing
        .map(|closing| closing.outages.clone())
        .unwrap_or_default();
    outages.sort_by_key(|outage| std::cmp::Reverse(outage.length_ns));
    outages.truncate(OUTAGES);
    Some(UdpLoss {
        receiver,
        sent,
        received: counters.received,
        lost,
        address: address::address(stream, load, receiver, lost),
        lost_share: (sent > 0).then(|| lost as f64 / sent as f64),
        duplicate: counters.duplicate,
        reordered: counters.reordered,
        reorder_depth_max: counters.reorder_depth_max,
        malformed: counters.malformed,
        jitter_ns: counters.jitter_ns,
        outages,
    })
}

/// From the closing figures, or what the last edge knew.
fn whole_life(side: &Side, load: usize) -> Option<UdpCounters> {
    match side.closing(load) {
        Some(closing) => closing.total_udp,
        None => side.edges.last()?.loads.get(load)?.udp,
    }
}
