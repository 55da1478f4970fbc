//! The word of admission that a client may show, in clear text.

use std::fmt;

use super::words::{half, put_half};
use crate::Parse;

/// 4 to 128 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct PermitKey(Vec<u8>);

impl PermitKey {
    /// Shortest key.
    pub const SHORTEST: usize = 4;
    /// Longest key.
    pub const LONGEST: usize = 128;

    /// A key of these bytes; none when there are too few or too many.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        (Self::SHORTEST..=Self::LONGEST)
            .contains(&bytes.len())
            .then(|| Self(bytes.to_vec()))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// What follows the header: a length of 16 bits, then the key. With the bytes that it took;
    /// no key when the length is not one of a key.
    pub(super) fn parse(bytes: &[u8]) -> Parse<(Option<Self>, usize)> {
        if bytes.len() < 2 {
            return Parse::Incomplete;
        }
        let length = usize::from(half(bytes, 0));
        if !(Self::SHORTEST..=Self::LONGEST).contains(&length) {
            return Parse::Complete((None, 2));
        }
        match bytes.get(2..2 + length) {
            Some(key) => Parse::Complete((Self::new(key), 2 + length)),
            None => Parse::Incomplete,
        }
    }

    pub(super) fn append(&self, bytes: &mut Vec<u8>) {
        let at = bytes.len();
        bytes.resize(at + 2, 0);
        put_half(bytes, at, self.0.len() as u16);
        bytes.extend_from_slice(&self.0);
    }
}

/// A key is not for logs.
impl fmt::Debug for PermitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PermitKey({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_4_to_128_bytes() {
        assert!(PermitKey::new(b"abc").is_none());
        assert!(PermitKey::new(b"abcd").is_some());
        assert!(PermitKey::new(&[b'a'; 128]).is_some());
        assert!(PermitKey::new(&[b'a'; 129]).is_none());
    }

    #[test]
    fn any_cut_is_incomplete() {
        let mut bytes = Vec::new();
        let key = PermitKey::new(b"abcdef").expect("a key");
        key.append(&mut bytes);
        assert_eq!(bytes, b"\x00\x06abcdef");
        for cut in 0..bytes.len() {
            assert_eq!(PermitKey::parse(&bytes[..cut]), Parse::Incomplete, "{cut}");
        }
        assert_eq!(PermitKey::parse(&bytes), Parse::Complete((Some(key), 8)));
        assert_eq!(PermitKey::parse(b"\x01\x00"), Parse::Complete((None, 2)));
        assert_eq!(PermitKey::parse(b"\x00\x03abc"), Parse::Complete((None, 2)));
    }
}
