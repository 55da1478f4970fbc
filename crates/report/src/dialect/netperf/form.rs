//! How a test's result is to be shown.

use super::{Selection, Unit};

/// Everything about the output that the command line decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// The test, which has a layout and a title.
    pub test: Test,
    /// What the client does with the data socket.
    pub way: Way,
    /// What the data socket is.
    pub protocol: Protocol,
    /// Banner and column heads, unless `-P 0`.
    pub headers: bool,
    /// `-v`.
    pub verbosity: u32,
    /// `-f`; transactions only where the test has them.
    pub unit: Unit,
    /// `-B`.
    pub brand: Option<String>,
    /// Which form of output.
    pub layout: Layout,
    /// `-c`: the client's CPUs are measured.
    pub local_cpu: bool,
    /// `-C`: the server's are.
    pub remote_cpu: bool,
}

/// A test, as far as its output differs from others'.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Test {
    /// TCP, the client sends.
    TcpStream,
    /// TCP, the server sends.
    TcpMaerts,
    /// TCP, the client sends a file.
    TcpSendfile,
    /// TCP, transactions.
    TcpRr,
    /// TCP, a connection for every transaction.
    TcpCrr,
    /// TCP, connections.
    TcpCc,
    /// TCP, the largest segment.
    TcpMss,
    /// UDP, the client sends.
    UdpStream,
    /// UDP, transactions.
    UdpRr,
    /// Whatever the options say.
    Omni,
    /// SCTP, the client sends.
    SctpStream,
    /// SCTP, on many associations of one socket.
    SctpStreamMany,
    /// SCTP, transactions.
    SctpRr,
    /// SCTP, transactions on many associations of one socket.
    SctpRrMany,
}

/// What the client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// Sends.
    Send,
    /// Receives.
    Receive,
    /// Asks and gets answers.
    Both,
    /// Connects and closes.
    Connect,
    /// Connects, asks, gets its answer, and closes.
    ConnectBoth,
}

/// What carries the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// A byte stream.
    Tcp,
    /// Datagrams.
    Udp,
    /// One association.
    Sctp,
    /// Associations that share a socket.
    SctpMany,
}

/// The form of the result.
#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    /// Each test's own table.
    Classic,
    /// `-o`: a line of heads, a line of values.
    Csv(Selection),
    /// `-k`: a line for each selector.
    Keyval(Selection),
    /// `-O`, and OMNI without any: columns of the width that they need.
    Human(Selection),
}

impl Form {
    /// The unit of the classic table's rate: connections are counted whatever the unit is.
    pub(super) fn rate_unit(&self) -> Unit {
        match self.test {
            Test::TcpCc => Unit::Trans,
            _ => self.unit,
        }
    }

    /// Whether either end's CPUs are measured.
    pub fn any_cpu(&self) -> bool {
        self.local_cpu || self.remote_cpu
    }

    /// The brand where the classic layouts print it: only without heads.
    pub(super) fn tail(&self) -> &str {
        match &self.brand {
            Some(brand) if !self.headers => brand,
            _ => "",
        }
    }
}

impl Way {
    /// Whether transactions or connections are counted, not bytes.
    pub const fn counts_transactions(self) -> bool {
        !matches!(self, Self::Send | Self::Receive)
    }

    /// As banners and the selector DIRECTION say it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Send => "Send",
            Self::Receive => "Receive",
            Self::Both => "Send|Recv",
            Self::Connect => "Connection",
            Self::ConnectBoth => "Connect|Send|Recv",
        }
    }
}

impl Protocol {
    /// As the selector PROTOCOL says it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
            Self::Sctp | Self::SctpMany => "SCTP",
        }
    }

    /// As the selector SOCKET_TYPE says it.
    pub const fn socket_type(self) -> &'static str {
        match self {
            Self::Tcp | Self::Sctp => "Stream",
            Self::Udp => "Datagram",
            Self::SctpMany => "Seqpacket",
        }
    }
}

impl Test {
    /// The banner's first words. OMNI's say the direction.
    pub(super) fn title(self, way: Way) -> String {
        let title = match self {
            Self::TcpStream => "MIGRATED TCP STREAM TEST",
            Self::TcpMaerts => "MIGRATED TCP MAERTS TEST",
            Self::TcpSendfile => "TCP SENDFILE TEST",
            Self::TcpRr => "MIGRATED TCP REQUEST/RESPONSE TEST",
            Self::TcpCrr => "MIGRATED TCP Connect/Request/Response TEST",
            Self::TcpCc => "TCP Connect/Close TEST",
            Self::TcpMss => "TCP MSS TEST",
            Self::UdpStream => "MIGRATED UDP STREAM TEST",
            Self::UdpRr => "MIGRATED UDP REQUEST/RESPONSE TEST",
            Self::Omni => return format!("OMNI {} TEST", way.name()),
            Self::SctpStream => "SCTP STREAM TEST",
            Self::SctpStreamMany => "SCTP 1-TO-MANY STREAM TEST",
            Self::SctpRr => "SCTP REQUEST/RESPONSE TEST",
            Self::SctpRrMany => "SCTP 1-TO-MANY REQUEST/RESPONSE TEST",
        };
        title.to_owned()
    }
}
