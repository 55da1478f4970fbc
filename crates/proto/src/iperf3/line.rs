//! What both ends of a control connection have: bytes in, bytes out, actions, a deadline.

use std::collections::VecDeque;

use units::Nanos;

/// One end. `A` is what it tells its driver.
#[derive(Debug)]
pub(super) struct Line<A> {
    held: Vec<u8>,
    out: Vec<u8>,
    actions: VecDeque<A>,
    /// When what is waited for must be there; none while it is this end's turn.
    pub deadline: Option<Nanos>,
}

/// The most that one message may have: results of thousands of streams, and a server's output.
const LONGEST: usize = 64 << 20;

impl<A> Line<A> {
    pub fn new(deadline: Option<Nanos>) -> Self {
        Self {
            held: Vec::new(),
            out: Vec::new(),
            actions: VecDeque::new(),
            deadline,
        }
    }

    /// Keeps what came.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// Bytes that came and were not taken.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Forgets what came.
    pub fn forget(&mut self) {
        self.held = Vec::new();
    }

    /// The first `n` bytes, without taking them.
    pub fn peek<const N: usize>(&self) -> Option<[u8; N]> {
        self.held.first_chunk().copied()
    }

    /// Takes the next byte.
    pub fn take_byte(&mut self) -> Option<u8> {
        let byte = *self.held.first()?;
        self.held.drain(..1);
        Some(byte)
    }

    /// Takes a number in network order.
    pub fn take_i32(&mut self) -> Option<i32> {
        let bytes = self.peek()?;
        self.held.drain(..4);
        Some(i32::from_be_bytes(bytes))
    }

    /// Takes a message behind its length, when it is all there.
    ///
    /// # Errors
    /// A length that is none: above `most`.
    pub fn take_message(&mut self, most: Option<usize>) -> Result<Option<Vec<u8>>, u32> {
        let Some(length) = self.peek().map(u32::from_be_bytes) else {
            return Ok(None);
        };
        if length as usize > most.unwrap_or(LONGEST) {
            return Err(length);
        }
        let end = 4 + length as usize;
        if self.held.len() < end {
            return Ok(None);
        }
        let message = self.held[4..end].to_vec();
        self.held.drain(..end);
        Ok(Some(message))
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// A text behind its length.
    pub fn send_message(&mut self, text: &str) {
        // No text of ours has 4 GiB.
        self.send(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
        self.send(text.as_bytes());
    }

    pub fn act(&mut self, action: A) {
        self.actions.push_back(action);
    }

    pub fn poll_action(&mut self) -> Option<A> {
        self.actions.pop_front()
    }

    /// Bytes that wait to be sent.
    pub fn waiting(&self) -> &[u8] {
        &self.out
    }

    /// The first `n` waiting bytes are sent.
    pub fn consumed(&mut self, n: usize) {
        self.out.drain(..n.min(self.out.len()));
    }

    /// Whether the deadline has passed.
    pub fn is_late(&self, now: Nanos) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// Bytes of memory that are held for what came and what goes.
    pub fn buffered(&self) -> usize {
        self.held.capacity() + self.out.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_taken_when_it_is_all_there() {
        let mut line = Line::<()>::new(None);
        line.feed(&[0, 0, 0]);
        assert_eq!(line.take_message(None), Ok(None));
        line.feed(&[3, b'a', b'b']);
        assert_eq!(line.take_message(None), Ok(None));
        line.feed(b"cd");
        assert_eq!(line.take_message(None), Ok(Some(b"abc".to_vec())));
        assert_eq!(line.take_byte(), Some(b'd'));
        assert_eq!((line.take_byte(), line.take_i32()), (None, None));
    }

    #[test]
    fn an_absurd_length_is_told_before_its_bytes_come() {
        let mut line = Line::<()>::new(None);
        line.feed(&[0xfe, 0, 0, 0]);
        assert_eq!(line.take_message(None), Err(0xfe00_0000));
        let mut line = Line::<()>::new(None);
        line.feed(&[0, 0, 0x20, 1]);
        assert_eq!(line.take_message(Some(8192)), Err(8193));
    }

    #[test]
    fn partial_writes_keep_the_order() {
        let mut line = Line::<()>::new(Some(Nanos::new(5)));
        line.send_message("ab");
        line.consumed(4);
        line.send(b"c");
        assert_eq!(line.waiting(), b"abc");
        line.consumed(9999);
        assert_eq!(line.waiting(), b"");
        assert!(line.is_late(Nanos::new(5)) && !line.is_late(Nanos::new(4)));
    }
}
