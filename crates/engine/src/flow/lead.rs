//! The first segments of a stream that the kernel paces.

use std::os::fd::AsFd;

use units::{BitRate, Bytes, Nanos};

use crate::pacer::Pacer;

/// Paces a stream until the kernel does. SO_MAX_PACING_RATE lets the first ten segments go at once
/// (tcp_update_skb_after_send in net/ipv4/tcp_output.c): on lo, where a segment has 64 KiB, that is
/// 655 kB beyond the rate, of a slow flow more than it may send in seconds.
pub(crate) struct Lead {
    pacer: Pacer,
    piece: usize,
}

/// Segments that the kernel does not pace.
const UNPACED: u64 = 10;
/// Pieces in a second: each is small beside what a flow sends in a second, and a timer for each
/// costs little for so few of them.
const PIECES: u64 = 200;

impl Lead {
    /// Of a flow that begins at `start`.
    pub fn new(rate: BitRate, start: Nanos) -> Self {
        let piece = Bytes::new((rate.get() / 8 / PIECES).max(1));
        Self {
            pacer: Pacer::stream(piece, rate, start),
            piece: piece.len(),
        }
    }

    /// When the next piece is due.
    pub fn due(&self) -> Nanos {
        self.pacer.due()
    }

    /// How many of `bytes` may go at `now`.
    pub fn piece(&mut self, now: Nanos, bytes: usize) -> Option<usize> {
        if now < self.pacer.due() {
            return None;
        }
        self.pacer.sent(now);
        Some(bytes.min(self.piece))
    }

    /// Whether the kernel paces what comes next. One that does not count segments (before Linux
    /// 4.6) is left alone.
    pub fn is_over(socket: impl AsFd) -> bool {
        let segments = sys::tcp_info(socket)
            .ok()
            .and_then(|info| info.tcpi_data_segs_out);
        segments.is_none_or(|segments| segments >= UNPACED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_the_rate() {
        let start = Nanos::from_secs(1);
        let mut lead = Lead::new(BitRate::new(24_000_000), start);
        let mut sent = 0;
        for millisecond in 0..1000 {
            let now = start + Nanos::from_millis(millisecond);
            while let Some(bytes) = lead.piece(now, 1 << 20) {
                sent += bytes;
            }
        }
        assert_eq!(sent, 3_000_000);
    }

    #[test]
    fn a_small_message_is_one_piece() {
        let mut lead = Lead::new(BitRate::new(24_000_000), Nanos::ZERO);
        assert_eq!(lead.piece(Nanos::ZERO, 100), Some(100));
        assert_eq!(lead.piece(Nanos::ZERO, 100), None);
        assert_eq!(lead.due(), Nanos::from_millis(5));
    }
}
