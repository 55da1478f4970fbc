//! What both ends of a control connection have: bytes in, bytes out, actions, a deadline.

use std::collections::VecDeque;

use units::Nanos;

use super::{Frame, FrameReader};

/// One end. `A` is what it tells its driver.
#[derive(Debug)]
pub(super) struct Line<A> {
    pub(super) reader: FrameReader,
    out: Vec<u8>,
    actions: VecDeque<A>,
    /// When what is waited for must be there; none while it is this end's turn.
    pub(super) deadline: Option<Nanos>,
}

impl<A> Line<A> {
    pub(super) fn new(deadline: Option<Nanos>) -> Self {
        Self {
            reader: FrameReader::default(),
            out: Vec::new(),
            actions: VecDeque::new(),
            deadline,
        }
    }

    pub(super) fn send(&mut self, frame: &Frame) {
        self.out.extend_from_slice(frame.as_bytes());
    }

    pub(super) fn act(&mut self, action: A) {
        self.actions.push_back(action);
    }

    pub(super) fn poll_action(&mut self) -> Option<A> {
        self.actions.pop_front()
    }

    /// Bytes that wait to be sent.
    pub(super) fn waiting(&self) -> &[u8] {
        &self.out
    }

    /// The first `n` waiting bytes are sent.
    pub(super) fn consumed(&mut self, n: usize) {
        self.out.drain(..n.min(self.out.len()));
    }

    /// Whether the deadline has passed.
    pub(super) fn is_late(&self, now: Nanos) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// Bytes of memory that are held for what came and what goes.
    pub(super) fn buffered(&self) -> usize {
        self.reader.capacity() + self.out.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_writes_keep_the_order() {
        let mut line = Line::<()>::new(None);
        line.send(&Frame::new(0x6162_6364, 0));
        line.consumed(1);
        assert_eq!(line.waiting()[..3], *b"bcd");
        line.send(&Frame::new(0x6566_6768, 0));
        line.consumed(Frame::LEN - 1);
        assert_eq!(line.waiting()[..4], *b"efgh");
        line.consumed(9999);
        assert_eq!(line.waiting(), b"");
    }

    #[test]
    fn a_deadline_has_passed_when_it_is_reached() {
        let mut line = Line::<()>::new(Some(Nanos::new(5)));
        assert!(!line.is_late(Nanos::new(4)));
        assert!(line.is_late(Nanos::new(5)));
        line.deadline = None;
        assert!(!line.is_late(Nanos::new(u64::MAX)));
    }
}
