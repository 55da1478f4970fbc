//! Interfaces of the network namespace: /proc/net/dev.

use record::Rows;

use super::Unreadable;

/// The columns of net/core/net-procfs.c.
const COLUMNS: [&str; 16] = [
    "rx_bytes",
    "rx_packets",
    "rx_errors",
    "rx_dropped",
    "rx_fifo",
    "rx_frame",
    "rx_compressed",
    "rx_multicast",
    "tx_bytes",
    "tx_packets",
    "tx_errors",
    "tx_dropped",
    "tx_fifo",
    "tx_collisions",
    "tx_carrier",
    "tx_compressed",
];

/// Source `interface`.
pub(crate) fn interfaces(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    // A name may hold a colon, the numbers do not.
    let lines = text.lines().filter_map(|line| line.rsplit_once(':'));
    for (interface, counts) in lines {
        for (name, count) in COLUMNS.into_iter().zip(counts.split_ascii_whitespace()) {
            let count = count
                .parse()
                .map_err(|_| format!("{name} of {} is not a number", interface.trim()))?;
            rows.set("interface", interface.trim(), name, count);
        }
    }
    Ok(())
}
