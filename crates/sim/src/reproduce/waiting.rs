//! E12: a reporter that is polled, and one that is waited for.

use super::{Experiment, figure};
use crate::reporter::{Reporter, Waiting};

/// A Core 2 sends 1 Gbit/s in writes of 8 KiB.
pub(super) fn gigabit(waiting: Waiting) -> Reporter {
    Reporter {
        waiting,
        records_per_second: 1e9 / 8.0 / 8192.0,
        produce_ns: 5500.0,
        report_ns: 500.0,
        wake_ns: 5000.0,
        ring: 700,
        sleep_ns: 10e6,
        edge_ns: 1e9,
    }
}

pub(super) fn e12(_seed: u64) -> Experiment {
    let spin = gigabit(Waiting::Spin).run();
    let condvar = gigabit(Waiting::Condvar).run();
    let datagrams = Reporter {
        records_per_second: 250_000.0,
        produce_ns: 2500.0,
        ..gigabit(Waiting::Condvar)
    };
    let throttled = datagrams.run().records_per_second;
    let bound = datagrams.ring as f64 / 0.010;
    let cpu = condvar.cpu * 100.0;
    Experiment {
        id: "E12",
        title: "iperf 2.0.2's reporter at 1 Gbit/s: polled, and with a condition variable (2007)",
        provenance: "simulated",
        fitted: vec![figure("CPU, polled", spin.cpu * 100.0, "%")],
        predicted: vec![
            figure("CPU, condition variable", cpu, "%"),
            figure("small datagrams that a ring of 700 lets through", throttled, "1/s"),
            figure("of them by ring over 10 ms", bound, "1/s"),
        ],
        published: vec![
            figure("CPU, polled", 100.0, "%"),
            figure("CPU, condition variable", 9.0, "%"),
        ],
        not_verified: vec![figure("ring of iperf 2.0.2", 700.0, "records")],
        criterion: "9 % within a factor of 2, and datagrams bounded by the ring over 10 ms",
        pass: (4.5..=18.0).contains(&cpu) && (throttled / bound - 1.0).abs() < 0.05,
        notes: vec![
            "assumed: 5.5 us for a write of 8 KiB with all below it, 0.5 us for a record, 5 us for a wake-up; \
             the figures of the polled case only say that nothing is left over"
                .to_owned(),
        ],
    }
}
