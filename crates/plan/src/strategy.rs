//! Any valid plan, for the properties of this crate.

use std::net::IpAddr;
use std::num::{NonZeroU16, NonZeroU32};

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use units::{BitRate, Bytes, CpuList, Nanos};

use crate::{
    Arrival, CongestionControl, Device, Dscp, Family, Kind, Link, Load, Observe, Path, Plan,
    SocketOptions, Stop, Timing, Transport,
};

/// A plan with names as given, whatever else it asks.
pub fn plan() -> impl Strategy<Value = Plan> {
    let loads = vec(load(), 1..5).prop_map(|mut loads| {
        for (i, load) in loads.iter_mut().enumerate() {
            if load.name != load.kind.name() {
                load.name = format!("{} {i}", load.name);
            }
        }
        loads
    });
    (path(), loads, [0..1000_u64, 0..1000, 10..1000, 1..1000]).prop_map(|(path, loads, times)| {
        let [idle, omit, interval, duration] = times.map(Nanos::from_millis);
        let mut timing = Timing::for_loads(&loads);
        if !timing.idle.is_zero() {
            timing.idle = idle;
        }
        timing.omit = omit;
        timing.interval = Some(interval).filter(|i| !i.get().is_multiple_of(7));
        // Longer than the longest delay of a load below.
        timing.duration = timing.duration.map(|_| duration + Nanos::from_secs(1));
        let mut plan = Plan::new(path, timing, loads).unwrap();
        plan.observe = Observe {
            rows: !plan.timing.omit.get().is_multiple_of(3),
            locks: plan.timing.omit.get().is_multiple_of(2),
            ..Observe::default()
        };
        plan
    })
}

/// A load of any kind, valid by itself.
pub fn load() -> impl Strategy<Value = Load> {
    select(Kind::ALL.to_vec()).prop_flat_map(load_of)
}

fn load_of(kind: Kind) -> impl Strategy<Value = Load> {
    let exchange = kind.is_exchange();
    let sizes = match kind.transport() {
        Transport::Tcp => 1..=Load::LARGEST_MESSAGE.get(),
        Transport::Udp => Load::DATAGRAM_HEADER.get()..=Load::LARGEST_DATAGRAM.get(),
    };
    let depth = if exchange && kind != Kind::Crr {
        4096
    } else {
        1_u32
    };
    let numbers = (1..=1000_u32, vec(sizes, 3), 1..=depth);
    let rates = (
        of((any::<bool>(), 8..=1_000_000_000_000_000_u64)),
        arrival(kind),
        stop(kind),
        0..1_000_000_000_u64,
    );
    let rest = (
        cpus(),
        cpus(),
        socket(),
        any::<bool>(),
        of("[!#-+--~]{1,50}"),
    );
    (numbers, rates, rest).prop_map(move |(numbers, rates, rest)| {
        let mut load = Load::new(kind);
        let (flows, sizes, depth) = numbers;
        load.flows = NonZeroU32::new(flows).unwrap();
        load.depth = NonZeroU32::new(depth).unwrap();
        if exchange {
            load.request = Bytes::new(sizes[0]);
            load.reply = Bytes::new(sizes[1]);
        } else {
            load.size = Bytes::new(sizes[2]);
        }
        let (rate, arrival, stop, delay) = rates;
        match rate.map(|(by_kernel, rate)| (by_kernel || exchange, BitRate::new(rate))) {
            None => {}
            Some((true, pace)) => load.pace = Some(pace),
            Some((false, rate)) => load.rate = Some(rate),
        }
        load.arrival = arrival;
        load.stop = stop;
        if kind != Kind::Probe {
            load.delay = Nanos::new(delay);
        }
        let name;
        (load.cpu, load.peer_cpu, load.socket, load.trunc, name) = rest;
        load.trunc &= kind.transport() == Transport::Tcp && !exchange;
        if kind.transport() == Transport::Udp {
            load.socket.mss = None;
            load.socket.nodelay = false;
            load.socket.cc = None;
        }
        load.name = name.unwrap_or(load.name);
        load
    })
}

fn arrival(kind: Kind) -> BoxedStrategy<Arrival> {
    let rps = (0.001..1e9).boxed();
    let paced = rps.clone().prop_map(|requests_per_second| Arrival::Paced {
        requests_per_second,
    });
    let poisson = rps.prop_map(|requests_per_second| Arrival::Poisson {
        requests_per_second,
    });
    match kind {
        Kind::Probe => prop_oneof![paced, poisson].boxed(),
        _ if kind.is_exchange() => prop_oneof![Just(Arrival::Closed), paced, poisson].boxed(),
        _ => Just(Arrival::Closed).boxed(),
    }
}

fn stop(kind: Kind) -> BoxedStrategy<Stop> {
    let many = 1..=1_u64 << 53;
    let bytes = many.clone().prop_map(|bytes| Stop::Bytes {
        bytes: Bytes::new(bytes),
    });
    let count = many.prop_map(|count| Stop::Count { count });
    match kind {
        Kind::Probe => Just(Stop::Time).boxed(),
        _ if kind.is_exchange() => prop_oneof![Just(Stop::Time), count].boxed(),
        _ => prop_oneof![Just(Stop::Time), bytes, count].boxed(),
    }
}

fn cpus() -> impl Strategy<Value = CpuList> {
    vec(0..8192_u16, 0..4).prop_map(CpuList::new)
}

fn socket() -> impl Strategy<Value = SocketOptions> {
    let buffer = || of((1..=1_u64 << 30).prop_map(Bytes::new));
    (
        (
            buffer(),
            buffer(),
            of((88..=32_767_u64).prop_map(Bytes::new)),
        ),
        of("[a-z0-9_-]{1,15}"),
        of(0..64_u8),
        of(any::<IpAddr>()),
        of("[!-.0-~]{3,15}"),
        of(1..60_000_u16),
        any::<[bool; 2]>(),
    )
        .prop_map(
            |(sizes, cc, dscp, bind, device, source_port, [nodelay, dontroute])| {
                let (sndbuf, rcvbuf, mss) = sizes;
                SocketOptions {
                    sndbuf,
                    rcvbuf,
                    mss,
                    nodelay,
                    cc: cc.map(|cc| CongestionControl::try_from(cc).unwrap()),
                    dscp: dscp.map(|dscp| Dscp::try_from(dscp).unwrap()),
                    dontroute,
                    bind,
                    device: device.map(|device| Device::try_from(device).unwrap()),
                    source_port,
                }
            },
        )
}

fn path() -> impl Strategy<Value = Path> {
    let family = || select(Family::ALL.to_vec());
    prop_oneof![
        ("[!-~äß]{1,80}", 1..=u16::MAX, family()).prop_map(|(host, port, family)| Path::Host {
            host,
            port,
            family
        }),
        (family(), link()).prop_map(|(family, link)| Path::Testbed { family, link }),
    ]
}

fn link() -> impl Strategy<Value = Link> {
    (
        of(8..=1_000_000_000_000_000_u64),
        of(0..=10_000_000_000_u64),
        of(0.0..1.0),
        of("[a-z]([ -~]{0,80}[!-~])?"),
        of(1..=4096_u16),
        of(1280..=65_535_u32),
        of(any::<bool>()),
    )
        .prop_map(|(rate, delay, loss, qdisc, queues, mtu, offload)| Link {
            rate: rate.map(BitRate::new),
            delay: delay.map(Nanos::new),
            loss,
            qdisc,
            queues: queues.and_then(NonZeroU16::new),
            mtu,
            offload,
        })
}
