//! Where lost datagrams were lost: the drop counters of both ends over the whole run.

use plan::{Shape, Transport};
use record::{End, InterfaceCounters, LossAddress, Rows};

use super::whole_life;
use crate::observed::whole;
use crate::stream::{Side, Stream, same_machine, same_stack};

/// The address of the `lost` datagrams of load `load` on their way to `receiver`.
pub(super) fn address(stream: &Stream, load: usize, receiver: End, lost: u64) -> LossAddress {
    let (from, to) = (stream.side(receiver.other()), stream.side(receiver));
    let (sender_rows, receiver_rows) = (whole(from), whole(to));
    let share = share(stream, load, receiver, lost);
    let part = |count: Option<u64>| count.map(|count| (count as f64 * share).round() as u64);
    let qdisc = sender_rows.as_ref().and_then(qdisc_drops);
    let socket = whole_life(to, load).and_then(|udp| udp.socket_drops);
    let mut left = lost;
    // The surest first: a counter that other traffic shares gets no more than what is left.
    let mut take = |count: Option<u64>| {
        count.map(|count| {
            let taken = count.min(left);
            left -= taken;
            taken
        })
    };
    let address = LossAddress {
        receiver_socket: take(socket),
        sender_qdisc: take(part(qdisc)),
        sender_socket: take(part(
            sender_rows
                .as_ref()
                .and_then(discards)
                .map(|discards| discards.saturating_sub(qdisc.unwrap_or(0))),
        )),
        receiver_softnet: take(part(
            receiver_rows
                .as_ref()
                .and_then(|rows| rows.sum("softnet", "dropped")),
        )),
        sender_interface: take(part(wire(from).map(|wire| wire.tx_dropped))),
        receiver_interface: take(part(wire(to).map(|wire| wire.rx_dropped))),
        path: take(part(missing(from, to))),
        unaccounted: 0,
    };
    LossAddress {
        unaccounted: left,
        ..address
    }
}

/// This load's part of what all datagram loads to `receiver` lost.
fn share(stream: &Stream, load: usize, receiver: End, lost: u64) -> f64 {
    let others = stream.loads().filter(|(index, other)| {
        let bulk = matches!(other.kind.shape(), Shape::Bulk { .. });
        let udp = other.kind.transport() == Transport::Udp;
        *index != load && bulk && udp && receiver.receives(other.kind)
    });
    let lost_by_others: u64 = others
        .filter_map(|(index, _)| {
            let got = whole_life(stream.side(receiver), index)?;
            Some(got.highest_plus_one.saturating_sub(got.received))
        })
        .fold(0, u64::saturating_add);
    match lost.saturating_add(lost_by_others) {
        0 => 0.0,
        all => lost as f64 / all as f64,
    }
}

/// A qdisc counts what its children drop, so the root of the device has them all.
fn qdisc_drops(rows: &Rows) -> Option<u64> {
    let drops = rows
        .iter()
        .filter(|row| row.source == "qdisc" && row.name == "drops");
    drops.map(|row| row.value).max()
}

/// RFC 1213 ipOutDiscards and RFC 4293's of IPv6.
fn discards(rows: &Rows) -> Option<u64> {
    let v4 = rows.get("snmp", "Ip", "OutDiscards");
    let v6 = rows.get("snmp6", "Ip6", "OutDiscards");
    [v4, v6].into_iter().flatten().reduce(u64::saturating_add)
}

fn wire(side: &Side) -> Option<InterfaceCounters> {
    let (before, after) = side.wire.or(side.report?.interface)?;
    Some(after.since(before))
}

/// Packets that one interface sent and the other did not count as received. With segmentation
/// offload the two count different things; then more may have come than went, and nothing is said.
fn missing(from: &Side, to: &Side) -> Option<u64> {
    if same_machine(from, to) && same_stack(from, to) {
        return None;
    }
    wire(from)?.tx_packets.checked_sub(wire(to)?.rx_packets)
}
