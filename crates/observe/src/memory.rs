//! Memory of this process.

use crate::tree::{Tree, field, kilobytes};

/// User memory that is the process's own and resident: anonymous pages, without files and shared
/// libraries, bytes. The kernel walks the page tables to tell (/proc/self/smaps_rollup, since
/// Linux 4.14), so it is exact, unlike the batched counters of /proc/self/statm, and not for the
/// hot path.
pub fn resident_user_bytes() -> Option<u64> {
    let rollup = Tree::here().text("proc/self/smaps_rollup")?;
    field(&rollup, "Anonymous").and_then(kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_counts_when_it_is_touched_and_no_more_when_it_is_returned() {
        // More than the allocator keeps: it comes from mmap and goes back on being freed. Other
        // tests of this process touch far less.
        const BIG: usize = 64 << 20;
        let before = resident_user_bytes().unwrap();
        let big = vec![1u8; BIG];
        let with = resident_user_bytes().unwrap();
        drop(std::hint::black_box(big));
        let after = resident_user_bytes().unwrap();
        assert!(with - before > BIG as u64 * 9 / 10, "{before} {with}");
        assert!(with - after > BIG as u64 * 9 / 10, "{with} {after}");
    }
}
