//! CPUs on one lock.

use sim::{Contested, LockRow};

use super::bar;
use crate::quantity::{number, or_dash, percent, significant};
use crate::style::{Paint, Style};
use crate::table::{Align, Table};

/// What came of a contest.
pub fn contest(title: &str, out: &Contested, style: Style) -> String {
    let head = format!("{title}: {}/s", significant(Some(out.per_second), 5));
    let lines = format!(
        "fairness {} (Jain), {} line operations and {} transfers for each section, trace {}",
        number(out.fairness, 3),
        number(Some(out.line_operations), 1),
        number(Some(out.transfers.iter().sum()), 1),
        out.trace,
    );
    let locks = locks(std::slice::from_ref(&out.lock), style);
    let waits = waits(&out.lock);
    format!(
        "{}\n{lines}\n\n{locks}\n{waits}",
        style.paint(Paint::Headline, &head)
    )
}

/// Rows of locks.
pub(super) fn locks(rows: &[LockRow], style: Style) -> String {
    let mut table = Table::new(&[
        ("lock", Align::Left),
        ("taken", Align::Right),
        ("contended", Align::Right),
        ("visible", Align::Right),
        ("mean wait", Align::Right),
        ("max wait", Align::Right),
        ("mean hold", Align::Right),
        ("mean handoff", Align::Right),
        ("waiters", Align::Right),
    ]);
    for row in rows.iter().filter(|row| row.acquisitions > 0) {
        let share = |count: u64| percent(Some(count as f64 / row.acquisitions as f64));
        table.row([
            row.lock.clone(),
            row.acquisitions.to_string(),
            share(row.contended),
            share(row.visible),
            nanos(row.wait_mean_ns),
            nanos(Some(row.wait_max_ns as f64)),
            nanos(row.hold_mean_ns),
            nanos(row.handoff_mean_ns),
            number(row.waiters_mean, 2),
        ]);
    }
    table.render(style)
}

fn waits(row: &LockRow) -> String {
    let most = row.wait_ns_log2.iter().map(|bar| bar.count).max();
    let mut text = format!("waits for {}\n", row.lock);
    for entry in &row.wait_ns_log2 {
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

/// A mean time.
pub(super) fn nanos(value: Option<f64>) -> String {
    or_dash(value, |ns| match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    })
}
