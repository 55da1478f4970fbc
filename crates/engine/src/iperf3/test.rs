//! A test at one end, from its connected streams to its results.

use std::io;
use std::path::Path;
use std::sync::Arc;

use proto::iperf3::{CpuUse, Parameters, Protocol, Results, Retransmits, ServerOutput};
use record::ProcessCpu;
use sys::{Wake, clock, usage};
use units::{BitRate, Nanos};

use super::budget::Quota;
use super::lane::Lane;
use super::ledger::Ledger;
use super::staff::Staff;
use super::{Interval, Outcome};
use crate::netperf::Cpu;
use crate::squad::Squad;

/// What shapes a test beside its parameters.
pub(super) struct Setup<'a> {
    pub parameters: &'a Parameters,
    /// The end that asked, and that says when it is over.
    pub client: bool,
    pub affinity: Option<u16>,
    pub file: Option<&'a Path>,
    pub interval: Option<Nanos>,
    pub wake: &'a Arc<Wake>,
    /// What each stream that this end receives is held to.
    pub held: Option<BitRate>,
}

/// Data that moves. Its threads are there until it goes, so that who is told of its last interval
/// can see what they used.
pub(super) struct Test {
    pub ledger: Ledger,
    senders: Squad,
    receivers: Squad,
    quota: Option<Arc<Quota>>,
    started: Nanos,
    used: ProcessCpu,
    host: Cpu,
    protocol: Protocol,
    client: bool,
    sends: bool,
    receives: bool,
    /// What broke, and why.
    pub broken: Vec<String>,
    cpu: Option<(CpuUse, f64)>,
}

impl Test {
    /// Begins.
    ///
    /// # Errors
    /// When the file cannot be had, or there is no thread.
    pub fn start(lanes: Vec<Lane>, setup: &Setup<'_>) -> io::Result<Self> {
        let parameters = setup.parameters;
        let now = clock::now();
        let staff = Staff::new(setup, now, lanes.len());
        let mut test = Self {
            senders: Squad::that_stays(setup.wake.clone()),
            receivers: Squad::that_stays(setup.wake.clone()),
            quota: staff.quota.clone(),
            started: now,
            used: usage::process(),
            host: Cpu::start(),
            protocol: parameters.protocol,
            client: setup.client,
            sends: lanes.iter().any(|lane| lane.connected.sends),
            receives: lanes.iter().any(|lane| !lane.connected.sends),
            broken: Vec::new(),
            cpu: None,
            ledger: Ledger::new(lanes, now, parameters.omit, setup.interval),
        };
        for sends in [false, true] {
            let lanes = test.ledger.lanes.iter();
            let lanes: Vec<&Lane> = lanes.filter(|lane| lane.connected.sends == sends).collect();
            let squad = if sends {
                &mut test.senders
            } else {
                &mut test.receivers
            };
            staff.employ(&lanes, sends, squad)?;
        }
        Ok(test)
    }

    /// When the omitted time ends.
    pub fn omitted_until(&self, parameters: &Parameters) -> Nanos {
        self.started + parameters.omit
    }

    /// Whether what should be sent or received is.
    pub fn is_through(&self) -> bool {
        let sent = self.sends && self.senders.left() == 0;
        sent || self.quota.as_ref().is_some_and(|quota| quota.is_reached())
    }

    /// Whether no stream is left that could receive.
    pub fn receives_no_more(&self) -> bool {
        self.receives && self.receivers.left() == 0
    }

    /// Ends sending and looks for the last time. What is received from now on does not count.
    pub fn stop(&mut self) -> Interval {
        self.stop_sending();
        let now = clock::now();
        self.cpu = Some(self.cpu_since_start(now));
        self.ledger.close(now, true)
    }

    /// Ends sending, and lets receivers take what has come already. The coordinator is woken when
    /// they have.
    pub fn begin_to_stop(&mut self) {
        self.stop_sending();
        self.receivers.stop();
        for lane in &self.ledger.lanes {
            if !lane.connected.sends {
                sys::shut_receiving(&*lane.socket);
            }
        }
    }

    /// Whether receivers have taken what had come.
    pub fn is_drained(&self) -> bool {
        self.receivers.left() == 0
    }

    fn stop_sending(&mut self) {
        self.senders.stop();
        let ended = self.senders.settle();
        self.broken
            .extend(ended.into_iter().filter_map(|end| end.broken));
    }

    /// Ends receiving.
    pub fn stop_receiving(&mut self) {
        let ended = self.receivers.settle();
        self.broken
            .extend(ended.into_iter().filter_map(|end| end.broken));
    }

    /// Bytes that have not left this end, or are not acknowledged.
    pub fn unsent(&self) -> u64 {
        let sending = self.ledger.lanes.iter().filter(|lane| lane.connected.sends);
        let unsent = sending.map(|lane| sys::unacknowledged(&*lane.socket).unwrap_or(0));
        unsent.sum()
    }

    /// Bytes that were received so far, where this end receives.
    pub fn received(&self) -> Option<u64> {
        let received = self.ledger.lanes.iter().map(Lane::received_bytes);
        self.receives.then(|| received.sum())
    }

    /// Bytes that were moved so far.
    pub fn moved(&self) -> u64 {
        self.ledger.lanes.iter().map(Lane::bytes).sum()
    }

    /// This end's results.
    pub fn results(&self, output: Option<ServerOutput>) -> Results {
        let outcomes = self.ledger.outcomes(self.client);
        Results {
            cpu: self.cpu.unwrap_or_default().0,
            host_cpu_percent: self.cpu.map(|(_, host)| host),
            retransmits: match (self.sends, self.protocol) {
                (false, _) => Retransmits::Receiver,
                (true, Protocol::Tcp) => Retransmits::Reported,
                (true, _) => Retransmits::Unknown,
            },
            congestion: outcomes.last().and_then(|stream| stream.congestion.clone()),
            output,
            streams: outcomes.into_iter().map(|stream| stream.result).collect(),
        }
    }

    /// What came of it.
    pub fn outcome(&self) -> Outcome {
        let (cpu, host) = self.cpu.unwrap_or_default();
        Outcome {
            streams: self.ledger.outcomes(self.client),
            local: None,
            remote: None,
            cpu,
            host_cpu_percent: self.cpu.map(|_| host),
            window: self.ledger.window(),
        }
    }

    fn cpu_since_start(&self, now: Nanos) -> (CpuUse, f64) {
        let used = usage::process().since(self.used);
        let wall = (now - self.started).get().max(1) as f64;
        let percent = |ns: u64| ns as f64 * 100.0 / wall;
        let process = CpuUse {
            total_percent: percent(used.user_ns + used.system_ns),
            user_percent: percent(used.user_ns),
            system_percent: percent(used.system_ns),
        };
        let host = self.host.stop(now - self.started, Nanos::ZERO);
        (process, f64::from(host.busy_percent))
    }
}
