//! Tables of what moved: directions, exchanges, lost datagrams, sockets.

use plan::Kind;
use record::{End, LoadResult, Run, TcpSummary};
use units::Nanos;

use crate::quantity::{
    bytes, count, counted, direction, micros, name, nanos, per_second, percent, rate, seconds,
};
use crate::style::Style;
use crate::table::Align::{Left, Right};
use crate::table::Table;

/// Columns of a load's name in tables.
pub(super) const NAME: usize = 14;

pub(super) fn directions(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("load", Left),
        ("direction", Left),
        ("received", Right),
        ("over", Right),
        ("rate", Right),
        ("sent", Right),
        ("rate sent", Right),
        ("retransmits", Right),
    ]);
    for load in &run.loads {
        for way in &load.directions {
            table.row([
                name(&load.name, NAME),
                direction(way.sender),
                bytes(way.received.map(|tally| tally.bytes)),
                seconds(way.received.map(|tally| tally.seconds)),
                rate(way.received.and_then(|tally| tally.bits_per_second)),
                bytes(way.sent.map(|tally| tally.bytes)),
                rate(way.sent.and_then(|tally| tally.bits_per_second)),
                count(way.retransmits),
            ]);
        }
    }
    known(run, table, style)
}

/// A table of figures that all come from ends that reported; nothing for a run that never began.
fn known(run: &Run, table: Table, style: Style) -> String {
    let moved = |load: &LoadResult| {
        load.directions
            .iter()
            .any(|way| way.received.is_some() || way.sent.is_some())
    };
    if run.loads.iter().any(moved) {
        table.render(style)
    } else {
        String::new()
    }
}

pub(super) fn exchanges(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("load", Left),
        ("transactions", Right),
        ("over", Right),
        ("rate", Right),
        ("requests", Right),
        ("replies", Right),
        ("unanswered", Right),
    ]);
    // Of a probe the transactions matter as samples of latency.
    let shown = |load: &&LoadResult| load.kind != Kind::Probe || run.latency_under_load.is_none();
    let exchanges = run.loads.iter().filter(|load| load.transactions.is_some());
    for load in exchanges.filter(shown) {
        table.row([
            name(&load.name, NAME),
            count(load.transactions),
            seconds(load.received.map(|tally| tally.seconds)),
            per_second(load.transactions_per_second),
            bytes(load.sent.map(|tally| tally.bytes)),
            bytes(load.received.map(|tally| tally.bytes)),
            count(load.unanswered),
        ]);
    }
    table.render(style)
}

pub(super) fn loss(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("datagrams", Left),
        ("receiver", Left),
        ("sent", Right),
        ("lost", Right),
        ("share", Right),
        ("at socket", Right),
        ("duplicate", Right),
        ("reordered", Right),
        ("depth", Right),
        ("jitter", Right),
    ])
    .keyed(2);
    let mut outages = String::new();
    for load in &run.loads {
        for loss in &load.loss {
            table.row([
                name(&load.name, NAME),
                loss.receiver.name().to_owned(),
                loss.sent.to_string(),
                loss.lost.to_string(),
                percent(loss.lost_share),
                count(loss.address.receiver_socket),
                loss.duplicate.to_string(),
                loss.reordered.to_string(),
                loss.reorder_depth_max.to_string(),
                nanos(loss.jitter_ns),
            ]);
            for outage in loss.outages.iter().take(3) {
                outages.push_str(&format!(
                    "outage of {} until {} at the {}: {} lost by flow {}\n",
                    Nanos::new(outage.length_ns),
                    Nanos::new(outage.until_ns),
                    loss.receiver.name(),
                    counted(outage.lost, "datagram"),
                    outage.flow,
                ));
            }
        }
    }
    table.render(style) + &outages
}

pub(super) fn tcp(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("tcp", Left),
        ("end", Left),
        ("control", Left),
        ("rtt", Right),
        ("min rtt", Right),
        ("cwnd", Right),
        ("mss", Right),
        ("busy", Right),
        ("rwnd lim.", Right),
        ("sndbuf lim.", Right),
    ])
    .keyed(2);
    // Exchanges say what they have to say in latency.
    for load in run.loads.iter().filter(|load| !load.kind.is_exchange()) {
        let Some(tcp) = &load.tcp else { continue };
        for (end, summary) in [(End::Client, &tcp.client), (End::Server, &tcp.server)] {
            if let Some(summary) = summary {
                table.row(socket(&load.name, end, summary));
            }
        }
    }
    table.render(style)
}

fn socket(load: &str, end: End, tcp: &TcpSummary) -> [String; 10] {
    // The limited times are parts of the busy time.
    let part = |limited: Option<u64>| {
        let busy = tcp.busy_us.filter(|busy| *busy > 0);
        percent(
            limited
                .zip(busy)
                .map(|(limited, busy)| limited as f64 / busy as f64),
        )
    };
    [
        name(load, NAME),
        end.name().to_owned(),
        tcp.congestion_control
            .clone()
            .unwrap_or_else(|| "-".to_owned()),
        micros(tcp.rtt_us),
        micros(tcp.min_rtt_us),
        count(tcp.cwnd_segments),
        count(tcp.mss_bytes),
        micros(tcp.busy_us),
        part(tcp.rwnd_limited_us),
        part(tcp.sndbuf_limited_us),
    ]
}
