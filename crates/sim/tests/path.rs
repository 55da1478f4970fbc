//! What must hold of every transmit path, whatever its shape.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use sim::qdisc::{
    Discipline, Mapping, Nic, Placement, RootProtocol, Setup, SetupError, Start, Switches, simulate,
};
use sim::{LockKind, Picos, Platform, Shape};

fn setup() -> Setup {
    let mut platform: Platform = "westmere".parse().unwrap();
    platform.shape = Shape::flat(4);
    Setup {
        platform,
        cpus: 4,
        senders: 4,
        placement: Placement::Pinned,
        start: Start::Together,
        socket_packets: Setup::SOCKET_PACKETS,
        wire_bytes: 84,
        lock: LockKind::Ticket,
        root: RootProtocol::None,
        discipline: Discipline::Fifo,
        limit: 100,
        txqs: 1,
        multiqueue: false,
        mapping: Mapping::Xps,
        batch: 1,
        nic: Nic::INFINITE,
        switches: Switches::default(),
        duration: Picos::from_micros(400),
        warm_up: Picos::from_micros(200),
        seed: 1,
    }
}

fn slow_nic(bql: bool) -> Nic {
    Nic {
        rate: Some(1_000_000_000),
        ring: 32,
        coalesce_frames: 8,
        coalesce_time: Picos::from_micros(20),
        bql,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Packets are neither lost nor made, locks exclude, one CPU drains the deferred list, and the
    /// same seed gives the same run.
    #[test]
    fn invariants(
        lock in proptest::sample::select(LockKind::all().collect::<Vec<_>>()),
        root in 0_usize..4,
        tbf in any::<bool>(),
        htb in any::<bool>(),
        shape in (1_usize..3, 1_usize..4),
        senders in 1_usize..12,
        nic in proptest::option::of(any::<bool>()),
        limit in 1_usize..60,
        batch in 1_usize..20,
        quota in 1_usize..70,
        socket_packets in 1_usize..100,
        flags in any::<[bool; 8]>(),
        more in any::<[bool; 4]>(),
        placement in 0_usize..3,
        seed in any::<u64>(),
    ) {
        let root = [RootProtocol::None, RootProtocol::Busylock, RootProtocol::Lockless, RootProtocol::Deferred][root];
        let discipline = match (root, tbf, htb) {
            (RootProtocol::Lockless, ..) => Discipline::PfifoFast,
            (_, true, _) => Discipline::Tbf { rate: 500_000_000, burst: 3000 },
            (_, _, true) => Discipline::HtbDirect,
            _ => Discipline::Fifo,
        };
        let mut platform = setup().platform;
        platform.shape = Shape { sockets: shape.0, clusters: 1, cores: shape.1, threads: if seed % 3 == 0 { 2 } else { 1 } };
        platform.store_buffer = more[2];
        platform.shared_core = if more[3] { 1.4 } else { 1.0 };
        let cpus = platform.shape.cpus();
        let setup = Setup {
            platform,
            cpus,
            senders,
            placement: [Placement::Pinned, Placement::Floating, Placement::Random][placement],
            start: if flags[6] { Start::Staggered } else { Start::Together },
            socket_packets,
            lock,
            root,
            discipline,
            limit,
            txqs: cpus.min(2),
            multiqueue: flags[7],
            mapping: if seed % 2 == 0 { Mapping::Hash } else { Mapping::Xps },
            batch,
            nic: nic.map_or(Nic::INFINITE, slow_nic),
            switches: Switches {
                embedded: flags[0],
                drop_outside: flags[1],
                softirq_trylock: flags[2],
                bypass: flags[3],
                dequeuer_first: flags[4],
                drain_one: flags[5],
                flow_caching: more[0],
                txq_lock: more[1],
                quota,
                burst_max: 50,
            },
            seed,
            ..setup()
        };
        let out = simulate(&setup).unwrap();
        prop_assert_eq!(&out.faults, &Vec::<String>::new());
        let spent: f64 = out.activity.iter().sum();
        prop_assert!((spent - 1.0).abs() < 1e-6, "{:?}", out.activity);
        prop_assert_eq!(&simulate(&setup).unwrap(), &out);
    }
}

#[test]
fn what_cannot_be_is_refused_in_a_sentence() {
    let refusal = |change: fn(&mut Setup)| {
        let mut setup = setup();
        change(&mut setup);
        simulate(&setup).unwrap_err()
    };
    assert_eq!(refusal(|setup| setup.cpus = 0), SetupError::None("CPUs"));
    assert_eq!(
        refusal(|setup| setup.senders = 0),
        SetupError::None("senders")
    );
    assert!(
        refusal(|setup| setup.cpus = 5)
            .to_string()
            .contains("the machine has 4")
    );
    assert!(
        refusal(|setup| setup.txqs = 5)
            .to_string()
            .contains("no more queues than CPUs")
    );
    assert_eq!(
        refusal(|setup| setup.root = RootProtocol::Lockless),
        SetupError::Lockless
    );
}

#[test]
fn a_shaper_and_a_wire_hold_their_rate() {
    let packets = |setup: &Setup| simulate(setup).unwrap().packets_per_second;
    let long = Picos::from_millis(5);
    let tbf = Setup {
        discipline: Discipline::Tbf {
            rate: 84 * 8 * 200_000,
            burst: 840,
        },
        duration: long,
        ..setup()
    };
    assert!(
        (packets(&tbf) / 200_000.0 - 1.0).abs() < 0.02,
        "{}",
        packets(&tbf)
    );
    let wire = Setup {
        nic: Nic {
            rate: Some(84 * 8 * 150_000),
            ..slow_nic(true)
        },
        duration: long,
        ..setup()
    };
    assert!(
        (packets(&wire) / 150_000.0 - 1.0).abs() < 0.02,
        "{}",
        packets(&wire)
    );
}

/// The busylock helps where many wait for a ticket lock, and an owner sends a quota at most.
#[test]
fn the_busylock_helps_and_costs_nothing_alone() {
    let rate = |root, cpus| {
        let mut setup = setup();
        setup.platform.shape = Shape::flat(8);
        setup.cpus = cpus;
        setup.senders = cpus;
        setup.root = root;
        setup.limit = 1000;
        setup.duration = Picos::from_millis(3);
        setup.warm_up = Picos::from_millis(3);
        let out = simulate(&setup).unwrap();
        assert!(
            out.packets_per_tenure.iter().all(|bar| bar.from <= 64),
            "{out:?}"
        );
        out.packets_per_second
    };
    assert!(rate(RootProtocol::Busylock, 8) > 2.0 * rate(RootProtocol::None, 8));
    let alone = rate(RootProtocol::Busylock, 1) / rate(RootProtocol::None, 1);
    assert!((alone - 1.0).abs() < 0.02, "{alone}");
}

/// A socket stays on the transmit queue of its first packet, wherever its process is moved.
#[test]
fn a_flow_keeps_its_queue() {
    let used = |flow_caching| {
        let mut setup = setup();
        setup.senders = 1;
        setup.placement = Placement::Floating;
        setup.txqs = 4;
        setup.multiqueue = true;
        setup.switches.flow_caching = flow_caching;
        setup.duration = Picos::from_millis(60);
        setup.warm_up = Picos::new(1);
        let out = simulate(&setup).unwrap();
        let used = out.qdiscs.iter().filter(|row| row.bypassed > 0);
        used.count()
    };
    assert_eq!(used(true), 1);
    assert!(used(false) > 1);
}

#[test]
fn a_driver_without_a_lock_is_called_without_one() {
    let names = |txq_lock| -> Vec<String> {
        let mut setup = setup();
        setup.switches.txq_lock = txq_lock;
        let out = simulate(&setup).unwrap();
        out.locks.into_iter().map(|row| row.lock).collect()
    };
    assert!(names(true).contains(&"txq".to_owned()));
    assert!(!names(false).contains(&"txq".to_owned()));
}

/// The time in the transmit function has the waiting in it, and the driver's work.
#[test]
fn the_transmit_function_is_timed() {
    let mean = |cpus| {
        let mut setup = setup();
        setup.cpus = cpus;
        setup.senders = cpus;
        simulate(&setup).unwrap().send_mean_ns.unwrap()
    };
    let (one, four) = (mean(1), mean(4));
    assert!(one > 300.0 && four > 2.0 * one, "{one} {four}");
}

/// Work of two threads of one core takes longer; that of two cores does not.
#[test]
fn threads_of_a_core_slow_each_other_down() {
    let rate = |threads, shared_core| {
        let mut setup = setup();
        setup.platform.shape = Shape {
            cores: 2 / threads,
            threads,
            ..Shape::flat(1)
        };
        setup.platform.shared_core = shared_core;
        setup.cpus = 2;
        setup.senders = 2;
        setup.txqs = 2;
        setup.multiqueue = true;
        setup.duration = Picos::from_millis(3);
        simulate(&setup).unwrap().packets_per_second
    };
    assert_eq!(rate(1, 1.5), rate(1, 1.0));
    let slower = rate(2, 1.0) / rate(2, 1.5);
    assert!((1.3..1.5).contains(&slower), "{slower}");
}
