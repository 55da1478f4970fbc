//! E12: a reporter that is polled, and one that is waited for.

use super::{Experiment, Known, Trial, figure};
use crate::reporter::{Reporter, Waiting};

pub(super) const E12: Known = Known {
    name: "E12",
    run: e12,
    assumed: &["write", "record", "wake-up", "ring"],
    ablations: &[],
};

fn e12(trial: &Trial) -> Experiment {
    let with = |waiting| {
        let plain = Reporter::gigabit(waiting);
        Reporter {
            produce_ns: trial.number("write", plain.produce_ns),
            report_ns: trial.number("record", plain.report_ns),
            wake_ns: trial.number("wake-up", plain.wake_ns),
            ring: trial.number("ring", plain.ring as f64) as u64,
            ..plain
        }
    };
    let polled = [Waiting::Spin, Waiting::Yield].map(|waiting| with(waiting).run());
    let snapshot = with(Waiting::Snapshot).run();
    let condvar = with(Waiting::Condvar).run();
    let datagrams = Reporter {
        records_per_second: 250_000.0,
        produce_ns: trial.number("write", 2500.0),
        ..with(Waiting::Condvar)
    };
    let throttled = datagrams.run().records_per_second;
    let bound = datagrams.ring as f64 / 0.010;
    let cpu = condvar.cpu * 100.0;
    Experiment {
        id: "E12",
        title: "iperf 2.0.2's reporter at 1 Gbit/s: polled, and with a condition variable (2007)",
        provenance: "simulated",
        fitted: Vec::new(),
        predicted: vec![
            figure("CPU, polled", polled[0].cpu * 100.0, "%"),
            figure("CPU, polled with yields", polled[1].cpu * 100.0, "%"),
            figure("CPU, condition variable", cpu, "%"),
            figure("CPU, read at edges", snapshot.cpu * 100.0, "%"),
            figure("small datagrams that a ring of 700 lets through", throttled, "1/s"),
            figure("of them by ring over 10 ms", bound, "1/s"),
        ],
        published: vec![
            figure("CPU, polled", 100.0, "%"),
            figure("CPU, condition variable", 9.0, "%"),
        ],
        not_verified: vec![figure("ring of iperf 2.0.2", 700.0, "records")],
        criterion: "polled at least 95 %, 9 % within a factor of 2, and datagrams bounded by the ring over 10 ms",
        pass: polled.iter().all(|out| out.cpu >= 0.95)
            && (4.5..=18.0).contains(&cpu) && (throttled / bound - 1.0).abs() < 0.05,
        notes: vec![
            "assumed: 5.5 us for a write of 8 KiB with all below it, 0.5 us for a record, 5 us for a wake-up, \
             a CPU for each thread; the polled figures do not depend on them"
                .to_owned(),
        ],
    }
}
