//! A load's TCP_INFO readings taken together.

use plan::{Kind, Transport};
use record::{End, TcpBothEnds, TcpInfo, TcpSummary};

use crate::stream::{Side, Stream};

/// Both ends; none for UDP and when no socket was read.
pub(crate) fn both_ends(stream: &Stream, load: usize, kind: Kind) -> Option<TcpBothEnds> {
    if kind.transport() != Transport::Tcp {
        return None;
    }
    let both = TcpBothEnds {
        client: summary(stream.side(End::Client), load),
        server: summary(stream.side(End::Server), load),
    };
    (both.client.is_some() || both.server.is_some()).then_some(both)
}

fn summary(side: &Side, load: usize) -> Option<TcpSummary> {
    let closing = side.closing(load)?;
    let infos: Vec<&TcpInfo> = closing
        .flows
        .iter()
        .flat_map(|flow| &flow.tcp_info)
        .collect();
    if infos.is_empty() {
        return None;
    }
    let all = |field: fn(&TcpInfo) -> Option<u64>| infos.iter().filter_map(move |info| field(info));
    let sum = |field| all(field).reduce(u64::saturating_add);
    let mean = |field| {
        let count = all(field).count() as u64;
        sum(field).map(|sum| sum / count)
    };
    Some(TcpSummary {
        flows: infos.len() as u32,
        congestion_control: closing.congestion_control.clone(),
        rtt_us: mean(|info| info.tcpi_rtt),
        min_rtt_us: all(|info| info.tcpi_min_rtt).min(),
        cwnd_segments: mean(|info| info.tcpi_snd_cwnd),
        mss_bytes: mean(|info| info.tcpi_snd_mss),
        retransmits: sum(|info| info.tcpi_total_retrans),
        retransmitted_bytes: sum(|info| info.tcpi_bytes_retrans),
        busy_us: sum(|info| info.tcpi_busy_time),
        rwnd_limited_us: sum(|info| info.tcpi_rwnd_limited),
        sndbuf_limited_us: sum(|info| info.tcpi_sndbuf_limited),
    })
}
