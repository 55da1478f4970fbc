//! What netperf sends.

/// Seven letters and a NUL, over and over.
const TEXT: &[u8; 8] = b"netperf\0";

/// After so many bytes the payload repeats itself.
pub(super) const PERIOD: usize = TEXT.len();

/// Enough of it for messages of `size` bytes that begin anywhere in the text.
pub(super) fn payload(size: usize) -> Vec<u8> {
    TEXT.iter().copied().cycle().take(size + PERIOD).collect()
}

/// The same of a file's text, over and over, and after how many bytes it repeats itself.
pub(super) fn payload_of(text: &[u8], size: usize) -> (Vec<u8>, usize) {
    if text.is_empty() {
        return (payload(size), PERIOD);
    }
    let bytes = text.iter().copied().cycle().take(size + text.len());
    (bytes.collect(), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

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
