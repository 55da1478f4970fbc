//! The line of a new connection.

use std::net::{IpAddr, SocketAddr};

use super::{FlowId, Form, WallTime};

/// A connection, or a UDP flow.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// Its number.
    pub id: FlowId,
    /// Our end.
    pub local: SocketAddr,
    /// The other one.
    pub peer: SocketAddr,
    /// The interface that our address is of; shown in enhanced reports.
    pub device: Option<String>,
    /// The socket's descriptor; shown in enhanced reports.
    pub socket: Option<i32>,
    /// `--tcp-rx-window-clamp`.
    pub clamp_bytes: Option<u64>,
    /// `--tcp-write-prefetch`.
    pub prefetch_bytes: Option<u64>,
    /// `--isochronous`.
    pub isochronous: bool,
    /// `--burst-period`.
    pub burst_period_seconds: Option<f64>,
    /// Data goes both ways, or against the roles.
    pub way: Way,
    /// Paced by the kernel.
    pub fair_queue: bool,
    /// `--txstart-time`.
    pub starts_at_epoch: bool,
    /// `--bounceback`.
    pub bounceback: Option<Bounce>,
    /// `--l2checks`.
    pub checks_length: bool,
    /// UDP ends without the server's report.
    pub no_udp_fin: bool,
    /// `--trip-times`.
    pub trip_times: bool,
    /// The byte that was asked of the other end; shown in enhanced reports.
    pub tos_received: Option<u8>,
    /// The byte of what we send, where it differs; shown in enhanced reports.
    pub tos_sent: Option<u8>,
    /// A client's version, such as `2.1.8`; shown in enhanced reports.
    pub peer_version: Option<String>,
    /// TCP_QUICKACK.
    pub quickack: bool,
    /// TCP_INFO of the new connection.
    pub tcp: Option<TcpStart>,
    /// How long connecting took; shown in enhanced reports and where nothing else is done.
    pub connect_ms: Option<f64>,
    /// It does nothing but connect.
    pub only_connects: bool,
    /// When; shown in enhanced reports and where nothing else is done.
    pub at: Option<WallTime>,
}

/// Which way data goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Way {
    /// To the server.
    #[default]
    Forward,
    /// From the server.
    Reverse,
    /// Both on one connection.
    FullDuplex,
}

/// Requests and replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounce {
    /// Acknowledgements are not delayed.
    pub quickack: bool,
    /// Of a request.
    pub bytes: u64,
    /// How long the server keeps it.
    pub hold_usecs: u64,
}

/// TCP_INFO of a new connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpStart {
    /// Congestion window, in KBytes.
    pub cwnd_kbytes: u64,
    /// Segment.
    pub mss: u32,
    /// Round trip of the handshake.
    pub rtt_usecs: u32,
}

impl Connection {
    /// A connection between these, with nothing else to say.
    pub fn new(id: FlowId, local: SocketAddr, peer: SocketAddr) -> Self {
        Self {
            id,
            local,
            peer,
            device: None,
            socket: None,
            clamp_bytes: None,
            prefetch_bytes: None,
            isochronous: false,
            burst_period_seconds: None,
            way: Way::Forward,
            fair_queue: false,
            starts_at_epoch: false,
            bounceback: None,
            checks_length: false,
            no_udp_fin: false,
            trip_times: false,
            tos_received: None,
            tos_sent: None,
            peer_version: None,
            quickack: false,
            tcp: None,
            connect_ms: None,
            only_connects: false,
            at: None,
        }
    }

    /// The line with its end; nothing if it is excluded.
    pub fn line(&self, form: &Form) -> String {
        if form.excluded.connections || form.csv || form.sum_only {
            return String::new();
        }
        let marks = [self.options(form), self.facts(form)].concat();
        let marks: String = marks.iter().map(|mark| format!(" {mark}")).collect();
        let [local, peer] = self.ends(form);
        let id = self.id.brackets();
        format!("{id}local {local} connected with {peer}{marks}\n")
    }

    /// The line of a connection that a server with a key does not take.
    pub fn refused_line(&self, form: &Form) -> String {
        if form.excluded.connections || form.csv {
            return String::new();
        }
        let [local, peer] = self.ends(form);
        let tcp = self.tcp.map(|tcp| tcp.mark() + " ").unwrap_or_default();
        format!("[drop] local {local} connection with {peer} {tcp}(permit key fail)\n")
    }

    fn ends(&self, form: &Form) -> [String; 2] {
        let device = match &self.device {
            Some(device) if form.enhanced => format!("%{device}"),
            _ => String::new(),
        };
        [(self.local, &*device), (self.peer, "")].map(|(end, device)| {
            let address = shown(end.ip(), form);
            format!("{address}{device} port {}", end.port())
        })
    }

    /// What was asked for.
    fn options(&self, form: &Form) -> Vec<String> {
        let fair_queue = if self.fair_queue { " (fq)" } else { "" };
        let when = |so: bool, mark: &str| so.then(|| mark.to_owned());
        let way = match self.way {
            Way::Forward => None,
            Way::Reverse => Some(format!("(reverse){fair_queue}")),
            Way::FullDuplex => Some(format!("(full-duplex){fair_queue}")),
        };
        let burst = self.burst_period_seconds;
        [
            self.clamp_bytes.map(|bytes| format!("(clamp={bytes})")),
            self.prefetch_bytes
                .map(|bytes| format!("(prefetch={bytes})")),
            when(self.isochronous, "(isoch)"),
            burst.map(|seconds| format!("(burst-period={seconds:.4}s)")),
            way,
            when(self.starts_at_epoch, "(epoch-start)"),
            self.bounceback.map(|bounce| bounce.mark()),
            when(self.checks_length, "(l2mode)"),
            when(self.no_udp_fin, "(no-udp-fin)"),
            when(self.trip_times, "(trip-times)"),
            self.socket
                .filter(|_| form.enhanced)
                .map(|socket| format!("(sock={socket})")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// What was found.
    fn facts(&self, form: &Form) -> Vec<String> {
        let tos = match (self.tos_received, self.tos_sent) {
            (Some(rx), Some(tx)) => Some(format!("(tos rx/tx=0x{rx:x}/0x{tx:x})")),
            (None, Some(tx)) => Some(format!("(tos tx=0x{tx:x})")),
            (Some(rx), None) => Some(format!("(tos rx=0x{rx:x})")),
            (None, None) => None,
        };
        let version = self.peer_version.as_ref();
        let timed = form.enhanced || (self.only_connects && self.connect_ms.is_some());
        [
            tos,
            version
                .filter(|_| form.enhanced)
                .map(|version| format!("(peer {version})")),
            self.quickack.then(|| "(qack)".to_owned()),
            self.tcp.map(|tcp| tcp.mark()),
            self.connect_ms
                .filter(|_| timed)
                .map(|ms| format!("(ct={ms:.2} ms)")),
            self.at
                .as_ref()
                .filter(|_| timed)
                .map(|at| format!("on {} ({})", at.to_second(), at.zone)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl Bounce {
    fn mark(self) -> String {
        let quickack = if self.quickack { " w/quickack" } else { "" };
        format!("(bb{quickack} len/hold={}/{})", self.bytes, self.hold_usecs)
    }
}

impl TcpStart {
    fn mark(self) -> String {
        let Self {
            cwnd_kbytes,
            mss,
            rtt_usecs,
        } = self;
        format!("(icwnd/mss/irtt={cwnd_kbytes}/{mss}/{rtt_usecs})")
    }
}

/// An address, or its last part (`--hide-ips`).
fn shown(address: IpAddr, form: &Form) -> String {
    let address = address.to_string();
    if !form.hides_addresses {
        return address;
    }
    match (address.rsplit_once('.'), address.rsplit_once(':')) {
        (Some((_, last)), _) => format!("*.*.*.{last}"),
        (None, Some((_, last))) => format!("*:*:*:*:*:*:*:{last}"),
        (None, None) => "*".to_owned(),
    }
}
