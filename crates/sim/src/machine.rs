//! CPUs, lines and the clock: runs scripts of line operations, one event after the other.

mod account;
mod cpu;
mod store;

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

pub use account::{ACTIVITIES, Activity};
pub use cpu::Cpu;
pub(crate) use store::Effect;

use crate::agenda::{Agenda, Entity, Event, Kind};
use crate::line::{Access, Growth, Law, Line, LineId, Memory, Wish};
use crate::picos::Picos;
use crate::random::{Stream, mix};
use crate::topology::Topology;

/// What a CPU or a device does, as an asynchronous function that waits for line operations and
/// for time to pass. It is made once; running it allocates nothing.
pub type Script<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The simulated machine.
#[derive(Debug)]
pub struct Machine {
    now: Cell<Picos>,
    agenda: RefCell<Agenda>,
    lines: RefCell<Vec<Line>>,
    /// Lists for the service of a line, kept so that nothing is allocated.
    scratch: RefCell<(Vec<u16>, Vec<u16>)>,
    memory: Memory,
    topology: Topology,
    chance: Stream,
    seed: u64,
    /// For each script, the number of the event that it waits for.
    awaited: Vec<Cell<u32>>,
    accounts: Vec<account::Account>,
    /// The other thread of each CPU's core, or the CPU itself.
    siblings: Vec<usize>,
    /// Writes of each CPU that wait for their lines.
    stores: Vec<store::Stores>,
    trace: Cell<u64>,
    tally: Tally,
}

#[derive(Debug, Default)]
struct Tally {
    line_operations: Cell<u64>,
    events: Cell<u64>,
    transfers: [Cell<u64>; 4],
}

/// Devices and the mark at which a run stops have scripts after the CPUs'.
const DEVICES: usize = 512;

impl Machine {
    /// A machine at rest.
    pub fn new(topology: Topology, memory: Memory, seed: u64) -> Self {
        let scripts = topology.cpus() + DEVICES;
        Self {
            now: Cell::new(Picos::ZERO),
            agenda: RefCell::default(),
            lines: RefCell::default(),
            scratch: RefCell::default(),
            awaited: vec![Cell::new(0); scripts],
            accounts: (0..topology.cpus())
                .map(|_| account::Account::default())
                .collect(),
            siblings: (0..topology.cpus())
                .map(|cpu| topology.sibling(cpu))
                .collect(),
            stores: (0..scripts).map(|_| store::Stores::default()).collect(),
            chance: Stream::new(seed, u64::MAX),
            trace: Cell::new(seed),
            tally: Tally::default(),
            memory,
            topology,
            seed,
        }
    }

    /// Since the start.
    pub fn now(&self) -> Picos {
        self.now.get()
    }

    /// What memory costs.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Who is near whom.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The random numbers of an entity.
    pub fn stream(&self, entity: usize) -> Stream {
        Stream::new(self.seed, entity as u64)
    }

    /// A new line that no CPU holds.
    pub fn line(&self) -> LineId {
        self.add(Line::default())
    }

    /// So many new lines.
    pub fn lines(&self, count: usize) -> Vec<LineId> {
        (0..count).map(|_| self.line()).collect()
    }

    /// A server with exponential times, which get longer with the number that waits.
    pub fn server(&self, alone: Picos, each: Picos, growth: Growth) -> LineId {
        self.add(Line::server(Law {
            alone,
            each,
            growth,
        }))
    }

    fn add(&self, line: Line) -> LineId {
        let mut lines = self.lines.borrow_mut();
        lines.push(line);
        LineId(lines.len() as u32 - 1)
    }

    /// A CPU's handle.
    pub fn cpu(&self, id: usize) -> Cpu<'_> {
        Cpu::new(self, id)
    }

    /// A handle for a device's script, after those of the CPUs: it has time, but no cache.
    pub fn device(&self, index: usize) -> Cpu<'_> {
        Cpu::new(self, self.topology.cpus() + index)
    }

    /// Reads, writes and atomics so far, those that hit included.
    pub fn line_operations(&self) -> u64 {
        self.tally.line_operations.get()
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.tally.events.get()
    }

    /// Lines moved so far, by tier.
    pub fn transfers(&self) -> [u64; 4] {
        self.tally.transfers.each_ref().map(Cell::get)
    }

    /// A hash of all events so far, with their times: equal for equal runs.
    pub fn trace(&self) -> u64 {
        mix(self.trace.get())
    }

    /// Whether no line has a written copy beside another copy.
    pub fn is_coherent(&self) -> bool {
        !self.lines.borrow().iter().any(Line::has_two_writers)
    }

    /// Wakes a script at an instant, whatever else it waited for.
    pub(crate) fn wake(&self, script: usize, at: Picos) {
        let number = self.agenda.borrow_mut().plan(at, Entity::script(script));
        self.awaited[script].set(number);
    }

    /// Moves on to `at` without an event if nothing else happens until then.
    fn skip_to(&self, script: usize, at: Picos) -> bool {
        let free = self
            .agenda
            .borrow()
            .first()
            .is_some_and(|event| event.at() > at);
        if free {
            self.now.set(at);
            self.note(at, script as u32);
        }
        free
    }

    fn note(&self, at: Picos, entity: u32) {
        let word = at.get() ^ u64::from(entity) << 40;
        let trace = self.trace.get();
        self.trace
            .set((trace.rotate_left(7) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        self.tally.events.set(self.tally.events.get() + 1);
    }

    /// Begins an access: its cost if the CPU's copy will do; else the script is woken when the
    /// line has come.
    fn begin(&self, cpu: usize, line: LineId, access: Access) -> Option<Picos> {
        let operations = &self.tally.line_operations;
        operations.set(operations.get() + 1);
        let mut lines = self.lines.borrow_mut();
        let state = &mut lines[line.0 as usize];
        if let Some(cost) = state.hit(cpu, access, &self.memory) {
            return Some(cost);
        }
        let idle = state.ask(Wish {
            cpu: cpu as u16,
            access,
            posted: false,
        });
        if idle {
            self.serve(line, state);
        } else if let Some(left) = state.redraw(&self.chance) {
            self.complete_in(left, line, state);
        }
        None
    }

    fn serve(&self, line: LineId, state: &mut Line) {
        let Some(service) = state.serve(&self.memory, &self.topology, &self.chance) else {
            return;
        };
        if let Some(tier) = service.from {
            let moved = &self.tally.transfers[tier as usize];
            moved.set(moved.get() + 1);
        }
        self.complete_in(service.takes, line, state);
    }

    fn complete_in(&self, span: Picos, line: LineId, state: &mut Line) {
        let at = self.now() + span;
        state.completion = self
            .agenda
            .borrow_mut()
            .plan(at, Entity::line(line.0 as usize));
    }

    /// Ends a line's service; whose access is done.
    fn finish(&self, line: usize) -> Option<usize> {
        let mut lines = self.lines.borrow_mut();
        let (also, rereads) = &mut *self.scratch.borrow_mut();
        also.clear();
        rereads.clear();
        let state = &mut lines[line];
        let wish = state.finish(&self.memory, &self.topology, also, rereads)?;
        for cpu in rereads.iter() {
            // A deadline that ends the wait is no longer awaited: the read comes first.
            self.awaited[usize::from(*cpu)].set(0);
        }
        let operations = &self.tally.line_operations;
        operations.set(operations.get() + rereads.len() as u64);
        for cpu in also.iter() {
            self.wake(usize::from(*cpu), self.now());
        }
        self.serve(LineId(line as u32), state);
        let cpu = usize::from(wish.cpu);
        if wish.posted {
            drop(lines);
            self.finish_store(cpu);
            return None;
        }
        Some(cpu)
    }

    fn watch(&self, cpu: usize, line: LineId) -> bool {
        self.lines.borrow_mut()[line.0 as usize].watch(cpu as u16)
    }

    fn unwatch(&self, cpu: usize, line: LineId) {
        self.lines.borrow_mut()[line.0 as usize].unwatch(cpu as u16);
    }
}

/// Scripts on a machine.
pub struct Play<'a> {
    machine: &'a Machine,
    scripts: Vec<Option<Script<'a>>>,
}

impl<'a> Play<'a> {
    /// One script for each CPU, then those of the devices. All start at once.
    pub fn new(machine: &'a Machine, scripts: Vec<Script<'a>>) -> Self {
        for script in 0..scripts.len() {
            machine.wake(script, machine.now());
        }
        Self {
            machine,
            scripts: scripts.into_iter().map(Some).collect(),
        }
    }

    /// Runs on to an instant.
    pub fn until(&mut self, end: Picos) {
        let machine = self.machine;
        let mark = machine.awaited.len() - 1;
        machine.wake(mark, end);
        let mut context = Context::from_waker(Waker::noop());
        while let Some(event) = machine.next() {
            let script = match event.entity().kind() {
                Kind::Script(script) if script == mark => break,
                Kind::Script(script) if machine.awaited[script].get() == event.number() => {
                    Some(script)
                }
                Kind::Script(_) => None,
                Kind::Line(line) => {
                    let completion = machine.lines.borrow()[line].completion;
                    let due = completion == event.number();
                    due.then(|| machine.finish(line)).flatten()
                }
            };
            let Some(script) = script else { continue };
            let slot = &mut self.scripts[script];
            if let Some(running) = slot
                && running.as_mut().poll(&mut context) == Poll::Ready(())
            {
                *slot = None;
            }
        }
        machine.settle_accounts();
    }
}

impl Machine {
    fn next(&self) -> Option<Event> {
        let event = self.agenda.borrow_mut().take()?;
        self.now.set(event.at());
        let id = match event.entity().kind() {
            Kind::Script(id) => id as u32,
            Kind::Line(id) => id as u32 | 1 << 31,
        };
        self.note(event.at(), id);
        Some(event)
    }
}
