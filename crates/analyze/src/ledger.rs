//! The books of both ends: what the application moved, what the sockets say, what the interface
//! counted, and how much of that the data flows explain.

use plan::{Shape, Transport};
use record::{AppLedger, End, EndLedger, Ledger, LoadReport, SocketLedger, TcpInfo, WireLedger};

use crate::stream::{Side, Stream};
use crate::wire::{explained, readings};

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
        let interface = after.since(before);
        let explained = explained(stream, side, interface);
        WireLedger {
            interface,
            explained_tx_bytes: explained.as_ref().map(|explained| explained.tx_bytes),
            explained_rx_bytes: explained.map(|explained| explained.rx_bytes),
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
