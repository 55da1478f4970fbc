//! Interrupts by line and CPU, soft interrupts by kind and CPU. A CPU on which a line never fired
//! has no row.

use record::Rows;

use super::Unreadable;

/// /proc/interrupts: the label is the line, with what it belongs to where it is a device's.
pub(crate) fn interrupts(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    table(text, |line, key, cells| {
        let numbered = key.bytes().all(|b| b.is_ascii_digit());
        let owner = action(line).filter(|_| numbered);
        let label = owner.map_or_else(|| key.to_owned(), |owner| format!("{key} {owner}"));
        for (cpu, count) in cells {
            rows.set("interrupts", &label, cpu, *count);
        }
    })
}

/// /proc/softirqs.
pub(crate) fn softirqs(text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    table(text, |_, key, cells| {
        for (cpu, count) in cells {
            rows.set("softirqs", key, cpu, *count);
        }
    })
}

/// Calls `row` with each line, its key and its cells that are not zero. A line with a single cell
/// in a table of several CPUs is not of a CPU but of `all`.
fn table(text: &str, mut row: impl FnMut(&str, &str, &[(&str, u64)])) -> Result<(), Unreadable> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default().to_ascii_lowercase();
    let cpus: Vec<&str> = header.split_ascii_whitespace().collect();
    if cpus.is_empty() || cpus.iter().any(|cpu| !cpu.starts_with("cpu")) {
        return Err("its first line names no CPUs".to_owned());
    }
    let mut cells = Vec::with_capacity(cpus.len());
    for line in lines {
        let Some((key, rest)) = line.split_once(':') else {
            continue;
        };
        cells.clear();
        let words = rest.split_ascii_whitespace();
        let counts = words.map_while(|word| word.parse::<u64>().ok());
        cells.extend(cpus.iter().copied().zip(counts));
        if let ([(cpu, _)], true) = (cells.as_mut_slice(), cpus.len() > 1) {
            *cpu = "all";
        }
        cells.retain(|(_, count)| *count > 0);
        row(rest, key.trim(), &cells);
    }
    Ok(())
}

/// Who handles the line: its last column, which stands apart by two blanks; none where the last
/// column is that of the controller (`5-edge`).
fn action(line: &str) -> Option<&str> {
    let (_, last) = line.trim_end().rsplit_once("  ")?;
    let last = last.trim();
    let kind = last.rsplit_once('-').map_or(last, |(_, kind)| kind);
    let of_controller = ["edge", "level", "fasteoi", "Edge", "Level"].contains(&kind);
    (!of_controller && !last.is_empty() && last.parse::<u64>().is_err()).then_some(last)
}
