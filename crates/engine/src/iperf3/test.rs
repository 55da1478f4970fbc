//! A test at one end, from its connected streams to its results.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use proto::iperf3::{
    Arrivals, Counter, CpuUse, Parameters, Protocol, Results, Retransmits, ServerOutput,
};
use record::ProcessCpu;
use stats::Jitter;
use sys::{Options, RecvBatch, SendBatch, Wake, clock, usage};
use units::{Bytes, Nanos};

use super::budget::{Budget, Quota};
use super::flow::{BlockReceive, BlockSend, NumberedReceive, NumberedSend, Source};
use super::lane::Lane;
use super::ledger::Ledger;
use super::{Interval, Outcome};
use crate::flow::Flow;
use crate::netperf::Cpu;
use crate::pacer::Pacer;
use crate::squad::{Member, Single, Squad, Watch};
use crate::tally::Half;

/// Datagrams of one call at most: UDP_MAX_SEGMENTS of kernels before 6.9.
const MOST_TOGETHER: usize = 64;
/// Memory of one stream's received datagrams.
const ROOM: usize = 256 << 10;
/// Memory of a datagram that the kernel put together (UDP_GRO).
const MERGED: usize = 65_535;

/// What shapes a test beside its parameters.
pub(super) struct Setup<'a> {
    pub parameters: &'a Parameters,
    /// The end that asked, and that says when it is over.
    pub client: bool,
    pub affinity: Option<u16>,
    pub file: Option<&'a Path>,
    pub interval: Option<Nanos>,
    pub wake: &'a Arc<Wake>,
}

/// Data that moves.
pub(super) struct Test {
    pub ledger: Ledger,
    senders: Squad,
    receivers: Squad,
    quota: Option<Arc<Quota>>,
    started: Nanos,
    used: ProcessCpu,
    host: Cpu,
    protocol: Protocol,
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
        let maker = Maker::new(setup, now, lanes.len());
        let mut test = Self {
            senders: Squad::new(setup.wake.clone()),
            receivers: Squad::new(setup.wake.clone()),
            quota: maker.quota.clone(),
            started: now,
            used: usage::process(),
            host: Cpu::start(),
            protocol: parameters.protocol,
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
            maker.employ(&lanes, sends, squad)?;
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
        let ended = self.senders.finish();
        self.broken
            .extend(ended.into_iter().filter_map(|end| end.broken));
    }

    /// Ends receiving.
    pub fn stop_receiving(&mut self) {
        let ended = self.receivers.finish();
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
        let outcomes = self.ledger.outcomes();
        Results {
            cpu: self.cpu.unwrap_or_default().0,
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
            streams: self.ledger.outcomes(),
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

/// Makes flows of lanes.
struct Maker<'a> {
    setup: &'a Setup<'a>,
    start: Nanos,
    omitted_until: Nanos,
    budget: Option<Arc<Budget>>,
    quota: Option<Arc<Quota>>,
    block: usize,
    streams: usize,
    wall: Nanos,
}

impl<'a> Maker<'a> {
    fn new(setup: &'a Setup<'a>, start: Nanos, streams: usize) -> Self {
        let parameters = setup.parameters;
        let block = parameters.block_size();
        let bytes = parameters.bytes.map(Bytes::get);
        let blocks = parameters
            .blocks
            .or(bytes.map(|bytes| bytes.div_ceil(block.get())));
        let bytes = bytes.or(blocks.map(|blocks| blocks.saturating_mul(block.get())));
        // A server that sends datagrams, or at a rate, goes on until the client has enough.
        let may_end =
            setup.client || (parameters.protocol != Protocol::Udp && parameters.rate.is_none());
        let wall = SystemTime::now().duration_since(UNIX_EPOCH);
        let wall = Nanos::new(wall.map_or(0, |wall| wall.as_nanos() as u64));
        Self {
            setup,
            start,
            omitted_until: match parameters.omit {
                Nanos::ZERO => Nanos::ZERO,
                omit => start + omit,
            },
            budget: blocks.filter(|_| may_end).map(Budget::new).map(Arc::new),
            quota: bytes
                .filter(|_| setup.client)
                .map(|bytes| Arc::new(Quota::new(bytes, setup.wake.clone()))),
            block: block.len(),
            streams,
            wall: wall - start,
        }
    }

    /// Puts lanes of one direction on threads.
    fn employ(&self, lanes: &[&Lane], sends: bool, squad: &mut Squad) -> io::Result<()> {
        let cpus = match self.setup.affinity {
            Some(_) => 1,
            None => sys::thread::allowed_cpus().len().max(1),
        };
        let workers = lanes.len().min(cpus);
        for worker in 0..workers {
            let share: Vec<&&Lane> = lanes.iter().skip(worker).step_by(workers).collect();
            let alone = share.len() == 1;
            let flows: io::Result<Vec<Member>> = share
                .into_iter()
                .map(|lane| self.member(lane, sends, alone))
                .collect();
            squad.start(Watch {
                name: format!("iperf3-{}{worker}", if sends { 's' } else { 'r' }),
                flows: flows?,
                payload: if sends { self.payload() } else { Vec::new() },
                sink: if sends { 0 } else { self.block },
                cpu: self.setup.affinity,
                start: Nanos::ZERO,
            })?;
        }
        Ok(())
    }

    fn member(&self, lane: &Lane, sends: bool, alone: bool) -> io::Result<Member> {
        let parameters = self.setup.parameters;
        let udp = parameters.protocol == Protocol::Udp;
        let flow: Box<dyn Flow> = match (udp, sends) {
            (false, true) => Box::new(self.block_send(lane)?),
            (false, false) => Box::new(self.block_receive(lane)?),
            (true, true) => Box::new(self.numbered_send(lane)?),
            (true, false) => Box::new(self.numbered_receive(lane)?),
        };
        // A blocked sender of blocks could only be woken by ending its connection.
        let may_block = alone && (!sends || (udp && parameters.rate.is_none()));
        Ok(Member {
            flow,
            active: sends,
            single: may_block.then(|| Single {
                socket: lane.socket.clone(),
                shut_to_stop: false,
            }),
        })
    }

    fn block_send(&self, lane: &Lane) -> io::Result<BlockSend> {
        let parameters = self.setup.parameters;
        // A write of a whole block would be seconds of a low rate. Pieces are as good as equal, since
        // each takes its time.
        let piece = match parameters.rate.filter(|_| parameters.burst.is_none()) {
            Some(rate) => {
                let most = (rate.get() / 800).max(1) as usize;
                self.block.div_ceil(self.block.div_ceil(most))
            }
            None => self.block,
        };
        let size = Bytes::new(piece as u64);
        let pacer = parameters.rate.map(|rate| match parameters.burst {
            Some(burst) => Pacer::bursts(size, rate, burst, self.start),
            None => Pacer::stream(size, rate, self.start),
        });
        Ok(BlockSend {
            socket: lane.socket.clone(),
            counts: lane.counts.clone(),
            half: Half::default(),
            block: self.block,
            piece,
            pacer,
            budget: self.budget.clone(),
            omitted_until: self.omitted_until,
            source: self.source()?,
            block_left: 0,
            rest: 0,
            full: false,
        })
    }

    fn source(&self) -> io::Result<Source> {
        let (file, once) = match self.setup.file {
            Some(path) => (open(path)?, true),
            None if self.setup.parameters.zerocopy => {
                let mut file = sys::memory_file()?;
                file.write_all(&self.payload())?;
                (file, false)
            }
            None => return Ok(Source::Room),
        };
        let length = file.metadata()?.len();
        if length == 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the file to be sent is empty",
            ));
        }
        Ok(Source::File {
            file,
            offset: 0,
            length,
            once,
        })
    }

    fn block_receive(&self, lane: &Lane) -> io::Result<BlockReceive> {
        let file = self.setup.file.map(|path| {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true).mode(0o600);
            options.open(path).map_err(|error| named(path, &error))
        });
        Ok(BlockReceive {
            socket: lane.socket.clone(),
            counts: lane.counts.clone(),
            half: Half::default(),
            size: self.block,
            skip: self.setup.parameters.skip_rx_copy,
            file: file.transpose()?,
            quota: self.quota.clone(),
            omitted_until: self.omitted_until,
            ends: false,
        })
    }

    fn counter(&self) -> Counter {
        match self.setup.parameters.counters_64bit {
            true => Counter::Bits64,
            false => Counter::Bits32,
        }
    }

    fn numbered_send(&self, lane: &Lane) -> io::Result<NumberedSend> {
        let parameters = self.setup.parameters;
        let size = parameters.block_size();
        let pacer = parameters.rate.map(|rate| match parameters.burst {
            Some(burst) => Pacer::bursts(size, rate, burst, self.start),
            None => Pacer::datagrams(size, rate, self.start).forgiving(),
        });
        let head = self.counter().head().min(self.block);
        let segments = parameters.gso.map(|gso| {
            let most = gso.buffer.get().min(Parameters::DATAGRAMS.1.get()) / size.get().max(1);
            (most as usize).clamp(1, MOST_TOGETHER)
        });
        if segments.is_some() {
            Options::of(&*lane.socket).set_segment(size)?;
        }
        let payload = self.payload()[head..].to_vec();
        Ok(NumberedSend {
            socket: lane.socket.clone(),
            counts: lane.counts.clone(),
            half: Half::default(),
            size: self.block,
            counter: self.counter(),
            batch: SendBatch::new(head, payload, segments.unwrap_or(MOST_TOGETHER)),
            segments: segments.is_some(),
            number: 0,
            wall: self.wall,
            pacer,
            budget: self.budget.clone(),
            omitted_until: self.omitted_until,
            full: false,
            pause: None,
        })
    }

    fn numbered_receive(&self, lane: &Lane) -> io::Result<NumberedReceive> {
        let merged = self.setup.parameters.gro;
        if merged {
            Options::of(&*lane.socket).set_gro()?;
        }
        let stride = if merged { MERGED } else { self.block };
        let most = ROOM / stride.max(1) / self.streams.div_ceil(8);
        Ok(NumberedReceive {
            socket: lane.socket.clone(),
            counts: lane.counts.clone(),
            half: Half::default(),
            batch: RecvBatch::new(stride, most.clamp(1, MOST_TOGETHER)),
            size: self.block,
            counter: self.counter(),
            arrivals: Arrivals::default(),
            jitter: Jitter::default(),
            quota: self.quota.clone(),
            omitted_until: self.omitted_until,
            ends: false,
        })
    }

    /// One block: digits over and over, or what no link compresses.
    fn payload(&self) -> Vec<u8> {
        if self.setup.parameters.repeating_payload {
            return b"0123456789"
                .iter()
                .copied()
                .cycle()
                .take(self.block)
                .collect();
        }
        let mut payload = vec![0; self.block];
        // Without entropy it is zeros, and the test goes on.
        let _ = getrandom::fill(&mut payload);
        payload
    }
}

fn open(path: &Path) -> io::Result<File> {
    File::open(path).map_err(|error| named(path, &error))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    let path = PathBuf::from(path);
    io::Error::new(
        error.kind(),
        format!("opening '{}': {error}", path.display()),
    )
}
