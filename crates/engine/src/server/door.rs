//! How the acceptor hands a test's connections to the test: by its token.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plan::{Kind, Plan};
use proto::native::{Claim, Token};
use sys::Wake;

use crate::inbox::Inbox;

/// All tests of a server.
#[derive(Default)]
pub(super) struct Doors {
    by_token: Mutex<HashMap<Token, Arc<Door>>>,
    /// Told when the server ends, by the number of the session.
    sessions: Mutex<HashMap<u64, Arc<Wake>>>,
    number: AtomicU64,
    running: AtomicU32,
    ending: AtomicBool,
}

/// One test's entrance.
pub(super) struct Door {
    /// Flows per load, and whether its connections come during the run.
    loads: Vec<(u32, bool)>,
    claimed: Mutex<HashSet<(u16, u32)>>,
    arrived: Mutex<Vec<(Claim, OwnedFd)>>,
    inboxes: Mutex<HashMap<u16, Vec<Arc<Inbox>>>>,
    wake: Arc<Wake>,
}

/// A place among the running tests, given back when dropped.
pub(super) struct Place {
    doors: Arc<Doors>,
    pub number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.doors.sessions).remove(&self.number);
        self.doors.running.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Doors {
    /// A place for one more test, if there are less than `most`.
    pub fn enter(self: &Arc<Self>, most: u32, wake: Arc<Wake>) -> Option<Place> {
        let taken = self
            .running
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |running| {
                (running < most).then_some(running + 1)
            });
        taken.ok()?;
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        lock(&self.sessions).insert(number, wake);
        Some(Place {
            doors: self.clone(),
            number,
        })
    }

    /// Opens a door for `plan`; it closes with [`Doors::close`].
    pub fn open(&self, token: Token, plan: &Plan, wake: Arc<Wake>) -> Arc<Door> {
        let loads = plan
            .loads
            .iter()
            .map(|load| (load.flows.get(), load.kind == Kind::Crr));
        let door = Arc::new(Door {
            loads: loads.collect(),
            claimed: Mutex::default(),
            arrived: Mutex::default(),
            inboxes: Mutex::default(),
            wake,
        });
        lock(&self.by_token).insert(token, door.clone());
        door
    }

    pub fn close(&self, token: &Token) {
        lock(&self.by_token).remove(token);
    }

    /// The door that a flow asks for, if the claim fits the test's plan.
    pub fn find(&self, claim: &Claim) -> Option<Arc<Door>> {
        let door = lock(&self.by_token).get(&claim.token)?.clone();
        let (flows, _) = *door.loads.get(usize::from(claim.load))?;
        (claim.flow < flows).then_some(door)
    }

    /// Tells every session that the server ends.
    pub fn end(&self) {
        self.ending.store(true, Ordering::Release);
        for wake in lock(&self.sessions).values() {
            wake.wake();
        }
    }

    pub fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }
}

impl Door {
    /// Takes the flow for the caller, once: a second claim of the same flow is refused, so that
    /// nobody can put a socket in another's place.
    pub fn claim(&self, claim: &Claim) -> bool {
        let during_run = self
            .loads
            .get(usize::from(claim.load))
            .is_some_and(|load| load.1);
        during_run || lock(&self.claimed).insert((claim.load, claim.flow))
    }

    /// Brings a connection in.
    pub fn bring(&self, claim: Claim, socket: OwnedFd) {
        let inboxes = lock(&self.inboxes);
        if self.loads[usize::from(claim.load)].1 {
            // Before the run begins nobody answers: the connection is dropped.
            if let Some(inboxes) = inboxes
                .get(&claim.load)
                .filter(|inboxes| !inboxes.is_empty())
            {
                inboxes[claim.flow as usize % inboxes.len()].put(claim.flow, socket);
            }
            return;
        }
        drop(inboxes);
        lock(&self.arrived).push((claim, socket));
        self.wake.wake();
    }

    /// The connections that came since the last call.
    pub fn take(&self) -> Vec<(Claim, OwnedFd)> {
        std::mem::take(&mut *lock(&self.arrived))
    }

    /// From now on connections of load `load` go straight to its workers.
    pub fn connect(&self, load: u16, inboxes: Vec<Arc<Inbox>>) {
        lock(&self.inboxes).insert(load, inboxes);
    }

    /// Flows that must arrive before the run can start.
    pub fn expected(&self) -> usize {
        self.loads
            .iter()
            .filter(|(_, during_run)| !during_run)
            .map(|(flows, _)| *flows as usize)
            .sum()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
