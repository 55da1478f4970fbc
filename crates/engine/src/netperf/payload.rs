//! What netperf sends.

/// Seven letters and a NUL, over and over.
const TEXT: &[u8; 8] = b"netperf\0";

/// After so many bytes the payload repeats itself.
pub(super) const PERIOD: usize = TEXT.len();

/// Bytes that are sent or received in one call at most; longer messages go by pieces. A socket
/// neither takes nor has more at once, and a peer does not wait until 2 GB are filled.
pub(super) const LARGEST_PIECE: usize = 4 << 20;

/// Enough of it for messages of `size` bytes that begin anywhere in the text, or for pieces of them.
pub(super) fn payload(size: usize) -> Vec<u8> {
    over_and_over(TEXT, size.min(LARGEST_PIECE) + PERIOD)
}

/// Doubling, since a peer waits meanwhile.
fn over_and_over(text: &[u8], len: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(len);
    bytes.extend_from_slice(&text[..text.len().min(len)]);
    while bytes.len() < len {
        let more = bytes.len().min(len - bytes.len());
        bytes.extend_from_within(..more);
    }
    bytes
}

/// The same of a file's text, over and over, and after how many bytes it repeats itself.
pub(super) fn payload_of(text: &[u8], size: usize) -> (Vec<u8>, usize) {
    if text.is_empty() {
        return (payload(size), PERIOD);
    }
    let len = size.min(LARGEST_PIECE) + text.len();
    (over_and_over(text, len), text.len())
}

/// Of a ring of buffers no more are made than fit in here, bytes.
const LARGEST_RING: usize = 256 << 20;

/// `width` buffers of `size` bytes, one behind the other, that hold a text which goes on from one
/// to the next; and after how many bytes they are begun again.
pub(super) fn ring(text: &[u8], size: usize, width: u32) -> (Vec<u8>, usize) {
    let text = if text.is_empty() { TEXT } else { text };
    let size = size.clamp(1, LARGEST_PIECE);
    let period = size
        .saturating_mul(width as usize)
        .min(LARGEST_RING / size * size);
    // A message that begins in the last buffer may end in the first.
    let mut bytes = over_and_over(text, period);
    bytes.extend_from_within(..size);
    (bytes, period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_goes_through_all_its_buffers() {
        let (bytes, period) = ring(&[], 6, 3);
        assert_eq!(
            (period, &bytes[..]),
            (18, &b"netperf\0netperf\0nenetper"[..])
        );
        let (bytes, period) = ring(b"ab", 3 << 20, 1000);
        assert_eq!((period, bytes.len()), (255 << 20, 258 << 20));
    }

    /// Filling so many bytes took longer than the server waits for the first of them.
    #[test]
    fn an_absurd_message_is_sent_by_pieces() {
        const ABSURD: usize = 2_000_000_000;
        assert_eq!(payload(ABSURD).len(), LARGEST_PIECE + PERIOD);
        assert_eq!(payload_of(b"abc", ABSURD).0.len(), LARGEST_PIECE + 3);
        let (bytes, period) = ring(&[], ABSURD, 2);
        assert_eq!(
            (period, bytes.len()),
            (2 * LARGEST_PIECE, 3 * LARGEST_PIECE)
        );
    }

    #[test]
    fn a_text_goes_on_whatever_the_length() {
        for len in [1, 3, 7, 20, 64] {
            let slow: Vec<u8> = b"abc".iter().copied().cycle().take(len).collect();
            assert_eq!(over_and_over(b"abc", len), slow);
        }
    }

    #[test]
    fn short_messages_go_on_where_the_last_one_ended() {
        let payload = payload(6);
        let (mut sent, mut offset) = (Vec::new(), 0);
        for _ in 0..4 {
            sent.extend_from_slice(&payload[offset..offset + 6]);
            offset = (offset + 6) % PERIOD;
        }
        assert_eq!(sent, b"netperf\0netperf\0netperf\0");
    }
}
