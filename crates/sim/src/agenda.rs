//! What happens next: a heap of events with a total order.

use crate::picos::Picos;

/// Who an event is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entity(u32);

/// The two kinds of entity that wait for time to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A script: a CPU, or a device.
    Script(usize),
    /// A cache line that finishes a transfer.
    Line(usize),
}

impl Entity {
    const LINE: u32 = 1 << 31;

    /// A script.
    pub fn script(id: usize) -> Self {
        Self(id as u32)
    }

    /// A cache line.
    pub fn line(id: usize) -> Self {
        Self(id as u32 | Self::LINE)
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        match self.0 & Self::LINE {
            0 => Kind::Script(self.0 as usize),
            _ => Kind::Line((self.0 & !Self::LINE) as usize),
        }
    }
}

/// An event: when, for whom, and its number, in one word whose order is the order of events.
/// Equal times go by entity, then by number, so the order never depends on the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event(u128);

impl Event {
    fn new(at: Picos, entity: Entity, number: u32) -> Self {
        Self(u128::from(at.get()) << 64 | u128::from(entity.0) << 32 | u128::from(number))
    }

    /// When.
    pub fn at(self) -> Picos {
        Picos::new((self.0 >> 64) as u64)
    }

    /// For whom.
    pub fn entity(self) -> Entity {
        Entity((self.0 >> 32) as u32)
    }

    /// Its number.
    pub fn number(self) -> u32 {
        self.0 as u32
    }
}

/// A heap with four children a node: half the levels of a binary one, and the children of a node
/// share a cache line. Nothing is allocated once it has its size.
#[derive(Debug, Default)]
pub struct Agenda {
    heap: Vec<Event>,
    number: u32,
}

const CHILDREN: usize = 4;

impl Agenda {
    /// Plans an event; its number tells it from earlier plans for the same entity.
    pub fn plan(&mut self, at: Picos, entity: Entity) -> u32 {
        self.number = self.number.wrapping_add(1);
        let event = Event::new(at, entity, self.number);
        let mut hole = self.heap.len();
        self.heap.push(event);
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if self.heap[parent] <= event {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = event;
        self.number
    }

    /// The first event.
    pub fn first(&self) -> Option<Event> {
        self.heap.first().copied()
    }

    /// Takes the first event.
    pub fn take(&mut self) -> Option<Event> {
        let first = *self.heap.first()?;
        let last = self.heap.pop()?;
        let length = self.heap.len();
        if length == 0 {
            return Some(first);
        }
        let mut hole = 0;
        loop {
            let children = hole * CHILDREN + 1;
            if children >= length {
                break;
            }
            let end = (children + CHILDREN).min(length);
            let mut least = children;
            for child in children + 1..end {
                if self.heap[child] < self.heap[least] {
                    least = child;
                }
            }
            if last <= self.heap[least] {
                break;
            }
            self.heap[hole] = self.heap[least];
            hole = least;
        }
        self.heap[hole] = last;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn events_come_by_time_then_entity_then_number(plans in proptest::collection::vec((0_u64..20, 0_usize..4), 0..200)) {
            let mut agenda = Agenda::default();
            let mut expected = Vec::new();
            for (at, id) in plans {
                let number = agenda.plan(Picos::new(at), Entity::script(id));
                expected.push((at, id as u32, number));
            }
            expected.sort_unstable();
            let mut taken = Vec::new();
            while let Some(event) = agenda.take() {
                taken.push((event.at().get(), event.entity().0, event.number()));
            }
            prop_assert_eq!(taken, expected);
        }
    }

    #[test]
    fn entities_keep_their_kind() {
        assert_eq!(Entity::script(5).kind(), Kind::Script(5));
        assert_eq!(Entity::line(5).kind(), Kind::Line(5));
    }
}
