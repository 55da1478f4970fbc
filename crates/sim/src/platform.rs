//! Machines: a shape and what things cost on it.

use std::str::FromStr;

use thiserror::Error;

use crate::cost::{Cost, Costs, Item, Tag};
use crate::line::{Combine, Invalidation, Memory, Order};
use crate::topology::Shape;

/// A machine to simulate.
#[derive(Debug, Clone, PartialEq)]
pub struct Platform {
    /// What it is called.
    pub name: String,
    /// How its CPUs lie.
    pub shape: Shape,
    /// What things cost.
    pub costs: Costs,
    /// Who is next at a line.
    pub order: Order,
    /// Which readers that wait for a line are served by one fill.
    pub combine: Combine,
    /// Whether a CPU goes on while a write of its waits for the line.
    pub store_buffer: bool,
    /// How much longer work takes while the other thread of the core works too; 1: no longer.
    pub shared_core: f64,
}

/// There is no platform of this name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no platform '{0}': use one of {list}", list = PLATFORMS.map(|(name, _)| name).join(", "))]
pub struct UnknownPlatform(String);

/// A platform's name, and how it is made.
type Named = (&'static str, fn() -> Platform);

/// All platforms by name.
pub const PLATFORMS: [Named; 6] = [
    ("milan", milan),
    ("westmere", westmere),
    ("e5450", e5450),
    ("haswell-ex", haswell_ex),
    ("granite", granite),
    ("pktgen", pktgen),
];

impl FromStr for Platform {
    type Err = UnknownPlatform;

    fn from_str(text: &str) -> Result<Self, UnknownPlatform> {
        let found = PLATFORMS.iter().find(|(name, _)| *name == text);
        found
            .map(|(_, make)| make())
            .ok_or_else(|| UnknownPlatform(text.to_owned()))
    }
}

impl Platform {
    /// The memory system's costs.
    pub fn memory(&self) -> Memory {
        let span = |item| self.costs.span(item);
        let each = span(Item::InvalidateEach);
        Memory {
            hit: span(Item::Hit),
            atomic: span(Item::Atomic),
            transfer: [
                span(Item::TransferCore),
                span(Item::TransferCluster),
                span(Item::TransferSocket),
                span(Item::TransferMachine),
            ],
            fill: span(Item::Fill),
            invalidation: match each.get() {
                0 => Invalidation::Broadcast,
                _ => Invalidation::Serial(each),
            },
            order: self.order,
            combine: self.combine,
            relax: span(Item::Relax),
            store_buffer: self.store_buffer,
            shared_core: self.shared_core,
        }
    }

    fn new(name: &str, shape: Shape, own: &[(Item, f64, f64, Tag, &str)]) -> Self {
        let costs = Costs::new(|item| {
            let from = |entries: &[(Item, f64, f64, Tag, &str)]| {
                entries
                    .iter()
                    .find(|entry| entry.0 == item)
                    .map(|(_, low, high, tag, source)| Cost {
                        value: f64::midpoint(*low, *high),
                        low: *low,
                        high: *high,
                        source: (*source).to_owned(),
                        tag: *tag,
                    })
            };
            from(own)
                .or_else(|| from(DEFAULTS))
                .expect("the defaults have every item")
        });
        Self {
            name: name.to_owned(),
            shape,
            costs,
            order: Order::Random,
            combine: Combine::None,
            store_buffer: false,
            // No figure for it was published with any of the experiments.
            shared_core: 1.0,
        }
    }
}

const GUESS: &str = "free within this range";
const TABLE: &str = "core-to-core-latency, median one-way by CAS ping-pong";

/// What a platform does not say itself.
const DEFAULTS: &[(Item, f64, f64, Tag, &str)] = &[
    (
        Item::Hit,
        1.0,
        2.0,
        Tag::D,
        "a first-level hit of 4 to 5 cycles",
    ),
    (
        Item::Atomic,
        5.0,
        8.0,
        Tag::D,
        "half of an uncontended lock pair",
    ),
    (Item::TransferCore, 7.0, 10.0, Tag::P, TABLE),
    (Item::TransferCluster, 23.0, 23.0, Tag::P, TABLE),
    (Item::TransferSocket, 107.0, 107.0, Tag::P, TABLE),
    (Item::TransferMachine, 197.0, 197.0, Tag::P, TABLE),
    (Item::Fill, 80.0, 120.0, Tag::M, "memory latency"),
    (Item::InvalidateEach, 0.0, 0.0, Tag::D, "broadcast"),
    (
        Item::Relax,
        15.0,
        25.0,
        Tag::M,
        "relax instruction of recent CPUs",
    ),
    (Item::Think, 600.0, 1000.0, Tag::M, GUESS),
    (Item::Enqueue, 30.0, 80.0, Tag::M, GUESS),
    (Item::Dequeue, 30.0, 80.0, Tag::M, GUESS),
    (Item::Htb, 20.0, 60.0, Tag::M, GUESS),
    (Item::Transmit, 200.0, 400.0, Tag::M, GUESS),
    (Item::Doorbell, 50.0, 150.0, Tag::M, GUESS),
    (
        Item::Drop,
        60.0,
        200.0,
        Tag::M,
        "class of the gain of freeing outside the lock",
    ),
    (Item::Softirq, 500.0, 1500.0, Tag::M, "softirq raise"),
    (
        Item::Interrupt,
        500.0,
        1500.0,
        Tag::M,
        "interrupt entry and exit",
    ),
    (
        Item::Ipi,
        500.0,
        1500.0,
        Tag::M,
        "inter-processor interrupt",
    ),
    (Item::Switch, 800.0, 2000.0, Tag::M, "context switch"),
    (Item::Complete, 50.0, 150.0, Tag::M, GUESS),
    (Item::RingPush, 10.0, 60.0, Tag::M, GUESS),
    (Item::RingPop, 10.0, 60.0, Tag::M, GUESS),
    (
        Item::Wake,
        20_000.0,
        60_000.0,
        Tag::M,
        "waking a halted virtual CPU",
    ),
    (Item::Kick, 1000.0, 3000.0, Tag::M, "a hypercall"),
    (Item::Observe, 0.0, 0.0, Tag::D, "no tracer"),
    (Item::Timer, 1000.0, 3000.0, Tag::M, GUESS),
    (Item::Remote, 500.0, 2000.0, Tag::M, GUESS),
];

/// A guest on an EPYC 7R13 (Zen 3): eight cores to a cache.
pub fn milan() -> Platform {
    let shape = Shape {
        sockets: 2,
        clusters: 6,
        cores: 8,
        threads: 2,
    };
    Platform::new("milan", shape, &[])
}

/// Two Xeon X5660 (Westmere-EP), also for the unnamed Intel machine of 2010.
pub fn westmere() -> Platform {
    let shape = Shape {
        sockets: 2,
        clusters: 1,
        cores: 6,
        threads: 2,
    };
    let own = [
        (
            Item::Atomic,
            7.0,
            7.0,
            Tag::D,
            "half of an uncontended lock pair",
        ),
        (
            Item::TransferCluster,
            45.0,
            55.0,
            Tag::P,
            "parts of the next generations",
        ),
        (
            Item::TransferSocket,
            45.0,
            55.0,
            Tag::P,
            "one cache in a socket",
        ),
        (
            Item::TransferMachine,
            100.0,
            140.0,
            Tag::M,
            "Westmere-EP, two sockets",
        ),
        (Item::Relax, 3.0, 4.0, Tag::M, "10 cycles"),
        (Item::Think, 1500.0, 2500.0, Tag::D, GUESS),
        (Item::Enqueue, 100.0, 200.0, Tag::M, GUESS),
        (Item::Dequeue, 100.0, 200.0, Tag::M, GUESS),
        (Item::Htb, 50.0, 150.0, Tag::M, GUESS),
        (Item::Transmit, 200.0, 400.0, Tag::M, GUESS),
        (
            Item::Doorbell,
            0.0,
            0.0,
            Tag::D,
            "part of the driver's work",
        ),
        (
            Item::Drop,
            100.0,
            300.0,
            Tag::D,
            "freeing outside the lock gained up to 12 %",
        ),
    ];
    Platform::new("westmere", shape, &own)
}

/// Two Xeon E5450: pairs of cores share a cache, everything else crosses the front-side bus.
pub fn e5450() -> Platform {
    let shape = Shape {
        sockets: 2,
        clusters: 2,
        cores: 2,
        threads: 1,
    };
    let own = [
        (
            Item::Atomic,
            8.0,
            8.0,
            Tag::D,
            "half of an uncontended lock pair",
        ),
        (Item::TransferCluster, 60.0, 100.0, Tag::M, GUESS),
        (Item::TransferSocket, 150.0, 300.0, Tag::M, GUESS),
        (Item::TransferMachine, 150.0, 300.0, Tag::M, GUESS),
        (Item::Relax, 3.0, 3.0, Tag::M, "10 cycles"),
        (Item::Think, 400.0, 900.0, Tag::D, GUESS),
        (Item::Enqueue, 100.0, 300.0, Tag::M, GUESS),
        (Item::Dequeue, 100.0, 300.0, Tag::M, GUESS),
        (Item::Transmit, 300.0, 600.0, Tag::M, GUESS),
        (
            Item::Doorbell,
            0.0,
            0.0,
            Tag::D,
            "part of the driver's work",
        ),
        (
            Item::Drop,
            100.0,
            300.0,
            Tag::D,
            "freeing outside the lock gained up to 12 %",
        ),
    ];
    Platform::new("e5450", shape, &own)
}

/// Four Xeon E7-8895 v3.
pub fn haswell_ex() -> Platform {
    let shape = Shape {
        sockets: 4,
        clusters: 1,
        cores: 18,
        threads: 2,
    };
    let own = [
        (
            Item::TransferCluster,
            40.0,
            60.0,
            Tag::P,
            "Broadwell to Ice Lake in one socket: 44 to 51",
        ),
        (
            Item::TransferSocket,
            40.0,
            60.0,
            Tag::P,
            "one cache in a socket",
        ),
        (
            Item::TransferMachine,
            108.0,
            136.0,
            Tag::P,
            "Broadwell to Cascade Lake, two sockets",
        ),
        (Item::Relax, 3.0, 4.0, Tag::M, "10 cycles"),
    ];
    Platform::new("haswell-ex", shape, &own)
}

/// Two Xeon 6985P-C: 480 threads.
pub fn granite() -> Platform {
    let shape = Shape {
        sockets: 2,
        clusters: 3,
        cores: 40,
        threads: 2,
    };
    let own = [
        (
            Item::TransferCluster,
            47.0,
            60.0,
            Tag::P,
            "Ice Lake and Cascade Lake in one socket, larger mesh",
        ),
        (Item::TransferSocket, 60.0, 110.0, Tag::M, GUESS),
        (Item::TransferMachine, 108.0, 197.0, Tag::P, TABLE),
        (Item::Relax, 30.0, 40.0, Tag::M, "140 cycles"),
    ];
    Platform::new("granite", shape, &own)
}

/// The unnamed host of the pktgen figures: one socket, 16 CPUs, with the transfers of [`milan`].
pub fn pktgen() -> Platform {
    let shape = Shape {
        sockets: 1,
        clusters: 2,
        cores: 8,
        threads: 1,
    };
    let own = [
        (
            Item::Think,
            50.0,
            400.0,
            Tag::M,
            "a packet made by the generator, no system call",
        ),
        (
            Item::Transmit,
            20.0,
            60.0,
            Tag::M,
            "a device that frees the packet",
        ),
        (Item::Doorbell, 0.0, 0.0, Tag::D, "a device without one"),
    ];
    Platform::new("pktgen", shape, &own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cost_of_every_platform_is_within_its_range_and_has_a_source() {
        for (name, make) in PLATFORMS {
            let platform = make();
            assert_eq!(platform.name, name);
            for (item, cost) in platform.costs.iter() {
                assert!(
                    cost.low <= cost.value && cost.value <= cost.high,
                    "{name} {item}"
                );
                assert!(!cost.source.is_empty(), "{name} {item}");
            }
        }
        let refused = "vax".parse::<Platform>().unwrap_err().to_string();
        assert!(
            refused.starts_with("there is no platform 'vax'"),
            "{refused}"
        );
    }
}
