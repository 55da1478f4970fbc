//! Time in which tasks waited for a resource: /proc/pressure, Documentation/accounting/psi.rst.

use record::Rows;

use super::Unreadable;

/// One file; `resource` is its name. `some` is time in which at least one task waited, `full` time
/// in which all did.
pub(crate) fn pressure(resource: &str, text: &str, rows: &mut Rows) -> Result<(), Unreadable> {
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let name = match words.next() {
            Some("some") => "some_us",
            Some("full") => "full_us",
            _ => continue,
        };
        let total = words.find_map(|word| word.strip_prefix("total="));
        if let Some(total) = total.and_then(|total| total.parse().ok()) {
            rows.set("pressure", resource, name, total);
        }
    }
    Ok(())
}
