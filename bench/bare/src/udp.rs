//! One flow of datagrams, one a call, blocking.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::alarm;
use crate::tally::Tally;

/// Empty datagrams that tell the end: one may find the receiver's queue full, ten apart do not.
const ENDS: u32 = 10;
const BETWEEN_ENDS: Duration = Duration::from_millis(10);

/// Sends datagrams of `size` bytes until the time is over.
pub fn send(to: SocketAddr, size: usize, time: Duration) -> Result<Tally> {
    let any: SocketAddr = match to {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).context("cannot make a UDP socket")?;
    socket
        .connect(to)
        .with_context(|| format!("cannot send to {to}"))?;
    let buffer = vec![0; size];
    let mut messages = 0;
    let began = Instant::now();
    alarm::after(time);
    while !alarm::rang() {
        socket.send(&buffer).context("cannot send")?;
        messages += 1;
    }
    let time = began.elapsed();
    for _ in 0..ENDS {
        thread::sleep(BETWEEN_ENDS);
        // The receiver may be gone after the first.
        if socket.send(&[]).is_err() {
            break;
        }
    }
    Ok(Tally {
        bytes: messages * size as u64,
        messages,
        time,
    })
}

/// Receives until an empty datagram. The time ends with the last datagram that is not empty, by
/// the sender's pause before the first empty one.
pub fn receive(at: SocketAddr, size: usize) -> Result<Tally> {
    let socket = UdpSocket::bind(at).with_context(|| format!("cannot bind {at}"))?;
    let mut buffer = vec![0; size];
    let (mut bytes, mut messages) = (0, 0);
    let mut count = socket.recv(&mut buffer).context("cannot receive")?;
    let began = Instant::now();
    while count > 0 {
        bytes += count as u64;
        messages += 1;
        count = socket.recv(&mut buffer).context("cannot receive")?;
    }
    Ok(Tally {
        bytes,
        messages,
        time: began.elapsed().saturating_sub(BETWEEN_ENDS),
    })
}
