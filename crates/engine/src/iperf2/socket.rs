//! Sockets with iperf 2's options.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;

use sys::Options;
use units::{BitRate, Bytes, Nanos};

/// What is wished for a socket.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SocketOrder {
    /// SO_SNDBUF of a client, SO_RCVBUF of a server.
    pub window: Option<Bytes>,
    /// TCP_MAXSEG.
    pub mss: Option<Bytes>,
    /// TCP_NODELAY.
    pub nodelay: bool,
    /// TCP_CONGESTION.
    pub congestion: Option<String>,
    /// Type of service.
    pub tos: Option<u8>,
    /// Time to live, of groups or of all else.
    pub ttl: Option<u8>,
    /// SO_MAX_PACING_RATE.
    pub fq_rate: Option<BitRate>,
    /// SO_DONTROUTE.
    pub local_only: bool,
    /// TCP_QUICKACK.
    pub quickack: bool,
    /// TCP_WINDOW_CLAMP.
    pub window_clamp: Option<Bytes>,
    /// TCP_NOTSENT_LOWAT, and writing only when there is room.
    pub prefetch: Option<Bytes>,
    /// TCP_TX_DELAY.
    pub tx_delay: Option<Nanos>,
    /// SO_BINDTODEVICE.
    pub device: Option<String>,
}

/// A host that vanished says nothing more, and a receiver waits: it is asked after so long, so
/// often, and then given up.
const SILENCE: Nanos = Nanos::from_secs(30);
const ASK_AGAIN: Nanos = Nanos::from_secs(5);
const QUESTIONS: u32 = 6;

/// Sets what is wished, before connecting or listening.
///
/// # Errors
/// What could not be set and what the system answered.
pub(super) fn apply(
    socket: &impl AsFd,
    order: &SocketOrder,
    end: SocketAddr,
    is_tcp: bool,
    sends: bool,
) -> Result<(), (String, io::Error)> {
    let options = Options::of(socket);
    let is_ipv6 = end.is_ipv6();
    let said = |what: &str, result: io::Result<()>| {
        result.map_err(|error| (format!("setting {what}"), error))
    };
    if let Some(device) = &order.device {
        said(&format!("the device {device}"), options.set_device(device))?;
    }
    if let Some(size) = order.window {
        if sends {
            said("the send buffer", options.set_sndbuf(size))?;
        } else {
            said("the receive buffer", options.set_rcvbuf(size))?;
        }
    }
    if let Some(tos) = order.tos {
        said("the type of service", options.set_tos(is_ipv6, tos))?;
    }
    if let Some(rate) = order.fq_rate {
        said("the rate of pacing", options.set_pacing(rate))?;
    }
    if order.local_only {
        said("SO_DONTROUTE", options.set_dontroute())?;
    }
    let is_group = end.ip().is_multicast();
    if let Some(ttl) = order.ttl.or(is_group.then_some(1)) {
        let result = if is_group {
            options.set_multicast_ttl(is_ipv6, ttl)
        } else {
            options.set_ttl(is_ipv6, ttl)
        };
        said("the time to live", result)?;
    }
    if !is_tcp {
        return Ok(());
    }
    let kept = options.set_keepalive_times(Some(SILENCE), Some(ASK_AGAIN), Some(QUESTIONS));
    said("keep-alive", kept)?;
    if let Some(size) = order.mss {
        said("the segment size", options.set_mss(size))?;
    }
    if order.nodelay {
        said("TCP_NODELAY", options.set_nodelay())?;
    }
    if let Some(name) = &order.congestion {
        said(
            &format!("the congestion control {name}"),
            options.set_congestion_control(name),
        )?;
    }
    if let Some(size) = order.window_clamp {
        said("the window clamp", options.set_window_clamp(size))?;
    }
    if let Some(size) = order.prefetch {
        said("the write prefetch", options.set_notsent_lowat(size))?;
    }
    if let Some(delay) = order.tx_delay {
        said("TCP_TX_DELAY", options.set_tx_delay(delay))?;
    }
    if order.quickack {
        said("TCP_QUICKACK", options.set_quickack())?;
    }
    Ok(())
}
