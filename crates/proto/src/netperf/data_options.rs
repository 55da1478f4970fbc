//! What a request wants to be set on the data socket.

use units::Bytes;

/// What is set on the data socket. None leaves the system's default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataOptions {
    /// SO_SNDBUF as asked; the kernel doubles it.
    pub send_buffer: Option<Bytes>,
    /// SO_RCVBUF as asked; the kernel doubles it.
    pub recv_buffer: Option<Bytes>,
    /// TCP_NODELAY.
    pub nodelay: bool,
    /// SO_KEEPALIVE.
    pub keepalive: bool,
    /// SO_DONTROUTE.
    pub dontroute: bool,
    /// TCP_FASTOPEN.
    pub fastopen: bool,
    /// TCP_DEFER_ACCEPT.
    pub defer_accept: bool,
    /// UDP answers leave from the address that the first datagram came to.
    pub pktinfo: bool,
    /// The UDP socket is connected after the first datagram.
    pub connected: bool,
    /// IP_MTU_DISCOVER.
    pub mtu_discover: bool,
    /// SO_PRIORITY.
    pub priority: Option<u32>,
    /// IP_TOS or IPV6_TCLASS.
    pub tos: Option<u32>,
    /// TCP_CONGESTION.
    pub congestion: Option<String>,
}
