//! Control messages on a byte stream: 656 bytes each, whatever they say.

use std::fmt;

#[cfg(test)]
mod tests;

/// One control message: 164 words. The first is the type, the second a CPU number (requests) or
/// an error number (answers), the rest is the test's.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame([u8; Frame::LEN]);

impl Frame {
    /// Bytes of every message since netperf 2.6.0.
    pub const LEN: usize = 656;
    /// Bytes of every message up to netperf 2.5.0, which nobody else understands.
    pub const OLD_LEN: usize = 256;

    /// A message whose other words are 0.
    pub fn new(kind: u32, second: u32) -> Self {
        let mut frame = Self([0; Self::LEN]);
        frame.set_word(0, kind);
        frame.set_word(1, second);
        frame
    }

    /// The message that these bytes are.
    pub const fn of(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// The type. Only a request's means anything.
    pub fn kind(&self) -> u32 {
        self.word(0)
    }

    /// The CPU that a request wants the server to run on.
    pub fn cpu(&self) -> Option<u32> {
        Some(self.word(1)).filter(|cpu| *cpu <= i32::MAX as u32)
    }

    /// The error number of an answer; 0 is success.
    pub fn errno(&self) -> u32 {
        self.word(1)
    }

    /// All bytes, as they travel.
    pub const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    pub(super) fn word(&self, at: usize) -> u32 {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(self.raw(at, 4));
        u32::from_be_bytes(bytes)
    }

    pub(super) fn set_word(&mut self, at: usize, value: u32) {
        self.raw_mut(at, 4).copy_from_slice(&value.to_be_bytes());
    }

    /// `len` bytes as they travel, from word `at` on.
    pub(super) fn raw(&self, at: usize, len: usize) -> &[u8] {
        &self.0[4 * at..4 * at + len]
    }

    pub(super) fn raw_mut(&mut self, at: usize, len: usize) -> &mut [u8] {
        &mut self.0[4 * at..4 * at + len]
    }
}

impl fmt::Debug for Frame {
    /// Rows of four words under the offset of their first byte; rows of zeros are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for at in (0..Self::LEN / 4).step_by(4) {
            if self.raw(at, 16).iter().any(|byte| *byte != 0) {
                write!(f, "{:>3}:", 4 * at)?;
                for word in at..at + 4 {
                    write!(f, " {:08x}", self.word(word))?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

/// Cuts a byte stream into messages, however the stream is fragmented.
#[derive(Debug, Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
    /// Where in `buffer` the next message begins.
    start: usize,
}

impl FrameReader {
    /// Takes the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.start == self.buffer.len() {
            self.buffer = Vec::new();
        } else {
            self.buffer.drain(..self.start);
        }
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole message; none until more bytes come.
    pub fn pop(&mut self) -> Option<Frame> {
        let bytes = *self.buffer[self.start..].first_chunk()?;
        self.start += Frame::LEN;
        Some(Frame(bytes))
    }

    /// Bytes of a message that is not whole yet, once [`Self::pop`] gives none.
    pub const fn held(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Bytes of memory that are held for what is not popped yet.
    pub const fn capacity(&self) -> usize {
        self.buffer.capacity()
    }
}
