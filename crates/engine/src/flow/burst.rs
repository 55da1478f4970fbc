//! Sending in bursts at equal distances.

use sys::clock;
use units::Nanos;

/// So many at once, so often.
#[derive(Debug, Clone)]
pub(crate) struct Burst {
    pub size: u32,
    pub interval: Nanos,
    /// Left of the burst at hand.
    pub left: u32,
    /// When the next burst is due.
    pub next: Nanos,
}

impl Burst {
    /// When the next message may go; none when it may go now.
    pub fn due(&self) -> Option<Nanos> {
        (self.left == 0).then_some(self.next)
    }

    /// A message has gone.
    pub fn sent(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Whether a message may go now.
    pub fn opens(&mut self) -> bool {
        self.left > 0 || self.opens_at(clock::now())
    }

    /// Whether a message may go at `now`.
    pub fn opens_at(&mut self, now: Nanos) -> bool {
        if self.left > 0 {
            return true;
        }
        if now < self.next {
            return false;
        }
        self.left = self.size;
        // Bursts that were missed are not made up for.
        self.next = (self.next + self.interval).max(now);
        true
    }
}
