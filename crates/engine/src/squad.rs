//! Flows that are already made, on threads: the crew of a dialect that knows no plan.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;

use sys::{Wait, Wake, thread};
use units::Nanos;

use crate::buffer::{Buffer, Placement};
use crate::flow::{Flow, Room};
use crate::many::Many;
use crate::orders::{Level, Orders};
use crate::worker::{Ended, Running, alone};

/// Stack of a worker: it holds no buffers, those are on the heap.
const STACK: usize = 256 << 10;

/// Workers and what the coordinator tells them.
pub(crate) struct Squad {
    orders: Arc<Orders>,
    hands: Vec<Hand>,
    /// Threads stay when their flows have ended.
    stays: bool,
}

struct Hand {
    thread: Option<JoinHandle<()>>,
    /// How its flows ended; it comes once.
    ended: mpsc::Receiver<Vec<Ended>>,
    wake: Arc<Wake>,
    alone: Option<Single>,
}

/// A flow that may have its thread for itself and make blocking calls.
#[derive(Clone)]
pub(crate) struct Single {
    pub socket: Arc<OwnedFd>,
    /// Shutting the sending side is how it stops. A datagram socket that is shut could not send
    /// its last words.
    pub shut_to_stop: bool,
}

/// A worker's flows.
pub(crate) struct Watch {
    pub name: String,
    pub flows: Vec<Member>,
    pub payload: Vec<u8>,
    /// Bytes of room for what is received.
    pub sink: usize,
    pub cpu: Option<u16>,
    /// When to begin.
    pub start: Nanos,
}

/// A flow of a worker.
pub(crate) struct Member {
    pub flow: Box<dyn Flow>,
    /// Whether it is one that starts things: it ends when the squad is stopped.
    pub active: bool,
    /// How to drive it alone; none for flows that wait for readiness.
    pub single: Option<Single>,
}

impl Squad {
    /// Nobody yet. `coordinator` is woken when the last active or the last passive flow ends.
    pub fn new(coordinator: Arc<Wake>) -> Self {
        Self {
            orders: Arc::new(Orders::new(coordinator)),
            hands: Vec::new(),
            stays: false,
        }
    }

    /// The same; threads whose flows have ended stay until [`finish`](Self::finish) or the squad's
    /// end, so that what the kernel counted of them can still be read.
    pub fn that_stays(coordinator: Arc<Wake>) -> Self {
        let mut squad = Self::new(coordinator);
        squad.stays = true;
        squad
    }

    /// Puts a worker to work. A CPU that this machine does not have is no error.
    ///
    /// # Errors
    /// When there is no thread or no descriptor for it.
    pub fn start(&mut self, watch: Watch) -> io::Result<()> {
        self.begin(watch, Default::default(), &[])
    }

    /// The same; `places` are where what is sent and what is received begin in memory.
    ///
    /// # Errors
    /// The same.
    pub fn start_placed(&mut self, watch: Watch, places: (Placement, Placement)) -> io::Result<()> {
        self.begin(watch, places, &[])
    }

    /// The same as [`Self::start`]; the flows are called by these numbers, and not from 0.
    ///
    /// # Errors
    /// The same.
    pub fn start_numbered(&mut self, watch: Watch, numbers: &[u32]) -> io::Result<()> {
        self.begin(watch, Default::default(), numbers)
    }

    fn begin(
        &mut self,
        watch: Watch,
        places: (Placement, Placement),
        numbers: &[u32],
    ) -> io::Result<()> {
        let Watch {
            name,
            flows,
            payload,
            sink,
            cpu,
            start,
        } = watch;
        let active = flows.iter().filter(|member| member.active).count();
        self.orders.expect(active, flows.len() - active);
        let single = match flows.as_slice() {
            [only] => only.single.clone(),
            _ => None,
        };
        if let Some(single) = &single {
            sys::set_blocking(&*single.socket, true)?;
        }
        let blocks = single.is_some();
        let wake = Arc::new(Wake::new()?);
        let (orders, told) = (self.orders.clone(), wake.clone());
        let mut flows: Vec<Running> = flows
            .into_iter()
            .enumerate()
            .map(|(number, member)| Running {
                load: 0,
                number: numbers.get(number).copied().unwrap_or(number as u32),
                counts: true,
                active: member.active,
                flow: member.flow,
            })
            .collect();
        let stays = self.stays;
        let (ready, is_ready) = mpsc::sync_channel(1);
        let (tell_ended, ended) = mpsc::sync_channel(1);
        let thread = std::thread::Builder::new().name(name).stack_size(STACK);
        let thread = thread.spawn(move || {
            thread::exact_timers();
            if let Some(cpu) = cpu {
                // As netperf does: a CPU that is not there is silently another one.
                let _ = thread::pin(cpu);
            }
            let mut room = Room {
                payload: Buffer::placed(&payload, places.0),
                sink: Buffer::placed(&vec![0; sink], places.1),
                wait: Wait::Never,
            };
            let _ = ready.send(());
            orders.wait_until(start);
            let only = if blocks { flows.pop() } else { None };
            let all = match only {
                Some(only) => {
                    room.wait = Wait::Block;
                    vec![alone(only, &orders, &mut room)]
                }
                None => Many::new(flows, orders.clone(), told, None).run(&mut room),
            };
            // Nobody wants to know where the squad is gone already.
            let _ = tell_ended.send(all);
            drop(tell_ended);
            if stays {
                orders.wait_for_release();
            }
        })?;
        // Ready before the start, which another thread may be about to announce.
        let _ = is_ready.recv();
        self.hands.push(Hand {
            thread: Some(thread),
            ended,
            wake,
            alone: single,
        });
        Ok(())
    }

    /// Ends what this end starts.
    pub fn stop(&self) {
        self.orders.raise(Level::Stop);
        for hand in &self.hands {
            hand.wake.wake();
            if let Some(single) = hand.alone.as_ref().filter(|single| single.shut_to_stop) {
                sys::shut_sending(&*single.socket);
            }
        }
    }

    /// Flows that go on.
    pub fn left(&self) -> usize {
        self.orders.active_left() + self.orders.passive_left()
    }

    /// Ends every flow and gives how each ended, once. Threads that stay are still there; sockets
    /// that others hold stay open.
    pub fn settle(&mut self) -> Vec<Ended> {
        self.orders.raise(Level::Finish);
        for hand in &self.hands {
            hand.wake.wake();
            if let Some(single) = &hand.alone {
                sys::shut(&*single.socket);
            }
        }
        // A worker that panicked has nothing to say; the panic itself was printed.
        let all = self.hands.iter().filter_map(|hand| hand.ended.recv().ok());
        all.flatten().collect()
    }

    /// The same, and its threads are gone.
    pub fn finish(&mut self) -> Vec<Ended> {
        let ended = self.settle();
        self.orders.release();
        for thread in self.hands.iter_mut().filter_map(|hand| hand.thread.take()) {
            let _ = thread.join();
        }
        ended
    }
}

impl Drop for Squad {
    fn drop(&mut self) {
        self.finish();
    }
}
