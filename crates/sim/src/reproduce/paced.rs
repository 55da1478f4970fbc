//! E10 and E11: timers of paced flows, and byte queue limits.

use super::fit::bisect;
use super::{Experiment, figure};
use crate::cost::{Item, Tag};
use crate::hol::{Hol, drain_time};
use crate::picos::Picos;
use crate::platform;
use crate::timers::{Migration, Paced, Timed};
use crate::topology::Shape;

/// The CPUs of the unnamed host of 2014.
const CPUS: usize = 48;

/// Two segments of 1448 bytes: the least that is sent at a time.
const BURST: f64 = 2896.0;

fn paced(migration: Migration, network: f64, send: f64, seed: u64) -> Timed {
    let mut platform = platform::westmere();
    platform.name = "unknown 2014".to_owned();
    platform.shape = Shape {
        sockets: 2,
        clusters: 1,
        cores: CPUS / 4,
        threads: 2,
    };
    platform.costs.set(Item::Think, send, Tag::F, "fitted");
    Paced {
        platform,
        cpus: CPUS,
        flows: 500,
        pace: 3e6,
        burst: BURST,
        network_interrupts: network,
        migration,
        duration: Picos::from_millis(20),
        seed,
    }
    .run()
}

pub(super) fn e10(seed: u64) -> Experiment {
    let mut notes = vec![format!(
        "machine not published: {CPUS} CPUs; interrupts and timers mid-range; how often a timer \
         migrates is not fitted but comes out of how often its CPU is idle"
    )];
    let on_published = 1_538_269.0;
    let interrupts =
        |network: f64| paced(Migration::Push, network, 8000.0, seed).interrupts_per_second;
    let network = bisect(0.0, 3.0, on_published, interrupts);
    network.note(
        "the device's interrupts for a burst",
        on_published,
        &mut notes,
    );
    let busy = |send: f64| paced(Migration::Push, network.value, send, seed).busy * 100.0;
    let send = bisect(500.0, 20_000.0, 15.0, busy);
    send.note("the send of a burst", 15.0, &mut notes);
    let on = paced(Migration::Push, network.value, send.value, seed);
    let off = paced(Migration::Pinned, network.value, send.value, seed);
    let ratio = off.interrupts_per_second / on.interrupts_per_second;
    let system = off.busy / on.busy;
    Experiment {
        id: "E10",
        title: "500 paced flows, timer migration on and off (September 2014)",
        provenance: "simulated",
        fitted: vec![
            figure("the device's interrupts for a burst", network.value, ""),
            figure("work of a burst", send.value, "ns"),
            figure("interrupts, on", on.interrupts_per_second, "1/s"),
            figure("system time, on", on.busy * 100.0, "%"),
            figure("timers that migrate, on", on.migrated * 100.0, "%"),
        ],
        predicted: vec![
            figure("interrupts, off over on", ratio, "x"),
            figure("system time, off over on", system, "x"),
        ],
        published: vec![
            figure("interrupts, on", on_published, "1/s"),
            figure("system time, on", 15.0, "%"),
            figure("interrupts, off over on", 0.765, "x"),
            figure("system time, off over on", 0.80, "x"),
        ],
        not_verified: Vec::new(),
        criterion: "both ratios within 10 %",
        pass: (ratio / 0.765 - 1.0).abs() <= 0.1 && (system / 0.80 - 1.0).abs() <= 0.1,
        notes,
    }
}

pub(super) fn e11(seed: u64) -> Experiment {
    let identity = drain_time(454_800, 10_000_000).nanos() / 1e6;
    let link = |flows, descriptors, ring, flow_packets, bql| Hol {
        rate: 100_000_000,
        packet_bytes: 1538,
        ring,
        descriptors,
        flows,
        flow_packets,
        // An acknowledgement for every second packet makes the driver look.
        completion_ns: 2.0 * drain_time(1538, 100_000_000).nanos(),
        bql,
        priority: true,
        probes: 400,
        seed,
    };
    // Two frames of two segments for each flow below TCP; a frame takes two descriptors.
    let milliseconds = |hol: Hol| hol.run().mean_ns / 1e6;
    let b1 = [false, true].map(|bql| milliseconds(link(20, 2, 256, 8, bql)));
    let b2 = [false, true].map(|bql| milliseconds(link(5, 2, 1024, 24, bql)));
    let within = |value: f64, published: f64| (0.5..=2.0).contains(&(value / published));
    Experiment {
        id: "E11",
        title: "an urgent ping behind bulk at 100 Mbit/s, with and without byte queue limits",
        provenance: "simulated",
        fitted: vec![figure("454.8 KB at 10 Mbit/s", identity, "ms")],
        predicted: vec![
            figure("20 flows, without", b1[0], "ms"),
            figure("20 flows, with", b1[1], "ms"),
            figure("5 flows, without", b2[0], "ms"),
            figure("5 flows, with", b2[1], "ms"),
        ],
        published: vec![
            figure("454.8 KB at 10 Mbit/s", 363.84, "ms"),
            figure("20 flows, without", 12.0, "ms"),
            figure("20 flows, with", 1.0, "ms"),
            figure("5 flows, without", 14.0, "ms"),
            figure("5 flows, with", 3.0, "ms"),
        ],
        not_verified: Vec::new(),
        criterion: "all four within a factor of 2, and in this order",
        pass: within(b1[0], 12.0)
            && within(b1[1], 1.0)
            && within(b2[0], 14.0)
            && within(b2[1], 3.0)
            && b1[1] < b1[0]
            && b2[1] < b2[0],
        notes: vec![
            "assumed: rings of 256 and 1024 descriptors, two for a packet; 8 and 24 packets of a flow \
             below TCP; the driver looks for completions with every acknowledgement, one for two packets; \
             the network alone takes no time"
                .to_owned(),
        ],
    }
}
