//! Simulated counts as the rows that a live host has, so that whoever reads those reads these.

use record::Rows;
use sim::LockRow;
use sim::qdisc::Sent;

/// The simulated device's name.
const DEVICE: &str = "sim0";

/// Rows of a transmit path.
pub(super) fn of_path(out: &Sent) -> Rows {
    let mut rows = Rows::default();
    for row in &out.locks {
        let label = match row.lock.as_str() {
            "root" => format!("{DEVICE} root lock"),
            "busy" => format!("{DEVICE} busylock"),
            "txq" => format!("{DEVICE} transmit lock"),
            other => format!("{DEVICE} {other} lock"),
        };
        lock(&mut rows, &label, row);
    }
    for (index, row) in out.qdiscs.iter().enumerate() {
        let label = match out.qdiscs.len() {
            1 => format!("{DEVICE} root"),
            _ => format!("{DEVICE} 1:{:x}", index + 1),
        };
        for (name, value) in [
            ("packets", row.dequeued + row.bypassed),
            ("drops", row.dropped),
            ("requeues", row.requeued),
            ("backlog_packets", row.backlog),
        ] {
            rows.set("qdisc", &label, name, value);
        }
    }
    rows
}

/// Rows of one lock.
pub(super) fn of_lock(row: &LockRow) -> Rows {
    let mut rows = Rows::default();
    lock(&mut rows, "simulated lock", row);
    rows
}

/// What a tracer of the lock's events counts; all contended waits for a lock without such events.
fn lock(rows: &mut Rows, label: &str, row: &LockRow) {
    let (waits, wait_ns, longest, bars) = match row.visible {
        0 => (
            row.contended,
            row.wait_ns,
            row.wait_max_ns,
            &row.wait_ns_log2,
        ),
        seen => (
            seen,
            row.visible_wait_ns,
            row.visible_wait_max_ns,
            &row.visible_wait_ns_log2,
        ),
    };
    for (name, value) in [
        ("waits", waits),
        ("wait_ns", wait_ns),
        ("longest_ns", longest),
    ] {
        rows.set("lock", label, name, value);
    }
    for bar in bars.iter().filter(|bar| bar.from > 0) {
        let name = format!("waits_from_{}_ns", bar.from);
        rows.set("lock", label, &name, bar.count);
    }
}
