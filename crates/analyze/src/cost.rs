//! What the measured time cost in CPU, of netdyno's processes and of both hosts.

use record::{Cost, End, EndCost, HostCpu};

use crate::counted::per_second;
use crate::stream::{Side, Stream};

pub(crate) fn cost(stream: &Stream) -> Cost {
    Cost {
        client: end(stream, stream.side(End::Client)),
        server: end(stream, stream.side(End::Server)),
    }
}

/// CPU time of one end's host.
pub(crate) fn host(stream: &Stream, end: End) -> Option<HostCpu> {
    let cpu = stream.side(end).measured_cpu(&stream.plan.timing)?;
    Some(cpu.after.host?.since(cpu.before.host?))
}

fn end(stream: &Stream, side: &Side) -> Option<EndCost> {
    let cpu = side.measured_cpu(&stream.plan.timing)?;
    let process = cpu.after.process.since(cpu.before.process);
    let cpu_ns = process.user_ns as f64 + process.system_ns as f64;
    let bytes = moved(stream, side);
    Some(EndCost {
        cpu_seconds: cpu_ns / 1e9,
        cpu_share: per_second(cpu_ns / 1e9, cpu.seconds),
        user_seconds: process.user_ns as f64 / 1e9,
        system_seconds: process.system_ns as f64 / 1e9,
        host_softirq_seconds: host(stream, side.end).map(|host| host.softirq_ns as f64 / 1e9),
        ns_per_byte: (bytes > 0).then(|| cpu_ns / bytes as f64),
        process,
        memory_per_flow_bytes: side.report.and_then(|report| report.memory_per_flow_bytes),
    })
}

/// Payload bytes that this end received and got through in the measured time: acknowledged ones
/// where the socket says so, written ones elsewhere.
fn moved(stream: &Stream, side: &Side) -> u64 {
    let counted = stream
        .loads()
        .filter_map(|(index, _)| side.counted(index, &stream.plan.timing));
    let bytes = counted.map(|counted| {
        let sent = counted
            .acked_bytes
            .unwrap_or(counted.counters.written_bytes);
        counted.counters.received_bytes.saturating_add(sent)
    });
    bytes.fold(0, u64::saturating_add)
}
