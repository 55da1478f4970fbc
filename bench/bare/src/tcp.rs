//! One connection, one direction, blocking calls.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::alarm;
use crate::tally::Tally;

/// Writes `size` bytes a call until the time is over, then closes.
pub fn send(to: SocketAddr, size: usize, time: Duration) -> Result<Tally> {
    let mut connection =
        TcpStream::connect(to).with_context(|| format!("cannot connect to {to}"))?;
    let buffer = vec![0; size];
    let (mut bytes, mut messages) = (0, 0);
    let began = Instant::now();
    alarm::after(time);
    while !alarm::rang() {
        bytes += connection.write(&buffer).context("cannot write")? as u64;
        messages += 1;
    }
    Ok(Tally {
        bytes,
        messages,
        time: began.elapsed(),
    })
}

/// Reads up to `size` bytes a call until the other end closes.
pub fn receive(at: SocketAddr, size: usize) -> Result<Tally> {
    let listener = TcpListener::bind(at).with_context(|| format!("cannot listen at {at}"))?;
    let (mut connection, _) = listener.accept().context("cannot accept")?;
    let mut buffer = vec![0; size];
    let (mut bytes, mut messages) = (0, 0);
    let mut count = read(&mut connection, &mut buffer)?;
    let began = Instant::now();
    while count > 0 {
        bytes += count as u64;
        messages += 1;
        count = read(&mut connection, &mut buffer)?;
    }
    Ok(Tally {
        bytes,
        messages,
        time: began.elapsed(),
    })
}

/// A sender that is closed with data on its way resets the connection; that is an end, too.
#[inline]
fn read(connection: &mut TcpStream, buffer: &mut [u8]) -> Result<usize> {
    match connection.read(buffer) {
        Ok(count) => Ok(count),
        Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(0),
        Err(error) => Err(error).context("cannot read"),
    }
}
