//! The client's data sockets, and what is done on them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use proto::netperf::{Length, Transport, Work};
use sys::Options;
use units::{BitRate, Bytes, Nanos};

use super::Job;
use crate::arrivals::Arrivals;
use crate::flow::{
    Ask, Burst, ConnectAsk, FileSend, Flow, Lead, Manner, Open, Patience, PlainAsk, PlainReceive,
    PlainSend, StreamReceive, StreamSend, Timer, Timings,
};
use crate::netperf::payload::{LARGEST_PIECE, PERIOD, payload, payload_of, ring};
use crate::netperf::socket;
use crate::squad::{Member, Single};
use crate::tally::{Half, Tally};

/// EPROTONOSUPPORT.
const NO_PROTOCOL: i32 = 93;
/// netperf's own size where a socket does not tell the size of its buffer.
const USUAL_SIZE: Bytes = Bytes::new(4096);
/// Longer than any test: an answer that never comes is waited for to the test's end.
const FOR_EVER: Nanos = Nanos::from_secs(1 << 32);

/// How much in one call, known once there is a socket.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sizes {
    pub send: usize,
    pub recv: usize,
}

impl Sizes {
    /// Bytes of one receive of what is not an exchange.
    pub fn room(self) -> usize {
        self.recv.min(LARGEST_PIECE)
    }
}

/// Opens data sockets to one address.
#[derive(Clone)]
pub(super) struct Dialer {
    job: Arc<Job>,
    peer: SocketAddr,
    /// The next port of the range.
    next_port: u16,
}

impl Dialer {
    pub fn new(job: Arc<Job>, peer: SocketAddr) -> Self {
        let next_port = job.port_range.map_or(0, |(first, _)| first);
        Self {
            job,
            peer,
            next_port,
        }
    }

    /// A socket with its options, that has begun to connect.
    ///
    /// # Errors
    /// What the system answered.
    fn dial(&self, local_port: u16) -> io::Result<OwnedFd> {
        let socket = self.socket(local_port)?;
        sys::connect(&socket, self.peer)?;
        Ok(socket)
    }

    /// A socket with its options.
    ///
    /// # Errors
    /// What the system answered.
    pub fn socket(&self, local_port: u16) -> io::Result<OwnedFd> {
        let job = &self.job;
        let tcp = job.transport == Transport::Tcp;
        let socket = match job.transport {
            Transport::Tcp => sys::tcp_socket(self.peer)?,
            Transport::Udp => sys::udp_socket(self.peer)?,
            Transport::Sctp => sys::sctp_socket(self.peer)?,
            Transport::SctpMany => {
                return Err(io::Error::from_raw_os_error(NO_PROTOCOL));
            }
        };
        socket::apply(&socket, &job.options, self.peer.is_ipv6(), tcp)?;
        let options = Options::of(&socket);
        if tcp && let Some(size) = job.mss {
            options.set_mss(size)?;
        }
        // What only receives would never send its SYN.
        if tcp && job.options.fastopen && !matches!(job.work, Work::Receive { .. }) {
            options.set_fastopen_connect()?;
        }
        if tcp && job.cork {
            options.set_cork()?;
        }
        if let Some(rate) = job.pacing {
            options.set_pacing(rate)?;
            if tcp {
                options.set_notsent_lowat(queued(rate))?;
            }
        }
        if let Some(ttl) = job.multicast_ttl.filter(|_| !tcp) {
            options.set_multicast_ttl(self.peer.is_ipv6(), ttl)?;
        }
        let fits = |address: &IpAddr| address.is_ipv4() == self.peer.is_ipv4();
        let address = job.local_address.filter(fits);
        if address.is_some() || local_port != 0 {
            sys::reuse_address(&socket)?;
            let at = socket::local(address, local_port, plan::Family::Any, self.peer);
            sys::bind(&socket, at)?;
        }
        Ok(socket)
    }
}

impl Open for Dialer {
    fn preamble(&self) -> &[u8] {
        &[]
    }

    fn open(&mut self) -> io::Result<OwnedFd> {
        let Some((first, last)) = self.job.port_range.filter(|(first, _)| *first > 0) else {
            return self.dial(self.job.local_port);
        };
        // A port that is taken is passed over; all of them are tried once.
        let mut answer = Err(io::ErrorKind::AddrInUse.into());
        for _ in first..=last {
            let port = self.next_port;
            self.next_port = if port >= last { first } else { port + 1 };
            answer = self.dial(port);
            match &answer {
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::AddrInUse | io::ErrorKind::AddrNotAvailable
                    ) => {}
                _ => break,
            }
        }
        answer
    }
}

/// How much of a paced stream waits in its socket. On a path with a short round trip the kernel
/// sends 64 KiB at a time at whatever rate (tcp_tso_autosize in net/ipv4/tcp_output.c), if it has
/// them: 0.2 s of a slow flow. Nor does a test then end with seconds of queue to drain.
fn queued(rate: BitRate) -> Bytes {
    /// 20 ms.
    const PART_OF_SECOND: u64 = 50;
    Bytes::new((rate.get() / 8 / PART_OF_SECOND).clamp(4096, 1 << 20))
}

/// The sizes that a job has on sockets with these buffers before they are connected.
pub(super) fn sizes(job: &Job, buffers: (Option<Bytes>, Option<Bytes>)) -> Sizes {
    let (send_buffer, recv_buffer) = buffers;
    let udp = job.transport == Transport::Udp;
    let most = |size: Bytes| {
        if udp {
            size.min(proto::netperf::Job::LONGEST_DATAGRAM)
        } else {
            size
        }
    };
    let (send, recv) = match job.work {
        Work::Send { size } => (size.or(send_buffer.map(most)), Some(Bytes::new(0))),
        Work::Receive { size } => (Some(Bytes::new(0)), size.or(recv_buffer)),
        Work::Exchange {
            request, response, ..
        } => (Some(request), Some(response)),
        Work::Connect => (Some(Bytes::new(0)), Some(Bytes::new(0))),
    };
    Sizes {
        send: send.unwrap_or(USUAL_SIZE).len(),
        recv: recv.unwrap_or(USUAL_SIZE).len(),
    }
}

/// One end of a flow: its socket, if there is one yet, what it is counted in, and when it begins.
pub(super) struct Place<'a> {
    pub socket: Option<&'a Arc<OwnedFd>>,
    pub tally: Arc<Tally>,
    pub start: Nanos,
}

/// What one flow does. Its payload repeats itself after `period` bytes.
pub(super) fn member(
    job: &Arc<Job>,
    sizes: Sizes,
    period: usize,
    Place {
        socket,
        tally,
        start,
    }: Place,
    dialer: Dialer,
    timings: &Timings,
    file: Option<&(Arc<File>, u64)>,
) -> Member {
    let (half, count) = (Half::default(), left(job, sizes));
    let timer = Timer::new(timings.clone(), false);
    let calls = job.times_calls.then(|| Timer::new(timings.clone(), false));
    let arrivals = match burst(job) {
        Some(burst) => Arrivals::Bursts(burst),
        None => Arrivals::Closed,
    };
    let depth = job.burst as usize + 1;
    let udp = job.transport == Transport::Udp;
    // A flow that we pace, if only at its beginning, waits for its instants, and must hear of the
    // end meanwhile.
    let waits = job.pace.is_some() || job.pacing.is_some();
    let single = |shut_to_stop| {
        socket.filter(|_| !waits).map(|socket| Single {
            socket: socket.clone(),
            shut_to_stop,
        })
    };
    let (flow, active, single): (Box<dyn Flow>, bool, Option<Single>) = match (job.work, socket) {
        (Work::Send { .. }, Some(socket)) if udp => {
            let flow = PlainSend {
                socket: socket.clone(),
                tally,
                half,
                size: sizes.send,
                left: count,
                offset: 0,
                period,
                burst: burst(job),
                timer: calls,
                pause: None,
            };
            (Box::new(flow), true, single(false))
        }
        (Work::Send { .. }, Some(socket)) if let Some((file, length)) = file => {
            let flow = FileSend {
                socket: socket.clone(),
                tally,
                half,
                file: file.clone(),
                length: *length,
                offset: 0,
                size: sizes.send,
                left: count,
                rest: 0,
                timer: calls,
                lead: job.pacing.map(|rate| Lead::new(rate, start)),
                full: false,
            };
            (Box::new(flow), true, single(true))
        }
        (Work::Send { .. }, Some(socket)) => {
            let flow = StreamSend {
                socket: socket.clone(),
                tally,
                half,
                size: sizes.send,
                left: count,
                pace: None,
                manner: Manner {
                    burst: burst(job),
                    lead: job.pacing.map(|rate| Lead::new(rate, start)),
                    timer: calls,
                    offset: 0,
                    period,
                },
                rest: 0,
                full: false,
            };
            (Box::new(flow), true, single(true))
        }
        (Work::Receive { .. }, Some(socket)) if udp => {
            let flow = PlainReceive {
                socket: socket.clone(),
                tally,
                half,
                size: sizes.room(),
                began: None,
                connects: false,
                timer: calls,
            };
            (Box::new(flow), false, single(false))
        }
        (Work::Receive { .. }, Some(socket)) => {
            let flow = StreamReceive {
                socket: socket.clone(),
                tally,
                half,
                size: sizes.room(),
                trunc: job.avoids_copies,
                patience: Patience::default(),
                timer: calls,
            };
            (Box::new(flow), false, single(false))
        }
        (Work::Exchange { .. }, Some(socket)) if udp => {
            let flow = PlainAsk {
                socket: socket.clone(),
                tally,
                timer,
                request: sizes.send,
                depth,
                left: count,
                patience: job.patience.unwrap_or(FOR_EVER),
                sent: half,
                received: half,
                waiting: Default::default(),
                unanswered: 0,
                stopping: false,
                burst: burst(job),
            };
            (Box::new(flow), true, None)
        }
        (Work::Exchange { .. }, Some(socket)) => {
            let flow = Ask {
                socket: socket.clone(),
                tally,
                timer,
                arrivals,
                request: sizes.send,
                reply: sizes.recv,
                depth,
                left: count,
                progress: Default::default(),
            };
            let single = single(false).filter(|_| depth == 1);
            (Box::new(flow), true, single)
        }
        (Work::Exchange { .. } | Work::Connect, None) | (_, _) => {
            let flow = ConnectAsk {
                opener: Box::new(dialer),
                tally,
                timer,
                arrivals,
                request: sizes.send,
                reply: sizes.recv,
                left: count,
                sent: half,
                received: half,
                current: None,
                generation: 0,
                stopping: false,
                tries_again: job.tries_again,
                pause: None,
            };
            (Box::new(flow), true, None)
        }
    };
    Member {
        flow,
        active,
        single,
    }
}

/// What is to be sent, asked or connected: bytes of a TCP stream, else a number of messages.
fn left(job: &Job, sizes: Sizes) -> u64 {
    let Length::Count(count) = job.length else {
        return u64::MAX;
    };
    let count = u64::from(count);
    let size = sizes.send.max(1) as u64;
    match (job.work, job.transport) {
        (Work::Send { .. }, Transport::Udp) => count.div_ceil(size),
        (Work::Send { .. }, _) => count.div_ceil(size) * size,
        (Work::Receive { .. } | Work::Exchange { .. } | Work::Connect, _) => count,
    }
}

fn burst(job: &Job) -> Option<Burst> {
    job.pace.map(|pace| Burst {
        size: pace.burst.max(1),
        interval: pace.interval,
        left: 0,
        next: Nanos::ZERO,
    })
}

/// What is sent in pieces of `size` bytes, and after how many bytes it repeats itself.
///
/// # Errors
/// What the system answered about the file.
pub(super) fn filled(job: &Job, size: usize) -> io::Result<(Vec<u8>, usize)> {
    /// Of a longer file the rest is left out, so that the payload stays in the caches.
    const MOST: u64 = 1 << 20;
    let path = job.file.as_ref().filter(|_| !job.sendfile);
    let width = job.width.filter(|_| matches!(job.work, Work::Send { .. }));
    let mut text = Vec::new();
    if let Some(path) = path {
        open(path)?.take(MOST).read_to_end(&mut text)?;
    }
    Ok(match width {
        Some(width) => ring(&text, size, width),
        None if path.is_some() => payload_of(&text, size),
        None => (payload(size), PERIOD),
    })
}

fn open(path: &Path) -> io::Result<File> {
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("opening {}: {error}", path.display()))
    };
    File::open(path).map_err(named)
}

/// The file that is sent and how much of it, in whole pieces of `size` bytes.
///
/// # Errors
/// What the system answered, or that the file is too short.
pub(super) fn file(job: &Job, size: usize) -> io::Result<Option<(Arc<File>, u64)>> {
    /// Pieces of a file of our own: it lies in the caches as netperf's does.
    const PIECES: usize = 8;
    if !job.sendfile {
        return Ok(None);
    }
    let size = size.max(1);
    let Some(path) = &job.file else {
        let mut file = sys::memory_file()?;
        let size = size.min(LARGEST_PIECE);
        for _ in 0..PIECES {
            file.write_all(&payload(size)[..size])?;
        }
        return Ok(Some((Arc::new(file), (PIECES * size) as u64)));
    };
    let file = open(path)?;
    let pieces = file.metadata()?.len() / size as u64;
    if pieces == 0 {
        let reason = format!("the file is shorter than one send of {size} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    Ok(Some((Arc::new(file), pieces * size as u64)))
}
