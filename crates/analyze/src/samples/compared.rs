//! Comparisons of made-up runs: one that is told, and a side with itself.

use std::collections::BTreeMap;

use record::{
    Cause, Comparison, Design, End, Evidence, Finding, Hosts, Side, SideAsked, Sides, Status, Trial,
};

use crate::assemble;
use crate::comparison::{Compared, comparison, gates};
use crate::metric::Metric;
use crate::schedule::Looks;

const MEGA: f64 = 1e6;
/// Pairs of each.
const PAIRS: u32 = 8;

/// B is slower by a tenth, and one of its trials was disturbed.
pub fn compared() -> Comparison {
    let b = [90.5, 89.8, 90.9, 61.0, 90.2, 90.0, 91.1, 89.6];
    let mut trials = trials(&b);
    if let Some(disturbed) = trials
        .iter_mut()
        .find(|trial| trial.side == Side::B && trial.block == Some(3))
    {
        disturbed.foreign_cpu = Some(0.6);
    }
    // A trial that failed is there, and its pair does not count.
    let mut failed = trial(PAIRS, Side::A, 0.0, 0.0);
    failed.status = Status::Failed;
    failed.reason = Some("connecting to 10.0.0.2:5202: Connection refused".to_owned());
    failed.values.clear();
    trials.push(failed);
    let asked = Sides {
        a: SideAsked::default(),
        b: SideAsked {
            options: vec!["--b-sysctl net.ipv4.tcp_sack=0".to_owned()],
        },
    };
    let gates = gates("[[gate]]\nmetric = 'throughput'\nlimit = '2%'\n").unwrap_or_default();
    let a = assemble(&super::tcp_stream()).map(|run| run.hosts);
    let b = a.clone().map(|mut hosts: Hosts| {
        let sysctls = &mut hosts.client.sysctls;
        sysctls.insert("net.ipv4.tcp_sack".to_owned(), "0".to_owned());
        hosts
    });
    let design = design(false);
    comparison(&Compared {
        id: "20261130T222100-7616",
        started: "2026-11-30T22:21:00.000Z",
        command: &words("netdyno compare server --b-sysctl net.ipv4.tcp_sack=0 --gate limits.toml"),
        design: &design,
        asked: &asked,
        trials: &trials,
        metrics: &metrics(),
        looks: &Looks::planned(Some(PAIRS as usize), design.alpha),
        hosts: Sides {
            a: a.as_ref(),
            b: b.as_ref(),
        },
        gates: &gates,
        status: Status::Ok,
        reason: None,
    })
}

/// A against A until the user had enough.
pub fn compared_with_itself() -> Comparison {
    let b = [101.5, 99.8, 100.9, 97.0, 100.2, 103.0, 99.1, 100.6];
    let design = design(true);
    comparison(&Compared {
        id: "20261130T224000-00ff",
        started: "2026-11-30T22:40:00.000Z",
        command: &words("netdyno compare server --aa"),
        design: &design,
        asked: &Sides::default(),
        trials: &trials(&b),
        metrics: &metrics(),
        looks: &Looks::planned(Some(PAIRS as usize), design.alpha),
        hosts: Sides::default(),
        gates: &[],
        status: Status::Interrupted,
        reason: Some("interrupted: the verdict is that of the pairs so far".to_owned()),
    })
}

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

fn metrics() -> Vec<Metric> {
    let names = ["throughput", "loaded-p99", "loss"];
    names.into_iter().filter_map(Metric::of).collect()
}

fn design(aa: bool) -> Design {
    Design {
        aa,
        seed: 12,
        alpha: 0.05,
        smallest_effect: 0.03,
        primary: vec!["throughput".to_owned()],
        pairs: Some(PAIRS),
        looks: vec![PAIRS],
        max_time_ns: None,
        trial_ns: Some(2_000_000_000),
        warm_up_ns: Some(300_000_000),
        warm_up_rule: crate::warm_up::RULE.to_owned(),
    }
}

fn trials(b: &[f64; PAIRS as usize]) -> Vec<Trial> {
    let a = [100.4, 99.1, 101.0, 100.2, 99.5, 100.9, 100.0, 98.7];
    let pairs = a.iter().zip(b).enumerate();
    let of_pair = |(block, (a, b)): (usize, (&f64, &f64))| {
        let late = 2.0 + 0.1 * block as f64;
        let block = block as u32;
        let pair = [
            trial(block, Side::A, *a, late),
            trial(block, Side::B, *b, late * 1.3),
        ];
        // The order is drawn.
        match block % 3 {
            0 => pair,
            _ => {
                let [a, b] = pair;
                [b, a]
            }
        }
    };
    pairs.flat_map(of_pair).collect()
}

fn trial(block: u32, side: Side, megabits: f64, late_ms: f64) -> Trial {
    let values = [
        ("throughput", megabits * MEGA),
        ("loaded-p99", late_ms * MEGA),
        ("loss", 0.0),
    ];
    let order = u64::from(2 * block) + u64::from(side == Side::B);
    Trial {
        block: Some(block),
        side,
        started: "2026-11-30T22:21:00.000Z".to_owned(),
        at_ns: order * 3_000_000_000,
        took_ns: 2_900_000_000,
        run: Some(format!("20261130T2221{order:02}-0001")),
        status: Status::Ok,
        reason: None,
        values: BTreeMap::from(values.map(|(name, value)| (name.to_owned(), value))),
        doubts: Vec::new(),
        findings: vec![Finding {
            cause: Cause::LinkRate,
            load: Some("stream".to_owned()),
            confidence: 0.9,
            explains: 0.95,
            evidence: vec![Evidence {
                end: Some(End::Client),
                row: "link.rate".to_owned(),
                value: 100.0 * MEGA,
                unit: "bit/s".to_owned(),
                says: "the link carries 100 Mbit/s".to_owned(),
            }],
            advice: "a faster link".to_owned(),
        }],
        foreign_cpu: Some(0.01),
    }
}
