//! What made-up runs are made of: two hosts, their counters growing evenly.

use plan::{Family, Load, Path, Plan, Timing};
use record::{
    Buckets, Counters, CpuTimes, Edge, End, EndReport, Event, Facts, HostCpu, InterfaceCounters,
    IpVersion, LoadEdge, LoadReport, Locality, Phase, ProcessCpu, TcpInfo,
};
use stats::Scale;
use units::Nanos;

/// Second, in ns.
pub const S: u64 = 1_000_000_000;
/// Where the server of every sample listens.
const PORT: u16 = Path::DEFAULT_PORT;

/// To a server at `host`: `idle` seconds of probe only, then `measured` seconds.
pub fn plan(host: &str, idle: u64, measured: u64, loads: Vec<Load>) -> Plan {
    let path = Path::Host {
        host: host.to_owned(),
        port: PORT,
        family: Family::Any,
    };
    let timing = Timing {
        idle: Nanos::from_secs(idle),
        omit: Nanos::ZERO,
        duration: Some(Nanos::from_secs(measured)),
        interval: Some(Nanos::from_secs(1)),
    };
    Plan::new(path, timing, loads).expect("a sample's plan is valid")
}

pub fn begin(plan: &Plan, arguments: &str) -> Event {
    let command = format!("netdyno run {arguments}");
    Event::Begin {
        schema: Event::SCHEMA.to_owned(),
        id: "20260314-092653-7f3a".to_owned(),
        started: "2026-03-14T09:26:53Z".to_owned(),
        command: command.split(' ').map(str::to_owned).collect(),
        plan: Box::new(plan.clone()),
        facts: Box::new(facts(End::Client)),
    }
}

pub fn peer() -> Event {
    Event::Peer {
        facts: Box::new(facts(End::Server)),
    }
}

fn facts(end: End) -> Facts {
    let (hostname, boot_id) = match end {
        End::Client => ("alpha", "11111111-2222-3333-4444-555555555555"),
        End::Server => ("beta", "66666666-7777-8888-9999-aaaaaaaaaaaa"),
    };
    let sysctl = (
        "net.ipv4.tcp_congestion_control".to_owned(),
        "cubic".to_owned(),
    );
    Facts {
        netdyno: "0.1.0".to_owned(),
        hostname: Some(hostname.to_owned()),
        kernel: Some("6.12.8".to_owned()),
        machine: Some("x86_64".to_owned()),
        cpu_model: Some("AMD EPYC 7302P 16-Core Processor".to_owned()),
        cpus: Some(16),
        memory_bytes: Some(64 << 30),
        clocksource: Some("tsc".to_owned()),
        virtualization: None,
        locality: Locality {
            boot_id: Some(boot_id.to_owned()),
            netns: Some(4_026_531_840),
        },
        interface: Some("eth0".to_owned()),
        driver: Some("ixgbe".to_owned()),
        mtu_bytes: Some(1500),
        qdisc: Some("mq".to_owned()),
        sysctls: [sysctl].into(),
        environment: Default::default(),
    }
}

/// One edge a second up to `last`; `load(second)` gives the counters of each load by then.
pub fn edges(
    end: End,
    plan: &Plan,
    last: u64,
    loads: impl Fn(u64) -> Vec<LoadEdge>,
) -> impl Iterator<Item = Event> {
    let idle = plan.timing.idle.get() / S;
    // The server looks a little later by the common clock.
    let late = if end == End::Server { 40_000 } else { 0 };
    (1..=last).map(move |second| {
        Event::Edge(Edge {
            end,
            at_ns: second * S + late,
            phase: if second <= idle {
                Phase::Idle
            } else {
                Phase::Measure
            },
            cpu: Some(cpu(end, second)),
            loads: loads(second),
        })
    })
}

/// Closing figures after `seconds` of measured time.
pub fn closing(end: End, plan: &Plan, seconds: u64, loads: Vec<LoadReport>) -> Event {
    let idle = plan.timing.idle.get() / S;
    let counted = loads.iter().fold(CONTROL, |sum, load| {
        let (out, back) = wire(end, load);
        InterfaceCounters {
            tx_bytes: sum.tx_bytes + out.0,
            tx_packets: sum.tx_packets + out.1,
            rx_bytes: sum.rx_bytes + back.0,
            rx_packets: sum.rx_packets + back.1,
            ..sum
        }
    });
    Event::Report(Box::new(EndReport {
        end,
        cpu: Some((cpu(end, idle), cpu(end, idle + seconds))),
        interface: Some((InterfaceCounters::default(), counted)),
        loads,
        memory_per_flow_bytes: None,
        workers: Some(1),
    }))
}

/// The control connection.
const CONTROL: InterfaceCounters = InterfaceCounters {
    tx_bytes: 6_210,
    tx_packets: 31,
    rx_bytes: 7_484,
    rx_packets: 33,
    tx_dropped: 0,
    rx_dropped: 0,
};

/// (Bytes, packets) of a load's data out of and into the interface, without offload.
fn wire(end: End, load: &LoadReport) -> ((u64, u64), (u64, u64)) {
    let headers = 14 + load.ip.map_or(20, IpVersion::header_bytes);
    let infos: Vec<&TcpInfo> = load.flows.iter().flat_map(|flow| &flow.tcp_info).collect();
    let (flows, total) = (infos.len() as u64, load.total);
    if infos.is_empty() {
        let wire = |bytes, datagrams| (bytes + datagrams * (headers + 8), datagrams);
        let out = wire(total.written_bytes, total.written_messages);
        return (out, wire(total.received_bytes, total.received_messages));
    }
    let sum = |field: fn(&TcpInfo) -> Option<u64>| -> u64 {
        infos.iter().filter_map(|info| field(info)).sum()
    };
    let wire = |bytes, segments| (bytes + segments * (headers + 32) + 8 * flows, segments);
    let syn_ack = if end == End::Server { flows } else { 0 };
    let out = wire(
        sum(|info| info.tcpi_bytes_sent),
        sum(|info| info.tcpi_segs_out) + syn_ack,
    );
    let back = wire(
        sum(|info| info.tcpi_bytes_received),
        sum(|info| info.tcpi_segs_in),
    );
    (out, back)
}

/// A twentieth of a CPU in user mode and a quarter in the kernel; of the host's 16 CPUs two are busy.
fn cpu(end: End, second: u64) -> CpuTimes {
    let share = |percent: u64| second * S / 100 * percent;
    let receiver = u64::from(end == End::Server);
    CpuTimes {
        process: ProcessCpu {
            user_ns: share(5),
            system_ns: share(25 + 10 * receiver),
            voluntary_switches: 900 * second,
            involuntary_switches: 4 * second,
        },
        host: Some(HostCpu {
            cpus: 16,
            user_ns: share(20),
            system_ns: share(60),
            idle_ns: share(1480),
            iowait_ns: 0,
            irq_ns: share(10),
            softirq_ns: share(30 + 60 * receiver),
            steal_ns: 0,
        }),
    }
}

/// The window of a load that runs for the whole measured time.
pub fn window(plan: &Plan, seconds: u64) -> (u64, u64) {
    let from = plan.timing.idle.get();
    (from, from + seconds * S)
}

/// A histogram of these values.
pub fn buckets(values: impl IntoIterator<Item = u64>) -> Buckets {
    let bucket = |value| (Scale::lowest(Scale::index(value)), 1);
    let each: Vec<(u64, u64)> = values.into_iter().map(bucket).collect();
    Buckets(stats::merge(&each, &[]))
}

/// What a receiver of `bytes` in `messages` counts.
pub fn received(bytes: u64, messages: u64) -> Counters {
    Counters {
        received_bytes: bytes,
        received_messages: messages,
        ..Default::default()
    }
}

/// What a sender of `bytes` in `messages` counts.
pub fn written(bytes: u64, messages: u64) -> Counters {
    Counters {
        written_bytes: bytes,
        written_messages: messages,
        ..Default::default()
    }
}

/// What the asking end counts after `transactions` of one byte each way.
pub fn asked(transactions: u64) -> Counters {
    let exchanged = received(transactions, transactions) + written(transactions, transactions);
    Counters {
        transactions,
        ..exchanged
    }
}

/// A socket that sent and received so many bytes in full segments, each second one acknowledged.
pub fn socket(sent: u64, received: u64) -> TcpInfo {
    let (out, back) = (sent.div_ceil(1448), received.div_ceil(1448));
    TcpInfo {
        tcpi_state: Some(1),
        tcpi_options: Some(7),
        tcpi_snd_mss: Some(1448),
        tcpi_rtt: Some(1_180),
        tcpi_min_rtt: Some(190),
        tcpi_snd_cwnd: Some(112),
        tcpi_total_retrans: Some(sent / 80_000_000),
        tcpi_bytes_acked: Some(sent),
        tcpi_bytes_received: Some(received),
        tcpi_segs_out: Some(out + back / 2 + 2),
        tcpi_segs_in: Some(back + out / 2 + 2),
        tcpi_busy_time: Some(if sent > 1_000_000 { 2_990_000 } else { 0 }),
        tcpi_rwnd_limited: Some(0),
        tcpi_sndbuf_limited: Some(if sent > 1_000_000 { 120_000 } else { 0 }),
        tcpi_bytes_sent: Some(sent),
        tcpi_bytes_retrans: Some(0),
        ..Default::default()
    }
}
