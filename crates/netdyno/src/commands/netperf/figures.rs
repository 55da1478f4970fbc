//! netperf's figures of one iteration.

use engine::netperf::Cpu as Measured;
use engine::netperf::client::{Flow, Outcome};
use proto::netperf::{CpuUse, Mark, Transport};
use record::Buckets;
use report::dialect::netperf::{Cpu, Latency, NetperfResult, Unit, Way};
use units::{Bytes, Nanos};

use crate::dialect::netperf::{Iteration, Means, NetperfRequest};

/// Rates of one flow.
pub(super) struct Rates {
    pub elapsed_seconds: f64,
    pub bytes_per_second: f64,
    pub transactions_per_second: f64,
}

/// What one flow did per second, as netperf computes it.
pub(super) fn rates(request: &NetperfRequest, flow: &Flow, window: Nanos) -> Rates {
    let way = request.data.way;
    let stream = !way.counts_transactions();
    // The time of a TCP stream ends when the other end has read all.
    let drains = stream && request.data.transport == Transport::Tcp;
    let elapsed = if drains { flow.elapsed } else { window };
    let (counters, received) = match (&flow.results, drains) {
        (Some(results), _) => (flow.counters, results.bytes_received.get()),
        (None, _) => (flow.counters, flow.counters.written_bytes),
    };
    let bytes = match way {
        Way::Send => received,
        Way::Receive => counters.received_bytes,
        Way::Both | Way::ConnectBoth | Way::Connect => {
            flow.window.written_bytes + flow.window.received_bytes
        }
    };
    let per_second = |count: u64| {
        if elapsed.is_zero() {
            0.0
        } else {
            count as f64 / elapsed.as_secs_f64()
        }
    };
    Rates {
        elapsed_seconds: elapsed.as_secs_f64(),
        bytes_per_second: per_second(bytes),
        transactions_per_second: if stream {
            0.0
        } else {
            per_second(flow.window.transactions)
        },
    }
}

/// What has a mean over the iterations.
pub(super) fn iteration(request: &NetperfRequest, outcome: &Outcome, flow: &Flow) -> Iteration {
    let rates = rates(request, flow, outcome.window);
    // Both ends' service demand is of what the client moved.
    let moved = match request.data.way {
        Way::Both | Way::ConnectBoth | Way::Connect => rates.bytes_per_second,
        Way::Receive => rates.bytes_per_second,
        Way::Send if rates.elapsed_seconds > 0.0 => {
            flow.counters.written_bytes as f64 / rates.elapsed_seconds
        }
        Way::Send => 0.0,
    };
    // Connections without data cost something all the same.
    let units = if request.form.unit == Unit::Trans || request.data.way == Way::Connect {
        rates.transactions_per_second
    } else {
        moved / 1024.0
    };
    let demand = |percent: f64, cpus: u32| {
        if units > 0.0 {
            percent * 10_000.0 * f64::from(cpus) / units
        } else {
            0.0
        }
    };
    let local = outcome.cpu.map(|cpu| f64::from(cpu.busy_percent));
    let remote = flow
        .results
        .as_ref()
        .and_then(|results| Some((f64::from(results.cpu?.busy_percent), results.cpus)));
    Iteration {
        elapsed_seconds: rates.elapsed_seconds,
        bytes_per_second: rates.bytes_per_second,
        transactions_per_second: rates.transactions_per_second,
        local_cpu_percent: local,
        remote_cpu_percent: remote.map(|(percent, _)| percent),
        local_service_demand: local.map(|percent| demand(percent, Measured::count())),
        remote_service_demand: remote.map(|(percent, cpus)| demand(percent, cpus)),
    }
}

/// Everything that an output may show, of the last iteration and the means of all.
pub(super) fn result(
    request: &NetperfRequest,
    outcome: &Outcome,
    flow: &Flow,
    means: Means,
    response: &Buckets,
) -> NetperfResult {
    let mut result = request.result();
    let last = rates(request, flow, outcome.window);
    result.elapsed_seconds = means.elapsed_seconds;
    result.bytes_per_second = means.bytes_per_second;
    result.transactions_per_second = means.transactions_per_second;
    result.last_elapsed_seconds = last.elapsed_seconds;
    result.transactions = flow.window.transactions;
    result.mss = flow
        .mss
        .filter(|_| request.data.transport == Transport::Tcp)
        .and_then(|mss| u32::try_from(mss.get()).ok());
    if request.times {
        result.times_ns.clone_from(&response.0);
    }
    result.latency = request.latency.then(|| latency(response)).flatten();
    if request.data.way.counts_transactions() {
        // Connections without data show sizes of one byte all the same.
        result.request_size = result.request_size.or(Some(Bytes::new(1)));
        result.response_size = result.response_size.or(Some(Bytes::new(1)));
    }
    client(request, outcome, flow, &mut result);
    server(request, flow, &mut result);
    result.local.service_demand = means.local_service_demand;
    result.remote.service_demand = means.remote_service_demand;
    if let (Some(cpu), Some(mean)) = (&mut result.local.cpu, means.local_cpu_percent) {
        cpu.busy_percent = mean;
    }
    if let (Some(cpu), Some(mean)) = (&mut result.remote.cpu, means.remote_cpu_percent) {
        cpu.busy_percent = mean;
    }
    result
}

fn client(request: &NetperfRequest, outcome: &Outcome, flow: &Flow, result: &mut NetperfResult) {
    let way = request.data.way;
    let end = &mut result.local;
    let tcp = request.data.transport == Transport::Tcp;
    end.send_buffer.initial = flow.first_buffers.0;
    end.recv_buffer.initial = flow.first_buffers.1;
    end.send_buffer.last = flow.last_buffers.0;
    end.recv_buffer.last = flow.last_buffers.1;
    if way == Way::Send {
        end.send_size = flow.send_size;
    }
    if way == Way::Receive {
        end.recv_size = flow.recv_size;
    }
    let counters = if way.counts_transactions() {
        flow.window
    } else {
        flow.counters
    };
    end.bytes_sent = counters.written_bytes;
    end.bytes_received = counters.received_bytes;
    end.send_calls = counters.written_messages;
    end.recv_calls = counters.received_messages;
    end.failed_sends = counters.send_failures;
    end.cpus = outcome.cpu.map_or(0, |_| Measured::count());
    end.cpu = outcome.cpu.map(|used| cpu(&used));
    let info = flow.tcp_info.as_ref().filter(|_| tcp);
    end.retransmits = info
        .and_then(|info| info.tcpi_total_retrans)
        .and_then(|n| u32::try_from(n).ok());
    end.congestion = flow.congestion.clone().filter(|_| tcp);
}

fn server(request: &NetperfRequest, flow: &Flow, result: &mut NetperfResult) {
    let way = request.data.way;
    let end = &mut result.remote;
    if let Some(opened) = &flow.opened {
        end.send_buffer.initial = opened.send_buffer;
        end.recv_buffer.initial = opened.recv_buffer;
        end.send_buffer.last = opened.send_buffer;
        end.recv_buffer.last = opened.recv_buffer;
        if way != Way::Send {
            end.send_size = opened.send_size.or(end.send_size);
        }
        if way != Way::Receive {
            end.recv_size = opened.recv_size.or(end.recv_size);
        }
        end.nodelay = opened.nodelay;
        end.priority = match opened.priority {
            Mark::Set(priority) => i32::try_from(priority).ok(),
            Mark::Unset => None,
            Mark::Failed => Some(-2),
            Mark::Unsupported => Some(-3),
        };
        end.send_width = opened.send_width;
        end.recv_width = opened.recv_width;
    }
    if let Some(results) = &flow.results {
        end.bytes_sent = results.bytes_sent.get();
        end.bytes_received = results.bytes_received.get();
        end.send_calls = results.send_calls;
        end.recv_calls = results.recv_calls;
        end.send_buffer.last = results.send_buffer.or(end.send_buffer.last);
        end.recv_buffer.last = results.recv_buffer.or(end.recv_buffer.last);
        end.retransmits = results.retransmits;
        end.cpus = results.cpus;
        end.cpu = results.cpu.map(|used| cpu(&used));
        end.congestion = Some(results.congestion.clone()).filter(|name| !name.is_empty());
    }
}

fn cpu(used: &CpuUse) -> Cpu {
    Cpu {
        method: CpuUse::letter(used.method),
        busy_percent: used.busy_percent.into(),
        user_percent: used.user_percent.into(),
        system_percent: used.system_percent.into(),
        iowait_percent: used.iowait_percent.into(),
        irq_percent: used.irq_percent.into(),
        softirq_percent: used.softirq_percent.into(),
        peak_cpu: used.peak_cpu.unwrap_or_default(),
        peak_percent: used.peak_percent.into(),
    }
}

fn latency(response: &Buckets) -> Option<Latency> {
    let summary = response.latency();
    let usecs = |nanos: Option<u64>| nanos.map(|nanos| nanos / 1000);
    let mean = summary.mean_ns? as f64 / 1000.0;
    let squares = response.0.iter().map(|(nanos, count)| {
        let off = *nanos as f64 / 1000.0 - mean;
        off * off * *count as f64
    });
    Some(Latency {
        min_usecs: usecs(summary.min_ns)?,
        max_usecs: usecs(summary.max_ns)?,
        p50_usecs: usecs(summary.p50_ns)?,
        p90_usecs: usecs(summary.p90_ns)?,
        p99_usecs: usecs(summary.p99_ns)?,
        mean_usecs: mean,
        stddev_usecs: (squares.sum::<f64>() / summary.samples.max(1) as f64).sqrt(),
    })
}
