//! What happens next: events with a total order, in a wheel and a heap.

mod heap;
mod wheel;

use crate::picos::Picos;
use heap::Heap;
use wheel::Wheel;

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

/// Events that come soon are in a wheel, where planning and taking one costs the same however many
/// there are; those beyond its horizon are in a heap, all of them later than any in the wheel.
#[derive(Debug, Default)]
pub struct Agenda {
    near: Wheel,
    far: Heap,
    number: u32,
}

impl Agenda {
    /// Plans an event, not before the last that was taken; its number tells it from earlier plans
    /// for the same entity.
    pub fn plan(&mut self, at: Picos, entity: Entity) -> u32 {
        self.number = self.number.wrapping_add(1);
        let event = Event::new(at, entity, self.number);
        if self.near.reaches(event) {
            self.near.put(event);
        } else {
            self.far.put(event);
        }
        self.number
    }

    /// The first event.
    pub fn first(&self) -> Option<Event> {
        self.near.first().or_else(|| self.far.first())
    }

    /// Takes the first event.
    pub fn take(&mut self) -> Option<Event> {
        let first = match self.near.take() {
            Some(event) => event,
            None => self.far.take()?,
        };
        self.near.turn(first);
        while let Some(event) = self.far.first().filter(|event| self.near.reaches(*event)) {
            self.far.take();
            self.near.put(event);
        }
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Spans from within one slot to far beyond the wheel.
    fn spans() -> impl Strategy<Value = u64> {
        prop_oneof![0_u64..20, 0_u64..1 << 20, 0_u64..1 << 28, 0_u64..1 << 40]
    }

    proptest! {
        /// What is planned while others are taken comes where it belongs among them.
        #[test]
        fn events_come_by_time_then_entity_then_number(
            plans in proptest::collection::vec((spans(), 0_usize..4, 0_usize..3), 0..300)
        ) {
            let mut agenda = Agenda::default();
            let mut waiting = std::collections::BTreeSet::new();
            let mut now = 0;
            for (span, id, takes) in plans {
                let number = agenda.plan(Picos::new(now + span), Entity::script(id));
                waiting.insert((now + span, id as u32, number));
                for _ in 0..takes {
                    let expected = waiting.pop_first();
                    let told = |event: Event| (event.at().get(), event.entity().0, event.number());
                    prop_assert_eq!(agenda.first().map(told), expected);
                    prop_assert_eq!(agenda.take().map(told), expected);
                    now = expected.map_or(now, |(at, ..)| at);
                }
            }
        }
    }

    #[test]
    fn entities_keep_their_kind() {
        assert_eq!(Entity::script(5).kind(), Kind::Script(5));
        assert_eq!(Entity::line(5).kind(), Kind::Line(5));
    }
}
