//! Request and response on one connection, one outstanding.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::alarm;
use crate::tally::Tally;

/// Asks and reads the answer, both of `size` bytes, until the time is over.
pub fn ask(to: SocketAddr, size: usize, time: Duration) -> Result<Tally> {
    let mut connection =
        TcpStream::connect(to).with_context(|| format!("cannot connect to {to}"))?;
    connection
        .set_nodelay(true)
        .context("cannot set TCP_NODELAY")?;
    let mut buffer = vec![0; size];
    let mut messages = 0;
    let began = Instant::now();
    alarm::after(time);
    while !alarm::rang() {
        connection.write_all(&buffer).context("cannot write")?;
        connection.read_exact(&mut buffer).context("cannot read")?;
        messages += 1;
    }
    Ok(Tally {
        bytes: messages * size as u64,
        messages,
        time: began.elapsed(),
    })
}

/// Answers every request of `size` bytes with as many, until the other end closes.
pub fn answer(at: SocketAddr, size: usize) -> Result<Tally> {
    let listener = TcpListener::bind(at).with_context(|| format!("cannot listen at {at}"))?;
    let (mut connection, _) = listener.accept().context("cannot accept")?;
    connection
        .set_nodelay(true)
        .context("cannot set TCP_NODELAY")?;
    let mut buffer = vec![0; size];
    let mut messages = 0;
    let began = Instant::now();
    loop {
        match connection.read_exact(&mut buffer) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error).context("cannot read"),
        }
        connection.write_all(&buffer).context("cannot write")?;
        messages += 1;
    }
    Ok(Tally {
        bytes: messages * size as u64,
        messages,
        time: began.elapsed(),
    })
}
