//! netperf: any number of equal tests side by side, their data on a few threads, from one common
//! start. netserver wants a control connection for each of them, netdyno one for all.

mod data;
mod ending;
mod line;
mod look;
mod opening;
mod seat;
mod test;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use plan::Family;
use proto::netperf::{
    CpuUse, DataOptions, ErrorNumber, Length, Opened, Pace, SessionError, Tally, TestRequest,
    Transport, Work,
};
use record::{Buckets, Counters, LoadEdge, TcpInfo};
use sys::signal::Signals;
use sys::{Epoll, Events, Readiness, Wake, clock};
use units::{BitRate, Bytes, Nanos};

use seat::Seat;

/// How long a control or data connection may take.
const CONNECT: Nanos = Nanos::from_secs(30);

const WAKE: u64 = 0;
const SIGNAL: u64 = 1;
const FIRST: u64 = 2;
/// Keys of a number: the control connection of a seat, the data socket of a test.
const KEYS: u64 = 2;

/// Where the servers' control connections are.
#[derive(Debug, Clone)]
pub struct Control {
    /// The server; its addresses are tried in turn.
    pub addresses: Vec<SocketAddr>,
    /// The client's own address and port.
    pub local: Option<SocketAddr>,
    /// What the server wants to hear first.
    pub passphrase: Option<String>,
    /// No control connections: data goes where the job says, and nobody tells what came.
    pub absent: bool,
}

/// A test and the client's part of it.
#[derive(Debug, Clone)]
pub struct Job {
    /// What the server is asked for.
    pub request: TestRequest,
    /// The server's CPU.
    pub server_cpu: Option<u32>,
    /// What the client's sockets are.
    pub transport: Transport,
    /// What the client does. A size that is not given is the socket buffer's.
    pub work: Work,
    /// The largest segment is read, and nothing sent.
    pub only_connects: bool,
    /// The payload comes from a file that the kernel sends by itself (sendfile(2)).
    pub sendfile: bool,
    /// A file that the payload is taken from; none is one of our own.
    pub file: Option<PathBuf>,
    /// Alignment and offset of the memory that is sent, and of that which is received into.
    pub places: ((u16, u16), (u16, u16)),
    /// Buffers that a stream sends in turn; none is one.
    pub width: Option<u32>,
    /// Received data need not be read, only counted.
    pub avoids_copies: bool,
    /// Each send or receive of a test that is no exchange is timed.
    pub times_calls: bool,
    /// A connection that is refused is tried again, in tests of many connections.
    pub tries_again: bool,
    /// How long.
    pub length: Length,
    /// How long to wait before the server is asked: its own time runs from then on.
    pub delay: Nanos,
    /// The client's CPU.
    pub cpu: Option<u32>,
    /// Measure this host's CPUs.
    pub measures_cpu: bool,
    /// Where the data goes: an address, and a port for tests without control connection.
    pub data: Option<IpAddr>,
    /// The port of tests without control connection.
    pub data_port: u16,
    /// Family of the data sockets.
    pub family: Family,
    /// Where the data comes from.
    pub local_address: Option<IpAddr>,
    /// Its port; 0 is any.
    pub local_port: u16,
    /// Ports that connections take in turn.
    pub port_range: Option<(u16, u16)>,
    /// Options of the data sockets.
    pub options: DataOptions,
    /// SO_MAX_PACING_RATE.
    pub pacing: Option<BitRate>,
    /// IP_MULTICAST_TTL of datagrams.
    pub multicast_ttl: Option<u8>,
    /// TCP_MAXSEG.
    pub mss: Option<Bytes>,
    /// TCP_CORK.
    pub cork: bool,
    /// Requests beyond the first one that are outstanding.
    pub burst: u32,
    /// How long a datagram's answer may take; none is for ever.
    pub patience: Option<Nanos>,
    /// Bursts at intervals.
    pub pace: Option<Pace>,
    /// Lines while the test runs.
    pub interim: Option<Nanos>,
    /// Distance of edges.
    pub interval: Nanos,
}

/// What is told while tests run.
#[derive(Debug, Clone)]
pub enum News {
    /// The flows start.
    Start,
    /// An edge; the last one is where the tests' time ends.
    Edge {
        /// Since the start.
        at: Nanos,
        /// All flows together, cumulative.
        load: Box<LoadEdge>,
    },
    /// The tests' time is over; their threads are still there to be looked at.
    Through,
    /// A line is due.
    Progress(Progress),
}

/// What the tests did since the last time.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// What this end counted.
    pub counters: Counters,
    /// Over how long.
    pub time: Nanos,
}

/// What came of all tests.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// One for each.
    pub flows: Vec<Flow>,
    /// From the common start to the common stop.
    pub window: Nanos,
    /// How busy this host was.
    pub cpu: Option<CpuUse>,
    /// Response times of all.
    pub response: Buckets,
    /// The user ended it.
    pub interrupted: bool,
    /// Threads that carried the flows.
    pub workers: u32,
}

/// What came of one test.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    /// The server's data socket.
    pub opened: Option<Opened>,
    /// The server's figures.
    pub results: Option<Tally>,
    /// What this end counted, to the end of its last operation.
    pub counters: Counters,
    /// What this end counted in the common window.
    pub window: Counters,
    /// Payload that the peer acknowledged in the common window.
    pub window_acked: Option<u64>,
    /// Segments that were sent again in the common window.
    pub window_retransmits: Option<u64>,
    /// From the start to the end of the data connection.
    pub elapsed: Nanos,
    /// From the start to the flow's own last operation, or to the common stop.
    pub active: Nanos,
    /// Answers that never came.
    pub unanswered: u64,
    /// Socket buffers before the test, sending and receiving.
    pub first_buffers: (Option<Bytes>, Option<Bytes>),
    /// The same at its end.
    pub last_buffers: (Option<Bytes>, Option<Bytes>),
    /// Bytes of one send, or of a request.
    pub send_size: Option<Bytes>,
    /// Bytes of one receive, or of a response.
    pub recv_size: Option<Bytes>,
    /// The socket at its end.
    pub tcp_info: Option<TcpInfo>,
    /// Largest segment.
    pub mss: Option<Bytes>,
    /// Congestion control.
    pub congestion: Option<String>,
    /// The data socket's own address.
    pub local: Option<SocketAddr>,
    /// Why there are no results.
    pub error: Option<ClientError>,
}

/// Why a test did not come to its end.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClientError {
    /// No control connection.
    #[error(
        "establishing the control connection to {address}: {error}; is a netserver or 'netdyno serve' running there?"
    )]
    Unreachable {
        /// The address that was tried last.
        address: SocketAddr,
        /// What the system answered.
        error: Arc<io::Error>,
    },
    /// The control dialogue broke.
    #[error("{0}")]
    Session(SessionError),
    /// The server does not do it.
    #[error("remote error {number}{}", meaning(*number))]
    Refused {
        /// Its error number.
        number: ErrorNumber,
    },
    /// A data socket failed.
    #[error("{doing}: {error}")]
    Data {
        /// What was done.
        doing: String,
        /// What the system answered.
        error: Arc<io::Error>,
    },
    /// A flow broke.
    #[error("{0}")]
    Broken(String),
    /// The user ended it before it began.
    #[error("interrupted before the test began")]
    Interrupted,
}

fn meaning(number: ErrorNumber) -> String {
    match i32::try_from(number.get()) {
        Ok(errno) if errno < 134 => format!(" {}", io::Error::from_raw_os_error(errno)),
        _ => format!(" ({number})"),
    }
}

impl ClientError {
    fn data(doing: &str, error: io::Error) -> Self {
        Self::Data {
            doing: doing.to_owned(),
            error: Arc::new(error),
        }
    }
}

/// Clients with their control connections, between tests.
pub struct Client {
    control: Control,
    /// Tests at once.
    tests: usize,
    seats: Vec<Seat>,
    /// What the data socket of each test is ready for, where it is waited for.
    ready: Vec<Readiness>,
    epoll: Epoll,
    events: Events,
    wake: Arc<Wake>,
    signals: Option<Signals>,
    interrupted: bool,
}

impl Client {
    /// Makes the first control connection for `tests` tests at once. The others are made if the
    /// server turns out to need them.
    ///
    /// # Errors
    /// When the system refuses to wait for events. A connection that fails is a test's error.
    pub fn connect(control: &Control, tests: u32, signals: Option<Signals>) -> io::Result<Self> {
        let epoll = Epoll::new()?;
        let wake = Arc::new(Wake::new()?);
        epoll.add(&*wake, WAKE, Readiness::READ)?;
        if let Some(signals) = &signals {
            epoll.add(signals, SIGNAL, Readiness::READ)?;
        }
        let tests = tests as usize;
        let mut client = Self {
            control: control.clone(),
            tests,
            seats: Vec::new(),
            ready: vec![Readiness::default(); tests],
            epoll,
            events: Events::with_capacity(256),
            wake,
            signals,
            interrupted: false,
        };
        client.sit(1)?;
        Ok(client)
    }

    /// Makes control connections side by side until there are `seats`.
    fn sit(&mut self, seats: usize) -> io::Result<()> {
        let first = self.seats.len();
        self.seats
            .extend((first..seats).map(|_| Seat::new(&self.control)));
        if self.control.absent {
            return Ok(());
        }
        let deadline = clock::now() + CONNECT;
        for at in first..seats {
            self.seats[at].dial(&self.epoll, key(at));
        }
        while self.seats[first..].iter().any(Seat::is_dialling) && !self.interrupted {
            self.pump(Some(deadline))?;
            for at in first..seats {
                self.seats[at].dialled(&self.epoll, key(at), clock::now() >= deadline);
            }
        }
        Ok(())
    }

    /// The first connection's error, if it has one.
    pub fn error(&self) -> Option<ClientError> {
        self.seats.iter().find_map(|seat| seat.error.clone())
    }

    /// The server's address of the first control connection.
    pub fn peer(&self) -> Option<SocketAddr> {
        self.seats.iter().find_map(|seat| seat.peer)
    }

    /// Asks the first server for its CPU calibration: rate and number of CPUs.
    ///
    /// # Errors
    /// Why there is none.
    pub fn calibrate(&mut self) -> Result<(f32, u32), ClientError> {
        let asked = self.seats[0].calibrate();
        while asked && self.seats[0].calibration.is_none() && self.seats[0].error.is_none() {
            if let Err(error) = self.pump(None) {
                return Err(ClientError::data("waiting for events", error));
            }
            if self.interrupted {
                return Err(ClientError::Interrupted);
            }
        }
        let seat = &self.seats[0];
        match (seat.calibration, &seat.error) {
            (Some(calibration), _) => Ok(calibration),
            (None, Some(error)) => Err(error.clone()),
            (None, None) => Err(ClientError::Interrupted),
        }
    }

    /// Says goodbye to the servers.
    pub fn close(mut self) {
        for seat in &mut self.seats {
            seat.leave();
        }
        let deadline = clock::now() + Nanos::from_secs(1);
        while self.seats.iter().any(Seat::is_leaving) && clock::now() < deadline {
            if self.pump(Some(deadline)).is_err() {
                return;
            }
        }
    }

    /// Sends what is to be sent, waits until something happens or until `until`, and takes what
    /// came.
    fn pump(&mut self, until: Option<Nanos>) -> io::Result<()> {
        let mut next = until;
        for seat in &mut self.seats {
            seat.flush();
            next = [next, seat.next_deadline()].into_iter().flatten().min();
        }
        self.epoll
            .wait(&mut self.events, next.map(|at| at - clock::now()))?;
        for (key, ready) in self.events.iter() {
            match key {
                WAKE => self.wake.clear(),
                SIGNAL => {
                    let signal = self.signals.as_ref().and_then(Signals::next);
                    self.interrupted |= signal.is_some();
                }
                key => {
                    let number = ((key - FIRST) / KEYS) as usize;
                    if (key - FIRST).is_multiple_of(KEYS) {
                        self.seats[number].control_ready(&self.epoll, ready);
                    } else {
                        self.ready[number] = ready;
                    }
                }
            }
        }
        let now = clock::now();
        for seat in &mut self.seats {
            seat.expire(now);
        }
        Ok(())
    }
}

/// The key of a seat's control connection; the test of the same number has the next one for its
/// data socket.
fn key(number: usize) -> u64 {
    FIRST + KEYS * number as u64
}
