//! Transactions: TCP_RR, UDP_RR, TCP_CRR, TCP_CC, and SCTP's. A line for the client's sockets, a
//! line for the server's.

use super::{busy, bytes, cost, eight};
use crate::dialect::netperf::{Form, NetperfResult, Test, Unit};

pub(super) fn exchange(result: &NetperfResult, form: &Form) -> String {
    let mut text = String::new();
    if form.verbosity <= 2 {
        if form.headers {
            text.push_str(&match form.any_cpu() {
                false => heads(form),
                true => heads_with_cpu(result, form),
            });
        }
        text.push_str(&match form.any_cpu() {
            false => values(result, form),
            true => values_with_cpu(result, form),
        });
        let remote = &result.remote;
        let send = bytes(remote.send_buffer.initial);
        let recv = bytes(remote.recv_buffer.initial);
        text.push_str(&format!("{send:<6} {recv:<6}\n"));
    }
    if form.verbosity >= 2 {
        text.push_str(&details(result, form));
    }
    text
}

/// Tests of connections have a layout that is a little different.
fn connects(form: &Form) -> bool {
    matches!(form.test, Test::TcpCrr | Test::TcpCc)
}

/// The unit that the heads name: those of connections are always of transactions, even where the
/// figure below is not.
fn shown(form: &Form) -> Unit {
    match connects(form) {
        true => Unit::Trans,
        false => form.unit,
    }
}

/// Their brand is not printed.
fn tail(form: &Form) -> &str {
    match connects(form) {
        true => "",
        false => form.tail(),
    }
}

fn heads(form: &Form) -> String {
    let [trans, rate, per_second] = match shown(form) {
        Unit::Trans => ["Trans.", "Rate         ", "per sec   "].map(str::to_owned),
        unit => [
            String::new(),
            "Throughput ".to_owned(),
            format!("{}/sec   ", unit.name()),
        ],
    };
    format!(
        "Local /Remote\n\
         Socket Size   Request  Resp.   Elapsed  {trans}\n\
         Send   Recv   Size     Size    Time     {rate}\n\
         bytes  Bytes  bytes    bytes   secs.    {per_second}\n\n"
    )
}

fn heads_with_cpu(result: &NetperfResult, form: &Form) -> String {
    let [trans, rate, unit] = match shown(form) {
        Unit::Trans => ["Trans.", "Rate    ", "us/Tr"].map(str::to_owned),
        unit => ["Tput  ".to_owned(), eight(unit), "us/KB".to_owned()],
    };
    let [local, remote] = match connects(form) {
        true => [' ', ' '],
        false => [&result.local, &result.remote].map(|end| end.method()),
    };
    format!(
        "Local /Remote\n\
         Socket Size   Request Resp.  Elapsed {trans}   CPU    CPU    S.dem   S.dem\n\
         Send   Recv   Size    Size   Time    {rate} local  remote local   remote\n\
         bytes  bytes  bytes   bytes  secs.   per sec  % {local}    % {remote}    {unit}   {unit}\n\n"
    )
}

fn values(result: &NetperfResult, form: &Form) -> String {
    let local = &result.local;
    let send = bytes(local.send_buffer.initial);
    let recv = bytes(local.recv_buffer.initial);
    let [request, response] = sizes(result);
    let (seconds, rate) = (result.elapsed_seconds, result.throughput(form.rate_unit()));
    let tail = tail(form);
    format!(
        "{send:<6} {recv:<6} {request:<6}   {response:<6}  {seconds:<6.2}   {rate:7.2}   {tail}\n"
    )
}

fn values_with_cpu(result: &NetperfResult, form: &Form) -> String {
    let (local, remote) = (&result.local, &result.remote);
    let send = bytes(local.send_buffer.initial);
    let recv = bytes(local.recv_buffer.initial);
    let [request, response] = sizes(result);
    let (seconds, rate) = (result.elapsed_seconds, result.throughput(form.rate_unit()));
    let [local_busy, remote_busy] = [local, remote].map(busy);
    let [local_cost, remote_cost] = [local, remote].map(|end| cost(end.service_demand));
    let gap = match form.test {
        Test::TcpRr => "  ",
        _ => "   ",
    };
    let tail = match connects(form) {
        true => String::new(),
        false => format!(" {}", tail(form)),
    };
    format!(
        "{send:<6} {recv:<6} {request:<6}  {response:<6} {seconds:<6.2}  {rate:<6.2}{gap}\
         {local_busy:<6.2} {remote_busy:<6.2} {local_cost:<6.3}  {remote_cost:<6.3}{tail}\n"
    )
}

/// TCP_CC has none.
fn sizes(result: &NetperfResult) -> [u64; 2] {
    [result.request_size, result.response_size].map(|size| size.map_or(0, |size| size.get()))
}

/// `-v 2`. The second column is the server's offset under the head of its alignment, as netperf
/// has it in all tests but TCP_CRR.
fn details(result: &NetperfResult, form: &Form) -> String {
    let (local, remote) = (&result.local, &result.remote);
    let (alignment, offset) = (local.send_alignment, local.send_offset);
    let remote_offset = remote.recv_offset;
    match form.test {
        Test::TcpRr => {}
        Test::TcpCrr | Test::TcpCc => {
            let remote_alignment = match form.test {
                Test::TcpCc => remote_offset,
                _ => remote.recv_alignment,
            };
            return format!(
                "\nAlignment      Offset\n\
                 Local  Remote  Local  Remote\n\
                 Send   Recv    Send   Recv\n\
                 {alignment:5}  {remote_alignment:5}   {offset:5}  {remote_offset:5}\n"
            );
        }
        _ => return String::new(),
    }
    let unit = eight(form.unit.of_bytes());
    let latency = result.round_trip_usecs().unwrap_or(-1.0);
    let rate = result.transactions_per_second;
    let outbound = result.last_rate(local.bytes_sent, form.unit);
    let inbound = result.last_rate(local.bytes_received, form.unit);
    format!(
        "Alignment      Offset         RoundTrip  Trans    Throughput\n\
         Local  Remote  Local  Remote  Latency    Rate     {unit}/s\n\
         Send   Recv    Send   Recv    usec/Tran  per sec  Outbound   Inbound\n\
         {alignment:5}  {remote_offset:5}   {offset:5}  {remote_offset:5}   {latency:<6.3}   \
         {rate:<6.3} {outbound:<6.3}    {inbound:<6.3}\n"
    )
}
