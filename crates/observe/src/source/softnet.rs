//! The receive path of each CPU: /proc/net/softnet_stat, net/core/net-procfs.c.

use record::Rows;

use super::Unreadable;

/// Its columns. Those of four kernel generations: `received_rps` came with 2.6.35, `flow_limited`
/// with 3.11, `backlog` and the CPU's number with 5.10, the two queues with 6.4.
const COLUMNS: [Option<&str>; 15] = [
    Some("processed"),
    Some("dropped"),
    Some("time_squeeze"),
    None,
    None,
    None,
    None,
    None,
    // Always zero since 4.8, when transmit locks stopped being tried.
    None,
    Some("received_rps"),
    Some("flow_limited"),
    Some("backlog"),
    None,
    Some("input_queue"),
    Some("process_queue"),
];
/// The CPU's number.
const CPU: usize = 12;

/// Lines without the CPU's number are of the CPUs that are online, in order.
pub(crate) fn softnet(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    for (position, line) in text.lines().enumerate() {
        let words = line.split_ascii_whitespace();
        let columns = words.map(|word| u64::from_str_radix(word, 16));
        let columns = columns
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| format!("line {} is not of hexadecimal numbers", position + 1))?;
        let cpu = columns.get(CPU).copied().unwrap_or(position as u64);
        let label = format!("cpu{cpu}");
        for (name, value) in COLUMNS.iter().zip(columns) {
            if let Some(name) = name {
                rows.set("softnet", &label, name, value);
            }
        }
    }
    Ok(())
}
