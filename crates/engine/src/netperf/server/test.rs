//! One test at the server: its data socket, its flow, its figures.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use proto::netperf::{Job, Length, Opened, Tally, Transport, Work};
use sys::{Options, Wake, clock};
use units::{BitRate, Bytes};

use crate::flow::{
    AddressedAnswer, Answer, Burst, ConnectCounts, ConnectServe, Flow, Manner, Patience,
    PlainAnswer, PlainReceive, PlainSend, StreamReceive, StreamSend, Throttled,
};
use crate::netperf::payload::{LARGEST_PIECE, PERIOD};
use crate::netperf::{Cpu, socket};
use crate::squad::{Member, Single};
use crate::tally::{Half, Tally as Counts};

/// netserver's own size where a socket does not tell the size of its buffer.
const USUAL_SIZE: Bytes = Bytes::new(4096);

/// EPROTONOSUPPORT.
const NO_PROTOCOL: i32 = 93;

/// A test that is open.
pub(super) struct Test {
    job: Job,
    send_size: usize,
    recv_size: usize,
    socket: DataSocket,
    counts: Arc<Counts>,
    /// What each direction is held to.
    max_rate: Option<BitRate>,
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
        max_rate: Option<BitRate>,
    ) -> io::Result<(Self, Opened)> {
        let at = socket::local(job.address, job.port, job.family, local);
        let (socket, marks, port) = match job.transport {
            Transport::Tcp | Transport::Sctp => {
                let tcp = job.transport == Transport::Tcp;
                let (listener, marks) = socket::listen(at, &job.options, tcp)?;
                let port = listener.local_addr()?.port();
                (DataSocket::Listener(listener), marks, port)
            }
            Transport::Udp => {
                let (socket, marks) = socket::datagrams(at, &job.options)?;
                let port = sys::local_address(&socket)?.port();
                (DataSocket::Datagrams(Arc::new(socket)), marks, port)
            }
            Transport::SctpMany => {
                return Err(io::Error::from_raw_os_error(NO_PROTOCOL));
            }
        };
        let mut test = Self {
            job: job.clone(),
            send_size: 0,
            recv_size: 0,
            socket,
            counts: Arc::default(),
            max_rate,
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
            pace: job.pace.filter(|_| matches!(job.work, Work::Send { .. })),
            priority: marks.priority,
            tos: marks.tos,
        };
        Ok((test, opened))
    }

    /// What the test's connection is waited for on.
    pub fn listener(&self) -> Option<&TcpListener> {
        match &self.socket {
            DataSocket::Listener(listener) => Some(listener),
            _ => None,
        }
    }

    /// Bytes of one send, and of one receive.
    pub fn sizes(&self) -> (usize, usize) {
        (self.send_size, self.room())
    }

    /// The flow of a test that need not wait for its connection. `wake` is told of its first data.
    ///
    /// # Errors
    /// What the system answered.
    pub fn member_at_once(
        &mut self,
        peer: SocketAddr,
        wake: &Arc<Wake>,
    ) -> io::Result<Option<Member>> {
        let member = match self.job.transport {
            Transport::Udp => self.serve_datagrams(peer, wake)?,
            _ if self.job.reconnects() => self.serve_connections(wake)?,
            _ => None,
        };
        Ok(member.map(|member| self.held(member)))
    }

    /// The flow of a test whose connection has come.
    ///
    /// # Errors
    /// What the system answered.
    pub fn accept(&mut self) -> io::Result<Option<Member>> {
        let DataSocket::Listener(listener) = &self.socket else {
            return Ok(None);
        };
        let connection = sys::accept(listener)?;
        let member = connection.map(|(socket, _)| self.serve_connection(socket));
        Ok(member.map(|member| self.held(member)))
    }

    /// Whether data has come, or goes by itself.
    pub fn has_come(&self) -> bool {
        let counters = self.counts.counters(false);
        counters.received_messages > 0 || (self.sends() && self.job.transport == Transport::Udp)
    }

    /// What the sockets say at the end.
    pub fn sockets_tally(&self) -> Tally {
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
        Tally {
            recv_buffer: self.options(|options| options.rcvbuf()).ok(),
            send_buffer: self.options(|options| options.sndbuf()).ok(),
            retransmits,
            congestion: congestion.unwrap_or_else(|| "TCP Only".to_owned()),
            ..Tally::default()
        }
    }

    /// What was counted, once nothing is counted any more.
    pub fn count(&self, tally: &mut Tally) {
        let counters = self.counts.counters(false);
        tally.bytes_received = Bytes::new(counters.received_bytes);
        tally.recv_calls = counters.received_messages;
        tally.bytes_sent = Bytes::new(counters.written_bytes);
        tally.send_calls = counters.written_messages;
        tally.transactions = match self.job.work {
            // A connection without a request counts as one of no bytes.
            Work::Exchange { .. } | Work::Connect => counters.received_messages,
            Work::Receive { .. } | Work::Send { .. } => 0,
        };
    }

    /// The same at the rate that the server's owner permits. The kernel paces what TCP sends.
    /// Datagrams that come are let in: who sends them would not notice, and what they did to the
    /// link is done.
    fn held(&self, member: Member) -> Member {
        let is_udp = self.job.transport == Transport::Udp;
        let by_us = match self.job.work {
            Work::Receive { .. } => !is_udp,
            Work::Send { .. } => is_udp,
            Work::Exchange { .. } | Work::Connect => true,
        };
        match self.max_rate {
            Some(rate) if by_us => {
                let counts = self.counts.clone();
                let counted = move || counts.counters(false);
                Member {
                    flow: Box::new(Throttled::new(member.flow, counted, rate)),
                    active: member.active,
                    single: None,
                }
            }
            _ => member,
        }
    }

    fn sends(&self) -> bool {
        matches!(self.job.work, Work::Send { .. })
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

    fn serve_connection(&mut self, socket: OwnedFd) -> Member {
        let socket = Arc::new(socket);
        let (tally, half) = (self.counts.clone(), Half::default());
        let active = self.sends();
        let flow: Box<dyn Flow> = match self.job.work {
            Work::Receive { .. } => Box::new(StreamReceive {
                socket: socket.clone(),
                tally,
                half,
                size: self.piece(self.room()),
                trunc: self.job.avoids_copies,
                patience: Patience::default(),
                timer: None,
            }),
            Work::Send { .. } => Box::new(StreamSend {
                socket: socket.clone(),
                tally,
                half,
                size: self.send_size,
                left: self.left_bytes(),
                pace: None,
                manner: Manner {
                    burst: self.burst(),
                    period: PERIOD,
                    ..Manner::default()
                },
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
        // A paced sender waits for its instants, and must hear of the end meanwhile.
        let paced = active && self.job.pace.is_some();
        let single = (!paced).then(|| Single {
            socket: socket.clone(),
            shut_to_stop: active,
        });
        // The listener is closed: a test has one connection.
        self.socket = DataSocket::Connected(socket);
        Member {
            flow,
            active,
            single,
        }
    }

    fn serve_connections(&mut self, wake: &Arc<Wake>) -> io::Result<Option<Member>> {
        let DataSocket::Listener(listener) = &self.socket else {
            return Ok(None);
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
            began: Some(wake.clone()),
        });
        Ok(Some(Member {
            flow,
            active: false,
            single: None,
        }))
    }

    fn serve_datagrams(
        &mut self,
        peer: SocketAddr,
        wake: &Arc<Wake>,
    ) -> io::Result<Option<Member>> {
        let DataSocket::Datagrams(socket) = &self.socket else {
            return Ok(None);
        };
        let socket = socket.clone();
        let (tally, half) = (self.counts.clone(), Half::default());
        let began = Some(wake.clone());
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
                    burst: self.burst(),
                    timer: None,
                    pause: None,
                })
            }
            Work::Exchange { .. } if self.job.options.pktinfo => Box::new(AddressedAnswer {
                socket: socket.clone(),
                tally,
                request: self.room(),
                reply: self.send_size,
                sent: half,
                received: half,
                began,
            }),
            Work::Exchange { .. } => Box::new(PlainAnswer {
                socket: socket.clone(),
                tally,
                request: self.room(),
                reply: self.send_size,
                sent: half,
                received: half,
                began,
                connects: self.job.options.connected,
            }),
            Work::Receive { .. } | Work::Connect => Box::new(PlainReceive {
                socket: socket.clone(),
                tally,
                half,
                size: self.room(),
                began,
                connects: self.job.options.connected,
                timer: None,
            }),
        };
        let waits = (active && self.job.pace.is_some()) || self.job.options.pktinfo;
        let single = (!waits).then_some(Single {
            socket,
            shut_to_stop: false,
        });
        Ok(Some(Member {
            flow,
            active,
            single,
        }))
    }

    fn burst(&self) -> Option<Burst> {
        self.job.pace.map(|pace| Burst {
            size: pace.burst,
            interval: pace.interval,
            left: pace.burst,
            next: clock::now() + pace.interval,
        })
    }

    /// Bytes of one receive of a stream.
    fn piece(&self, size: usize) -> usize {
        self.max_rate
            .map_or(size, |rate| Throttled::piece(size, rate))
    }

    /// Bytes of one receive.
    fn room(&self) -> usize {
        self.recv_size.clamp(1, LARGEST_PIECE)
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
