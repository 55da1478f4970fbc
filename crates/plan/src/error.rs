//! Why something cannot be asked. Each error is one sentence: what is wrong, and what is accepted.

use thiserror::Error;
use units::Nanos;

use crate::{Key, Kind, Link, Plan, Timing};

/// Why a load cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadError {
    /// No such kind.
    #[error("'{0}' is not a kind of load: the kinds are {kinds}", kinds = list(&Kind::ALL.map(Kind::name)))]
    Kind(String),
    /// No such key.
    #[error("'{0}' is not a key of a load: the keys are {keys}", keys = list(&Key::ALL.map(Key::name)))]
    UnknownKey(String),
    /// A key without its value.
    #[error("'{0}' needs a value: {0}=…")]
    NoValue(Key),
    /// A number that continues no list.
    #[error("'{0}' continues no list: only the values of cpu and peer-cpu are lists")]
    NoList(String),
    /// The same key again.
    #[error("'{0}' is given twice")]
    Twice(Key),
    /// A value that is none.
    #[error("{key}: {reason}")]
    Value {
        /// Whose value.
        key: Key,
        /// What is wrong with it and what is accepted.
        reason: String,
    },
    /// A key that this kind does not have.
    #[error("'{key}' is not for {kind}: {reason}")]
    NotFor {
        /// The key.
        key: Key,
        /// The kind.
        kind: Kind,
        /// Why, or what to use.
        reason: &'static str,
    },
    /// Two keys of which only one can be meant.
    #[error("'{0}' and '{1}' exclude each other: {2}")]
    Exclusive(Key, Key, &'static str),
    /// An open-loop arrival process without its rate.
    #[error("'arrival={0}' needs 'rps'")]
    ArrivalWithoutRps(&'static str),
    /// A probe that would be a load.
    #[error("a probe is open loop: use the kind rr for a closed loop")]
    ClosedProbe,
}

/// Why a link cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LinkError {
    /// No such key.
    #[error("'{0}' is not a key of a link: the keys are {keys}", keys = list(&Link::KEYS))]
    UnknownKey(String),
    /// Not a key and a value.
    #[error("'{0}' is not KEY=VALUE: the keys are {keys}", keys = list(&Link::KEYS))]
    NoValue(String),
    /// The same key again.
    #[error("'{0}' is given twice")]
    Twice(String),
    /// A value that is none.
    #[error("{key}: {reason}")]
    Value {
        /// Whose value.
        key: &'static str,
        /// What is wrong with it and what is accepted.
        reason: String,
    },
}

/// Why a run's time line cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TimingError {
    /// Nothing would be measured.
    #[error(
        "time: a run takes more than 0 s; leave it out for {}",
        Timing::DEFAULT_DURATION
    )]
    NoTime,
    /// A phase that outlasts the run's clock arithmetic and any patience.
    #[error("{phase}: {time} is too long: at most 30 days")]
    TooLong {
        /// Which part.
        phase: &'static str,
        /// As asked.
        time: Nanos,
    },
    /// Intervals too short to be reported faithfully.
    #[error(
        "interval: {0} is too short: at least {least}, or 0 for none",
        least = Timing::SHORTEST_INTERVAL
    )]
    Interval(Nanos),
    /// A load that ends by time in a run without a duration.
    #[error("time: load {position} ({kind}) ends by time, so the run needs a duration")]
    Endless {
        /// Which load, from 1.
        position: usize,
        /// Its kind.
        kind: Kind,
    },
    /// Idle time that nobody looks at.
    #[error("idle: only a probe has an idle phase, and the run has none")]
    IdleWithoutProbe,
    /// A load that starts after the end.
    #[error(
        "delay: load {position} ({kind}) would start {delay} after the others, when the run is over"
    )]
    DelayPastEnd {
        /// Which load, from 1.
        position: usize,
        /// Its kind.
        kind: Kind,
        /// As asked.
        delay: Nanos,
    },
}

/// Why a plan cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    /// Nothing to do.
    #[error("a run needs at least one load")]
    NoLoad,
    /// More loads than a report can show.
    #[error("{0} loads are too many: at most {most}", most = Plan::MOST_LOADS)]
    TooManyLoads(usize),
    /// More flows than the largest run.
    #[error("{0} flows in all are too many: at most {most}", most = Plan::MOST_FLOWS)]
    TooManyFlows(u64),
    /// Two loads that the report could not tell apart.
    #[error("two loads are named '{0}': each needs its own name")]
    SameName(String),
    /// One load.
    #[error("load {position} ({kind}): {source}")]
    Load {
        /// Which load, from 1.
        position: usize,
        /// Its kind.
        kind: Kind,
        /// What is wrong with it.
        source: LoadError,
    },
    /// The time line.
    #[error(transparent)]
    Timing(#[from] TimingError),
    /// The testbed's link.
    #[error("link: {0}")]
    Link(#[from] LinkError),
    /// The server.
    #[error("host: a host is a name or an address of at most 255 characters, no space")]
    Host,
    /// Port zero.
    #[error("port: 0 is not a port: 1 to 65535")]
    Port,
    /// A link too narrow for the family.
    #[error("link: mtu: IPv6 needs an MTU of at least 1280 bytes, not {0}")]
    MtuBelowIpv6(u32),
}

/// `a, b, c`.
pub(crate) fn list(names: &[&str]) -> String {
    names.join(", ")
}
