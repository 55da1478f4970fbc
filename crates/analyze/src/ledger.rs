//! The books of both ends: what the application moved, what the sockets say, what the interface
//! counted, and how much of that the data flows explain.

use plan::{Load, Shape, Transport};
use record::{AppLedger, End, EndLedger, Ledger, LoadReport, SocketLedger, TcpInfo, WireLedger};

use crate::stream::{Side, Stream};

/// An Ethernet header, as veth and Ethernet drivers count it.
const ETHERNET: u64 = 14;
const UDP: u64 = 8;
const TCP: u64 = 20;
/// The timestamp option (RFC 7323), padded to a multiple of four.
const TIMESTAMPS: u64 = 12;
/// Bits of `tcpi_options` (include/uapi/linux/tcp.h, TCPI_OPT_*).
const HAS_TIMESTAMPS: u64 = 1;
const HAS_SACK: u64 = 2;
const HAS_WINDOW_SCALE: u64 = 4;

/// Bytes on the wire, by one end.
#[derive(Clone, Copy)]
struct Wire {
    tx: u64,
    rx: u64,
}

pub(crate) fn ledger(stream: &Stream) -> Ledger {
    Ledger {
        client: end(stream, End::Client),
        server: end(stream, End::Server),
    }
}

fn end(stream: &Stream, end: End) -> Option<EndLedger> {
    let side = stream.side(end);
    let report = side.report?;
    let wire = side.wire.or(report.interface).map(|(before, after)| {
        let explained = explained(stream, side);
        WireLedger {
            interface: after.since(before),
            explained_tx_bytes: explained.map(|wire| wire.tx),
            explained_rx_bytes: explained.map(|wire| wire.rx),
        }
    });
    Some(EndLedger {
        application: application(&report.loads),
        socket: socket(stream, side),
        wire,
    })
}

fn application(loads: &[LoadReport]) -> AppLedger {
    let total = loads
        .iter()
        .fold(record::Counters::default(), |sum, load| sum + load.total);
    AppLedger {
        written_bytes: total.written_bytes,
        written_messages: total.written_messages,
        received_bytes: total.received_bytes,
        received_messages: total.received_messages,
    }
}

/// None without TCP, and when not every socket was read.
fn socket(stream: &Stream, side: &Side) -> Option<SocketLedger> {
    let mut infos: Vec<TcpInfo> = Vec::new();
    for (index, load) in stream.loads() {
        // A flow that reconnects has the reading of its last connection only.
        let stays = load.kind.shape() != Shape::ConnectExchange;
        if load.kind.transport() == Transport::Tcp && stays {
            infos.extend(readings(load, side.closing(index)?)?);
        }
    }
    let sum = |field: fn(&TcpInfo) -> Option<u64>| {
        let mut figures = infos.iter().map(field);
        figures.try_fold(0_u64, |sum, figure| sum.checked_add(figure?))
    };
    (!infos.is_empty()).then(|| SocketLedger {
        sent_bytes: sum(|info| info.tcpi_bytes_sent),
        retransmitted_bytes: sum(|info| info.tcpi_bytes_retrans),
        acked_bytes: sum(|info| info.tcpi_bytes_acked),
        received_bytes: sum(|info| info.tcpi_bytes_received),
        segments_out: sum(|info| info.tcpi_segs_out),
        segments_in: sum(|info| info.tcpi_segs_in),
    })
}

/// The last reading of every flow; none when one is missing.
fn readings(load: &Load, closing: &LoadReport) -> Option<Vec<TcpInfo>> {
    let infos: Vec<TcpInfo> = closing
        .flows
        .iter()
        .filter_map(|flow| flow.tcp_info)
        .collect();
    (infos.len() == load.flows.get() as usize).then_some(infos)
}

/// What the interface should have counted for the data flows. On a loopback interface that both
/// ends share, every packet is sent and received there.
fn explained(stream: &Stream, side: &Side) -> Option<Wire> {
    let own = end_wire(stream, side)?;
    let other = stream.side(side.end.other());
    let shared = side.interface() == Some("lo") && same_stack(side, other);
    if !shared {
        return Some(own);
    }
    let both = own.tx.checked_add(end_wire(stream, other)?.tx)?;
    Some(Wire { tx: both, rx: both })
}

/// Whether both ends are one network stack, as far as is known.
pub(crate) fn same_stack(a: &Side, b: &Side) -> bool {
    let netns = |side: &Side| side.facts.and_then(|facts| facts.locality.netns);
    same_machine(a, b) && netns(a).is_some() && netns(a) == netns(b)
}

/// Whether both ends are one machine, as far as is known.
pub(crate) fn same_machine(a: &Side, b: &Side) -> bool {
    let boot = |side: &Side| side.facts.and_then(|facts| facts.locality.boot_id.clone());
    boot(a).is_some() && boot(a) == boot(b)
}

fn end_wire(stream: &Stream, side: &Side) -> Option<Wire> {
    let mut sum = Wire { tx: 0, rx: 0 };
    for (index, load) in stream.loads() {
        let closing = side.closing(index)?;
        // The loopback device counts a packet after it took the link header off.
        let link = if side.interface()? == "lo" {
            0
        } else {
            ETHERNET
        };
        let header = link + closing.ip?.header_bytes();
        let wire = match load.kind.transport() {
            Transport::Udp => udp(side, load, closing, header)?,
            Transport::Tcp => tcp(side.end, load, closing, header)?,
        };
        sum = sum.and(wire)?;
    }
    Some(sum)
}

/// Datagrams that fit the MTU: payload and three headers each.
fn udp(side: &Side, load: &Load, closing: &LoadReport, header: u64) -> Option<Wire> {
    let largest = match load.kind.shape() {
        Shape::Bulk { .. } => load.size,
        Shape::Exchange | Shape::ConnectExchange => load.request.max(load.reply),
    };
    let packet = largest.get() + UDP + closing.ip?.header_bytes();
    if packet > u64::from(side.facts?.mtu_bytes?) {
        return None;
    }
    let total = closing.total;
    let wire = |bytes: u64, messages: u64| bytes.checked_add(messages.checked_mul(header + UDP)?);
    // The interface also counted what the socket dropped: datagrams of the full size.
    let dropped = closing
        .total_udp
        .and_then(|udp| udp.socket_drops)
        .unwrap_or(0);
    let dropped = wire(largest.get().checked_mul(dropped)?, dropped)?;
    Some(Wire {
        tx: wire(total.written_bytes, total.written_messages)?,
        rx: wire(total.received_bytes, total.received_messages)?.checked_add(dropped)?,
    })
}

/// Segments without selective acknowledgements, one packet each.
fn tcp(end: End, load: &Load, closing: &LoadReport, header: u64) -> Option<Wire> {
    if load.kind.shape() == Shape::ConnectExchange {
        return None;
    }
    let mut sum = Wire { tx: 0, rx: 0 };
    for info in readings(load, closing)? {
        let has = |option| info.tcpi_options.map(|options| options & option != 0);
        let segment = header + TCP + if has(HAS_TIMESTAMPS)? { TIMESTAMPS } else { 0 };
        // The passive end's SYN-ACK was sent before its socket, and its counter, existed.
        let segments_out = info
            .tcpi_segs_out?
            .checked_add(u64::from(end == End::Server))?;
        let sent = info
            .tcpi_bytes_sent?
            .checked_add(segments_out.checked_mul(segment)?)?;
        let received = info.tcpi_segs_in?.checked_mul(segment)?;
        let received = received.checked_add(info.tcpi_bytes_received?)?;
        let syn = syn_surplus(has(HAS_TIMESTAMPS)?, has(HAS_SACK)?, has(HAS_WINDOW_SCALE)?);
        sum = sum
            .and(Wire {
                tx: sent,
                rx: received,
            })?
            .and(Wire { tx: syn, rx: syn })?;
    }
    Some(sum)
}

/// Option bytes that a SYN has beyond later segments: MSS, window scale with its padding, and
/// SACK-permitted, which fits in the timestamps' padding where there are timestamps.
fn syn_surplus(timestamps: bool, sack: bool, window_scale: bool) -> u64 {
    4 + 4 * u64::from(window_scale) + 4 * u64::from(sack && !timestamps)
}

impl Wire {
    /// The sum; none when figures are beyond reason.
    fn and(self, other: Self) -> Option<Self> {
        let tx = self.tx.checked_add(other.tx)?;
        Some(Self {
            tx,
            rx: self.rx.checked_add(other.rx)?,
        })
    }
}
