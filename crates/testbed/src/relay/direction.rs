//! One way through the relay.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use sys::{Tap, clock};
use units::Nanos;

use super::delay_line::DelayLine;
use super::loss::Loss;

/// What went through in one direction so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Passage {
    /// Frames handed over at the other end.
    pub forwarded: u64,
    /// Frames lost on purpose, by chance or while the link was down.
    pub lost: u64,
    /// Frames dropped because too many were on their way, or because the other end's interface
    /// took none.
    pub dropped: u64,
}

/// The same, while it grows: written by the relay's thread alone.
#[derive(Debug, Default)]
pub(super) struct Meter {
    forwarded: AtomicU64,
    lost: AtomicU64,
    dropped: AtomicU64,
}

impl Meter {
    pub(super) fn read(&self) -> Passage {
        Passage {
            forwarded: self.forwarded.load(Relaxed),
            lost: self.lost.load(Relaxed),
            dropped: self.dropped.load(Relaxed),
        }
    }
}

/// A single writer needs no atomic addition.
fn count(counter: &AtomicU64) {
    counter.store(counter.load(Relaxed) + 1, Relaxed);
}

/// Bytes on their way at most: half a second at 1 Gbit/s.
const CAPACITY: usize = 64 << 20;
/// Ethernet's header, with one VLAN tag.
const LINK_HEADER: usize = 18;
/// Frames taken from one queue before others get their turn.
const BATCH: usize = 64;

/// Frames from one end to the other.
#[derive(Debug)]
pub(super) struct Direction {
    line: DelayLine,
    delay: Nanos,
    loss: Loss,
    /// For a frame that is not kept.
    waste: Vec<u8>,
}

impl Direction {
    pub(super) fn new(delay: Nanos, loss: Loss, mtu: u32) -> Self {
        let largest = mtu as usize + LINK_HEADER;
        Self {
            line: DelayLine::new(CAPACITY, largest),
            delay,
            loss,
            waste: vec![0; largest],
        }
    }

    /// Takes in what one queue has, up to a batch.
    pub(super) fn take_in(&mut self, from: &Tap, down: bool, meter: &Meter) {
        for _ in 0..BATCH {
            let (room, full) = match self.line.room() {
                Some(room) => (room, false),
                None => (&mut self.waste[..], true),
            };
            // An error means that the device is gone: then nothing comes any more.
            let Ok(Some(length)) = from.read(room) else {
                return;
            };
            // Every frame draws from the same sequence, whatever else happens to it.
            if self.loss.next() || down {
                count(&meter.lost);
            } else if full {
                count(&meter.dropped);
            } else {
                self.line.push(length, clock::now() + self.delay);
            }
        }
    }

    /// Hands over what is due, up to a batch.
    pub(super) fn release(&mut self, to: &Tap, meter: &Meter) {
        for _ in 0..BATCH {
            match self.line.due() {
                Some(due) if due <= clock::now() => match to.write(self.line.pop()) {
                    Ok(()) => count(&meter.forwarded),
                    Err(_) => count(&meter.dropped),
                },
                _ => return,
            }
        }
    }

    /// When the next frame is due.
    pub(super) fn due(&self) -> Option<Nanos> {
        self.line.due()
    }
}
