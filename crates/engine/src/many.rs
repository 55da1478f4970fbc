//! Drives many flows on one thread by readiness and deadlines.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;

use sys::{Epoll, Events, Readiness, Wake, clock};
use units::Nanos;

use crate::answering::Answering;
use crate::flow::{Room, State};
use crate::orders::{Level, Orders};
use crate::worker::{Ended, Running};

/// Keys of the two descriptors that are not flows.
const ORDERS: u64 = u64::MAX;
const INBOX: u64 = u64::MAX - 1;

/// Events taken in one wait.
const BATCH: usize = 256;

pub(crate) struct Many {
    slots: Vec<Option<Slot>>,
    /// Places of slots that ended, for flows that come later.
    free: Vec<usize>,
    timers: BinaryHeap<Reverse<(Nanos, usize)>>,
    ended: Vec<Ended>,
    orders: Arc<Orders>,
    wake: Arc<Wake>,
    answering: Option<Answering>,
    going: usize,
}

struct Slot {
    running: Running,
    /// What epoll knows: which socket, waiting for what.
    registered: Option<(u32, Readiness)>,
    /// The deadline that stands in the heap for it.
    timer: Option<Nanos>,
}

impl Many {
    pub fn new(
        flows: Vec<Running>,
        orders: Arc<Orders>,
        wake: Arc<Wake>,
        answering: Option<Answering>,
    ) -> Self {
        let going = flows.len();
        let slot = |running| {
            Some(Slot {
                running,
                registered: None,
                timer: None,
            })
        };
        Self {
            slots: flows.into_iter().map(slot).collect(),
            free: Vec::new(),
            timers: BinaryHeap::new(),
            ended: Vec::new(),
            orders,
            wake,
            answering,
            going,
        }
    }

    /// Runs until every flow has ended, or until it is told to finish.
    pub fn run(mut self, room: &mut Room) -> Vec<Ended> {
        if let Err(error) = self.drive(room) {
            // Without readiness no flow can go on; each one says so.
            for at in 0..self.slots.len() {
                let error = io::Error::new(error.kind(), error.to_string());
                self.end(at, crate::flow::Broken::at("waiting for readiness", error));
            }
        }
        for at in 0..self.slots.len() {
            self.end(at, State::Done);
        }
        self.ended
    }

    fn drive(&mut self, room: &mut Room) -> io::Result<()> {
        let epoll = Epoll::new()?;
        epoll.add(&*self.wake, ORDERS, Readiness::READ)?;
        if let Some(answering) = &self.answering {
            epoll.add(&answering.inbox.wake, INBOX, Readiness::READ)?;
        }
        for at in 0..self.slots.len() {
            self.settle(at, &epoll)?;
        }
        let mut events = Events::with_capacity(BATCH);
        let mut stopped = false;
        while self.going > 0 || self.answering.is_some() {
            match self.orders.level() {
                Level::Finish => return Ok(()),
                Level::Stop if !stopped => {
                    stopped = true;
                    self.wake.clear();
                    self.stop_all(&epoll)?;
                    continue;
                }
                _ => (),
            }
            let next = self.timers.peek().map(|Reverse((due, _))| *due);
            epoll.wait(&mut events, next.map(|due| due - clock::now()))?;
            for (key, _) in events.iter() {
                match key {
                    ORDERS => self.wake.clear(),
                    INBOX => self.admit(room, &epoll)?,
                    at => self.advance(at as usize, room, &epoll)?,
                }
            }
            if next.is_some() {
                self.advance_due(clock::now(), room, &epoll)?;
            }
        }
        Ok(())
    }

    fn advance_due(&mut self, now: Nanos, room: &mut Room, epoll: &Epoll) -> io::Result<()> {
        while let Some(Reverse((due, at))) = self.timers.peek().copied().filter(|t| t.0.0 <= now) {
            self.timers.pop();
            // A slot whose deadline has moved since stands elsewhere in the heap as well.
            if let Some(slot) = &mut self.slots[at]
                && slot.timer == Some(due)
            {
                slot.timer = None;
                self.advance(at, room, epoll)?;
            }
        }
        Ok(())
    }

    fn advance(&mut self, at: usize, room: &mut Room, epoll: &Epoll) -> io::Result<()> {
        let Some(slot) = &mut self.slots[at] else {
            return Ok(());
        };
        match slot.running.flow.advance(room) {
            State::Going => self.settle(at, epoll),
            state => {
                self.forget(at, epoll);
                self.end(at, state);
                Ok(())
            }
        }
    }

    /// Brings what epoll and the heap know in line with what the flow wants.
    fn settle(&mut self, at: usize, epoll: &Epoll) -> io::Result<()> {
        let Some(slot) = &mut self.slots[at] else {
            return Ok(());
        };
        let flow = &slot.running.flow;
        let wanted = flow
            .socket()
            .map(|(_, generation)| (generation, flow.interest()));
        if wanted != slot.registered
            && let Some((socket, generation)) = flow.socket()
        {
            let same = slot
                .registered
                .is_some_and(|(before, _)| before == generation);
            let (key, interest) = (at as u64, flow.interest());
            if same {
                epoll.modify(socket, key, interest)?;
            } else {
                match epoll.add(socket, key, interest) {
                    // A listener that a flow comes back to after a connection.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                        epoll.modify(socket, key, interest)?;
                    }
                    other => other?,
                }
            }
        }
        // A socket that is gone was closed, and closing took it out of epoll.
        slot.registered = wanted;
        let due = flow.due();
        if let Some(due) = due
            && slot.timer != Some(due)
        {
            self.timers.push(Reverse((due, at)));
        }
        slot.timer = due;
        Ok(())
    }

    fn stop_all(&mut self, epoll: &Epoll) -> io::Result<()> {
        for at in 0..self.slots.len() {
            let Some(slot) = &mut self.slots[at] else {
                continue;
            };
            match slot.running.flow.stop() {
                State::Going => self.settle(at, epoll)?,
                state => {
                    self.forget(at, epoll);
                    self.end(at, state);
                }
            }
        }
        Ok(())
    }

    fn admit(&mut self, room: &mut Room, epoll: &Epoll) -> io::Result<()> {
        let arrivals = self
            .answering
            .as_ref()
            .map(Answering::arrivals)
            .unwrap_or_default();
        for running in arrivals {
            let slot = Some(Slot {
                running,
                registered: None,
                timer: None,
            });
            let at = self.free.pop().unwrap_or(self.slots.len());
            if at == self.slots.len() {
                self.slots.push(slot);
            } else {
                self.slots[at] = slot;
            }
            self.going += 1;
            // Usually the request is here already.
            self.advance(at, room, epoll)?;
        }
        Ok(())
    }

    /// The socket of an ended flow may stay open for its figures; epoll must not see it again.
    fn forget(&self, at: usize, epoll: &Epoll) {
        if let Some(slot) = &self.slots[at]
            && slot.registered.is_some()
            && let Some((socket, _)) = slot.running.flow.socket()
        {
            let _ = epoll.remove(socket);
        }
    }

    fn end(&mut self, at: usize, state: State) {
        if let Some(slot) = self.slots[at].take() {
            let later = !slot.running.counts && self.answering.is_some();
            let ended = slot.running.end(state, &self.orders);
            self.going -= 1;
            self.free.push(at);
            if !later {
                self.ended.push(ended);
            }
        }
    }
}
