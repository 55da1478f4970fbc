//! Data sockets with netperf's options.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};

use plan::Family;
use proto::netperf::{DataOptions, Mark};
use sys::Options;
use units::Nanos;

/// What became of the wishes that a peer is told of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    pub priority: Mark,
    pub tos: Mark,
}

/// Where to bind: the address asked for, or any of the family; `usual` is the family of the
/// control connection.
pub(super) fn local(
    address: Option<IpAddr>,
    port: u16,
    family: Family,
    usual: SocketAddr,
) -> SocketAddr {
    let ipv6 = match family {
        Family::V4 => false,
        Family::V6 => true,
        Family::Any => usual.is_ipv6(),
    };
    let any = if ipv6 {
        IpAddr::from(Ipv6Addr::UNSPECIFIED)
    } else {
        IpAddr::from(Ipv4Addr::UNSPECIFIED)
    };
    SocketAddr::new(address.unwrap_or(any), port)
}

/// A listener for one test's connections of TCP or SCTP, which inherit its options.
///
/// # Errors
/// EADDRINUSE and the like.
pub(super) fn listen(
    at: SocketAddr,
    asked: &DataOptions,
    tcp: bool,
) -> io::Result<(TcpListener, Marks)> {
    let listener = match tcp {
        true => sys::tcp_listener(at)?,
        false => sys::sctp_listener(at)?,
    };
    let marks = apply(&listener, asked, at.is_ipv6(), tcp)?;
    let options = Options::of(&listener);
    if tcp && asked.fastopen {
        // netserver's own queue.
        let _ = options.set_fastopen_queue(5);
    }
    if tcp && asked.defer_accept {
        let _ = options.set_defer_accept(Nanos::from_secs(5));
    }
    Ok((listener, marks))
}

/// A UDP socket of one test. Tests that ask for the same port share it, as they do at netserver.
///
/// # Errors
/// EADDRINUSE and the like.
pub(super) fn datagrams(at: SocketAddr, asked: &DataOptions) -> io::Result<(OwnedFd, Marks)> {
    let socket = sys::udp_socket(at)?;
    let marks = apply(&socket, asked, at.is_ipv6(), false)?;
    sys::reuse_address(&socket)?;
    if asked.pktinfo {
        sys::tell_destinations(&socket, at.is_ipv6())?;
    }
    sys::bind(&socket, at)?;
    Ok((socket, marks))
}

/// Sets what is asked for.
///
/// # Errors
/// What the system answered; priority and type of service are reported instead.
pub(super) fn apply(
    socket: &impl AsFd,
    asked: &DataOptions,
    ipv6: bool,
    tcp: bool,
) -> io::Result<Marks> {
    let options = Options::of(socket);
    if let Some(size) = asked.send_buffer {
        options.set_sndbuf(size)?;
    }
    if let Some(size) = asked.recv_buffer {
        options.set_rcvbuf(size)?;
    }
    if tcp && asked.nodelay {
        options.set_nodelay()?;
    }
    if asked.keepalive {
        options.set_default_keepalive()?;
    }
    if asked.dontroute {
        options.set_dontroute()?;
    }
    if asked.mtu_discover {
        options.set_mtu_discover(ipv6)?;
    }
    if tcp && let Some(name) = &asked.congestion {
        // As with netperf the test goes on with another one; the results say which.
        let _ = options.set_congestion_control(name);
    }
    let became = |value: u32, result: io::Result<()>| match result {
        Ok(()) => Mark::Set(value),
        Err(_) => Mark::Failed,
    };
    let tos = |value: u32| match u8::try_from(value) {
        Ok(tos) => became(value, options.set_tos(ipv6, tos)),
        Err(_) => Mark::Failed,
    };
    Ok(Marks {
        priority: asked.priority.map_or(Mark::Unset, |value| {
            became(value, options.set_priority(value))
        }),
        tos: asked.tos.map_or(Mark::Unset, tos),
    })
}
