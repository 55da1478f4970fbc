//! What the first bytes of a connection to a server are.

use super::flags::Flags;
use super::header::TestHeader;
use super::key::PermitKey;
use super::words::word;
use crate::Parse;

/// The beginning of a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Opening {
    /// A test header, and how many bytes it took.
    Test(Box<TestHeader>, usize),
    /// Data from the first byte on.
    Bare,
    /// The first request of a bounceback.
    Bounceback,
    /// An iperf 3 client, at the wrong door.
    Iperf3,
}

/// iperf 3's cookie: this many letters and digits, then a zero.
const COOKIE: usize = 36;

impl Opening {
    /// The most bytes that a recogniser needs: the longest header, and a key.
    pub const MOST: usize = 255 + 2 + PermitKey::LONGEST;

    /// How many bytes of the stream have to be there before more can be said of it than of
    /// `bytes`. Whoever reads no further leaves the data where it is.
    pub fn wanted(bytes: &[u8]) -> usize {
        if bytes.len() < 4 {
            return 4;
        }
        if let Some(Parse::Incomplete) = cookie(bytes) {
            return COOKIE + 1;
        }
        let flags = Flags::from_bits(word(bytes, 0));
        let Some(length) = TestHeader::length(flags).filter(|_| !flags.has(Flags::BOUNCEBACK))
        else {
            return 4;
        };
        if !flags.has(Flags::KEY) || bytes.len() < length {
            return length;
        }
        match bytes.get(length..length + 2) {
            None => length + 2,
            Some(size) => {
                let size = usize::from(u16::from_be_bytes([size[0], size[1]]));
                length + 2 + size.min(PermitKey::LONGEST)
            }
        }
    }

    /// What `bytes`, the stream so far, begin with.
    pub fn parse(bytes: &[u8]) -> Parse<Self> {
        if bytes.len() < 4 {
            return Parse::Incomplete;
        }
        if let Some(answer) = cookie(bytes) {
            return answer;
        }
        let flags = Flags::from_bits(word(bytes, 0));
        if flags.has(Flags::BOUNCEBACK) {
            return Parse::Complete(Self::Bounceback);
        }
        let Some(length) = TestHeader::length(flags) else {
            return Parse::Complete(Self::Bare);
        };
        let Some((header, rest)) = bytes.split_at_checked(length) else {
            return Parse::Incomplete;
        };
        let mut header = TestHeader::read(header);
        let mut taken = length;
        if flags.has(Flags::KEY) {
            match PermitKey::parse(rest) {
                Parse::Incomplete => return Parse::Incomplete,
                Parse::Complete((key, length)) => {
                    header.key = key;
                    taken += length;
                }
            }
        }
        Parse::Complete(Self::Test(Box::new(header), taken))
    }
}

/// An answer if this may be iperf 3's cookie, which has letters and digits of base 32 only.
fn cookie(bytes: &[u8]) -> Option<Parse<Opening>> {
    let front = &bytes[..bytes.len().min(COOKIE)];
    if !front
        .iter()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'))
    {
        return None;
    }
    match bytes.get(COOKIE) {
        None => Some(Parse::Incomplete),
        Some(0) => Some(Parse::Complete(Opening::Iperf3)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests;
