//! Finds the bursts in a stream and times them.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender};

use proto::Parse;
use proto::iperf2::{BurstHeader, Opening};
use sys::Wake;
use units::{Bytes, Nanos};

use crate::iperf2::meter::{Meter, TimesPen};
use crate::iperf2::spread::SpreadPen;

/// Where in a burst the stream is.
pub(crate) struct BurstReader {
    /// The other end's test header, which comes before the bursts of a reverse flow.
    opening: Option<Vec<u8>>,
    header: [u8; BurstHeader::LEN],
    /// Bytes of the header that are there.
    have: usize,
    /// Bytes of the burst that are still to come behind its header.
    rest: usize,
    frames: u64,
    times: TimesPen,
    /// From the first byte of a burst to its last, us.
    transfers: SpreadPen,
    /// When the first bytes of the burst at hand were read, and reads since, by size.
    began: Nanos,
    classes: [u64; 8],
    /// Bytes of a usual read.
    size: usize,
    /// Who wants to hear of each burst.
    listener: Option<BurstListener>,
}

/// A burst at a period, or a frame, when the last of it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceivedBurst {
    /// When its first bytes were read, since 1970.
    pub began: Nanos,
    /// When its last ones were.
    pub ended: Nanos,
    /// What came of it.
    pub size: Bytes,
    /// From burst to burst.
    pub period: Nanos,
    /// Reads by size, in eighths of a buffer.
    pub classes: [u64; 8],
}

/// Who hears of bursts one by one, on another thread.
pub(crate) struct BurstListener {
    sender: SyncSender<ReceivedBurst>,
    wake: Arc<Wake>,
}

/// Bursts that may wait to be told; more are not told one by one.
const MOST_UNTOLD: usize = 1024;

impl BurstListener {
    /// Woken by `wake` when there is something to hear.
    pub fn new(wake: Arc<Wake>) -> (Self, Receiver<ReceivedBurst>) {
        let (sender, bursts) = mpsc::sync_channel(MOST_UNTOLD);
        (Self { sender, wake }, bursts)
    }

    pub fn tell(&self, burst: ReceivedBurst) {
        if self.sender.try_send(burst).is_ok() {
            self.wake.wake();
        }
    }
}

impl BurstReader {
    pub fn new(meter: &Meter, follows_header: bool) -> Self {
        Self {
            opening: follows_header.then(Vec::new),
            header: [0; BurstHeader::LEN],
            have: 0,
            rest: 0,
            frames: 0,
            times: meter.times_pen(),
            transfers: SpreadPen::new(meter.ways[0].clone()),
            began: Nanos::ZERO,
            classes: [0; 8],
            size: 1,
            listener: None,
        }
    }

    /// Tells of each burst, and wakes who listens. Reads are of `size` bytes at most.
    pub fn listen(&mut self, size: usize, wake: Arc<Wake>) -> Receiver<ReceivedBurst> {
        let (listener, bursts) = BurstListener::new(wake);
        (self.size, self.listener) = (size.max(1), Some(listener));
        bursts
    }

    /// Takes what was read until `wall`.
    pub fn feed(&mut self, bytes: &[u8], wall: Nanos, meter: &Meter) {
        let mut bytes = bytes;
        while let Some(opening) = &mut self.opening {
            let wanted = Opening::wanted(opening) - opening.len();
            let (front, rest) = bytes.split_at(wanted.min(bytes.len()));
            opening.extend_from_slice(front);
            bytes = rest;
            match Opening::parse(opening) {
                Parse::Incomplete if bytes.is_empty() => return,
                Parse::Incomplete => (),
                Parse::Complete(_) => self.opening = None,
            }
        }
        self.classes[(bytes.len() * 8 / self.size).min(7)] += 1;
        while !bytes.is_empty() {
            if self.have < BurstHeader::LEN {
                if self.have == 0 {
                    self.began = wall;
                }
                let wanted = BurstHeader::LEN - self.have;
                let (front, rest) = bytes.split_at(wanted.min(bytes.len()));
                self.header[self.have..self.have + front.len()].copy_from_slice(front);
                self.have += front.len();
                bytes = rest;
                if self.have < BurstHeader::LEN {
                    return;
                }
                self.rest = BurstHeader::read(&self.header).rest();
            }
            let taken = self.rest.min(bytes.len());
            self.rest -= taken;
            bytes = &bytes[taken..];
            if self.rest == 0 {
                self.have = 0;
                self.done(wall, meter);
            }
        }
    }

    fn done(&mut self, wall: Nanos, meter: &Meter) {
        let header = BurstHeader::read(&self.header);
        let micros = (wall.get() / 1000) as i64 - header.sent.as_micros();
        self.times.take(micros as f64, wall);
        if header.period_us > 0 {
            self.frames += 1;
            if let Some(listener) = &self.listener {
                self.transfers.take((wall - self.began).get() as f64 / 1e3);
                listener.tell(ReceivedBurst {
                    began: self.began,
                    ended: wall,
                    size: Bytes::new(header.size.into()),
                    period: Nanos::new(u64::from(header.period_us) * 1000),
                    classes: std::mem::take(&mut self.classes),
                });
            }
            let begun = u64::from(header.id);
            meter
                .frames
                .set([self.frames, begun.saturating_sub(self.frames), 0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proto::iperf2::Stamp;

    use super::*;

    /// Three bursts of 200 bytes, sent at 1 s, 2 s and 3 s.
    fn stream() -> Vec<u8> {
        let burst = |id: u32| {
            let mut burst = vec![b'0'; 200];
            BurstHeader {
                sent: Stamp::from_micros(u64::from(id) * 1_000_000),
                id,
                size: 200,
                ..BurstHeader::default()
            }
            .write(&mut burst);
            burst
        };
        (1..=3).flat_map(burst).collect()
    }

    #[test]
    fn bursts_are_found_in_any_pieces() {
        for piece in [1, 7, 92, 200, 201, 600] {
            let meter = Meter::default();
            let mut reader = BurstReader::new(&meter, false);
            for bytes in stream().chunks(piece) {
                reader.feed(bytes, Nanos::from_millis(3001), &meter);
            }
            let times = meter.times.all();
            assert_eq!(
                (times.count, times.min, times.max),
                (3, 1e3, 2.001e6),
                "{piece}"
            );
        }
    }

    #[test]
    fn a_header_of_the_server_comes_first() {
        let mut bytes = proto::iperf2::TestHeader {
            extended: Some(Default::default()),
            ..proto::iperf2::TestHeader::new(1, proto::iperf2::Amount::FOR_EVER)
        }
        .encode();
        bytes.extend(stream());
        for piece in [1, 59, 60, 61, 1000] {
            let meter = Meter::default();
            let mut reader = BurstReader::new(&meter, true);
            for bytes in bytes.chunks(piece) {
                reader.feed(bytes, Nanos::from_millis(3001), &meter);
            }
            assert_eq!(meter.times.all().count, 3, "{piece}");
        }
    }

    #[test]
    fn bursts_at_a_period_are_told_one_by_one() {
        let mut bytes = stream();
        for burst in bytes.chunks_mut(200) {
            let header = BurstHeader {
                period_us: 500,
                ..BurstHeader::read(&burst[..BurstHeader::LEN])
            };
            header.write(burst);
        }
        let meter = Meter::default();
        let mut reader = BurstReader::new(&meter, false);
        let bursts = reader.listen(400, Arc::new(Wake::new().unwrap()));
        for (at, piece) in bytes.chunks(100).enumerate() {
            reader.feed(piece, Nanos::from_millis(1000 + at as u64), &meter);
        }
        let bursts: Vec<ReceivedBurst> = bursts.try_iter().collect();
        assert_eq!(bursts.len(), 3);
        let second = ReceivedBurst {
            began: Nanos::from_millis(1002),
            ended: Nanos::from_millis(1003),
            size: Bytes::new(200),
            period: Nanos::new(500_000),
            // Two reads of a quarter of a buffer.
            classes: [0, 0, 2, 0, 0, 0, 0, 0],
        };
        assert_eq!(bursts[1], second);
        let transfers = meter.ways[0].all();
        assert_eq!(
            (transfers.count, transfers.min, transfers.max),
            (3, 1e3, 1e3)
        );
    }
}
