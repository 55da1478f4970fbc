//! Processes that send as fast as they can, and the CPUs that they run on.

use super::path::{Packet, Path, count};
use super::setup::{Placement, Start};
use crate::machine::{Activity, Cpu};
use crate::picos::Picos;

/// A process runs so long before another of its CPU does.
const QUANTUM: Picos = Picos::from_millis(4);

/// Think times spread by so much on either side.
const SPREAD: f64 = 0.1;

/// What a CPU does: softirqs, then one system call of one of its senders, again and again.
pub(super) async fn run(path: &Path<'_>, cpu: Cpu<'_>) {
    let chance = cpu.machine().stream(cpu.id());
    let placed = &path.placed[cpu.id()];
    let mut turn = 0_usize;
    let mut quantum_ends = cpu.now() + QUANTUM;
    loop {
        path.softirqs(cpu).await;
        let ready = next_ready(path, cpu, &mut turn);
        let sender = match ready {
            Ok(sender) => sender,
            Err(until) => {
                sleep(path, cpu, until).await;
                continue;
            }
        };
        cpu.enter(Activity::Think);
        if cpu.now() >= quantum_ends {
            quantum_ends = cpu.now() + QUANTUM;
            turn += 1;
            let many = placed.borrow().len() > 1;
            if path.setup.placement == Placement::Floating {
                migrate(path, cpu, sender, chance.below(path.setup.cpus));
                cpu.work(path.spans.switch).await;
                continue;
            }
            if many {
                cpu.work(path.spans.switch).await;
                continue;
            }
        }
        let born = cpu.now();
        cpu.work(chance.around(path.spans.think, SPREAD)).await;
        count(&path.offered[cpu.id()]);
        let packet = Packet {
            cpu: cpu.id(),
            sender,
            txq: path.txq_of(sender, cpu.id()),
            born,
        };
        let unfreed = &path.unfreed[sender];
        unfreed.set(unfreed.get() + 1);
        let called = cpu.now();
        path.send(cpu, packet).await;
        path.tally.send.add(cpu.now().since(called).get() / 1000);
        if unfreed.get() >= path.setup.socket_packets {
            path.blocked[sender].set(true);
            cpu.enter(Activity::Think);
            cpu.work(path.spans.switch).await;
        }
    }
}

/// The sender whose turn it is, or when the first of those that have not started will.
fn next_ready(path: &Path<'_>, cpu: Cpu<'_>, turn: &mut usize) -> Result<usize, Picos> {
    let placed = path.placed[cpu.id()].borrow();
    let mut until = Picos::NEVER;
    for step in 0..placed.len() {
        let sender = placed[(*turn + step) % placed.len()];
        let start = starts(path, sender);
        if path.blocked[sender].get() {
            continue;
        }
        if start <= cpu.now() {
            *turn += step;
            return Ok(sender);
        }
        until = until.min(start);
    }
    Err(until)
}

fn starts(path: &Path<'_>, sender: usize) -> Picos {
    match path.setup.start {
        Start::Together => Picos::ZERO,
        Start::Staggered => {
            let share = path.setup.warm_up.get() / 2 / path.setup.senders as u64;
            Picos::new(share * sender as u64)
        }
    }
}

async fn sleep(path: &Path<'_>, cpu: Cpu<'_>, until: Picos) {
    let before = cpu.enter(Activity::Idle);
    path.pending[cpu.id()].idle.set(true);
    cpu.wait(until).await;
    path.pending[cpu.id()].idle.set(false);
    cpu.enter(before);
}

/// The scheduler moves a sender to a CPU without one, as far as it finds one near the draw.
fn migrate(path: &Path<'_>, cpu: Cpu<'_>, sender: usize, draw: usize) {
    let candidates = (0..8).map(|step| (draw + step * 61) % path.setup.cpus);
    let free = candidates
        .into_iter()
        .find(|target| path.placed[*target].borrow().is_empty());
    if let Some(target) = free {
        path.placed[cpu.id()]
            .borrow_mut()
            .retain(|other| *other != sender);
        path.placed[target].borrow_mut().push(sender);
        path.home[sender].set(target);
        path.poke(target);
    }
}
