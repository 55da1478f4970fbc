//! What the kernel counts, as rows. A parser takes a text and touches nothing; what it cannot read
//! gives a sentence and no row.

pub(crate) mod cgroup;
pub(crate) mod driver;
pub(crate) mod interrupts;
pub(crate) mod pressure;
pub(crate) mod protocols;
pub(crate) mod queueing;
pub(crate) mod softnet;
pub(crate) mod stat;
pub(crate) mod thread;
pub(crate) mod traffic;

/// Why a text has no rows, as it reads after "reading FILE: ".
pub(crate) type Unreadable = String;

/// The next word of `words` as a number.
fn number(words: &mut std::str::SplitAsciiWhitespace) -> Option<u64> {
    words.next()?.parse().ok()
}
