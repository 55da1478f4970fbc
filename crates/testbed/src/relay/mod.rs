//! The cable between two TAP devices, for what the kernel here may lack (netem): delay and loss.
//!
//! One thread carries both directions. It waits for frames and for the instant at which the next
//! is due, nothing else; a frame is handed over no earlier than its arrival plus the delay. Its
//! CPU time is the process's and can be told apart.

mod delay_line;
mod direction;
mod loss;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};

use sys::usage::ThreadClock;
use sys::{Epoll, Events, Readiness, Tap, Wake, clock};
use units::Nanos;

use self::direction::{Direction, Meter};
use self::loss::Loss;

pub use self::direction::Passage;

/// What went through so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RelayCounts {
    /// From the client.
    pub to_server: Passage,
    /// From the server.
    pub to_client: Passage,
}

/// How the cable is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cable {
    /// One way.
    pub delay: Nanos,
    /// Share of the frames that are lost, each way.
    pub loss: f64,
    /// Of both devices.
    pub mtu: u32,
}

impl Cable {
    pub(crate) fn of(link: &plan::Link) -> Self {
        Self {
            delay: link.delay.unwrap_or_default(),
            loss: link.loss.unwrap_or_default(),
            mtu: crate::wire::mtu(link),
        }
    }
}

/// A running relay; dropping it stops it.
#[derive(Debug)]
pub(crate) struct Relay {
    shared: Arc<Shared>,
    clock: Option<ThreadClock>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    stop: Wake,
    stopped: AtomicBool,
    down: AtomicBool,
    /// To the server, to the client.
    meters: [Meter; 2],
}

impl Relay {
    /// Starts the thread between the queues of the client's device and of the server's.
    pub(crate) fn start(client: Vec<Tap>, server: Vec<Tap>, cable: Cable) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            stop: Wake::new()?,
            stopped: AtomicBool::new(false),
            down: AtomicBool::new(false),
            meters: Default::default(),
        });
        let worker = Worker::new([client, server], cable, Arc::clone(&shared))?;
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("relay".into()).spawn(move || {
            sys::thread::exact_timers();
            let _ = tell.send(ThreadClock::of_this_thread().ok());
            worker.run();
        })?;
        Ok(Self {
            shared,
            clock: told.recv().ok().flatten(),
            thread: Some(thread),
        })
    }

    pub(crate) fn counts(&self) -> RelayCounts {
        RelayCounts {
            to_server: self.shared.meters[0].read(),
            to_client: self.shared.meters[1].read(),
        }
    }

    pub(crate) fn cpu(&self) -> Option<Nanos> {
        self.clock?.used()
    }

    pub(crate) fn set_down(&self, down: bool) {
        self.shared.down.store(down, Relaxed);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Relaxed);
        self.shared.stop.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread owns.
struct Worker {
    epoll: Epoll,
    /// Queues of the client's device, of the server's.
    ends: [Vec<Tap>; 2],
    /// From the client, from the server.
    directions: [Direction; 2],
    shared: Arc<Shared>,
}

/// The key of the wish to stop; queue q of end e has the key 2q + e.
const STOP: u64 = u64::MAX;

impl Worker {
    fn new(ends: [Vec<Tap>; 2], cable: Cable, shared: Arc<Shared>) -> io::Result<Self> {
        let epoll = Epoll::new()?;
        // A kernel that cannot wait for nanoseconds shall say so here, not in the thread.
        epoll.wait(&mut Events::with_capacity(1), Some(Nanos::ZERO))?;
        epoll.add(&shared.stop, STOP, Readiness::READ)?;
        for (end, taps) in (0..).zip(&ends) {
            for (queue, tap) in (0..).zip(taps) {
                epoll.add(tap, 2 * queue + end, Readiness::READ)?;
            }
        }
        // The seeds are fixed: the same traffic loses the same frames.
        let directions =
            [1, 2].map(|seed| Direction::new(cable.delay, Loss::new(cable.loss, seed), cable.mtu));
        Ok(Self {
            epoll,
            ends,
            directions,
            shared,
        })
    }

    fn run(mut self) {
        let mut events = Events::with_capacity(64);
        while !self.shared.stopped.load(Relaxed) {
            let due = self.directions.iter().filter_map(Direction::due).min();
            let patience = due.map(|due| due - clock::now());
            if self.epoll.wait(&mut events, patience).is_err() {
                return;
            }
            let down = self.shared.down.load(Relaxed);
            for (key, _) in events.iter().filter(|(key, _)| *key != STOP) {
                let (queue, end) = ((key / 2) as usize, (key % 2) as usize);
                let tap = &self.ends[end][queue];
                self.directions[end].take_in(tap, down, &self.shared.meters[end]);
            }
            for (from, direction) in self.directions.iter_mut().enumerate() {
                // The far end's stack sorts frames by flow itself, so one queue serves.
                direction.release(&self.ends[1 - from][0], &self.shared.meters[from]);
            }
        }
    }
}
