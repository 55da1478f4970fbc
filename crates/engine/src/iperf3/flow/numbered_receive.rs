//! The receiving half of a UDP stream.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::iperf3::{Arrivals, Counter, Datagram};
use stats::Jitter;
use sys::{Readiness, RecvBatch, clock};
use units::Nanos;

use crate::flow::{Broken, Flow, Room, State, TURN, would_block};
use crate::iperf3::budget::Quota;
use crate::iperf3::counts::Counts;
use crate::tally::Half;

/// Takes datagrams and learns from their numbers and times, until it is stopped and has read what
/// was there.
pub(in crate::iperf3) struct NumberedReceive {
    pub socket: Arc<OwnedFd>,
    pub counts: Arc<Counts>,
    pub half: Half,
    pub batch: RecvBatch,
    /// Bytes of a datagram: what one receive gave is cut there where the kernel put several
    /// together.
    pub size: usize,
    pub counter: Counter,
    pub arrivals: Arrivals,
    pub jitter: Jitter,
    /// Bytes of all streams that end the test, after the omitted time.
    pub quota: Option<Arc<Quota>>,
    /// When the omitted time ends; the estimate of jitter begins anew there. Zero when it has.
    pub omitted_until: Nanos,
    /// It is to end with what is there.
    pub ends: bool,
}

impl NumberedReceive {
    fn finish(&mut self) -> State {
        self.counts.tally.set_received_all(clock::now());
        State::Done
    }

    #[inline]
    fn take(&mut self, received: usize, now: Nanos) -> u64 {
        let mut bytes = 0;
        for index in 0..received {
            let whole = self.batch.datagram(index);
            for datagram in whole.chunks(self.size.max(1)) {
                bytes += datagram.len() as u64;
                self.half.messages += 1;
                if let Some(head) = Datagram::parse(self.counter, datagram) {
                    let number = self.counter.extend(head.number, self.arrivals.highest);
                    self.arrivals.take(number);
                    self.jitter.take(head.sent.get(), now.get());
                }
            }
        }
        self.half.bytes += bytes;
        bytes
    }
}

impl Flow for NumberedReceive {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    fn due(&self) -> Option<Nanos> {
        self.ends.then_some(Nanos::ZERO)
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            match self.batch.receive(&*self.socket, room.wait) {
                Ok(received) => {
                    let now = clock::now();
                    if !self.omitted_until.is_zero() && now >= self.omitted_until {
                        self.omitted_until = Nanos::ZERO;
                        self.jitter = Jitter::default();
                    }
                    let bytes = self.take(received, now);
                    self.counts.tally.set_received(&self.half);
                    let jitter = self.jitter.nanos().unwrap_or(0);
                    self.counts.set_arrivals(&self.arrivals, jitter);
                    // Whoever is woken by the last byte reads what was published before.
                    if let Some(quota) =
                        self.quota.as_ref().filter(|_| self.omitted_until.is_zero())
                    {
                        quota.received(bytes);
                    }
                    // What a blocked call on a shut socket gives.
                    if bytes == 0 && self.ends {
                        return self.finish();
                    }
                    if bytes == 0 {
                        return State::Going;
                    }
                }
                Err(error) if would_block(&error) && self.ends => return self.finish(),
                Err(error) if would_block(&error) => return State::Going,
                // Our own datagrams met a closed port.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => (),
                Err(error) => return Broken::at("receiving datagrams", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        self.ends = true;
        State::Going
    }
}
