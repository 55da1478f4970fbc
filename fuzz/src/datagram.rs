//! UDP data under fuzz.

use proto::native::{DatagramHeader, Preamble};

/// Reads a datagram: what parses encodes to the same bytes and leaves the payload alone, and no
/// datagram is both data and a hello.
pub fn native_datagram(data: &[u8]) {
    let Some(header) = DatagramHeader::parse(data) else {
        return;
    };
    let mut again = data.to_vec();
    again[..DatagramHeader::LEN].fill(0xaa);
    header.encode_into(&mut again);
    assert_eq!(again, data);
    assert_eq!(DatagramHeader::parse(&again), Some(header));
    assert_eq!(Preamble::parse_datagram(data), None);
}
