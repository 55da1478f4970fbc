//! One test at the server, from its data socket to its figures.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use proto::netperf::{Job, Length, Opened, Tally, Transport, Work};
use sys::{Options, Wake, clock};
use units::{BitRate, Bytes, Nanos};

use crate::flow::{
    Answer, Burst, ConnectCounts, ConnectServe, Flow, PlainAnswer, PlainReceive, PlainSend,
    StreamReceive, StreamSend,
};
use crate::netperf::payload::{PERIOD, payload};
use crate::netperf::{Cpu, socket};
use crate::squad::{Member, Single, Squad, Watch};
use crate::tally::{Half, Tally as Counts};

/// netserver's own size where a socket does not tell the size of its buffer.
const USUAL_SIZE: Bytes = Bytes::new(4096);
/// Bytes that one receive asks for at most: more are never there at once.
const MOST_RECEIVED: usize = 4 << 20;

/// Bytes that every worker has room for.
const LEAST_ROOM: usize = 4096;

/// EPROTONOSUPPORT.
const NO_PROTOCOL: i32 = 93;

/// A test that is open.
pub(super) struct Test {
    job: Job,
    send_size: usize,
    recv_size: usize,
    socket: DataSocket,
    squad: Squad,
    counts: Arc<Counts>,
    wake: Arc<Wake>,
    cpu: Option<Cpu>,
    opened: Nanos,
    began: Option<Nanos>,
    /// When its time was over, if the client did not end it.
    over_since: Option<Nanos>,
}

enum DataSocket {
    /// Waits for the test's connection.
    Listener(TcpListener),
    /// At work.
    Connected(Arc<OwnedFd>),
    /// At work: connections come and go.
    Serving(Arc<TcpListener>),
    /// At work.
    Datagrams(Arc<OwnedFd>),
}

impl Test {
    /// Opens the data socket that the job asks for.
    ///
    /// # Errors
    /// What the system answered; the client is told its number.
    pub fn open(
        job: &Job,
        local: SocketAddr,
        peer: SocketAddr,
        max_rate: Option<BitRate>,
        wake: &Arc<Wake>,
    ) -> io::Result<(Self, Opened)> {
        let at = socket::local(job.address, job.port, job.family, local);
        let (socket, marks, port) = match job.transport {
            Transport::Tcp => {
                let (listener, marks) = socket::listen(at, &job.options)?;
                let port = listener.local_addr()?.port();
                (DataSocket::Listener(listener), marks, port)
            }
            Transport::Udp => {
                let (socket, marks) = socket::datagrams(at, &job.options)?;
                let port = sys::local_address(&socket)?.port();
                (DataSocket::Datagrams(Arc::new(socket)), marks, port)
            }
            Transport::Sctp | Transport::SctpMany => {
                return Err(io::Error::from_raw_os_error(NO_PROTOCOL));
            }
        };
        let mut test = Self {
            job: job.clone(),
            send_size: 0,
            recv_size: 0,
            socket,
            squad: Squad::new(wake.clone()),
            counts: Arc::default(),
            wake: wake.clone(),
            cpu: job.measures_cpu.then(Cpu::start),
            opened: clock::now(),
            began: None,
            over_since: None,
        };
        if let Some(rate) = max_rate {
            test.options(|options| options.set_pacing(rate))?;
        }
        let send_buffer = test.options(|options| options.sndbuf()).ok();
        let recv_buffer = test.options(|options| options.rcvbuf()).ok();
        let udp = job.transport == Transport::Udp;
        let most = |size: Bytes| {
            if udp {
                size.min(Job::LONGEST_DATAGRAM)
            } else {
                size
            }
        };
        let (recv_size, send_size) = match job.work {
            Work::Receive { size } => (size.or(recv_buffer).or(Some(USUAL_SIZE)), None),
            Work::Send { size } => {
                let size = size.or(send_buffer.map(most));
                (None, size.or(Some(USUAL_SIZE)))
            }
            Work::Exchange {
                request, response, ..
            } => (Some(request), Some(response)),
            Work::Connect => (None, None),
        };
        test.recv_size = recv_size.unwrap_or(Bytes::new(0)).len();
        test.send_size = send_size.unwrap_or(Bytes::new(0)).len();
        let width = |buffer: Option<Bytes>, size: Option<Bytes>| match (job.work, buffer, size) {
            (Work::Exchange { .. }, ..) => 1,
            (_, Some(buffer), Some(size)) => (buffer.get() / size.get().max(1) + 1).max(2) as u32,
            _ => 1,
        };
        let opened = Opened {
            port,
            recv_buffer,
            send_buffer,
            recv_size,
            send_size,
            recv_width: width(recv_buffer, recv_size),
            send_width: width(send_buffer, send_size),
            nodelay: job.options.nodelay,
            cpu_rate: job.measures_cpu.then_some(Cpu::RATE),
            pace: job
                .pace
                .filter(|_| udp && matches!(job.work, Work::Send { .. })),
            priority: marks.priority,
            tos: marks.tos,
        };
        if udp {
            test.serve_datagrams(peer)?;
        } else if job.reconnects() {
            test.serve_connections()?;
        }
        Ok((test, opened))
    }

    /// What the test's connection is waited for on.
    pub fn listener(&self) -> Option<&TcpListener> {
        match &self.socket {
            DataSocket::Listener(listener) => Some(listener),
            _ => None,
        }
    }

    /// Whether the first data or connection has come.
    pub fn has_begun(&self) -> bool {
        self.began.is_some()
    }

    /// Takes what came. True when the test is over.
    ///
    /// # Errors
    /// What the system answered.
    pub fn advance(&mut self, now: Nanos) -> io::Result<bool> {
        if let DataSocket::Listener(listener) = &self.socket {
            if self.over_since.is_some() {
                return Ok(true);
            }
            let Some((socket, _)) = sys::accept(listener)? else {
                return Ok(false);
            };
            self.began = Some(now);
            self.serve_connection(socket)?;
            return Ok(false);
        }
        if self.began.is_none() && self.has_come() {
            self.began = Some(now);
        }
        Ok(self.squad.left() == 0 || (self.over_since.is_some() && !self.sends()))
    }

    /// The time is up, and was since `over_since`.
    pub fn stop(&mut self, over_since: Nanos) {
        self.over_since = Some(over_since);
        self.squad.stop();
        // So that the session comes by.
        self.wake.wake();
    }

    /// Ends the work and gives its figures.
    pub fn close(mut self) -> Tally {
        let now = clock::now();
        let ended = self.over_since.unwrap_or(now);
        let began = self.began.unwrap_or(self.opened);
        let elapsed = ended - began;
        let cpu = self.cpu.as_ref().map(|cpu| cpu.stop(elapsed, now - ended));
        let (retransmits, congestion) = match &self.socket {
            DataSocket::Connected(socket) => (
                sys::tcp_info(&**socket)
                    .ok()
                    .and_then(|info| info.tcpi_total_retrans)
                    .map(|n| n as u32),
                Options::of(&**socket).congestion_control().ok(),
            ),
            DataSocket::Serving(listener) => {
                (None, Options::of(&**listener).congestion_control().ok())
            }
            _ => (None, None),
        };
        let recv_buffer = self.options(|options| options.rcvbuf()).ok();
        let send_buffer = self.options(|options| options.sndbuf()).ok();
        self.squad.finish();
        let counters = self.counts.counters(false);
        let transactions = match self.job.work {
            // A connection without a request counts as one of no bytes.
            Work::Exchange { .. } | Work::Connect => counters.received_messages,
            Work::Receive { .. } | Work::Send { .. } => 0,
        };
        Tally {
            bytes_received: Bytes::new(counters.received_bytes),
            recv_calls: counters.received_messages,
            bytes_sent: Bytes::new(counters.written_bytes),
            send_calls: counters.written_messages,
            transactions,
            recv_buffer,
            send_buffer,
            elapsed,
            cpu,
            cpus: Cpu::count(),
            retransmits,
            congestion: congestion.unwrap_or_else(|| "TCP Only".to_owned()),
        }
    }

    /// Whether this end decides when all is sent, so that the rest still goes out after its time.
    fn sends(&self) -> bool {
        matches!(self.job.work, Work::Send { .. })
    }

    fn has_come(&self) -> bool {
        let counters = self.counts.counters(false);
        counters.received_messages > 0 || self.sends()
    }

    fn options<T>(&self, ask: impl FnOnce(Options<'_>) -> io::Result<T>) -> io::Result<T> {
        match &self.socket {
            DataSocket::Listener(listener) => ask(Options::of(listener)),
            DataSocket::Serving(listener) => ask(Options::of(&**listener)),
            DataSocket::Connected(socket) | DataSocket::Datagrams(socket) => {
                ask(Options::of(&**socket))
            }
        }
    }

    fn serve_connection(&mut self, socket: OwnedFd) -> io::Result<()> {
        let socket = Arc::new(socket);
        let (tally, half) = (self.counts.clone(), Half::default());
        let active = self.sends();
        let flow: Box<dyn Flow> = match self.job.work {
            Work::Receive { .. } => Box::new(StreamReceive {
                socket: socket.clone(),
                tally,
                half,
                size: self.room(),
                trunc: self.job.avoids_copies,
            }),
            Work::Send { .. } => Box::new(StreamSend {
                socket: socket.clone(),
                tally,
                half,
                size: self.send_size,
                left: self.left_bytes(),
                pace: None,
                rest: 0,
                full: false,
            }),
            Work::Exchange { .. } | Work::Connect => Box::new(Answer {
                socket: socket.clone(),
                tally,
                request: self.recv_size,
                reply: self.send_size,
                progress: Default::default(),
            }),
        };
        let single = Some(Single {
            socket: socket.clone(),
            shut_to_stop: active,
        });
        // The listener is closed: a test has one connection.
        self.socket = DataSocket::Connected(socket);
        self.work(Member {
            flow,
            active,
            single,
        })
    }

    fn serve_connections(&mut self) -> io::Result<()> {
        let DataSocket::Listener(listener) = &self.socket else {
            return Ok(());
        };
        let listener = Arc::new(listener.try_clone()?);
        self.socket = DataSocket::Serving(listener.clone());
        let flow = Box::new(ConnectServe {
            listener,
            counts: Arc::new(ConnectCounts::new(self.counts.clone())),
            request: self.recv_size,
            reply: self.send_size,
            left: self.left_count(),
            current: None,
            queue: Default::default(),
            generation: 0,
            began: Some(self.wake.clone()),
        });
        self.work(Member {
            flow,
            active: false,
            single: None,
        })
    }

    fn serve_datagrams(&mut self, peer: SocketAddr) -> io::Result<()> {
        let DataSocket::Datagrams(socket) = &self.socket else {
            return Ok(());
        };
        let socket = socket.clone();
        let (tally, half) = (self.counts.clone(), Half::default());
        let began = Some(self.wake.clone());
        let active = self.sends();
        let flow: Box<dyn Flow> = match self.job.work {
            Work::Send { .. } => {
                // Only to the host that asks for it.
                sys::connect(
                    &*socket,
                    SocketAddr::new(peer.ip().to_canonical(), self.job.client_port),
                )?;
                let size = self.send_size as u64;
                let left = match self.left_bytes() {
                    u64::MAX => u64::MAX,
                    bytes => bytes.div_ceil(size.max(1)),
                };
                Box::new(PlainSend {
                    socket: socket.clone(),
                    tally,
                    half,
                    size: self.send_size,
                    left,
                    offset: 0,
                    period: PERIOD,
                    burst: self.job.pace.map(|pace| Burst {
                        size: pace.burst,
                        interval: pace.interval,
                        left: pace.burst,
                        next: self.opened + pace.interval,
                    }),
                    pause: None,
                })
            }
            Work::Exchange { .. } => Box::new(PlainAnswer {
                socket: socket.clone(),
                tally,
                request: self.room(),
                reply: self.send_size,
                sent: half,
                received: half,
                began,
            }),
            Work::Receive { .. } | Work::Connect => Box::new(PlainReceive {
                socket: socket.clone(),
                tally,
                half,
                size: self.room(),
                began,
            }),
        };
        let single = Some(Single {
            socket,
            shut_to_stop: false,
        });
        self.work(Member {
            flow,
            active,
            single,
        })
    }

    fn work(&mut self, member: Member) -> io::Result<()> {
        let watch = Watch {
            name: "netperf-data".to_owned(),
            flows: vec![member],
            payload: payload(self.send_size),
            // Requests may come several at a time.
            sink: self.room().max(LEAST_ROOM),
            cpu: self.job.cpu.and_then(|cpu| u16::try_from(cpu).ok()),
            start: Nanos::ZERO,
        };
        self.squad.start(watch)
    }

    /// Bytes of one receive.
    fn room(&self) -> usize {
        self.recv_size.clamp(1, MOST_RECEIVED)
    }

    /// Transactions or connections; without a number they go on until they are stopped.
    fn left_count(&self) -> u64 {
        match self.job.length {
            Length::Count(count) => count.into(),
            Length::Seconds(_) | Length::Unlimited => u64::MAX,
        }
    }

    /// Bytes, in whole sends.
    fn left_bytes(&self) -> u64 {
        match self.job.length {
            Length::Count(count) => {
                let size = self.send_size.max(1) as u64;
                u64::from(count).div_ceil(size) * size
            }
            Length::Seconds(_) | Length::Unlimited => u64::MAX,
        }
    }
}
