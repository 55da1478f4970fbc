//! The sending half of a UDP stream.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::iperf3::{Counter, Datagram};
use sys::{Options, Readiness, SendBatch, clock};
use units::{Bytes, Nanos};

use crate::flow::{Broken, Flow, Room, State, passes, would_block};
use crate::iperf3::budget::Budget;
use crate::iperf3::counts::Counts;
use crate::pacer::Pacer;
use crate::tally::Half;

/// Sends numbered, time-stamped datagrams, several in one call where they are due together.
pub(in crate::iperf3) struct NumberedSend {
    pub socket: Arc<OwnedFd>,
    pub counts: Arc<Counts>,
    pub half: Half,
    /// Bytes of a datagram.
    pub size: usize,
    pub counter: Counter,
    pub batch: SendBatch,
    /// So many at most go as one, which the kernel cuts again (UDP_SEGMENT); none where each goes by
    /// itself.
    pub as_one: Option<usize>,
    /// The number of the datagram before.
    pub number: u64,
    /// What is added to the monotonic clock for the time in a head: peers up to 3.7 expect wall
    /// time there.
    pub wall: Nanos,
    pub pacer: Option<Pacer>,
    /// Datagrams that all streams may send, after the omitted time.
    pub budget: Option<Arc<Budget>>,
    /// When the omitted time ends; zero without one.
    pub omitted_until: Nanos,
    /// The socket was full at the last try.
    pub full: bool,
    /// After a refusal that is not "try again": when to go on.
    pub pause: Option<Nanos>,
}

/// How long a sender rests after a datagram that the system refused.
const PAUSE: Nanos = Nanos::from_millis(1);

/// Calls of one `advance` before other flows of the worker get their turn.
const TURN: usize = 4;

impl NumberedSend {
    fn finish(&mut self) -> State {
        self.counts.tally.set_sent_all(clock::now());
        State::Done
    }

    /// How many may go now; a budget that is spent is the end.
    fn allowed(&mut self, now: Nanos) -> Result<usize, State> {
        let most = self.as_one.unwrap_or(self.batch.most());
        let due = match &self.pacer {
            Some(pacer) if pacer.due() > now => return Ok(0),
            Some(pacer) => (pacer.group_left() as usize).min(most),
            None => most,
        };
        let counts = self.omitted_until.is_zero() || now >= self.omitted_until;
        match self.budget.as_ref().filter(|_| counts) {
            Some(budget) => match budget.take(due as u64) {
                0 => Err(self.finish()),
                got => Ok(got as usize),
            },
            None => Ok(due),
        }
    }

    /// Sends `count`; how many went.
    #[inline]
    fn send(&mut self, count: usize, now: Nanos, room: &Room) -> io::Result<usize> {
        let sent = now + self.wall;
        for index in 0..count {
            let head = Datagram {
                sent,
                number: self.number + 1 + index as u64,
            };
            head.encode_into(self.counter, self.batch.head(index));
        }
        if self.as_one.is_some() && count > 1 {
            let all = self.batch.send_as_one(&*self.socket, count, room.wait);
            match all {
                // Larger than the path's packets, or a device that cannot: each by itself.
                Err(error) if !would_block(&error) && !passes(&error) => {
                    self.as_one = None;
                    Options::of(&*self.socket).set_segment(Bytes::new(0))?;
                }
                other => return other.map(|()| count),
            }
        }
        self.batch.send(&*self.socket, count, room.wait)
    }

    /// Notes that datagrams went, or were refused: each keeps its number.
    #[inline]
    fn went(&mut self, count: usize, now: Nanos) {
        self.number += count as u64;
        if let Some(pacer) = &mut self.pacer {
            for _ in 0..count {
                pacer.sent(now);
            }
        }
    }
}

impl Flow for NumberedSend {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness {
            read: false,
            write: self.full || (self.pacer.is_none() && self.pause.is_none()),
        }
    }

    fn due(&self) -> Option<Nanos> {
        let pacer = self.pacer.as_ref().filter(|_| !self.full);
        self.pause.or_else(|| pacer.map(Pacer::due))
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        self.full = false;
        for _ in 0..TURN {
            let now = clock::now();
            if self.pause.is_some_and(|until| until > now) {
                return State::Going;
            }
            self.pause = None;
            let allowed = match self.allowed(now) {
                Ok(0) => return State::Going,
                Ok(allowed) => allowed,
                Err(state) => return state,
            };
            let outcome = self.send(allowed, now, room);
            let gone = match &outcome {
                Ok(n) => *n,
                Err(error) if passes(error) => 1,
                Err(_) => 0,
            };
            if let Some(budget) = &self.budget {
                budget.give_back((allowed - gone) as u64);
            }
            self.went(gone, now);
            match outcome {
                Ok(n) => {
                    self.half.bytes += (n * self.size) as u64;
                    self.half.messages += n as u64;
                }
                Err(error) if would_block(&error) => {
                    self.full = true;
                    return State::Going;
                }
                Err(error) if passes(&error) => {
                    self.half.failures += 1;
                    if self.pacer.is_none() {
                        self.pause = Some(now + PAUSE);
                    }
                }
                Err(error) => return Broken::at("sending a datagram", error),
            }
            self.counts.tally.set_sent(&self.half);
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use sys::{RecvBatch, Wait};

    use super::*;

    const SIZE: usize = 100;

    /// Sends `datagrams`, as many as `as_one` says at a time.
    fn send(datagrams: u64, as_one: usize, to: &UdpSocket) -> NumberedSend {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(to.local_addr().unwrap()).unwrap();
        let segment = Options::of(&socket).set_segment(Bytes::new(SIZE as u64));
        segment.unwrap();
        let counter = Counter::Bits32;
        let mut flow = NumberedSend {
            socket: Arc::new(socket.into()),
            counts: Arc::default(),
            half: Half::default(),
            size: SIZE,
            counter,
            batch: SendBatch::new(counter.head(), vec![7; SIZE - counter.head()], as_one),
            as_one: Some(as_one),
            number: 0,
            wall: Nanos::ZERO,
            pacer: None,
            budget: Some(Arc::new(Budget::new(datagrams))),
            omitted_until: Nanos::ZERO,
            full: false,
            pause: None,
        };
        let mut room = Room {
            payload: Vec::new().into(),
            sink: Vec::new().into(),
            wait: Wait::Never,
        };
        assert!(matches!(flow.advance(&mut room), State::Done));
        assert_eq!(flow.half.messages, datagrams);
        assert_eq!(flow.half.bytes, datagrams * SIZE as u64);
        flow
    }

    /// The numbers of datagrams that came, each of its own size.
    fn received(receiver: &UdpSocket) -> Vec<u64> {
        let mut room = RecvBatch::new(2 * SIZE, 256);
        let count = room.receive(receiver, Wait::Never).unwrap();
        let number = |index| {
            let datagram = room.datagram(index);
            assert_eq!(datagram.len(), SIZE);
            Datagram::parse(Counter::Bits32, datagram).unwrap().number
        };
        (0..count).map(number).collect()
    }

    #[test]
    fn what_goes_as_one_comes_as_datagrams_with_numbers_of_their_own() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let flow = send(20, 8, &receiver);
        assert_eq!(flow.as_one, Some(8));
        assert_eq!(received(&receiver), Vec::from_iter(1..=20));
    }

    #[test]
    fn twenty_datagrams_are_three_sends() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        // Such a receiver sees what the sender's kernel was given.
        Options::of(&receiver).set_gro().unwrap();
        send(20, 8, &receiver);
        let mut room = RecvBatch::new(65_535, 4);
        let count = room.receive(&receiver, Wait::Never).unwrap();
        let sizes: Vec<usize> = (0..count).map(|i| room.datagram(i).len()).collect();
        assert_eq!(sizes, [8 * SIZE, 8 * SIZE, 4 * SIZE]);
    }

    #[test]
    fn what_the_kernel_does_not_cut_goes_one_by_one() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        // No kernel cuts as many out of one (UDP_MAX_SEGMENTS).
        let flow = send(150, 150, &receiver);
        assert_eq!(flow.as_one, None);
        assert_eq!(received(&receiver), Vec::from_iter(1..=150));
    }
}
