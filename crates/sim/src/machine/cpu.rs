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
    pub async fn read(self, line: LineId) {
        self.access(line, Access::Read).await;
    }

    /// Writes to a line.
    pub async fn write(self, line: LineId) {
        self.access(line, Access::Write).await;
    }

    /// An atomic read-modify-write on a line.
    pub async fn atomic(self, line: LineId) {
        self.access(line, Access::Atomic).await;
    }

    async fn access(self, line: LineId, access: Access) {
        self.fence(line, access).await;
        match self.machine.begin(self.id, line, access) {
            Some(cost) => self.pause(cost).await,
            None => Suspend::default().await,
        }
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
    pub async fn pause(self, span: Picos) {
        if span == Picos::ZERO {
            return;
        }
        let at = self.now() + span;
        if !self.machine.skip_to(self.id, at) {
            self.machine.wake(self.id, at);
            Suspend::default().await;
        }
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
    pub async fn relax(self, times: u64) {
        self.pause(self.machine.memory().relax * times).await;
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
