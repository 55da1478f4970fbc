//! Control messages on a byte stream: a length (u32, network order), then so many bytes of JSON.

use serde::Serialize;
use thiserror::Error;
use units::Bytes;

#[cfg(test)]
mod tests;

/// A length that no honest peer announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a message of {} bytes was announced, at most {} bytes are accepted",
    announced.get(),
    limit.get()
)]
pub struct FrameError {
    /// What the four bytes say.
    pub announced: Bytes,
    /// What this reader accepts.
    pub limit: Bytes,
}

/// Cuts a byte stream into frames, however the stream is fragmented. Memory grows with the bytes
/// that came, never with the length that was announced.
#[derive(Debug)]
pub struct FrameReader {
    limit: Bytes,
    buffer: Vec<u8>,
    /// Where in `buffer` the next frame begins.
    start: usize,
}

impl FrameReader {
    /// The longest message that a server accepts: a stranger's memory is cheap for it.
    pub const SERVER_LIMIT: Bytes = Bytes::new(1 << 20);
    /// The longest message that a client accepts from the server that it chose.
    pub const CLIENT_LIMIT: Bytes = Bytes::new(64 << 20);

    /// A reader that accepts frames of up to `limit`.
    pub const fn new(limit: Bytes) -> Self {
        Self {
            limit,
            buffer: Vec::new(),
            start: 0,
        }
    }

    /// Accepts longer frames from now on; the limit never falls.
    pub fn raise_limit(&mut self, limit: Bytes) {
        self.limit = self.limit.max(limit);
    }

    /// Takes the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.start == self.buffer.len() {
            // A long message leaves no long buffer behind.
            self.buffer = Vec::new();
        } else {
            self.buffer.drain(..self.start);
        }
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame's content; none until more bytes come.
    pub fn pop(&mut self) -> Result<Option<&[u8]>, FrameError> {
        let Some((length, rest)) = self.buffer[self.start..].split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let announced = Bytes::new(u64::from(u32::from_be_bytes(*length)));
        if announced > self.limit {
            let limit = self.limit;
            return Err(FrameError { announced, limit });
        }
        if rest.len() < announced.len() {
            return Ok(None);
        }
        let from = self.start + HEADER;
        self.start = from + announced.len();
        Ok(Some(&self.buffer[from..self.start]))
    }

    /// Bytes of memory that are held for what is not popped yet.
    pub const fn capacity(&self) -> usize {
        self.buffer.capacity()
    }
}

/// A frame around `message`.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    let mut frame = vec![0; HEADER];
    // serde_json fails on maps without string keys and on failing writers; no message has the
    // one, memory is not the other.
    serde_json::to_writer(&mut frame, message).expect("messages are plain JSON");
    let length = u32::try_from(frame.len() - HEADER).expect("messages are far below 4 GiB");
    frame[..HEADER].copy_from_slice(&length.to_be_bytes());
    frame
}

const HEADER: usize = 4;
