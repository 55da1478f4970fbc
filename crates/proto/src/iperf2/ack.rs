//! The server's answer to an extended header.

use super::stamp::Stamp;
use super::version::Version;
use super::words::{put, word};
use crate::Parse;

/// Says which version answers, and with trip times when the connection came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ack {
    /// The server's version.
    pub version: Version,
    /// With trip times only.
    pub times: Option<AckTimes>,
}

/// What a client's clock can be compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AckTimes {
    /// The client's start time as it came.
    pub start: Stamp,
    /// When the server accepted the connection.
    pub accepted: Stamp,
    /// When it sent this.
    pub sent: Stamp,
}

/// The type of the message.
const TYPE: u32 = 2;

impl Ack {
    /// Bytes without times.
    pub const SHORT: usize = 28;
    /// Bytes with times.
    pub const LONG: usize = 52;

    /// The bytes.
    pub fn encode(&self) -> Vec<u8> {
        let length = if self.times.is_some() {
            Self::LONG
        } else {
            Self::SHORT
        };
        let mut bytes = vec![0; length];
        put(&mut bytes, 0, TYPE);
        put(&mut bytes, 4, length as u32);
        self.version.write(&mut bytes, 12);
        if let Some(times) = &self.times {
            times.start.write(&mut bytes, 28);
            times.accepted.write(&mut bytes, 36);
            times.sent.write(&mut bytes, 44);
        }
        bytes
    }

    /// Reads the front of what a server sends; no ack if it is something else. With the bytes
    /// that it took.
    pub fn parse(bytes: &[u8]) -> Parse<Option<(Self, usize)>> {
        let known = TYPE.to_be_bytes();
        let front = bytes.len().min(4);
        if bytes[..front] != known[..front] {
            return Parse::Complete(None);
        }
        if bytes.len() < 8 {
            return Parse::Incomplete;
        }
        let length = word(bytes, 4) as usize;
        if length != Self::SHORT && length != Self::LONG {
            return Parse::Complete(None);
        }
        if bytes.len() < length {
            return Parse::Incomplete;
        }
        let times = (length == Self::LONG).then(|| AckTimes {
            start: Stamp::read(bytes, 28),
            accepted: Stamp::read(bytes, 36),
            sent: Stamp::read(bytes, 44),
        });
        let version = Version::read(bytes, 12);
        Parse::Complete(Some((Self { version, times }, length)))
    }

    /// Whether a whole datagram is one: middle servers answer a flow's first datagram so.
    pub fn is_datagram(datagram: &[u8]) -> bool {
        matches!(Self::parse(datagram), Parse::Complete(Some((_, length))) if length == datagram.len())
            || ((datagram.len() == Self::SHORT || datagram.len() == Self::LONG)
                && word(datagram, 0) == TYPE)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn short_form_of_2_1_8() {
        let bytes =
            fixture::bytes("00000002 0000001c 00000000 00020001 00080003 00000000 00000000");
        let ack = Ack {
            version: Version::SPOKEN,
            times: None,
        };
        assert_eq!(ack.encode(), bytes);
        for cut in 0..bytes.len() {
            assert_eq!(Ack::parse(&bytes[..cut]), Parse::Incomplete, "{cut}");
            assert!(!Ack::is_datagram(&bytes[..cut]));
        }
        assert_eq!(Ack::parse(&bytes), Parse::Complete(Some((ack, 28))));
        assert!(Ack::is_datagram(&bytes));
    }

    #[test]
    fn long_form_both_ways() {
        let at = |seconds| Stamp { seconds, micros: 7 };
        let ack = Ack {
            version: Version::SPOKEN,
            times: Some(AckTimes {
                start: at(1),
                accepted: at(2),
                sent: at(3),
            }),
        };
        let mut bytes = ack.encode();
        assert_eq!(bytes.len(), 52);
        bytes.extend(b"0123");
        assert_eq!(Ack::parse(&bytes), Parse::Complete(Some((ack, 52))));
    }

    #[test]
    fn data_is_no_ack() {
        for data in [
            &b"0123"[..],
            b"\0\0\0\x03",
            b"0",
            &[0, 0, 0, 2, 0, 0, 0, 29],
        ] {
            assert_eq!(Ack::parse(data), Parse::Complete(None), "{data:?}");
        }
    }
}
