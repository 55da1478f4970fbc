//! Under which conditions an experiment runs: its seed, and one thing that is changed to see what
//! depends on it.

use crate::cost::{Item, Tag};
use crate::line::{Combine, Order};
use crate::platform::Platform;
use crate::qdisc::{Sent, Setup, simulate};

/// One run of an experiment, fits and all.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The seed.
    pub seed: u64,
    /// Parameters that are moved.
    pub moved: Vec<Move>,
    /// A mechanism that is not as it is otherwise.
    pub ablation: Option<Ablation>,
}

/// Where a parameter is moved to: 0 is the lower end of its range and 1 the upper one, or 30 %
/// less and more where it has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    /// The parameter's name.
    pub parameter: &'static str,
    /// Where to.
    pub place: f64,
}

/// A mechanism taken away, or another one in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ablation {
    /// A line serves in the order of arrival, not at random.
    FifoLines,
    /// One fill serves all that read: a handoff costs the same however many wait.
    ConstantHandoff,
    /// A CPU does not wait for the line of a write.
    StoreBuffer,
    /// The qdisc's list and counters are in lines of their own, or in the lock's.
    OtherLine,
    /// Drops are freed on the other side of the root lock's release.
    OtherDrop,
    /// At most so many packets of one dequeue.
    Batch(usize),
    /// A tracer on the lock's tracepoints, of so many nanoseconds an event.
    Tracer(u32),
    /// Two working threads of a core take so many percent longer each.
    SharedCore(u32),
    /// A sender's packets go to the queue of the CPU that it is on.
    NoFlowCaching,
    /// The stack takes the transmit queue's lock although the driver needs none, or the reverse.
    OtherTxqLock,
}

impl Move {
    /// The factor of a parameter without a range.
    fn factor(self) -> f64 {
        0.7 + 0.6 * self.place
    }
}

impl Ablation {
    /// For eyes.
    pub fn name(self) -> String {
        match self {
            Self::FifoLines => "lines serve in order of arrival".to_owned(),
            Self::ConstantHandoff => "one fill serves all readers".to_owned(),
            Self::StoreBuffer => "a store buffer".to_owned(),
            Self::OtherLine => "list and lock in one line: the other way".to_owned(),
            Self::OtherDrop => "drops inside or outside the lock: the other way".to_owned(),
            Self::Batch(packets) => format!("batch of {packets}"),
            Self::Tracer(nanos) => format!("a tracer of {nanos} ns an event"),
            Self::SharedCore(percent) => format!("threads of a core {percent} % slower together"),
            Self::NoFlowCaching => "flows follow their sender's CPU".to_owned(),
            Self::OtherTxqLock => "the transmit queue's lock: the other way".to_owned(),
        }
    }
}

impl Trial {
    /// As it is meant.
    pub fn plain(seed: u64) -> Self {
        Self {
            seed,
            moved: Vec::new(),
            ablation: None,
        }
    }

    /// A number of the experiment's setup.
    pub(super) fn number(&self, name: &str, value: f64) -> f64 {
        let moved = self.moved.iter().find(|moved| moved.parameter == name);
        value * moved.map_or(1.0, |moved| moved.factor())
    }

    /// The machine of the experiment.
    pub(super) fn machine(&self, platform: Platform) -> Platform {
        let mut platform = platform;
        for moved in &self.moved {
            let Some(item) = Item::named(moved.parameter) else {
                continue;
            };
            let mut cost = platform.costs.get(item).clone();
            let factor = match cost.low < cost.high {
                true => (cost.low + moved.place * (cost.high - cost.low)) / cost.value,
                false => moved.factor(),
            };
            cost.value *= factor;
            cost.low *= factor;
            cost.high *= factor;
            platform.costs.put(item, cost);
        }
        match self.ablation {
            Some(Ablation::FifoLines) => platform.order = Order::Fifo,
            Some(Ablation::ConstantHandoff) => platform.combine = Combine::Machine,
            Some(Ablation::StoreBuffer) => platform.store_buffer = true,
            Some(Ablation::SharedCore(percent)) => {
                platform.shared_core = 1.0 + f64::from(percent) / 100.0;
            }
            Some(Ablation::Tracer(nanos)) => {
                let item = Item::Observe;
                platform
                    .costs
                    .set(item, f64::from(nanos), Tag::U, "ablation");
            }
            _ => {}
        }
        platform
    }

    /// Runs a setup of the experiments, all of which can be.
    pub(super) fn run(&self, setup: &Setup) -> Sent {
        let mut setup = Setup {
            seed: self.seed,
            ..setup.clone()
        };
        self.switch(&mut setup);
        simulate(&setup).expect("the experiments' setups are possible")
    }

    /// With another seed than the trial's own.
    pub(super) fn reseeded(&self, seed: u64) -> Self {
        Self {
            seed,
            ..self.clone()
        }
    }

    /// In thousands of packets per second.
    pub(super) fn kpps(&self, setup: &Setup) -> f64 {
        self.run(setup).packets_per_second / 1e3
    }

    /// In millions.
    pub(super) fn mpps(&self, setup: &Setup) -> f64 {
        self.run(setup).packets_per_second / 1e6
    }

    fn switch(&self, setup: &mut Setup) {
        let switches = &mut setup.switches;
        match self.ablation {
            Some(Ablation::OtherLine) => switches.embedded = !switches.embedded,
            Some(Ablation::OtherDrop) => switches.drop_outside = !switches.drop_outside,
            Some(Ablation::NoFlowCaching) => switches.flow_caching = false,
            Some(Ablation::OtherTxqLock) => switches.txq_lock = !switches.txq_lock,
            Some(Ablation::Batch(packets)) => setup.batch = packets,
            _ => {}
        }
    }
}

/// What does not depend on an experiment, for all that send through a root lock.
pub(super) const PATH_ABLATIONS: &[Ablation] = &[
    Ablation::FifoLines,
    Ablation::ConstantHandoff,
    Ablation::StoreBuffer,
    Ablation::OtherLine,
    Ablation::OtherDrop,
    Ablation::OtherTxqLock,
    Ablation::Batch(1),
    Ablation::Batch(8),
    Ablation::Batch(64),
    Ablation::Batch(1 << 16),
    Ablation::Tracer(200),
    Ablation::SharedCore(50),
];
