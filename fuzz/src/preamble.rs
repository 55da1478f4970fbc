//! The first bytes of a connection under fuzz.

use proto::Parse;
use proto::native::{Preamble, PreambleError};

/// Reads a beginning byte by byte: what was wrong stays wrong whatever follows, nothing is decided
/// late, and what parses encodes to the same bytes.
pub fn native_preamble(data: &[u8]) {
    let mut wrong: Option<PreambleError> = None;
    for length in 0..=data.len().min(2 * Preamble::LEN) {
        match (wrong, Preamble::parse(&data[..length])) {
            (Some(first), outcome) => assert_eq!(outcome, Err(first), "it has become right"),
            (None, Err(error)) => wrong = Some(error),
            (None, Ok(Parse::Incomplete)) => assert!(length < Preamble::LEN, "32 are enough"),
            (None, Ok(Parse::Complete(preamble))) => {
                assert!(length >= Preamble::LEN, "{length} are not enough");
                assert_eq!(preamble.encode(), data[..Preamble::LEN]);
                assert_eq!(preamble.claim().is_none(), preamble == Preamble::Control);
            }
        }
    }
    if let Some(preamble) = Preamble::parse_datagram(data) {
        assert_eq!(
            preamble.encode(),
            data,
            "a datagram is nothing but its preamble"
        );
    }
}
