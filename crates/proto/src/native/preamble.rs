//! The first 32 bytes of every TCP connection, and the UDP hello and its welcome.
//!
//! ```text
//!  0      7 8    9 10     12      16               32
//!  NETDYNO v kind 0 load   flow    token                integers in network order
//! ```

use thiserror::Error;

use super::Token;
use crate::Parse;

#[cfg(test)]
mod tests;

/// What the sender of the first bytes wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preamble {
    /// A control connection: frames follow. Load, flow and token are zero.
    Control,
    /// A TCP data connection: payload follows.
    Data(Claim),
    /// A datagram that proves where a UDP flow comes from.
    UdpHello(Claim),
    /// The answer to it, equal but for the kind, so that a forged source address gains nothing.
    UdpWelcome(Claim),
}

/// Which flow of which test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The test's secret.
    pub token: Token,
    /// Index of the load in the plan.
    pub load: u16,
    /// Index of the flow in the load.
    pub flow: u32,
}

/// Why bytes are no preamble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PreambleError {
    /// Somebody else's protocol.
    #[error(
        "this is not netdyno: byte {at} is {got:#04x}, a netdyno connection begins with 'NETDYNO'"
    )]
    Magic {
        /// Offset of the first wrong byte.
        at: usize,
        /// What stands there.
        got: u8,
    },
    /// netdyno of another time.
    #[error(
        "the peer's preamble has version {theirs}, this netdyno speaks version {}",
        Preamble::VERSION
    )]
    Version {
        /// The peer's.
        theirs: u8,
    },
    /// A kind that does not exist.
    #[error("a preamble of kind {0}, the kinds are 1 to 4")]
    Kind(u8),
    /// A byte that has no meaning and has a value.
    #[error("byte {at} of the preamble must be zero")]
    NotZero {
        /// Its offset.
        at: usize,
    },
}

impl Preamble {
    /// Bytes of an encoded preamble.
    pub const LEN: usize = 32;
    /// The layout's version.
    pub const VERSION: u8 = 1;

    /// The bytes that travel.
    pub fn encode(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..7].copy_from_slice(MAGIC);
        bytes[7] = Self::VERSION;
        bytes[8] = self.kind();
        if let Some(claim) = self.claim() {
            bytes[10..12].copy_from_slice(&claim.load.to_be_bytes());
            bytes[12..16].copy_from_slice(&claim.flow.to_be_bytes());
            bytes[16..].copy_from_slice(claim.token.as_bytes());
        }
        bytes
    }

    /// Reads the beginning of a connection; bytes after the first 32 are not looked at. A wrong
    /// byte is an error as soon as it is there, however few have come.
    pub fn parse(bytes: &[u8]) -> Result<Parse<Self>, PreambleError> {
        let wrong = bytes.iter().zip(MAGIC).position(|(got, want)| got != want);
        if let Some(at) = wrong {
            let got = bytes[at];
            return Err(PreambleError::Magic { at, got });
        }
        let kind = match bytes.get(7..) {
            None | Some([]) => return Ok(Parse::Incomplete),
            Some([theirs, ..]) if *theirs != Self::VERSION => {
                return Err(PreambleError::Version { theirs: *theirs });
            }
            Some([_]) => return Ok(Parse::Incomplete),
            Some([_, kind, ..]) => *kind,
        };
        if !(CONTROL..=UDP_WELCOME).contains(&kind) {
            return Err(PreambleError::Kind(kind));
        }
        // A control connection has no flow yet, so everything after its kind is zero.
        let zeros = if kind == CONTROL { 9..Self::LEN } else { 9..10 };
        if let Some(at) = zeros
            .clone()
            .find(|at| bytes.get(*at).is_some_and(|byte| *byte != 0))
        {
            return Err(PreambleError::NotZero { at });
        }
        let Some(whole) = bytes.first_chunk() else {
            return Ok(Parse::Incomplete);
        };
        let claim = Claim::decode(whole);
        Ok(Parse::Complete(match kind {
            CONTROL => Self::Control,
            DATA => Self::Data(claim),
            UDP_HELLO => Self::UdpHello(claim),
            _ => Self::UdpWelcome(claim),
        }))
    }

    /// Reads a datagram: a UDP hello or welcome of exactly the right length, or none.
    pub fn parse_datagram(bytes: &[u8]) -> Option<Self> {
        match Self::parse(bytes) {
            Ok(Parse::Complete(preamble @ (Self::UdpHello(_) | Self::UdpWelcome(_))))
                if bytes.len() == Self::LEN =>
            {
                Some(preamble)
            }
            _ => None,
        }
    }

    /// Which flow it is about; none for a control connection.
    pub const fn claim(&self) -> Option<Claim> {
        match *self {
            Self::Control => None,
            Self::Data(claim) | Self::UdpHello(claim) | Self::UdpWelcome(claim) => Some(claim),
        }
    }

    const fn kind(&self) -> u8 {
        match self {
            Self::Control => CONTROL,
            Self::Data(_) => DATA,
            Self::UdpHello(_) => UDP_HELLO,
            Self::UdpWelcome(_) => UDP_WELCOME,
        }
    }
}

impl Claim {
    fn decode(bytes: &[u8; Preamble::LEN]) -> Self {
        let [
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            l0,
            l1,
            f0,
            f1,
            f2,
            f3,
            token @ ..,
        ] = *bytes;
        Self {
            token: Token::new(token),
            load: u16::from_be_bytes([l0, l1]),
            flow: u32::from_be_bytes([f0, f1, f2, f3]),
        }
    }
}

const MAGIC: &[u8; 7] = b"NETDYNO";
const CONTROL: u8 = 1;
const DATA: u8 = 2;
const UDP_HELLO: u8 = 3;
const UDP_WELCOME: u8 = 4;
