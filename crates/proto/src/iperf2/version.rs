//! The version of iperf that a peer says it is.

use std::fmt;

use super::words::{half, put_half};

/// Four numbers of 16 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 2.
    pub major: u16,
    /// The 1 of 2.1.8.
    pub minor: u16,
    /// The 8 of 2.1.8.
    pub patch: u16,
    /// 0 dev, 1 rc, 2 rc2, 3 release, 4 private, 5 master.
    pub maturity: u16,
}

impl Version {
    /// The one whose layouts netdyno writes.
    pub const SPOKEN: Self = Self {
        major: 2,
        minor: 1,
        patch: 8,
        maturity: 3,
    };

    /// Whether the peer said nothing.
    pub const fn is_unknown(self) -> bool {
        self.major == 0
    }

    /// Whether the extended header has one word more and what follows it in a datagram begins
    /// four bytes later.
    pub const fn is_2_2(self) -> bool {
        self.major > 2 || (self.major == 2 && self.minor >= 2)
    }

    pub(super) fn read(bytes: &[u8], at: usize) -> Self {
        Self {
            major: half(bytes, at),
            minor: half(bytes, at + 2),
            patch: half(bytes, at + 4),
            maturity: half(bytes, at + 6) & 0xf,
        }
    }

    pub(super) fn write(self, bytes: &mut [u8], at: usize) {
        let halves = [self.major, self.minor, self.patch, self.maturity];
        for (i, value) in halves.into_iter().enumerate() {
            put_half(bytes, at + 2 * i, value);
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        f.write_str(match self.maturity {
            0 => "-dev",
            1 => "-rc",
            2 => "-rc2",
            4 => "-private",
            5 => "-master",
            _ => "",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_four_releases() {
        for (hex, text, is_2_2) in [
            ("0002000100080003", "2.1.8", false),
            ("0002000200010001", "2.2.1-rc", true),
            ("0002000200020005", "2.2.2-master", true),
            ("00020000000d0003", "2.0.13", false),
        ] {
            let bytes = super::super::fixture::bytes(hex);
            let version = Version::read(&bytes, 0);
            assert_eq!(version.to_string(), text);
            assert_eq!(version.is_2_2(), is_2_2, "{text}");
            let mut again = [0; 8];
            version.write(&mut again, 0);
            assert_eq!(again[..], bytes);
        }
        assert!(Version::read(&[], 0).is_unknown());
    }
}
