//! The control connection.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use proto::iperf3::ErrorNumber;
use sys::signal::Signals;
use sys::{Epoll, Events, Options, Readiness, clock};
use units::Nanos;

use super::{ClientError, Job};
use crate::iperf3::socket;

const SOCKET: u64 = 0;
const SIGNAL: u64 = 1;

/// Tries the server's addresses in turn.
///
/// # Errors
/// What became of the last one.
pub(super) fn control(
    job: &Job,
    signals: Option<&Signals>,
) -> Result<(OwnedFd, SocketAddr), ClientError> {
    let mut last = None;
    for address in &job.addresses {
        match one(job, *address, signals) {
            Ok(socket) => return Ok((socket, *address)),
            Err(ClientError::Interrupted) => return Err(ClientError::Interrupted),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| ClientError::Unreachable {
        address: SocketAddr::from(([0, 0, 0, 0], 0)),
        error: Arc::new(io::ErrorKind::AddrNotAvailable.into()),
    }))
}

fn one(job: &Job, address: SocketAddr, signals: Option<&Signals>) -> Result<OwnedFd, ClientError> {
    let failed = |error: io::Error| ClientError::Unreachable {
        address,
        error: Arc::new(error),
    };
    let socket = sys::tcp_socket(address).map_err(failed)?;
    // A link-local address of ours has to have its interface first.
    socket::device(&socket, job.device.as_deref())?;
    bind(&socket, job, address, 0)?;
    socket::send_timeout(&socket, job.send_timeout)?;
    sys::connect(&socket, address).map_err(failed)?;
    let epoll = Epoll::new().map_err(ClientError::system)?;
    let watched = epoll.add(&socket, SOCKET, Readiness::WRITE);
    watched.map_err(ClientError::system)?;
    if let Some(signals) = signals {
        let watched = epoll.add(signals, SIGNAL, Readiness::READ);
        watched.map_err(ClientError::system)?;
    }
    let deadline = job.connect_timeout.map(|time| clock::now() + time);
    let mut events = Events::with_capacity(2);
    loop {
        let left = deadline.map(|at| at - clock::now());
        epoll.wait(&mut events, left).map_err(ClientError::system)?;
        let keys: Vec<u64> = events.iter().map(|(key, _)| key).collect();
        if keys.contains(&SIGNAL) && signals.and_then(Signals::next).is_some() {
            return Err(ClientError::Interrupted);
        }
        if keys.contains(&SOCKET) {
            sys::take_error(&socket).map_err(failed)?;
            return Ok(socket);
        }
        if left.is_some_and(Nanos::is_zero) {
            return Err(failed(io::ErrorKind::TimedOut.into()));
        }
    }
}

/// Binds to our own address, where one is wanted.
///
/// # Errors
/// What the system answered.
pub(super) fn bind(
    socket: &OwnedFd,
    job: &Job,
    peer: SocketAddr,
    port: u16,
) -> Result<(), ClientError> {
    let any = match peer {
        SocketAddr::V4(_) => std::net::Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    let fits = job.bind.filter(|bind| bind.is_ipv4() == peer.is_ipv4());
    if fits.is_some() || port != 0 {
        let mut own = SocketAddr::new(fits.unwrap_or(any), port);
        if let (SocketAddr::V6(own), SocketAddr::V6(peer)) = (&mut own, peer)
            && own.ip().is_unicast_link_local()
        {
            own.set_scope_id(peer.scope_id());
        }
        sys::reuse_address(socket)
            .and_then(|()| sys::bind(socket, own))
            .map_err(|error| {
                let doing = match port {
                    0 => format!("taking {} as this end's address", own.ip()),
                    _ => format!("taking {own} as a stream's address"),
                };
                ClientError::stream(ErrorNumber::STREAM_CONNECT, &doing, error)
            })?;
    }
    Ok(())
}

/// The largest segment of the control connection.
pub(super) fn mss(socket: &OwnedFd) -> Option<units::Bytes> {
    Options::of(socket).mss().ok()
}
