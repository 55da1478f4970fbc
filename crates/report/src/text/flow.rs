//! Flow by flow, where these are few; how evenly they fared, always.

use record::{FlowRow, LoadResult, Run};

use super::bulk::NAME;
use crate::quantity::{bytes, count, counted, micros, name, nanos, number, rate};
use crate::style::Style;
use crate::table::Align::{Left, Right};
use crate::table::Table;

/// Most flows of a load that are shown one by one; the document has all.
const MOST: usize = 16;

pub(super) fn flows(run: &Run, style: Style) -> String {
    let mut table = Table::new(&[
        ("flow", Left),
        ("port", Right),
        ("received", Right),
        ("rate", Right),
        ("transactions", Right),
        ("mean response", Right),
        ("lost", Right),
        ("retransmits", Right),
        ("rtt", Right),
    ]);
    for load in run
        .loads
        .iter()
        .filter(|load| (2..=MOST).contains(&load.per_flow.len()))
    {
        for flow in &load.per_flow {
            table.row(row(load, flow));
        }
    }
    let fair = run.loads.iter().filter_map(|load| {
        let fairness = load.fairness?;
        Some(format!(
            "{} share {}: Jain's index {}; slowest {}, fastest {} of the mean\n",
            counted(load.flows.into(), "flow"),
            name(&load.name, NAME),
            number(Some(fairness.jain), 4),
            number(Some(fairness.min_share), 3),
            number(Some(fairness.max_share), 3),
        ))
    });
    table.render(style) + &fair.collect::<String>()
}

fn row(load: &LoadResult, flow: &FlowRow) -> [String; 9] {
    let infos = || {
        [&flow.client_tcp_info, &flow.server_tcp_info]
            .into_iter()
            .flatten()
    };
    let udp = || [&flow.client_udp, &flow.server_udp].into_iter().flatten();
    let retransmits = infos()
        .filter_map(|info| info.tcpi_total_retrans)
        .reduce(|a, b| a + b);
    let lost = udp()
        .map(|udp| udp.highest_plus_one.saturating_sub(udp.received))
        .reduce(|a, b| a + b);
    // A sender's own round trips; a pure receiver has only those of its handshake.
    let rtt = infos()
        .max_by_key(|info| info.tcpi_bytes_sent)
        .and_then(|info| info.tcpi_rtt);
    let bulk = !load.kind.is_exchange();
    [
        format!("{} {}", name(&load.name, NAME), flow.flow),
        count(flow.client_port.map(u64::from)),
        bytes(flow.received_bytes.filter(|_| bulk)),
        rate(flow.bits_per_second.filter(|_| bulk)),
        count(flow.transactions),
        nanos(flow.mean_response_ns),
        count(lost.filter(|_| bulk)),
        count(retransmits),
        micros(rtt),
    ]
}
