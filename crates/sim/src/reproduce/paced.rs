//! E10 and E11: timers of paced flows, and byte queue limits.

use super::fit::bisect;
use super::{Experiment, Known, Trial, figure};
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

fn paced(trial: &Trial, migration: Migration, network: f64, send: f64) -> Timed {
    let mut platform = trial.machine(platform::westmere());
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
        seed: trial.seed,
    }
    .run()
}

pub(super) const E10: Known = Known {
    name: "E10",
    run: e10,
    assumed: &["timer", "remote", "ipi", "interrupt"],
    ablations: &[],
};

pub(super) const E11: Known = Known {
    name: "E11",
    run: e11,
    assumed: &["completion interval", "packets of a flow below TCP", "ring"],
    ablations: &[],
};

fn e10(trial: &Trial) -> Experiment {
    let mut notes = vec![format!(
        "machine not published: {CPUS} CPUs; interrupts and timers mid-range; how often a timer \
         migrates is not fitted but comes out of how often its CPU is idle"
    )];
    let on_published = 1_538_269.0;
    let interrupts =
        |network: f64| paced(trial, Migration::Push, network, 8000.0).interrupts_per_second;
    let network = bisect(0.0, 3.0, on_published, interrupts);
    network.note(
        "the device's interrupts for a burst",
        on_published,
        &mut notes,
    );
    let busy = |send: f64| paced(trial, Migration::Push, network.value, send).busy * 100.0;
    let send = bisect(500.0, 20_000.0, 15.0, busy);
    send.note("the send of a burst", 15.0, &mut notes);
    let on = paced(trial, Migration::Push, network.value, send.value);
    let off = paced(trial, Migration::Pinned, network.value, send.value);
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

fn e11(trial: &Trial) -> Experiment {
    let identity = drain_time(454_800, 10_000_000).nanos() / 1e6;
    let link = |flows, ring, flow_packets, completion_ns, bql| Hol {
        rate: 100_000_000,
        packet_bytes: 1538,
        ring: trial.number("ring", ring) as u64,
        descriptors: 2,
        // The least that TCP hands down at once.
        gso: 2,
        flows,
        flow_packets: trial.number("packets of a flow below TCP", flow_packets) as u64,
        completion_ns: trial.number("completion interval", completion_ns),
        bql,
        priority: true,
        probes: 400,
        seed: trial.seed,
    };
    // stmmac frees what was sent whenever it polls for received packets: with every
    // acknowledgement, one for two packets (stmmac_main.c, stmmac_poll).
    let acknowledgement = 2.0 * drain_time(1538, 100_000_000).nanos();
    // atl1c frees it at its transmit interrupt only, whose moderation timer is 1000 units of 2 us
    // (atl1c_main.c, atl1c_sw_init: tx_imt, beside an ict of 50000 that is 100 ms).
    let moderation = 2e6;
    let milliseconds = |hol: Hol| hol.run().mean_ns / 1e6;
    let b1 = [false, true].map(|bql| milliseconds(link(20, 256.0, 8.0, acknowledgement, bql)));
    let b2 = [false, true].map(|bql| milliseconds(link(5, 1024.0, 24.0, moderation, bql)));
    let often = milliseconds(link(5, 1024.0, 24.0, acknowledgement, true));
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
             below TCP; the network alone takes no time. The driver of the 20 flows looks for completions \
             with every acknowledgement, that of the 5 flows when its timer of 2 ms lets it interrupt: \
             constants of the two drivers"
                .to_owned(),
            format!("5 flows with byte queue limits would wait {often:.1} ms if that driver looked as often"),
        ],
    }
}
