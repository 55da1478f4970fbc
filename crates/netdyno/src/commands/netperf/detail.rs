//! What super_netperf shows beside its one number (`--detail`).

use engine::netperf::client::Outcome;
use report::dialect::netperf::Unit;
use units::Nanos;

use super::figures;
use super::several::{count, per_second};
use crate::dialect::netperf::NetperfRequest;

/// A row for each flow, then how fairly they shared, and how much the common window differs from
/// what the script adds up: each flow's figure over its own time.
pub(super) fn rows(request: &NetperfRequest, outcome: &Outcome) -> String {
    let unit = request.form.unit;
    let name = format!("{}/s", unit.name());
    let mut text = format!(
        "{:>6} {:>22} {name:>14} {:>10} {:>8}\n",
        "flow", "from", "elapsed", "retrans"
    );
    let mut rates = Vec::new();
    for (number, flow) in outcome.flows.iter().enumerate() {
        let rate = unit.figure(per_second(count(request, flow), outcome.window));
        rates.push(rate);
        let from = flow.local.map_or("-".to_owned(), |local| local.to_string());
        let retransmits = flow
            .tcp_info
            .as_ref()
            .and_then(|info| info.tcpi_total_retrans)
            .map_or("-".to_owned(), |count| count.to_string());
        let elapsed = flow.elapsed.as_secs_f64();
        text += &format!("{number:>6} {from:>22} {rate:>14.2} {elapsed:>10.3} {retransmits:>8}\n");
        if let Some(error) = &flow.error {
            text += &format!("{:>6} {error}\n", "");
        }
    }
    let fairness = stats::jain(&rates).map_or("-".to_owned(), |index| format!("{index:.3}"));
    let window = outcome.window.as_secs_f64();
    text += &format!("fairness (Jain) {fairness}, common window {window:.3} s\n");
    text + &overlap(request, outcome, rates.iter().sum())
}

fn overlap(request: &NetperfRequest, outcome: &Outcome, sum: f64) -> String {
    let unit = request.form.unit;
    let fine = || outcome.flows.iter().filter(|flow| flow.error.is_none());
    // All begin together: they overlap until the first one ends.
    let shortest = fine().map(|flow| flow.active).min().unwrap_or_default();
    let longest = fine().map(|flow| flow.active).max().unwrap_or_default();
    let claimed: f64 = fine()
        .map(|flow| {
            let rates = figures::rates(request, flow, outcome.window);
            match unit {
                Unit::Trans => rates.transactions_per_second,
                _ => rates.bytes_per_second,
            }
        })
        .map(|per_second| unit.figure(per_second))
        .sum();
    let percent = match longest {
        Nanos::ZERO => 100.0,
        longest => 100.0 * shortest.as_secs_f64() / longest.as_secs_f64(),
    };
    let difference = match sum {
        0.0 => String::new(),
        sum => format!(" ({:+.2} %)", 100.0 * (claimed - sum) / sum),
    };
    format!(
        "all at once for {:.3} s of {:.3} s ({percent:.1} %); each over its own time, as the script \
         sums: {claimed:.2} {}/s{difference}\n",
        shortest.as_secs_f64(),
        longest.as_secs_f64(),
        unit.name(),
    )
}
