//! What a script can do.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{Activity, Machine};
use crate::line::{Access, LineId};
use crate::picos::Picos;

/// One CPU, or one device, as its script sees it.
#[derive(Debug, Clone, Copy)]
pub struct Cpu<'m> {
    machine: &'m Machine,
    id: usize,
}

/// Suspended once: whatever wakes the script has planned that.
#[derive(Default)]
pub(super) struct Suspend(bool);

impl Future for Suspend {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match std::mem::replace(&mut self.0, true) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

/// Time that passes. Scripts consist of this and of accesses, so both are written out: as few bytes
/// as can be, and no layers.
struct Pause<'m> {
    cpu: Cpu<'m>,
    span: Option<Picos>,
}

impl Future for Pause<'_> {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match self.span.take() {
            Some(span) if !self.cpu.passes(span) => Poll::Pending,
            _ => Poll::Ready(()),
        }
    }
}

/// An access to a line: waits for writes before it, then for the line.
struct Accessing<'m> {
    cpu: Cpu<'m>,
    line: LineId,
    access: Access,
    stage: Stage,
}

#[derive(Clone, Copy)]
enum Stage {
    Fence,
    Begin,
    Done,
}

impl<'m> Accessing<'m> {
    fn new(cpu: Cpu<'m>, line: LineId, access: Access) -> Self {
        let stage = Stage::Fence;
        Self {
            cpu,
            line,
            access,
            stage,
        }
    }
}

impl Future for Accessing<'_> {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let (cpu, line, access) = (self.cpu, self.line, self.access);
        let stage = self.stage;
        if matches!(stage, Stage::Fence) && cpu.must_drain(line, access) {
            self.stage = Stage::Begin;
            return Poll::Pending;
        }
        self.stage = Stage::Done;
        let done = match stage {
            Stage::Done => true,
            Stage::Fence | Stage::Begin => {
                let hit = cpu.machine.begin(cpu.id, line, access);
                hit.is_some_and(|cost| cpu.passes(cost))
            }
        };
        match done {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

impl<'m> Cpu<'m> {
    pub(super) fn new(machine: &'m Machine, id: usize) -> Self {
        Self { machine, id }
    }

    /// Its number.
    pub fn id(self) -> usize {
        self.id
    }

    /// The machine it belongs to.
    pub fn machine(self) -> &'m Machine {
        self.machine
    }

    /// Since the start.
    pub fn now(self) -> Picos {
        self.machine.now()
    }

    /// Reads a line.
    pub fn read(self, line: LineId) -> impl Future<Output = ()> + 'm {
        Accessing::new(self, line, Access::Read)
    }

    /// Writes to a line.
    pub fn write(self, line: LineId) -> impl Future<Output = ()> + 'm {
        Accessing::new(self, line, Access::Write)
    }

    /// An atomic read-modify-write on a line.
    pub fn atomic(self, line: LineId) -> impl Future<Output = ()> + 'm {
        Accessing::new(self, line, Access::Atomic)
    }

    /// Reads a line until `done`, again whenever the line has changed.
    pub async fn spin(self, line: LineId, done: impl Fn() -> bool) {
        self.spin_until(line, done, Picos::NEVER).await;
    }

    /// As [`Self::spin`], but gives up at a deadline; whether it was `done`.
    pub async fn spin_until(self, line: LineId, done: impl Fn() -> bool, deadline: Picos) -> bool {
        self.read(line).await;
        while !done() {
            if self.now() >= deadline {
                return false;
            }
            if !self.machine.watch(self.id, line) {
                self.read(line).await;
                continue;
            }
            if deadline < Picos::NEVER {
                self.machine.wake(self.id, deadline);
            }
            Suspend::default().await;
            if self.now() >= deadline && !done() {
                self.machine.unwatch(self.id, line);
                return false;
            }
        }
        true
    }

    /// Time passes, with nothing done to shared lines.
    pub fn pause(self, span: Picos) -> impl Future<Output = ()> + 'm {
        Pause {
            cpu: self,
            span: Some(span),
        }
    }

    /// Whether so much time passes at once, with nothing else happening meanwhile; else the script
    /// is woken after it.
    fn passes(self, span: Picos) -> bool {
        let at = self.now() + span;
        let at_once = span == Picos::ZERO || self.machine.skip_to(self.id, at);
        if !at_once {
            self.machine.wake(self.id, at);
        }
        at_once
    }

    /// Work of so long; interrupts that come meanwhile make it longer.
    pub async fn work(self, span: Picos) {
        self.pause(self.machine.shared(self.id, span)).await;
        let stolen = &self.machine.accounts[self.id].stolen;
        while stolen.get() > Picos::ZERO {
            let more = stolen.replace(Picos::ZERO);
            self.pause(more).await;
        }
    }

    /// So many relax instructions.
    pub fn relax(self, times: u64) -> impl Future<Output = ()> + 'm {
        self.pause(self.machine.memory().relax * times)
    }

    /// An interrupt takes time from whatever the CPU does.
    pub fn steal(self, span: Picos) {
        let stolen = &self.machine.accounts[self.id].stolen;
        stolen.set(stolen.get() + span);
    }

    /// Waits for [`Self::notify`], or for an instant.
    pub async fn wait(self, deadline: Picos) {
        if deadline < Picos::NEVER {
            self.machine.wake(self.id, deadline);
        }
        Suspend::default().await;
    }

    /// Wakes this script, which is in [`Self::wait`].
    pub fn notify(self) {
        self.machine.wake(self.id, self.now());
    }

    /// From now on it does this; what it did before.
    pub fn enter(self, activity: Activity) -> Activity {
        self.machine.accounts[self.id].enter(activity, self.now())
    }
}
