//! The name of a test: the first bytes of every TCP connection that belongs to it.

use std::fmt;

/// 36 characters and a zero byte. A server takes it as it comes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cookie([u8; Self::LEN]);

impl Cookie {
    /// Bytes on the wire.
    pub const LEN: usize = 37;

    /// The letters of iperf3 3.2 and later.
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

    /// A cookie of 36 random bytes.
    pub fn new(random: [u8; Self::LEN - 1]) -> Self {
        let mut bytes = [0; Self::LEN];
        for (letter, random) in bytes.iter_mut().zip(random) {
            *letter = Self::LETTERS[usize::from(random % 32)];
        }
        Self(bytes)
    }

    /// What came over the wire.
    pub const fn of(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// What goes over the wire.
    pub const fn bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// Whether it is the same test: as C strings, up to the first zero byte.
    pub fn matches(&self, other: &Self) -> bool {
        self.text() == other.text()
    }

    fn text(&self) -> &[u8] {
        self.0.split(|byte| *byte == 0).next().unwrap_or_default()
    }
}

impl fmt::Display for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.text()))
    }
}

impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cookie({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_36_letters_and_a_zero_byte() {
        let cookie = Cookie::new(std::array::from_fn(|n| (n * 7) as u8));
        assert_eq!(cookie.bytes()[36], 0);
        let text = cookie.to_string();
        assert_eq!(text.len(), 36);
        assert!(text.bytes().all(|b| Cookie::LETTERS.contains(&b)), "{text}");
    }

    #[test]
    fn what_follows_a_zero_byte_does_not_count() {
        let mut one = [0; Cookie::LEN];
        one[..3].copy_from_slice(b"abc");
        let mut other = one;
        other[20] = b'x';
        assert!(Cookie::of(one).matches(&Cookie::of(other)));
        other[2] = b'd';
        assert!(!Cookie::of(one).matches(&Cookie::of(other)));
    }
}
