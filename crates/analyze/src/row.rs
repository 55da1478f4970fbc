//! A load flow by flow, joined from both ends.

use plan::Load;
use record::{End, FlowReport, FlowRow};

use crate::counted::{per_second, seconds};
use crate::stream::Stream;

/// One row a flow; none of them when neither end told of its flows.
pub(crate) fn rows(stream: &Stream, index: usize, load: &Load) -> Vec<FlowRow> {
    let told = |end| {
        stream
            .side(end)
            .closing(index)
            .map(|closing| closing.flows.as_slice())
    };
    let client = told(End::Client).unwrap_or_default();
    let server = told(End::Server).unwrap_or_default();
    let window = |end| {
        stream
            .side(end)
            .closing(index)
            .map(|closing| seconds(closing.window_ns))
    };
    let receivers = || End::BOTH.into_iter().filter(|end| end.receives(load.kind));
    // As in the load's own tally: both directions over the longer of their windows.
    let seconds = receivers().filter_map(window).fold(0.0, f64::max);
    let row = |flow: usize| {
        let at = |end| match end {
            End::Client => client.get(flow),
            End::Server => server.get(flow),
        };
        let received = |end| at(end).map(|flow: &FlowReport| flow.counted.received_bytes);
        let received_bytes =
            receivers().try_fold(0_u64, |sum, end| sum.checked_add(received(end)?));
        let asking = at(End::Client).filter(|_| load.kind.is_exchange());
        let (client, server) = (at(End::Client), at(End::Server));
        FlowRow {
            flow: flow as u32,
            client_port: [client, server]
                .into_iter()
                .flatten()
                .find_map(|flow| flow.client_port),
            received_bytes,
            bits_per_second: received_bytes.and_then(|b| per_second(b as f64 * 8.0, seconds)),
            transactions: asking.map(|flow| flow.counted.transactions),
            mean_response_ns: client.and_then(|flow| flow.mean_response_ns),
            client_udp: client.and_then(|flow| flow.udp),
            server_udp: server.and_then(|flow| flow.udp),
            client_tcp_info: client.and_then(|flow| flow.tcp_info),
            server_tcp_info: server.and_then(|flow| flow.tcp_info),
        }
    };
    (0..client.len().max(server.len())).map(row).collect()
}
