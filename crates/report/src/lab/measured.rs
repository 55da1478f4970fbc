//! What was measured on this machine.

use sim::Bar;

use super::bar;
use super::contest::nanos;
use super::document::Reading;
use crate::quantity::{number, significant};
use crate::style::{Paint, Style};
use crate::table::{Align, Table};

/// Threads on a real lock.
#[derive(Debug, Clone, Copy)]
pub struct Threads<'a> {
    /// The lock's name.
    pub lock: &'a str,
    /// How many threads.
    pub threads: usize,
    /// On how many CPUs.
    pub cpus: usize,
    /// Critical sections per second.
    pub per_second: f64,
    /// Jain's index.
    pub fairness: Option<f64>,
    /// Waits by powers of two.
    pub waits: &'a [Bar],
    /// The same, simulated: critical sections per second and the platform.
    pub simulated: (f64, &'a str),
}

/// Costs with their spread.
pub fn readings(rows: &[Reading], style: Style) -> String {
    let mut table = Table::new(&[
        ("measured here", Align::Left),
        ("median", Align::Right),
        ("lower quartile", Align::Right),
        ("upper", Align::Right),
        ("n", Align::Right),
        ("", Align::Left),
    ]);
    for row in rows {
        let ns = |value: f64| format!("{} ns", significant(Some(value), 4));
        let modes = row.modes.map(|[low, high]| {
            format!(
                "possibly bimodal: {:.0} ns {} times, {:.0} ns {} times",
                low.0, low.1, high.0, high.1
            )
        });
        table.row([
            row.name.to_owned(),
            ns(row.median),
            ns(row.low),
            ns(row.high),
            row.n.to_string(),
            modes.unwrap_or_default(),
        ]);
    }
    table.render(style)
}

/// Threads on a lock, and the simulated run of the same.
pub fn threads(out: &Threads<'_>, style: Style) -> String {
    let head = format!(
        "measured, {} threads on {} CPUs of this machine, one {} lock: {}/s",
        out.threads,
        out.cpus,
        out.lock,
        significant(Some(out.per_second), 5)
    );
    let mut text = style.paint(Paint::Headline, &head);
    text += &format!("\nfairness {} (Jain)\n", number(out.fairness, 3));
    if out.threads > out.cpus {
        let doubt = "more threads than CPUs: the scheduler was measured, not the lock\n";
        text += &style.paint(Paint::Doubt, doubt);
    }
    text += &format!(
        "simulated, {} CPUs of {}: {}/s\n\nmeasured waits, with two readings of the clock\n",
        out.threads,
        out.simulated.1,
        significant(Some(out.simulated.0), 5)
    );
    let most = out.waits.iter().map(|entry| entry.count).max();
    for entry in out.waits {
        let from = nanos(Some(entry.from as f64));
        let line = format!(
            "{from:>10}.. {:>9} {}",
            entry.count,
            bar(entry.count, most.unwrap_or(1), 50)
        );
        text += line.trim_end();
        text.push('\n');
    }
    text
}
