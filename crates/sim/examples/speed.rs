//! How fast the simulator is: line operations a second of contests of 8 to 480 CPUs; of all locks, or of
//! those that are named.
#![allow(clippy::print_stdout, reason = "an example prints")]
use sim::{Contended, Contest, LockKind, Picos, platform};

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |lock: &LockKind| named.is_empty() || named.contains(&lock.to_string());
    for lock in LockKind::all().filter(wanted) {
        for cpus in [8, 24, 96, 480] {
            let contest = Contest {
                platform: platform::granite(),
                cpus,
                lock: Contended::Lock(lock),
                think: Picos::from_micros(1),
                hold: Picos::from_nanos(100.0),
                exponential: false,
                data_lines: 1,
                embedded: false,
                // Long enough that making the machine does not count.
                duration: Picos::from_millis(100),
                seed: 1,
            };
            let start = on_cpu();
            let out = contest.run();
            let seconds = on_cpu() - start;
            let total: u64 = out.per_cpu.iter().sum();
            println!(
                "{lock:>14} {cpus:>4} cpus: {:>10.0} sections/s, {:>6.2} M line ops/s, {:>6.1} ns/event, jain {:.3}, faults {} ",
                out.per_second,
                out.line_operations * total as f64 / seconds / 1e6,
                seconds * 1e9 / out.events as f64,
                out.fairness.unwrap_or(0.0),
                out.faults,
            );
        }
    }
}

/// Seconds that this process was on a CPU: right on a busy machine too.
fn on_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = text
        .split(' ')
        .next()
        .and_then(|word| word.parse::<f64>().ok());
    nanos.unwrap_or(f64::NAN) / 1e9
}
