//! Events that come soon: a wheel of slots, each a short list in order (a calendar queue of one
//! fixed width: Brown, Communications of the ACM 31, 1988).

use super::Event;

/// A slot is 2^15 ps, 33 ns: about what two events of a busy machine are apart.
const WIDTH_BITS: u32 = 15;
/// 134 us: longer than what a lock's waiters pause, shorter than what timers are set for.
const SLOTS: u64 = 4096;
const WORD: usize = 64;

#[derive(Debug)]
pub(super) struct Wheel {
    /// The first of each slot's list in `links`.
    heads: Box<[u32; SLOTS as usize]>,
    links: Vec<Link>,
    /// The first of the links that hold no event.
    free: u32,
    /// A bit for each slot that has events, and a bit for each word of these that is not zero.
    slots: [u64; SLOTS as usize / WORD],
    words: u64,
    /// Number of the slot that the last event was taken from, counted from the start of time.
    turned: u64,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    event: Event,
    next: u32,
}

const END: u32 = u32::MAX;

impl Default for Wheel {
    fn default() -> Self {
        Self {
            heads: Box::new([END; SLOTS as usize]),
            links: Vec::new(),
            free: END,
            slots: [0; SLOTS as usize / WORD],
            words: 0,
            turned: 0,
        }
    }
}

fn slot(event: Event) -> u64 {
    event.at().get() >> WIDTH_BITS
}

fn index(slot: u64) -> usize {
    (slot % SLOTS) as usize
}

impl Wheel {
    /// Whether the event is near enough.
    pub fn reaches(&self, event: Event) -> bool {
        slot(event) - self.turned < SLOTS
    }

    /// Puts in an event that is.
    pub fn put(&mut self, event: Event) {
        let at = index(slot(event));
        let mut before = END;
        let mut next = self.heads[at];
        while next != END && self.links[next as usize].event < event {
            before = next;
            next = self.links[next as usize].next;
        }
        let link = Link { event, next };
        let new = match self.free {
            END => {
                self.links.push(link);
                self.links.len() as u32 - 1
            }
            free => {
                self.free = std::mem::replace(&mut self.links[free as usize], link).next;
                free
            }
        };
        match before {
            END => self.heads[at] = new,
            before => self.links[before as usize].next = new,
        }
        self.slots[at / WORD] |= 1 << (at % WORD);
        self.words |= 1 << (at / WORD);
    }

    pub fn first(&self) -> Option<Event> {
        let at = self.occupied()?;
        Some(self.links[self.heads[at] as usize].event)
    }

    pub fn take(&mut self) -> Option<Event> {
        let at = self.occupied()?;
        let head = self.heads[at];
        let Link { event, next } = self.links[head as usize];
        self.links[head as usize].next = self.free;
        self.free = head;
        self.heads[at] = next;
        if next == END {
            self.slots[at / WORD] &= !(1 << (at % WORD));
            if self.slots[at / WORD] == 0 {
                self.words &= !(1 << (at / WORD));
            }
        }
        Some(event)
    }

    /// An event was taken: nothing before it will be planned.
    pub fn turn(&mut self, event: Event) {
        self.turned = slot(event);
    }

    /// The first slot with events, in the order of time.
    fn occupied(&self) -> Option<usize> {
        let at = index(self.turned);
        let word = at / WORD;
        let rest = self.slots[word] >> (at % WORD);
        if rest != 0 {
            return Some(at + rest.trailing_zeros() as usize);
        }
        // From the next word on and around to this one, whose lower slots come last.
        let others = self.words.rotate_right(word as u32 + 1);
        let word = match others {
            0 => return None,
            others => (word + 1 + others.trailing_zeros() as usize) % WORD,
        };
        Some(word * WORD + self.slots[word].trailing_zeros() as usize)
    }
}
