//! A host as it works, a line an interval, like vmstat's with the network beside it.

use record::{Rows, Watched};

use crate::json;
use crate::quantity::{NONE, or_dash, rate};

/// Columns and their widths.
const COLUMNS: [(&str, usize); 17] = [
    ("us", 3),
    ("sy", 3),
    ("si", 3),
    ("ir", 3),
    ("st", 3),
    ("id", 3),
    ("r", 3),
    ("in/s", 7),
    ("cs/s", 7),
    ("rx", 14),
    ("tx", 14),
    ("rx pkt/s", 9),
    ("tx pkt/s", 9),
    ("drops", 6),
    ("squeezes", 8),
    ("retrans", 7),
    ("throttled", 9),
];

/// The head of the lines, with its newline.
pub fn watch_header() -> String {
    line(COLUMNS.map(|(name, _)| name.to_owned()))
}

/// One interval, with its newline. The interfaces are added up, without the loopback unless
/// `device` names it.
pub fn watch_line(watched: &Watched, device: Option<&str>) -> String {
    let rows = &watched.counted;
    let cpu = |names: &[&str]| {
        let sum = |names: &[&str]| {
            let each = names.iter().map(|name| rows.sum("cpu", name));
            each.flatten().reduce(u64::saturating_add)
        };
        // Guest time is contained in user and nice.
        let all = sum(&[
            "user_ns",
            "nice_ns",
            "system_ns",
            "idle_ns",
            "iowait_ns",
            "irq_ns",
            "softirq_ns",
            "steal_ns",
        ])?;
        let part = sum(names)?;
        (all > 0).then(|| format!("{:.0}", 100.0 * part as f64 / all as f64))
    };
    let per_second = |value: Option<u64>| value.map(|value| value as f64 / watched.seconds);
    let frequency = |value: Option<u64>| or_dash(per_second(value), |n| format!("{n:.0}"));
    let host = |name: &str| rows.get("host", "all", name);
    let traffic = |name: &str| of_interfaces(rows, device, name);
    let bits = |bytes: Option<u64>| rate(per_second(bytes).map(|bytes| 8.0 * bytes));
    let count = |value: Option<u64>| or_dash(value, |n| n.to_string());
    let share = |part: Option<String>| part.unwrap_or_else(|| NONE.to_owned());
    line([
        share(cpu(&["user_ns", "nice_ns"])),
        share(cpu(&["system_ns"])),
        share(cpu(&["softirq_ns"])),
        share(cpu(&["irq_ns"])),
        share(cpu(&["steal_ns"])),
        share(cpu(&["idle_ns", "iowait_ns"])),
        count(watched.gauges.get("host", "all", "runnable")),
        frequency(host("interrupts")),
        frequency(host("context_switches")),
        bits(traffic("rx_bytes")),
        bits(traffic("tx_bytes")),
        frequency(traffic("rx_packets")),
        frequency(traffic("tx_packets")),
        count(drops(rows, device)),
        count(rows.sum("softnet", "time_squeeze")),
        count(rows.get("snmp", "Tcp", "RetransSegs")),
        or_dash(rows.sum("cgroup", "throttled_us"), |us| {
            format!("{:.0} ms", us as f64 / 1e3)
        }),
    ])
}

/// The same as one JSON document on a line.
pub fn watch_json(watched: &Watched) -> String {
    json::line(watched)
}

/// On interfaces, in qdiscs, and between driver and protocols.
fn drops(rows: &Rows, device: Option<&str>) -> Option<u64> {
    [
        of_interfaces(rows, device, "rx_dropped"),
        of_interfaces(rows, device, "tx_dropped"),
        rows.sum("qdisc", "drops"),
        rows.sum("softnet", "dropped"),
    ]
    .into_iter()
    .flatten()
    .reduce(u64::saturating_add)
}

fn of_interfaces(rows: &Rows, device: Option<&str>, name: &str) -> Option<u64> {
    let wanted = |label: &&str| device.map_or(*label != "lo", |device| *label == device);
    let counts = rows
        .labels("interface")
        .filter(wanted)
        .map(|label| rows.get("interface", label, name));
    counts.flatten().reduce(u64::saturating_add)
}

fn line(cells: [String; COLUMNS.len()]) -> String {
    let cells = cells.iter().zip(COLUMNS);
    let cells = cells.map(|(cell, (_, width))| format!("{cell:>width$}"));
    cells.collect::<Vec<_>>().join(" ").trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_rates_are_of_the_interval() {
        let mut counted = Rows::default();
        for (name, value) in [("user_ns", 250), ("softirq_ns", 250), ("idle_ns", 500)] {
            counted.set("cpu", "cpu0", name, value * 1_000_000);
        }
        counted.set("host", "all", "context_switches", 300);
        for (interface, bytes) in [("eth0", 250_000), ("lo", 9_000_000)] {
            counted.set("interface", interface, "rx_bytes", bytes);
            counted.set("interface", interface, "rx_dropped", 2);
        }
        counted.set("softnet", "cpu0", "dropped", 5);
        let watched = Watched {
            seconds: 2.0,
            counted,
            ..Watched::default()
        };
        let line = watch_line(&watched, None);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        assert_eq!(words[..6], ["25", "-", "25", "-", "-", "50"], "{line}");
        assert_eq!(words[8], "150", "{line}");
        assert_eq!(words[9..11], ["1.00", "Mbit/s"], "{line}");
        assert!(line.contains("      7        -"), "{line}");
        let of_loopback = watch_line(&watched, Some("lo"));
        assert!(of_loopback.contains("36.00 Mbit/s"), "{of_loopback}");
        assert_eq!(watch_header().lines().count(), 1);
    }
}
