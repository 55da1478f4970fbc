//! Cache lines: who has a copy, who waits for one, and what moving one costs.

use std::collections::VecDeque;
use std::str::FromStr;

use crate::picos::Picos;
use crate::random::Stream;
use crate::topology::{CpuSet, Tier, Topology};

/// A line's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineId(pub(crate) u32);

/// What a CPU does to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Needs a copy.
    Read,
    /// Needs the only copy.
    Write,
    /// Needs the only copy, and is dearer.
    Atomic,
}

/// In which order a line serves those that wait.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As they came.
    Fifo,
    /// Any of them: the assumption of Boyd-Wickizer et al. (OLS 2012).
    Random,
}

/// Which readers of a line are served by one fill.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// Each has its own.
    None,
    /// Those that wait in one cluster.
    Cluster,
    /// All that wait.
    Machine,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "fifo" => Ok(Self::Fifo),
            "random" => Ok(Self::Random),
            _ => Err(format!("'{word}' is none of: random, fifo")),
        }
    }
}

impl FromStr for Combine {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "none" => Ok(Self::None),
            "cluster" => Ok(Self::Cluster),
            "machine" => Ok(Self::Machine),
            _ => Err(format!("'{word}' is none of: none, cluster, machine")),
        }
    }
}

/// How copies at other CPUs are made invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalidation {
    /// All at once: as long as the farthest takes.
    Broadcast,
    /// One by one at a directory, so long for each.
    Serial(Picos),
}

/// What the memory system costs.
#[derive(Debug, Clone)]
pub struct Memory {
    /// An access to a line that the CPU holds.
    pub hit: Picos,
    /// What an atomic costs beyond that.
    pub atomic: Picos,
    /// Moving a line between two CPUs, by [`crate::topology::Tier`].
    pub transfer: [Picos; 4],
    /// Getting a line that no CPU holds.
    pub fill: Picos,
    /// Making other copies invalid.
    pub invalidation: Invalidation,
    /// Who is next.
    pub order: Order,
    /// Which readers that wait are served by one fill.
    pub combine: Combine,
    /// One relax instruction.
    pub relax: Picos,
    /// Whether a CPU goes on while a write of its waits for the line.
    pub store_buffer: bool,
    /// How much longer work takes while the other thread of the core works too.
    pub shared_core: f64,
}

/// One line. Its contents are ordinary cells of whoever owns it: what happens after an access
/// completes, and before the next, happens at one instant.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Has the only copy, and has written to it.
    owner: Option<u16>,
    /// All that have a copy, the owner among them.
    sharers: CpuSet,
    /// Wait until their copy becomes invalid, to read again.
    watchers: Vec<u16>,
    pending: VecDeque<Wish>,
    serving: Option<Wish>,
    /// The number of the event that ends the service.
    pub completion: u32,
    /// Instead of transfers, a server with exponential times: the closed-form models' lock.
    law: Option<Law>,
}

/// A CPU wants to do something to a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish {
    pub cpu: u16,
    pub access: Access,
    /// Comes from the CPU's store buffer: no script waits for it.
    pub posted: bool,
}

/// How a wish is served.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Service {
    pub takes: Picos,
    /// From how far the line comes; none if it comes from memory, or is there.
    pub from: Option<Tier>,
}

/// How long the closed-form models' server takes on average while `k` others wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Law {
    pub alone: Picos,
    pub each: Picos,
    pub growth: Growth,
}

/// How service gets longer with the number that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// By half a transfer for each: a ticket lock, whose release all waiters read.
    Waiters,
    /// By one transfer if any waits: a queue lock.
    Once,
}

impl Law {
    fn mean(&self, waiting: u64) -> Picos {
        match self.growth {
            Growth::Waiters => self.alone + Picos::new(self.each.get() * waiting / 2),
            Growth::Once if waiting > 0 => self.alone + self.each,
            Growth::Once => self.alone,
        }
    }
}

impl Line {
    /// A line that is an exponential server.
    pub fn server(law: Law) -> Self {
        Self {
            law: Some(law),
            ..Self::default()
        }
    }

    /// What the access costs if the CPU can do it with the copy it has.
    pub fn hit(&self, cpu: usize, access: Access, memory: &Memory) -> Option<Picos> {
        let undisturbed = match access {
            Access::Read => self.serving.is_none_or(|wish| wish.access == Access::Read),
            Access::Write | Access::Atomic => self.serving.is_none(),
        };
        let holds = match access {
            Access::Read => self.sharers.contains(cpu),
            Access::Write | Access::Atomic => self.owner == Some(cpu as u16),
        };
        (undisturbed && holds && self.law.is_none()).then(|| cost_here(access, memory))
    }

    /// Puts a wish in the queue; whether the line was idle.
    pub fn ask(&mut self, wish: Wish) -> bool {
        self.pending.push_back(wish);
        self.serving.is_none()
    }

    /// Begins the next service, if any waits, and says how long it takes.
    pub fn serve(
        &mut self,
        memory: &Memory,
        topology: &Topology,
        chance: &Stream,
    ) -> Option<Service> {
        let wish = match memory.order {
            Order::Fifo => self.pending.pop_front(),
            Order::Random if self.pending.len() > 1 => {
                let index = chance.below(self.pending.len());
                self.pending.swap_remove_back(index)
            }
            Order::Random => self.pending.pop_front(),
        }?;
        self.serving = Some(wish);
        Some(match self.law {
            Some(law) => Service {
                takes: self.drawn(law, chance),
                from: None,
            },
            None => self.service(wish, memory, topology),
        })
    }

    /// A new draw for the service under way, since the number of those that wait changed: the
    /// exponential law has no memory.
    pub fn redraw(&mut self, chance: &Stream) -> Option<Picos> {
        let law = self.law?;
        self.serving.map(|_| self.drawn(law, chance))
    }

    fn drawn(&self, law: Law, chance: &Stream) -> Picos {
        chance.exponential(law.mean(self.pending.len() as u64))
    }

    fn service(&self, wish: Wish, memory: &Memory, topology: &Topology) -> Service {
        let cpu = usize::from(wish.cpu);
        let mut others = self.sharers;
        others.remove(cpu);
        let held = self.sharers.contains(cpu);
        let from = match self.owner {
            _ if held => None,
            Some(owner) => Some(topology.tier(cpu, usize::from(owner))),
            None => topology.nearest(cpu, &others),
        };
        let fetch = match from {
            _ if held => Picos::ZERO,
            Some(tier) => memory.transfer[tier as usize],
            None => memory.fill,
        };
        let shared = self.owner.is_none();
        let invalidate = match (wish.access, memory.invalidation) {
            // The owner's copy moves with the line.
            (Access::Read, _) => Picos::ZERO,
            _ if !shared => Picos::ZERO,
            (_, Invalidation::Broadcast) => topology
                .farthest(cpu, &others)
                .map_or(Picos::ZERO, |tier| memory.transfer[tier as usize]),
            (_, Invalidation::Serial(each)) => each * others.len() as u64,
        };
        Service {
            takes: fetch + invalidate + cost_here(wish.access, memory),
            from,
        }
    }

    /// Ends a service: the wish that was served, and everyone who reads with it.
    pub fn finish(
        &mut self,
        memory: &Memory,
        topology: &Topology,
        also: &mut Vec<u16>,
        rereads: &mut Vec<u16>,
    ) -> Option<Wish> {
        let wish = self.serving.take()?;
        if self.law.is_some() {
            return Some(wish);
        }
        if wish.access == Access::Read {
            self.owner = None;
            self.sharers.insert(usize::from(wish.cpu));
            if memory.combine != Combine::None {
                let all = memory.combine == Combine::Machine;
                self.combine(usize::from(wish.cpu), all, topology, also);
            }
        } else {
            self.owner = Some(wish.cpu);
            self.sharers = CpuSet::only(usize::from(wish.cpu));
            for cpu in self.watchers.drain(..) {
                rereads.push(cpu);
                self.pending.push_back(Wish {
                    cpu,
                    access: Access::Read,
                    posted: false,
                });
            }
        }
        Some(wish)
    }

    fn combine(&mut self, cpu: usize, all: bool, topology: &Topology, also: &mut Vec<u16>) {
        let cluster = topology.cluster(cpu);
        let served = |wish: &Wish| {
            let near = || topology.cluster(usize::from(wish.cpu)) == cluster;
            wish.access == Access::Read && (all || near())
        };
        let with = self.pending.iter().filter(|wish| served(wish));
        also.extend(with.map(|wish| wish.cpu));
        self.pending.retain(|wish| !served(wish));
        for cpu in also.iter() {
            self.sharers.insert(usize::from(*cpu));
        }
    }

    /// Waits for the copy to become invalid. The CPU has just read, so it has one, unless a write
    /// came at the same instant: then it reads again at once.
    pub fn watch(&mut self, cpu: u16) -> bool {
        let holds = self.sharers.contains(usize::from(cpu));
        if holds {
            self.watchers.push(cpu);
        }
        holds
    }

    /// Waits no longer.
    pub fn unwatch(&mut self, cpu: u16) {
        self.watchers.retain(|watcher| *watcher != cpu);
    }

    /// Two copies, one of them written to: a fault of the simulator.
    pub fn has_two_writers(&self) -> bool {
        let only = |owner: u16| self.sharers == CpuSet::only(usize::from(owner));
        self.owner.is_some_and(|owner| !only(owner))
    }
}

fn cost_here(access: Access, memory: &Memory) -> Picos {
    match access {
        Access::Atomic => memory.hit + memory.atomic,
        Access::Read | Access::Write => memory.hit,
    }
}
