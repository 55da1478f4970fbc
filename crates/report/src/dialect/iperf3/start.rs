//! What is known before data moves.

/// The ends know each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contact {
    /// The client's host as it was asked for, or the address that the server accepted from.
    pub host: String,
    /// The server's port at a client, the client's port at a server.
    pub port: u16,
    /// Wall time, in milliseconds since 1970.
    pub at_unix_ms: u64,
    /// The test's cookie.
    pub cookie: String,
    /// The transport.
    pub protocol: Protocol,
    /// Who sends.
    pub way: Way,
    /// Largest segment: as asked (`-M`), or the control connection's.
    pub mss: Option<u32>,
    /// It was asked (`-M`).
    pub mss_is_asked: bool,
    /// `-b`, in bit/s of each stream; 0 is unlimited.
    pub target_bitrate: u64,
    /// `--fq-rate`, in bit/s of each stream; 0 is unlimited.
    pub fq_rate: u64,
    /// `-T`.
    pub title: Option<String>,
    /// `--extra-data`.
    pub extra_data: Option<String>,
    /// The client wants what this server shows: the transcript keeps it.
    pub wants_server_output: bool,
}

/// The transport of a test.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Protocol {
    /// TCP, or MPTCP.
    #[default]
    Tcp,
    /// UDP.
    Udp,
    /// SCTP.
    Sctp,
}

/// Who sends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Way {
    /// The client.
    #[default]
    Forward,
    /// The server (`-R`).
    Reverse,
    /// Both, on streams of their own (`--bidir`).
    Both,
}

/// A data stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Connected {
    /// The number that names it in all output: its descriptor, or anything unique in the test.
    pub socket: i32,
    /// Our address.
    pub local_host: String,
    /// Our port.
    pub local_port: u16,
    /// The other end's address.
    pub remote_host: String,
    /// The other end's port.
    pub remote_port: u16,
}

/// Data moves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Started {
    /// Streams in each direction (`-P`).
    pub parallel: u32,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Seconds that do not count (`-O`).
    pub omit_seconds: u32,
    /// Seconds that count (`-t`); 0 if something else ends the test.
    pub duration_seconds: u32,
    /// Bytes after which it ends (`-n`); 0 if something else does.
    pub bytes: u64,
    /// Blocks after which it ends (`-k`); 0 if something else does.
    pub blocks: u64,
    /// IP_TOS.
    pub tos: u32,
    /// Segments are offloaded (`--gsro`).
    pub gso: bool,
    /// Received segments are merged (`--gsro`).
    pub gro: bool,
    /// The data sockets' buffers.
    pub buffers: Buffers,
}

/// Buffers of the data sockets, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Buffers {
    /// As asked (`-w`); 0 if nothing was.
    pub asked: u64,
    /// SO_SNDBUF of the first stream.
    pub send: u64,
    /// SO_RCVBUF of the first stream.
    pub receive: u64,
}

impl Protocol {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
            Self::Sctp => "SCTP",
        }
    }
}
