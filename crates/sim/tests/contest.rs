//! What must hold of every contest, whatever its shape.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use sim::model::Chain;
use sim::{Combine, Contended, Contest, Growth, LockKind, Order, Picos, Platform, Shape};

fn contest(lock: LockKind, cpus: usize) -> Contest {
    let mut platform: Platform = "westmere".parse().unwrap();
    platform.shape = Shape::flat(cpus);
    Contest {
        platform,
        cpus,
        lock: Contended::Lock(lock),
        think: Picos::from_nanos(500.0),
        hold: Picos::from_nanos(100.0),
        exponential: false,
        data_lines: 1,
        embedded: false,
        duration: Picos::from_micros(300),
        seed: 1,
    }
}

fn locks() -> impl Strategy<Value = LockKind> {
    proptest::sample::select(LockKind::all().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Mutual exclusion, the order where one is promised, and a single writer of each line.
    #[test]
    fn invariants(
        lock in locks(),
        shape in (1_usize..3, 1_usize..3, 1_usize..4, 1_usize..3),
        think in 0_u64..2000,
        hold in 0_u64..500,
        data_lines in 0_usize..3,
        fifo in any::<bool>(),
        combine in proptest::sample::select(vec![Combine::None, Combine::Cluster, Combine::Machine]),
        store_buffer in any::<bool>(),
        exponential in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut contest = contest(lock, 1);
        let (sockets, clusters, cores, threads) = shape;
        contest.platform.shape = Shape { sockets, clusters, cores, threads };
        contest.platform.order = if fifo { Order::Fifo } else { Order::Random };
        contest.platform.combine = combine;
        contest.platform.store_buffer = store_buffer;
        contest.platform.shared_core = if fifo { 1.0 } else { 1.5 };
        contest.cpus = contest.platform.shape.cpus();
        contest.think = Picos::new(think * 1000);
        contest.hold = Picos::new(hold * 1000);
        contest.exponential = exponential;
        contest.data_lines = data_lines;
        contest.embedded = seed % 2 == 0;
        contest.seed = seed;
        let out = contest.run();
        prop_assert_eq!(out.faults, 0);
        prop_assert!(out.lock.acquisitions > 0);
        prop_assert!(out.lock.contended <= out.lock.acquisitions);
        let again = contest.run();
        prop_assert_eq!(out, again);
    }
}

#[test]
fn another_seed_is_another_run() {
    let mut contest = contest(LockKind::Ticket, 4);
    let first = contest.run();
    contest.seed = 2;
    assert_ne!(first.trace, contest.run().trace);
}

/// L = lambda W, to 1 %: the lock's own figures agree with each other.
#[test]
fn littles_law() {
    for lock in LockKind::all() {
        let mut contest = contest(lock, 6);
        contest.duration = Picos::from_millis(10);
        let (present, arrivals_times_stay) = contest.run().little;
        let error = (present / arrivals_times_stay - 1.0).abs();
        assert!(error < 0.01, "{lock}: {present} {arrivals_times_stay}");
    }
}

#[test]
fn seeds_agree() {
    let mut contest = contest(LockKind::Ticket, 8);
    contest.duration = Picos::from_millis(2);
    let rates: Vec<f64> = (0..20)
        .map(|seed| {
            contest.seed = seed;
            contest.run().per_second
        })
        .collect();
    let mean = stats::mean(&rates).unwrap();
    // Student's t of 19 degrees of freedom at 95 %.
    let half = 2.093 * stats::standard_deviation(&rates).unwrap() / 20.0_f64.sqrt();
    assert!(half / mean < 0.02, "{mean} +- {half}");
}

/// With exponential times the simulator is the chain.
#[test]
fn the_simulator_is_within_a_percent_of_the_closed_form() {
    for growth in [Growth::Waiters, Growth::Once] {
        for (cpus, serial) in [(2, 100.0), (8, 400.0), (24, 400.0)] {
            let chain = Chain {
                cpus,
                parallel: 49.0 * serial,
                serial,
                transfer: 100.0,
                growth,
            };
            let mut contest = contest(LockKind::Ticket, cpus);
            contest.lock = Contended::Server(Picos::from_nanos(chain.transfer), growth);
            contest.think = Picos::from_nanos(chain.parallel);
            contest.hold = Picos::from_nanos(chain.serial);
            contest.exponential = true;
            contest.data_lines = 0;
            contest.duration = Picos::from_millis(400);
            let simulated = contest.run().per_second / 1e9;
            let error = simulated / chain.steady().throughput - 1.0;
            assert!(error.abs() < 0.01, "{growth:?} {cpus} {serial}: {error}");
        }
    }
}

/// The collapse of a ticket lock and the plateau of a queue lock come out of the lines.
#[test]
fn a_ticket_lock_collapses_and_a_queue_lock_does_not() {
    let rate = |lock, cpus| contest(lock, cpus).run().per_second;
    assert!(rate(LockKind::Ticket, 24) < 0.6 * rate(LockKind::Ticket, 6));
    assert!(rate(LockKind::Mcs, 24) > 0.95 * rate(LockKind::Mcs, 6));
    assert!(rate(LockKind::Qspin, 24) > 0.95 * rate(LockKind::Qspin, 6));
}

/// A tracer on the queue path hardly sees the first waiter; in a guest it sees most.
#[test]
fn what_a_tracer_sees() {
    let random = |lock| {
        let mut contest = contest(lock, 2);
        contest.exponential = true;
        contest.run().lock
    };
    let two = random(LockKind::Qspin);
    assert!(two.contended > 50, "{two:?}");
    // It queues only when it comes in the moment between a release and the pending one's grant.
    assert!(two.visible * 10 < two.contended, "{two:?}");
    let guest = random(LockKind::QspinPv);
    assert!(guest.visible * 10 > guest.contended * 5, "{guest:?}");
}

/// A queued spinlock's new holder goes on while its stores to the word and to its successor's node
/// are on their way; alone it makes no difference.
#[test]
fn the_store_buffer_shortens_a_queued_handoff() {
    let rate = |cpus, store_buffer| {
        let mut contest = contest(LockKind::Qspin, cpus);
        contest.platform.store_buffer = store_buffer;
        contest.think = Picos::from_nanos(100.0);
        contest.duration = Picos::from_millis(2);
        contest.run().per_second
    };
    let gain = rate(8, true) / rate(8, false);
    assert!((1.05..3.0).contains(&gain), "{gain}");
    let alone = rate(1, true) / rate(1, false);
    assert!((alone - 1.0).abs() < 0.01, "{alone}");
}

/// If one fill serves all readers, a ticket lock does not collapse.
#[test]
fn a_constant_handoff_takes_the_collapse_away() {
    let rate = |cpus, combine| {
        let mut contest = contest(LockKind::Ticket, cpus);
        contest.platform.combine = combine;
        contest.run().per_second
    };
    assert!(rate(24, Combine::None) < 0.6 * rate(6, Combine::None));
    assert!(rate(24, Combine::Machine) > 0.8 * rate(6, Combine::Machine));
}
