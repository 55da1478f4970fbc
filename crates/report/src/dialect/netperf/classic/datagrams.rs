//! UDP_STREAM: a line for what was sent, a line for what arrived. Its rates are of the last
//! iteration.

use super::{busy, bytes, cost};
use crate::dialect::netperf::{Form, NetperfResult};

pub(super) fn datagrams(result: &NetperfResult, form: &Form) -> String {
    let mut text = String::new();
    if form.headers {
        text.push_str(&heads(result, form));
    }
    text.push_str(&values(result, form));
    text.push('\n');
    text
}

fn heads(result: &NetperfResult, form: &Form) -> String {
    let unit = form.unit.name();
    if !form.any_cpu() {
        return format!(
            "Socket  Message  Elapsed      Messages                \n\
             Size    Size     Time         Okay Errors   Throughput\n\
             bytes   bytes    secs            #      #   {unit}/sec\n\n"
        );
    }
    let [local, remote] = [&result.local, &result.remote].map(|end| end.method());
    format!(
        "Socket  Message  Elapsed      Messages                   CPU      Service\n\
         Size    Size     Time         Okay Errors   Throughput   Util     Demand\n\
         bytes   bytes    secs            #      #   {unit}/sec % {local}{remote}     us/KB\n\n"
    )
}

fn values(result: &NetperfResult, form: &Form) -> String {
    let (local, remote) = (&result.local, &result.remote);
    let send = bytes(local.send_buffer.initial);
    // Without a control connection nobody knows the server's.
    let recv = remote
        .recv_buffer
        .initial
        .map_or(0, |size| bytes(Some(size)));
    let size = bytes(local.send_size);
    let seconds = result.elapsed_seconds;
    let (okay, errors) = (local.send_calls, local.failed_sends);
    let arrived = remote.recv_calls;
    let sent_rate = result.last_rate(local.bytes_sent, form.unit);
    let arrived_rate = result.last_rate(remote.bytes_received, form.unit);
    if !form.any_cpu() {
        return format!(
            "{send:6}  {size:6}   {seconds:<7.2}   {okay:7} {errors:6}    {sent_rate:7.2}\n\
             {recv:6}           {seconds:<7.2}   {arrived:7}           {arrived_rate:7.2}\n"
        );
    }
    let [local_busy, remote_busy] = [local, remote].map(busy);
    let [local_cost, remote_cost] = [local, remote].map(|end| cost(end.service_demand));
    format!(
        "{send:6}  {size:6}   {seconds:<7.2}   {okay:7} {errors:6}    {sent_rate:7.1}     \
         {local_busy:<6.2}   {local_cost:<6.3}\n\
         {recv:6}           {seconds:<7.2}   {arrived:7}           {arrived_rate:7.1}     \
         {remote_busy:<6.2}   {remote_cost:<6.3}\n"
    )
}
