//! Streams: TCP_STREAM, TCP_MAERTS, TCP_SENDFILE, and SCTP's.

use super::{busy, bytes, cost, eight, segment};
use crate::dialect::netperf::{Form, NetperfResult, Test, general};

pub(super) fn stream(result: &NetperfResult, form: &Form) -> String {
    let mut text = String::new();
    if form.verbosity <= 2 {
        if form.headers {
            text.push_str(&heads(result, form));
        }
        text.push_str(&values(result, form));
    }
    if form.verbosity >= 2 {
        text.push_str(&calls(result, form));
    }
    text
}

fn maerts(form: &Form) -> bool {
    form.test == Test::TcpMaerts
}

fn heads(result: &NetperfResult, form: &Form) -> String {
    let unit = form.unit.name();
    if !form.any_cpu() {
        return format!(
            "Recv   Send    Send                          \n\
             Socket Socket  Message  Elapsed              \n\
             Size   Size    Size     Time     Throughput  \n\
             bytes  bytes   bytes    secs.    {unit}/sec  \n\n"
        );
    }
    let ends = match maerts(form) {
        false => "Send     Recv     Send    Recv",
        true => "Recv     Send     Recv    Send",
    };
    let [local, remote] = [&result.local, &result.remote].map(|end| end.method());
    let unit = eight(form.unit);
    format!(
        "Recv   Send    Send                          Utilization       Service Demand\n\
         Socket Socket  Message  Elapsed              {ends}\n\
         Size   Size    Size     Time     Throughput  local    remote   local   remote\n\
         bytes  bytes   bytes    secs.    {unit}/s  % {local}      % {remote}      us/KB   us/KB\n\n"
    )
}

/// The receiver's socket, the sender's, what is sent at once; with CPU use MAERTS has the sockets
/// of the wrong ends.
fn values(result: &NetperfResult, form: &Form) -> String {
    let (local, remote) = (&result.local, &result.remote);
    let (receiver, sender) = match maerts(form) {
        false => (remote, local),
        true => (local, remote),
    };
    let size = bytes(sender.send_size);
    let (seconds, rate) = (result.elapsed_seconds, result.throughput(form.unit));
    let tail = form.tail();
    if !form.any_cpu() {
        let recv = bytes(receiver.recv_buffer.initial);
        let send = bytes(sender.send_buffer.initial);
        return format!("{recv:6} {send:6} {size:6}    {seconds:<6.2}   {rate:7.2}   {tail}\n");
    }
    let recv = bytes(remote.recv_buffer.initial);
    let send = bytes(local.send_buffer.initial);
    let [local_busy, remote_busy] = [local, remote].map(busy);
    let [local_cost, remote_cost] = [local, remote].map(|end| cost(end.service_demand));
    format!(
        "{recv:6} {send:6} {size:6}    {seconds:<6.2}     {rate:7.2}   \
         {local_busy:<6.2}   {remote_busy:<6.2}   {local_cost:<6.3}  {remote_cost:<6.3} {tail}\n"
    )
}

/// `-v 2`.
fn calls(result: &NetperfResult, form: &Form) -> String {
    let (local, remote) = (&result.local, &result.remote);
    let (first, second) = match maerts(form) {
        false => ("Send", "Recv"),
        true => ("Recv", "Send"),
    };
    let (local_align, remote_align, local_offset, remote_offset) = match maerts(form) {
        false => (
            local.send_alignment,
            remote.recv_alignment,
            local.send_offset,
            remote.recv_offset,
        ),
        true => (
            local.recv_alignment,
            remote.send_alignment,
            local.recv_offset,
            remote.send_offset,
        ),
    };
    let (total, local_mean, local_calls, remote_mean, remote_calls) = match maerts(form) {
        false => (
            local.bytes_sent,
            local.bytes_per_send(),
            local.send_calls,
            remote.bytes_per_recv(),
            remote.recv_calls,
        ),
        true => (
            local.bytes_received,
            local.bytes_per_recv(),
            local.recv_calls,
            remote.bytes_per_send(),
            remote.send_calls,
        ),
    };
    let total = match form.test {
        Test::TcpSendfile => general(total as f64, 4),
        _ => total.to_string(),
    };
    let segment = segment::lines(result);
    format!(
        "\nAlignment      Offset         Bytes    Bytes       {first}s   Bytes    {second}s\n\
         Local  Remote  Local  Remote  Xfered   Per                 Per\n\
         {first}   {second}    {first}   {second}             {first} (avg)          {second} (avg)\n\
         {local_align:5}   {remote_align:5}  {local_offset:5}   {remote_offset:5} {total:>6}  \
         {local_mean:6.2}    {local_calls:6}   {remote_mean:6.2} {remote_calls:6}\n\
         \n{segment}"
    )
}
