//! Bytes that wait to be sent.

/// A queue of bytes that copes with a socket that takes only some of them.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    bytes: Vec<u8>,
    /// How many of them are sent.
    sent: usize,
}

impl Outbox {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.sent);
        self.sent = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// What waits, first byte first.
    pub(super) fn waiting(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// The first `n` waiting bytes are sent.
    pub(super) fn consumed(&mut self, n: usize) {
        self.sent = (self.sent + n).min(self.bytes.len());
        if self.sent == self.bytes.len() {
            // A long report leaves no long buffer behind.
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_writes_keep_the_order() {
        let mut outbox = Outbox::default();
        outbox.push(b"abc");
        outbox.consumed(1);
        assert_eq!(outbox.waiting(), b"bc");
        outbox.push(b"de");
        assert_eq!(outbox.waiting(), b"bcde");
        outbox.consumed(0);
        outbox.consumed(3);
        assert_eq!(outbox.waiting(), b"e");
        outbox.consumed(99);
        assert_eq!(outbox.waiting(), b"");
        outbox.push(b"f");
        assert_eq!(outbox.waiting(), b"f");
    }
}
