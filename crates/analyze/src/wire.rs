//! What the data flows' own counts put on the wire, payload and headers.

use plan::{Load, Shape, Transport};
use record::{End, InterfaceCounters, LoadReport, TcpInfo};

use crate::stream::{Side, Stream, same_stack};

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
/// Values of `tcpi_state` that follow the peer's FIN (include/net/tcp_states.h): TIME_WAIT, CLOSE,
/// CLOSE_WAIT, LAST_ACK, CLOSING.
const FIN_CAME: [u64; 5] = [6, 7, 8, 9, 11];

/// Bytes that the flows explain of what an interface counted.
pub(crate) struct Explained {
    pub tx_bytes: u64,
    pub rx_bytes: u64,
}

/// Packets in one direction.
#[derive(Clone, Copy, Default)]
struct Packets {
    count: u64,
    payload: u64,
    headers: u64,
}

/// Packets of one end.
#[derive(Clone, Copy, Default)]
struct Traffic {
    tx: Packets,
    rx: Packets,
}

/// What the flows explain of what the interface of `side` counted; none where headers are not
/// known. On a loopback interface that both ends share, every packet is sent and received there.
pub(crate) fn explained(
    stream: &Stream,
    side: &Side,
    counted: InterfaceCounters,
) -> Option<Explained> {
    let mut traffic = of_end(stream, side)?;
    let other = stream.side(side.end.other());
    if side.interface() == Some("lo") && same_stack(side, other) {
        let both = traffic.tx.and(of_end(stream, other)?.tx)?;
        traffic = Traffic { tx: both, rx: both };
    }
    Some(Explained {
        tx_bytes: traffic.tx.bytes(counted.tx_packets)?,
        rx_bytes: traffic.rx.bytes(counted.rx_packets)?,
    })
}

fn of_end(stream: &Stream, side: &Side) -> Option<Traffic> {
    let mut sum = Traffic::default();
    for (index, load) in stream.loads() {
        let closing = side.closing(index)?;
        // The loopback device counts a packet after it took the link header off.
        let link = if side.interface()? == "lo" {
            0
        } else {
            ETHERNET
        };
        let header = link + closing.ip?.header_bytes();
        sum = sum.and(match load.kind.transport() {
            Transport::Udp => udp(side, load, closing, header)?,
            Transport::Tcp => tcp(side.end, load, closing, header)?,
        })?;
    }
    Some(sum)
}

/// Datagrams that fit the MTU: payload and three headers each.
fn udp(side: &Side, load: &Load, closing: &LoadReport, header: u64) -> Option<Traffic> {
    let largest = match load.kind.shape() {
        Shape::Bulk { .. } => load.size,
        Shape::Exchange | Shape::ConnectExchange => load.request.max(load.reply),
    };
    let packet = largest.get() + UDP + closing.ip?.header_bytes();
    if packet > u64::from(side.facts?.mtu_bytes?) {
        return None;
    }
    let total = closing.total;
    let of = |payload, count| Packets::of(payload, count, header + UDP);
    // The interface also counted what the socket dropped: datagrams of the full size.
    let dropped = closing
        .total_udp
        .and_then(|udp| udp.socket_drops)
        .unwrap_or(0);
    let dropped = of(largest.get().checked_mul(dropped)?, dropped)?;
    Some(Traffic {
        tx: of(total.written_bytes, total.written_messages)?,
        rx: of(total.received_bytes, total.received_messages)?.and(dropped)?,
    })
}

/// Segments without selective acknowledgements.
fn tcp(end: End, load: &Load, closing: &LoadReport, header: u64) -> Option<Traffic> {
    if load.kind.shape() == Shape::ConnectExchange {
        return None;
    }
    let mut sum = Traffic::default();
    for info in readings(load, closing)? {
        let has = |option| info.tcpi_options.map(|options| options & option != 0);
        let header = header + TCP + if has(HAS_TIMESTAMPS)? { TIMESTAMPS } else { 0 };
        // The passive end's SYN-ACK was sent before its socket, and its counter, existed.
        let uncounted = u64::from(end == End::Server);
        let segments_out = info.tcpi_segs_out?.checked_add(uncounted)?;
        let syn = syn_surplus(has(HAS_TIMESTAMPS)?, has(HAS_SACK)?, has(HAS_WINDOW_SCALE)?);
        let syn = Packets {
            headers: syn,
            ..Default::default()
        };
        // The FIN takes a place in the stream without being a byte on the wire.
        let fin = u64::from(
            info.tcpi_state
                .is_some_and(|state| FIN_CAME.contains(&state)),
        );
        let received = info.tcpi_bytes_received?.saturating_sub(fin);
        sum = sum.and(Traffic {
            tx: Packets::of(info.tcpi_bytes_sent?, segments_out, header)?.and(syn)?,
            rx: Packets::of(received, info.tcpi_segs_in?, header)?.and(syn)?,
        })?;
    }
    Some(sum)
}

/// The last reading of every flow; none when one is missing.
pub(crate) fn readings(load: &Load, closing: &LoadReport) -> Option<Vec<TcpInfo>> {
    let infos: Vec<TcpInfo> = closing
        .flows
        .iter()
        .filter_map(|flow| flow.tcp_info)
        .collect();
    (infos.len() == load.flows.get() as usize).then_some(infos)
}

/// Option bytes that a SYN has beyond later segments: MSS, window scale with its padding, and
/// SACK-permitted, which fits in the timestamps' padding where there are timestamps.
fn syn_surplus(timestamps: bool, sack: bool, window_scale: bool) -> u64 {
    4 + 4 * u64::from(window_scale) + 4 * u64::from(sack && !timestamps)
}

/// Sums are none when figures are beyond reason.
impl Packets {
    fn of(payload: u64, count: u64, header: u64) -> Option<Self> {
        Some(Self {
            count,
            payload,
            headers: count.checked_mul(header)?,
        })
    }

    fn and(self, other: Self) -> Option<Self> {
        Some(Self {
            count: self.count.checked_add(other.count)?,
            payload: self.payload.checked_add(other.payload)?,
            headers: self.headers.checked_add(other.headers)?,
        })
    }

    /// Bytes by the counting of an interface that saw `counted` packets. With segmentation
    /// offload these are fewer than the segments, since one packet with one header stands for
    /// many of them.
    fn bytes(self, counted: u64) -> Option<u64> {
        let headers = match self.count > counted {
            true => {
                let shown = u128::from(self.headers) * u128::from(counted);
                u64::try_from(shown / u128::from(self.count)).ok()?
            }
            false => self.headers,
        };
        self.payload.checked_add(headers)
    }
}

impl Traffic {
    fn and(self, other: Self) -> Option<Self> {
        Some(Self {
            tx: self.tx.and(other.tx)?,
            rx: self.rx.and(other.rx)?,
        })
    }
}
