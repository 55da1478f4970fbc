//! Finds the bursts in a stream and times them.

use proto::Parse;
use proto::iperf2::{BurstHeader, Opening};
use units::Nanos;

use crate::iperf2::meter::{Meter, TimesPen};

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
        }
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
        while !bytes.is_empty() {
            if self.have < BurstHeader::LEN {
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
}
