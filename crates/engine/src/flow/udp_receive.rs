//! The receiving half of a UDP bulk flow.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::native::{DatagramHeader, DatagramKind, Preamble};
use record::Outage;
use stats::{Arrived, Jitter, Sequence};
use sys::{Readiness, clock};
use units::Nanos;

use super::{Broken, Flow, Room, State, TURN, would_block};
use crate::flow::outages::Outages;
use crate::tally::{Half, Tally};

/// Takes datagrams and learns from their numbers and times. It never ends by itself: datagrams
/// have no end of file, so the coordinator ends it when the sender's total is known and the path
/// has had time to drain.
pub(crate) struct UdpReceive {
    pub socket: Arc<OwnedFd>,
    pub tally: Arc<Tally>,
    pub half: Half,
    pub load: u16,
    pub flow: u32,
    pub sequence: Sequence,
    pub jitter: Jitter,
    pub malformed: u64,
    pub outages: Outages,
    /// Send time of the datagram with the highest number.
    pub last_sent: Option<Nanos>,
}

impl UdpReceive {
    #[inline]
    fn take(&mut self, bytes: &[u8], now: Nanos) {
        let header = DatagramHeader::parse(bytes).filter(|header| {
            header.kind == DatagramKind::Data
                && header.load == self.load
                && header.flow == self.flow
        });
        let Some(header) = header else {
            // A hello that was sent twice is no stranger's datagram.
            if Preamble::parse_datagram(bytes).is_none() {
                self.malformed += 1;
            }
            return;
        };
        self.half.add(bytes.len());
        self.jitter.take(header.sent.get(), now.get());
        match self.sequence.take(header.seq) {
            Arrived::InOrder => self.last_sent = Some(header.sent),
            Arrived::After { missing } => {
                if let Some(before) = self.last_sent {
                    self.outages
                        .open(header.seq - missing, missing, header.sent - before, now);
                }
                self.last_sent = Some(header.sent);
            }
            Arrived::Late { .. } => self.outages.fill(header.seq),
            Arrived::Duplicate => (),
        }
    }
}

impl Flow for UdpReceive {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        for _ in 0..TURN {
            match sys::recv(&*self.socket, &mut room.sink, room.wait) {
                // What a call on a shut socket gives; an empty datagram is nothing of ours either.
                Ok(0) => return State::Going,
                Ok(n) => {
                    let now = clock::now();
                    self.take(&room.sink[..n], now);
                    // The latest arrival so far: datagrams have no end of file.
                    self.tally.set_received_all(now);
                    self.tally.set_received(&self.half);
                    self.tally
                        .set_sequence(&self.sequence, self.jitter.nanos(), self.malformed);
                }
                Err(error) if would_block(&error) => return State::Going,
                // Our own datagrams of the other direction met a closed port.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => (),
                Err(error) => return Broken::at("receiving datagrams", error),
            }
        }
        State::Going
    }

    fn stop(&mut self) -> State {
        State::Going
    }

    fn outages(&self) -> Vec<Outage> {
        self.outages.list(self.flow)
    }
}
