//! `start`.

use serde::Serialize;

use super::super::number::Number;
use super::super::time::gmt;
use super::super::{Connected, Contact, Form, Protocol, Role, Started, Way};
use super::Shape;

#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct StartPart {
    connected: Vec<ConnectedPart>,
    version: String,
    system_info: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connecting_to: Option<Peer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_connection: Option<Peer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cookie: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tcp_mss: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tcp_mss_default: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_bitrate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fq_rate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sock_bufsize: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sndbuf_actual: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rcvbuf_actual: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_start: Option<TestStart>,
    #[serde(skip)]
    interval_seconds: f64,
}

#[derive(Debug, Clone, Serialize)]
struct ConnectedPart {
    socket: i32,
    local_host: String,
    local_port: u16,
    remote_host: String,
    remote_port: u16,
}

#[derive(Debug, Clone, Serialize)]
struct Timestamp {
    time: String,
    timesecs: u64,
    timemillisecs: u64,
}

#[derive(Debug, Clone, Serialize)]
struct Peer {
    host: String,
    port: u16,
}

#[derive(Debug, Clone, Serialize)]
struct TestStart {
    protocol: &'static str,
    num_streams: u32,
    blksize: u64,
    omit: u32,
    duration: u32,
    bytes: u64,
    blocks: u64,
    reverse: u8,
    tos: u32,
    target_bitrate: u64,
    bidir: u8,
    fqrate: u64,
    interval: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    gso: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gro: Option<u8>,
}

impl StartPart {
    pub fn new(form: &Form) -> Self {
        Self {
            version: form.version.clone(),
            system_info: form.system_info.clone(),
            interval_seconds: form.interval_seconds,
            ..Self::default()
        }
    }

    /// The test's; empty before the ends know each other.
    pub fn cookie(&self) -> &str {
        self.cookie.as_deref().unwrap_or_default()
    }

    pub fn meet(&mut self, contact: &Contact, role: Role) {
        self.timestamp = Some(Timestamp {
            time: gmt(contact.at_unix_ms),
            timesecs: contact.at_unix_ms / 1000,
            timemillisecs: contact.at_unix_ms,
        });
        let peer = Peer {
            host: contact.host.clone(),
            port: contact.port,
        };
        match role {
            Role::Client => self.connecting_to = Some(peer),
            Role::Server => self.accepted_connection = Some(peer),
        }
        self.cookie = Some(contact.cookie.clone());
        if contact.protocol == Protocol::Tcp {
            match contact.mss_is_asked {
                true => self.tcp_mss = contact.mss,
                false => self.tcp_mss_default = contact.mss,
            }
        }
        self.target_bitrate = Some(contact.target_bitrate);
        self.fq_rate = Some(contact.fq_rate);
    }

    pub fn connect(&mut self, connected: &Connected) {
        self.connected.push(ConnectedPart {
            socket: connected.socket,
            local_host: connected.local_host.clone(),
            local_port: connected.local_port,
            remote_host: connected.remote_host.clone(),
            remote_port: connected.remote_port,
        });
    }

    pub fn begin(&mut self, started: &Started, shape: Shape) {
        self.sock_bufsize = Some(started.buffers.asked);
        self.sndbuf_actual = Some(started.buffers.send);
        self.rcvbuf_actual = Some(started.buffers.receive);
        let udp = shape.protocol == Protocol::Udp;
        self.test_start = Some(TestStart {
            protocol: shape.protocol.name(),
            num_streams: started.parallel,
            blksize: started.block_bytes,
            omit: started.omit_seconds,
            duration: started.duration_seconds,
            bytes: started.bytes,
            blocks: started.blocks,
            reverse: u8::from(shape.way == Way::Reverse),
            tos: started.tos,
            target_bitrate: self.target_bitrate.unwrap_or_default(),
            bidir: u8::from(shape.way == Way::Both),
            fqrate: self.fq_rate.unwrap_or_default(),
            interval: Number(self.interval_seconds),
            gso: udp.then(|| u8::from(started.gso)),
            gro: udp.then(|| u8::from(started.gro)),
        });
    }
}
