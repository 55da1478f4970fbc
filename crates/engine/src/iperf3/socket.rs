//! Data sockets with what a test asks for.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use proto::iperf3::{ErrorNumber, Parameters, Protocol};
use sys::Options;
use units::{Bytes, Nanos};

/// An option that could not be set.
#[derive(Debug)]
pub(super) struct OptionError {
    /// Its number among iperf3's errors.
    pub number: ErrorNumber,
    /// As it reads after "setting ".
    pub what: String,
    pub error: io::Error,
}

impl OptionError {
    /// A sentence.
    pub fn sentence(&self) -> String {
        format!("setting {}: {}", self.what, self.error)
    }
}

/// What datagrams need beyond their own size in a socket buffer.
const SPARE: u64 = 1024;

/// Sets what the parameters ask for. The flow label is for a socket that connects later.
///
/// # Errors
/// Which option, and what the system answered.
pub(super) fn apply(
    socket: &OwnedFd,
    parameters: &Parameters,
    peer: SocketAddr,
) -> Result<(), OptionError> {
    let options = Options::of(socket);
    let ipv6 = peer.is_ipv6();
    if let Some(size) = parameters.window {
        set(124, "the socket buffer", options.set_sndbuf(size))?;
        set(124, "the socket buffer", options.set_rcvbuf(size))?;
        let granted = options.sndbuf().and_then(|send| {
            let receive = options.rcvbuf()?;
            Ok(send.min(receive))
        });
        let granted = set(124, "the socket buffer", granted)?;
        if granted < size {
            let what = format!("a socket buffer of {size}, {granted} were granted");
            return Err(OptionError {
                number: ErrorNumber::SMALL_BUFFER,
                what,
                error: io::ErrorKind::InvalidInput.into(),
            });
        }
    }
    if let Some(rate) = parameters.fq_rate {
        set(140, "the pacing rate", options.set_pacing(rate))?;
    }
    if parameters.tos != 0 {
        let number = if ipv6 { 126 } else { 125 };
        set(number, "the TOS", options.set_tos(ipv6, parameters.tos))?;
    }
    match parameters.protocol {
        Protocol::Tcp => {
            if parameters.nodelay {
                set(122, "TCP_NODELAY", options.set_nodelay())?;
            }
            if let Some(size) = parameters.mss {
                set(123, "the MSS", options.set_mss(size))?;
            }
        }
        Protocol::Udp => datagrams(options, parameters, ipv6)?,
        Protocol::Sctp => (),
    }
    Ok(())
}

fn datagrams(options: Options<'_>, parameters: &Parameters, ipv6: bool) -> Result<(), OptionError> {
    let size = parameters.block_size();
    if parameters.window.is_none() {
        let least = Bytes::new(size.get() + SPARE);
        if options.sndbuf().is_ok_and(|granted| granted < least) {
            set(124, "the socket buffer", options.set_sndbuf(least))?;
        }
        if options.rcvbuf().is_ok_and(|granted| granted < least) {
            set(124, "the socket buffer", options.set_rcvbuf(least))?;
        }
    }
    if parameters.dont_fragment && !ipv6 {
        set(
            145,
            "the don't-fragment flag",
            options.set_mtu_discover(ipv6),
        )?;
    }
    Ok(())
}

/// TCP_CONGESTION.
///
/// # Errors
/// Which one, and what the system answered.
pub(super) fn congestion(socket: &OwnedFd, parameters: &Parameters) -> Result<(), OptionError> {
    match &parameters.congestion {
        Some(name) if parameters.protocol == Protocol::Tcp => {
            let what = format!("the congestion control '{name}'");
            let set_it = Options::of(socket).set_congestion_control(name);
            set(134, &what, set_it.map_err(|error| absent(error, name)))
        }
        _ => Ok(()),
    }
}

/// What the kernel means by "no such file".
fn absent(error: io::Error, name: &str) -> io::Error {
    if error.kind() != io::ErrorKind::NotFound {
        return error;
    }
    let sentence = format!("this kernel has no {name} (net.ipv4.tcp_available_congestion_control)");
    io::Error::new(io::ErrorKind::NotFound, sentence)
}

/// The flow label, and the peer's address with it, to connect to.
///
/// # Errors
/// What the system answered.
pub(super) fn flow_label(
    socket: &OwnedFd,
    parameters: &Parameters,
    peer: SocketAddr,
) -> Result<SocketAddr, OptionError> {
    let Some(label) = parameters.flow_label else {
        return Ok(peer);
    };
    let SocketAddr::V6(mut address) = peer else {
        return Err(OptionError {
            number: ErrorNumber::new(127),
            what: format!("a flow label, which IPv6 has, on the way to {}", peer.ip()),
            error: io::ErrorKind::InvalidInput.into(),
        });
    };
    let labelled = Options::of(socket).set_flow_label(label, *address.ip());
    set(127, "the flow label", labelled)?;
    // struct sockaddr_in6 holds it in network order, and the standard library leaves it so.
    address.set_flowinfo(label.to_be());
    Ok(address.into())
}

/// TCP_USER_TIMEOUT.
///
/// # Errors
/// What the system answered.
pub(super) fn send_timeout(socket: &OwnedFd, time: Option<Nanos>) -> Result<(), OptionError> {
    match time {
        Some(time) => set(
            148,
            "the send timeout",
            Options::of(socket).set_user_timeout(time),
        ),
        None => Ok(()),
    }
}

/// SO_KEEPALIVE of a control connection; what is none is the system's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keepalive {
    /// Silence before the first probe.
    pub idle: Option<Nanos>,
    /// From probe to probe.
    pub interval: Option<Nanos>,
    /// Probes before the connection is given up.
    pub count: Option<u32>,
}

/// SO_KEEPALIVE.
///
/// # Errors
/// What the system answered.
pub(super) fn keepalive(socket: &OwnedFd, times: Option<Keepalive>) -> Result<(), OptionError> {
    let Some(times) = times else {
        return Ok(());
    };
    let options = Options::of(socket);
    let kept = options.set_keepalive_times(times.idle, times.interval, times.count);
    set(155, "the keep-alive of the control connection", kept)
}

/// SO_BINDTODEVICE.
///
/// # Errors
/// What the system answered.
pub(super) fn device(socket: &OwnedFd, name: Option<&str>) -> Result<(), OptionError> {
    match name {
        Some(name) => {
            let what = format!("the interface '{name}'");
            set(143, &what, Options::of(socket).set_device(name))
        }
        None => Ok(()),
    }
}

fn set<T>(number: i32, what: &str, result: io::Result<T>) -> Result<T, OptionError> {
    result.map_err(|error| OptionError {
        number: ErrorNumber::new(number),
        what: what.to_owned(),
        error,
    })
}
