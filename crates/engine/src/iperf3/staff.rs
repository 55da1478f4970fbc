//! The behaviours of a test's streams, and the threads that they are on.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use plan::Kind;
use proto::iperf3::{Arrivals, Counter, Parameters, Protocol};
use stats::Jitter;
use sys::{Options, RecvBatch, SendBatch};
use units::{Bytes, Nanos};

use super::budget::{Budget, Quota};
use super::flow::{BlockReceive, BlockSend, NumberedReceive, NumberedSend, Source};
use super::lane::Lane;
use super::test::Setup;
use crate::flow::{Flow, Patience, Throttled};
use crate::pacer::Pacer;
use crate::squad::{Member, Single, Squad, Watch};
use crate::tally::Half;

/// Datagrams of one call at most: UDP_MAX_SEGMENTS of kernels before 6.9.
const MOST_TOGETHER: usize = 64;
/// Bytes of datagrams without a rate that the kernel gets as one: four full packets. Eight cost still
/// less, but outrun a receiver that takes them singly: over `lo` iperf3 3.12 then lost half of them.
const AS_ONE: u64 = 6 << 10;
/// Memory of one stream's received datagrams.
const ROOM: usize = 256 << 10;
/// Memory of a datagram that the kernel put together (UDP_GRO).
const MERGED: usize = 65_535;

/// Makes flows of lanes, and gives them threads.
pub(super) struct Staff<'a> {
    setup: &'a Setup<'a>,
    start: Nanos,
    omitted_until: Nanos,
    budget: Option<Arc<Budget>>,
    pub quota: Option<Arc<Quota>>,
    block: usize,
    streams: usize,
    wall: Nanos,
}

impl<'a> Staff<'a> {
    pub fn new(setup: &'a Setup<'a>, start: Nanos, streams: usize) -> Self {
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
    pub fn employ(&self, lanes: &[&Lane], sends: bool, squad: &mut Squad) -> io::Result<()> {
        let cpus = match self.setup.affinity {
            Some(_) => 1,
            None => sys::thread::allowed_cpus().len(),
        };
        // Senders of datagrams wait for nobody: on all CPUs they would leave none to a receiver of
        // the same host, or to the interrupts of the interface.
        let cpus = match self.setup.parameters.protocol {
            Protocol::Udp => cpus / 2,
            Protocol::Tcp | Protocol::Sctp => cpus,
        };
        let cpus = cpus.max(1);
        let workers = lanes.len().min(cpus);
        for worker in 0..workers {
            let share: Vec<&&Lane> = lanes.iter().skip(worker).step_by(workers).collect();
            let alone = share.len() == 1;
            let flows: io::Result<Vec<Member>> = share
                .into_iter()
                .map(|lane| self.member(lane, sends, alone))
                .collect();
            squad.start(Watch {
                name: format!("{}-{worker}", self.kind(sends).name()),
                flows: flows?,
                payload: if sends { self.payload() } else { Vec::new() },
                sink: if sends { 0 } else { self.block },
                cpu: self.setup.affinity,
                start: Nanos::ZERO,
            })?;
        }
        Ok(())
    }

    /// The load of netdyno's own that comes nearest: what a run's threads are called by.
    fn kind(&self, sends: bool) -> Kind {
        let udp = self.setup.parameters.protocol == Protocol::Udp;
        match (udp, sends == self.setup.client) {
            (false, true) => Kind::Stream,
            (false, false) => Kind::Maerts,
            (true, true) => Kind::UdpStream,
            (true, false) => Kind::UdpMaerts,
        }
    }

    fn member(&self, lane: &Lane, sends: bool, alone: bool) -> io::Result<Member> {
        let parameters = self.setup.parameters;
        let udp = parameters.protocol == Protocol::Udp;
        let flow: Box<dyn Flow> = match (udp, sends) {
            (false, true) => Box::new(self.block_send(lane)?),
            (false, false) => self.held(lane, self.block_receive(lane)?),
            (true, true) => Box::new(self.numbered_send(lane)?),
            (true, false) => Box::new(self.numbered_receive(lane)?),
        };
        // A blocked sender of blocks could only be woken by ending its connection.
        let is_held = !sends && self.setup.held.is_some();
        let may_block = alone && !is_held && (!sends || (udp && parameters.rate.is_none()));
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
            None => Pacer::stream(size, rate, self.start).forgiving(),
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
            patience: Patience::default(),
            ends: false,
        })
    }

    /// The same at the rate that the server's owner permits.
    fn held(&self, lane: &Lane, mut receive: BlockReceive) -> Box<dyn Flow> {
        let Some(rate) = self.setup.held else {
            return Box::new(receive);
        };
        receive.size = Throttled::piece(receive.size, rate);
        let counts = lane.counts.clone();
        let counted = move || counts.tally.counters(false);
        Box::new(Throttled::new(Box::new(receive), counted, rate).that_ends_at_once())
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
        let largest = match parameters.gso {
            Some(gso) => gso.buffer.get().min(Parameters::DATAGRAMS.1.get()),
            // One with a rate is to come at its own time to every queue on its way.
            None if parameters.rate.is_none() => AS_ONE,
            None => 0,
        };
        let as_one = ((largest / size.get().max(1)) as usize).min(MOST_TOGETHER);
        let is_cut = as_one > 1 && Options::of(&*lane.socket).set_segment(size).is_ok();
        let payload = self.payload()[head..].to_vec();
        Ok(NumberedSend {
            socket: lane.socket.clone(),
            counts: lane.counts.clone(),
            half: Half::default(),
            size: self.block,
            counter: self.counter(),
            batch: SendBatch::new(head, payload, MOST_TOGETHER),
            as_one: is_cut.then_some(as_one),
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
