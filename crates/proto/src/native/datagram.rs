//! The header of every UDP data datagram.
//!
//! ```text
//!  0    1 2    4      8               16              24
//!  kind 0 load flow   sequence number send time, ns        integers in network order
//! ```

use units::Nanos;

/// What stands at the front of a datagram; payload follows. Read and written on the hot path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatagramHeader {
    /// What the datagram is for.
    pub kind: DatagramKind,
    /// Index of the load in the plan.
    pub load: u16,
    /// Index of the flow in the load.
    pub flow: u32,
    /// Counts the sender's datagrams of this flow from zero. A reply repeats the request's.
    pub seq: u64,
    /// When it was sent, on the sender's monotonic clock. A reply repeats the request's.
    pub sent: Nanos,
}

/// What a datagram is for. The values keep clear of 'N', the first byte of a preamble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum DatagramKind {
    /// Bulk payload.
    Data = 0xD1,
    /// Asks for a reply.
    Request = 0xD2,
    /// Answers a request.
    Reply = 0xD3,
    /// The last datagram of the flow: nothing comes after it.
    Goodbye = 0xD4,
}

impl DatagramHeader {
    /// Bytes of the header: the smallest datagram.
    pub const LEN: usize = 24;

    /// Writes the header to the front of `datagram`.
    ///
    /// # Panics
    ///
    /// When `datagram` is shorter than [`Self::LEN`]; no plan has such a size.
    #[inline]
    pub fn encode_into(&self, datagram: &mut [u8]) {
        let header = &mut datagram[..Self::LEN];
        header[0] = self.kind as u8;
        header[1] = 0;
        header[2..4].copy_from_slice(&self.load.to_be_bytes());
        header[4..8].copy_from_slice(&self.flow.to_be_bytes());
        header[8..16].copy_from_slice(&self.seq.to_be_bytes());
        header[16..24].copy_from_slice(&self.sent.get().to_be_bytes());
    }

    /// Reads the front of `datagram`; none when it is too short or not ours.
    #[inline]
    pub fn parse(datagram: &[u8]) -> Option<Self> {
        let [kind, 0, l0, l1, f0, f1, f2, f3, times @ ..] =
            datagram.first_chunk::<{ Self::LEN }>()?
        else {
            return None;
        };
        let (seq, sent) = times.split_first_chunk()?;
        Some(Self {
            kind: DatagramKind::of(*kind)?,
            load: u16::from_be_bytes([*l0, *l1]),
            flow: u32::from_be_bytes([*f0, *f1, *f2, *f3]),
            seq: u64::from_be_bytes(*seq),
            sent: Nanos::new(u64::from_be_bytes(*sent.first_chunk()?)),
        })
    }
}

impl DatagramKind {
    #[inline]
    const fn of(byte: u8) -> Option<Self> {
        match byte {
            0xD1 => Some(Self::Data),
            0xD2 => Some(Self::Request),
            0xD3 => Some(Self::Reply),
            0xD4 => Some(Self::Goodbye),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEADER: DatagramHeader = DatagramHeader {
        kind: DatagramKind::Data,
        load: 0x0102,
        flow: 0x0304_0506,
        seq: 0x0708_090a_0b0c_0d0e,
        sent: Nanos::new(0x1112_1314_1516_1718),
    };

    #[test]
    fn golden_bytes_both_ways() {
        for (kind, byte) in [
            (DatagramKind::Data, "d1"),
            (DatagramKind::Request, "d2"),
            (DatagramKind::Reply, "d3"),
            (DatagramKind::Goodbye, "d4"),
        ] {
            let header = DatagramHeader { kind, ..HEADER };
            let mut bytes = [0xaa; 26];
            header.encode_into(&mut bytes);
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(
                hex,
                format!("{byte}000102030405060708090a0b0c0d0e1112131415161718aaaa")
            );
            assert_eq!(DatagramHeader::parse(&bytes), Some(header));
        }
    }

    #[test]
    fn short_or_foreign_datagrams_are_not_ours() {
        let mut bytes = [0; 24];
        HEADER.encode_into(&mut bytes);
        for length in 0..24 {
            assert_eq!(DatagramHeader::parse(&bytes[..length]), None, "{length}");
        }
        bytes[1] = 1;
        assert_eq!(DatagramHeader::parse(&bytes), None, "second byte");
        for kind in (0..=0xff).filter(|kind| !(0xD1..=0xD4).contains(kind)) {
            bytes[..2].copy_from_slice(&[kind, 0]);
            assert_eq!(DatagramHeader::parse(&bytes), None, "kind {kind:#x}");
        }
    }

    proptest! {
        #[test]
        fn what_parses_encodes_to_the_same_bytes(
            kind in 0xD1..=0xD4u8, rest: [u8; 22], tail in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            let bytes = [&[kind, 0], &rest[..], &tail].concat();
            let header = DatagramHeader::parse(&bytes).expect("ours");
            let mut again = bytes.clone();
            again[..24].fill(0);
            header.encode_into(&mut again);
            prop_assert_eq!(again, bytes);
        }
    }
}
