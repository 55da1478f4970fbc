//! Frames on their way.

use units::Nanos;

/// Frames in the order in which they came, each with the instant at which it is due, in memory
/// that is taken once. Frames are stored one after the other, so small ones take little room; a
/// frame is never split over the end.
#[derive(Debug)]
pub(super) struct DelayLine {
    memory: Box<[u8]>,
    /// The largest frame.
    largest: usize,
    /// Where the oldest frame begins.
    head: usize,
    /// Where the next frame goes.
    tail: usize,
    /// Where the frames end before they go on at the beginning; none while they do not.
    turn: Option<usize>,
    frames: usize,
}

/// Before each frame: its due time and its length.
const HEADER: usize = 16;

impl DelayLine {
    /// At most `capacity` bytes of frames and headers, frames of up to `largest` bytes. Memory is
    /// used only as far as it has been filled once.
    pub(super) fn new(capacity: usize, largest: usize) -> Self {
        Self {
            memory: vec![0; capacity.max(HEADER + largest)].into_boxed_slice(),
            largest,
            head: 0,
            tail: 0,
            turn: None,
            frames: 0,
        }
    }

    /// Where the next frame may be written, with room for the largest; none when the line is
    /// full.
    pub(super) fn room(&mut self) -> Option<&mut [u8]> {
        if self.frames == 0 {
            // Begin again at the front: it is in the cache, and the rest stays untouched.
            (self.head, self.tail, self.turn) = (0, 0, None);
        }
        let needed = HEADER + self.largest;
        if self.turn.is_none() && self.memory.len() - self.tail < needed {
            if self.head < needed {
                return None;
            }
            self.turn = Some(self.tail);
            self.tail = 0;
        }
        let end = match self.turn {
            None => self.memory.len(),
            Some(_) => self.head,
        };
        if end - self.tail < needed {
            return None;
        }
        let from = self.tail + HEADER;
        Some(&mut self.memory[from..from + self.largest])
    }

    /// Adds the frame that was written into the first `length` bytes of [`room`](Self::room).
    pub(super) fn push(&mut self, length: usize, due: Nanos) {
        let at = self.tail;
        self.memory[at..at + 8].copy_from_slice(&due.get().to_ne_bytes());
        self.memory[at + 8..at + HEADER].copy_from_slice(&length.to_ne_bytes());
        self.tail = at + HEADER + length;
        self.frames += 1;
    }

    /// When the oldest frame is due.
    pub(super) fn due(&self) -> Option<Nanos> {
        (self.frames > 0).then(|| Nanos::new(u64::from_ne_bytes(self.word(self.head))))
    }

    /// Takes the oldest frame out. Only when there is one.
    pub(super) fn pop(&mut self) -> &[u8] {
        let from = self.head + HEADER;
        let to = from + usize::from_ne_bytes(self.word(self.head + 8));
        self.frames -= 1;
        self.head = to;
        if self.turn == Some(to) {
            self.turn = None;
            self.head = 0;
        }
        &self.memory[from..to]
    }

    fn word(&self, at: usize) -> [u8; 8] {
        let mut word = [0; 8];
        word.copy_from_slice(&self.memory[at..at + 8]);
        word
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a plain queue, through many turns of a small line.
        #[test]
        fn frames_come_out_as_they_went_in(
            capacity in 0usize..600,
            steps in prop::collection::vec(prop::option::of((0usize..=100, any::<u8>())), 0..400),
        ) {
            let mut line = DelayLine::new(capacity, 100);
            let mut model = VecDeque::new();
            for (i, step) in steps.into_iter().enumerate() {
                match step {
                    Some((length, fill)) => {
                        let Some(room) = line.room() else {
                            // Never full while empty, and never without reason: at most two of
                            // the largest frames' room is lost to the turn.
                            let held: usize = model.iter().map(|(_, f): &(u64, Vec<u8>)| HEADER + f.len()).sum();
                            prop_assert!(held > 0 && held + 2 * (HEADER + 100) > capacity);
                            continue;
                        };
                        room[..length].fill(fill);
                        line.push(length, Nanos::new(i as u64));
                        model.push_back((i as u64, vec![fill; length]));
                    }
                    None => {
                        let expected = model.pop_front();
                        prop_assert_eq!(line.due().map(Nanos::get), expected.as_ref().map(|(due, _)| *due));
                        if let Some((_, frame)) = expected {
                            prop_assert_eq!(line.pop(), &frame[..]);
                        }
                    }
                }
            }
        }
    }
}
