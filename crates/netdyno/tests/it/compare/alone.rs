//! On real traffic in the testbed, with trials of their own length.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use record::Status;

use super::*;

fn testbed(words: &str) -> Comparison {
    document(
        &Client::wrapped(netdyno(), "compare", words)
            .word("--json")
            .end(),
    )
}

#[test]
fn a_true_five_percent_is_found() {
    not_run::needs_namespaces!();
    let found =
        testbed("-t 300ms -O 100ms --pairs 8 --no-probe --a-load rate=200M --b-load rate=190M");
    if found.verdict != Some(Verdict::Worse) {
        // A machine that has no time for 200 Mbit/s measures itself.
        let invalid = found
            .trials
            .iter()
            .filter(|trial| trial.status != Status::Ok)
            .count();
        let busy = found.doubts.iter().any(|doubt| doubt.doubt == "other-work");
        assert!(
            invalid > 0 || busy,
            "{:?} {:?}",
            found.metrics[0],
            found.doubts
        );
        not_run::cell("5 % of 200 Mbit/s", "other work took the CPUs");
        return;
    }
    let estimate = found.metrics[0].estimate.as_ref().unwrap();
    assert!((estimate.value - 0.95).abs() < 0.02, "{estimate:?}");
}

fn is_alarm(found: &Comparison) -> bool {
    matches!(found.verdict, Some(Verdict::Better | Verdict::Worse))
}

/// Comparisons of a side with itself that cry wolf. Four go on at once, so that each has the
/// others' work beside it.
fn alarms(seeds: Range<u64>) -> usize {
    const AT_ONCE: u64 = 4;
    let cries = |seed: u64| {
        let load = ["stream", "rr", "udp-stream"][seed as usize % 3];
        let words = format!(
            "--aa -t 200ms -O 50ms --pairs 6 --no-probe --quiet --load {load} --seed {seed}"
        );
        let found = testbed(&words);
        assert!(found.verdict.is_some(), "{:?}", found.reason);
        is_alarm(&found)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|worker| {
                let mine = seeds
                    .clone()
                    .skip(worker as usize)
                    .step_by(AT_ONCE as usize);
                scope.spawn(move || mine.filter(|seed| cries(*seed)).count())
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    })
}

/// Six pairs cry wolf by chance once in 32 comparisons: more than twice in twenty once in 40
/// tries, and more than four times in forty after that once in 300.
#[test]
fn the_same_twice_is_not_different() {
    not_run::needs_namespaces!();
    let first = alarms(0..20);
    if first > 2 {
        let second = alarms(20..40);
        assert!(first + second <= 4, "{first} of 20, and {second} of 20");
    }
}

/// Takes most of every CPU while it lives.
struct Spinners<'scope> {
    stop: &'scope AtomicBool,
}

impl<'scope> Spinners<'scope> {
    fn start<'env>(scope: &'scope thread::Scope<'scope, 'env>, stop: &'scope AtomicBool) -> Self {
        stop.store(false, Ordering::Relaxed);
        for _ in 0..3 * thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self { stop }
    }
}

impl Drop for Spinners<'_> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A against A for twelve pairs, of which the middle third has spinners beside it.
fn disturbed(seed: u64) -> Comparison {
    let words = format!("--aa -t 250ms -O 50ms --pairs 12 --no-probe --json --seed {seed}");
    let client = Client::wrapped(netdyno(), "compare", &words).start();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        after_trials(&client, 8);
        let spinners = Spinners::start(scope, &stop);
        after_trials(&client, 16);
        drop(spinners);
    });
    document(&client.end())
}

/// The interval of pairs, and that of the same trials taken as two campaigns.
fn widths(found: &Comparison) -> (f64, f64) {
    let metric = &found.metrics[0];
    let estimate = metric.estimate.as_ref().unwrap();
    let (low, high) = metric.unpaired.unwrap_or((0.0, f64::INFINITY));
    (estimate.high.unwrap() - estimate.low.unwrap(), high - low)
}

#[test]
fn what_comes_and_goes_is_no_difference_and_pairs_do_not_feel_it() {
    not_run::needs_namespaces!();
    let mut seen = Vec::new();
    for seed in 0..3 {
        let found = disturbed(seed);
        let (paired, apart) = widths(&found);
        seen.push((found.verdict, paired, apart, found.metrics[0].pairs.clone()));
        if !is_alarm(&found) && apart > 2.0 * paired {
            return;
        }
    }
    panic!("{seen:?}");
}
