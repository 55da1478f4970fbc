//! What netperf sends.

/// Seven letters and a NUL, over and over.
const TEXT: &[u8; 8] = b"netperf\0";

/// After so many bytes the payload repeats itself.
pub(super) const PERIOD: usize = TEXT.len();

/// Enough of it for messages of `size` bytes that begin anywhere in the text.
pub(super) fn payload(size: usize) -> Vec<u8> {
    over_and_over(TEXT, size + PERIOD)
}

/// Doubling, since a server does not wait for long until 2 GB are filled byte by byte.
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
    (over_and_over(text, size + text.len()), text.len())
}

/// Of a ring of buffers no more are made than fit in here, bytes.
const LARGEST_RING: usize = 256 << 20;

/// `width` buffers of `size` bytes, one behind the other, that hold a text which goes on from one
/// to the next; and after how many bytes they are begun again.
pub(super) fn ring(text: &[u8], size: usize, width: u32) -> (Vec<u8>, usize) {
    let text = if text.is_empty() { TEXT } else { text };
    let size = size.max(1);
    let period = (size * width as usize)
        .min(LARGEST_RING / size * size)
        .max(size);
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
        let (bytes, period) = ring(b"ab", 100 << 20, 1000);
        assert_eq!((period, bytes.len()), (200 << 20, 300 << 20));
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
