//! Lines that are neither settings nor rows.

use super::{FlowId, Form, Id, Spread, WallTime};

/// Datagrams that a sender sent, at its end. `id` is a flow or a sum of so many.
pub fn sent_datagrams(id: &Id, datagrams: u64, form: &Form) -> String {
    let of_flow = matches!(id, Id::Flow(_));
    if form.csv || form.excluded.data || (form.sum_only && of_flow) {
        return String::new();
    }
    let id = match id {
        // Without the star of a flow against the role.
        Id::Flow(flow) => unstarred(flow),
        other => other.clone(),
    };
    format!("{}Sent {datagrams} datagrams\n", id.brackets())
}

/// What stands above a server's report at a client.
pub fn server_report(flow: &FlowId, form: &Form) -> String {
    if form.csv || form.excluded.server {
        return String::new();
    }
    format!("{}Server Report:\n", unstarred(flow).brackets())
}

/// Times of connecting of a client with more than one connection, in enhanced reports.
pub fn connect_times(times: &Spread, errors: u64, form: &Form) -> String {
    if form.csv || !form.enhanced || form.sum_only || form.excluded.connections {
        return String::new();
    }
    let Spread {
        count,
        mean_ms,
        min_ms,
        max_ms,
        stdev_ms,
    } = times;
    format!(
        "{}final connect times (min/avg/max/stdev) = \
         {min_ms:.3}/{mean_ms:.3}/{max_ms:.3}/{stdev_ms:.3} ms (tot/err) = {count}/{errors}\n",
        Id::ConnectTimes.brackets()
    )
}

/// A client waits before it sends.
pub fn start_later(flow: &FlowId, start: &WallTime, now: &WallTime, seconds: u64) -> String {
    format!(
        "{}Client traffic to start in {seconds} seconds at {} current time is {} ({})\n",
        flow.brackets(),
        start.to_second(),
        now.to_second(),
        now.zone
    )
}

/// How far the clocks of both ends agree, as an exchange at the start tells: the half of the
/// round trip, and what either way seems to take. For standard error.
pub fn clock_check(flow: &FlowId, round_trip_ms: f64, send_ms: f64, ack_ms: f64) -> String {
    format!(
        "{}Clock sync check (ms): RTT/Half=({round_trip_ms:.3}/{:.3}) \
         OWD-send/ack/asym=({send_ms:.3}/{ack_ms:.3}/{:.3})\n",
        flow.brackets(),
        round_trip_ms / 2.0,
        send_ms - ack_ms
    )
}

/// A client's last datagram was not answered. For standard error.
pub fn no_server_report(socket: i32, by_time: bool) -> String {
    let tries = if by_time { 10 } else { 1 };
    format!("[{socket:3}] WARNING: did not receive ack of last datagram after {tries} tries.\n")
}

/// A server's report was asked for again and again. For standard error.
pub fn report_unheard(socket: i32) -> String {
    format!("[{socket:3}] WARNING: ack of last datagram failed.\n")
}

fn unstarred(flow: &FlowId) -> Id {
    Id::Flow(FlowId {
        against_role: false,
        ..flow.clone()
    })
}
