//! Whether a packet is what its headers say (`--l2checks`).

/// What is wrong with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketFault {
    /// The lengths of link, IP and UDP do not fit each other.
    Length,
    /// UDP's checksum is another.
    Checksum,
    /// It is no packet with a datagram.
    Unknown,
}

/// Payload of an Ethernet frame at least: shorter packets are padded.
const LEAST: usize = 46;
const UDP: u8 = 17;
const UDP_HEADER: usize = 8;

/// What is wrong with a packet that came; `length` is that of the packet on the link, of which
/// `packet` may hold less. An `unsummed` one has no checksum yet (its sender left that to an
/// interface).
pub fn packet_fault(packet: &[u8], length: usize, unsummed: bool) -> Option<PacketFault> {
    let Some(parts) = Parts::of(packet) else {
        return Some(PacketFault::Unknown);
    };
    let padded = length > parts.total && length <= LEAST;
    if parts.header + parts.udp != parts.total || (length != parts.total && !padded) {
        return Some(PacketFault::Length);
    }
    let whole = packet.get(parts.header..parts.total);
    let datagram = whole.filter(|_| !unsummed && parts.checksum != 0)?;
    let sum = [parts.addresses, datagram]
        .into_iter()
        .fold(u64::from(UDP) + parts.udp as u64, add);
    (fold(sum) != 0xffff).then_some(PacketFault::Checksum)
}

/// What the headers say.
struct Parts<'a> {
    /// Bytes of IP's header.
    header: usize,
    /// Bytes of the packet.
    total: usize,
    /// Bytes of the datagram with its header.
    udp: usize,
    checksum: u16,
    /// Both, which the checksum covers.
    addresses: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(packet: &'a [u8]) -> Option<Self> {
        let word = |at: usize| Some(u16::from_be_bytes(*packet.get(at..)?.first_chunk()?));
        let (header, total, protocol, addresses) = match packet.first()? >> 4 {
            4 => (
                usize::from(packet[0] & 0xf) * 4,
                usize::from(word(2)?),
                *packet.get(9)?,
                packet.get(12..20)?,
            ),
            6 => (
                40,
                40 + usize::from(word(4)?),
                *packet.get(6)?,
                packet.get(8..40)?,
            ),
            _ => return None,
        };
        let udp = usize::from(word(header + 4)?);
        (protocol == UDP && header >= 20 && udp >= UDP_HEADER).then_some(Self {
            header,
            total,
            udp,
            checksum: word(header + 6)?,
            addresses,
        })
    }
}

/// RFC 1071.
fn add(sum: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<2>();
    let last = rest.first().map_or(0, |byte| u64::from(*byte) << 8);
    let words = words
        .iter()
        .map(|word| u64::from(u16::from_be_bytes(*word)));
    sum + words.sum::<u64>() + last
}

fn fold(mut sum: u64) -> u64 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 10.0.0.1:1000 to 10.0.0.2:2000, "hello".
    fn v4() -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 33, 0, 0, 0, 0, 64, UDP, 0, 0];
        packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        packet.extend([0x03, 0xe8, 0x07, 0xd0, 0, 13, 0, 0]);
        packet.extend(b"hello");
        sum(&mut packet, 20);
        packet
    }

    fn v6() -> Vec<u8> {
        let mut packet = vec![0x60, 0, 0, 0, 0, 13, UDP, 64];
        packet.extend([0xfe; 32]);
        packet.extend(&v4()[20..]);
        sum(&mut packet, 40);
        packet
    }

    /// Writes the checksum as a sender does.
    fn sum(packet: &mut [u8], header: usize) {
        packet[header + 6..header + 8].fill(0);
        let addresses = if header == 20 { 12..20 } else { 8..40 };
        let start = u64::from(UDP) + (packet.len() - header) as u64;
        let sum = add(add(start, &packet[addresses]), &packet[header..]);
        let sum = !(fold(sum) as u16);
        packet[header + 6..header + 8].copy_from_slice(&sum.to_be_bytes());
    }

    #[test]
    fn lengths_and_checksums_are_held_against_each_other() {
        for whole in [v4(), v6()] {
            let length = whole.len();
            assert_eq!(packet_fault(&whole, length, false), None);
            // A part of it says nothing of the checksum.
            assert_eq!(packet_fault(&whole[..length - 1], length, false), None);
            assert_eq!(
                packet_fault(&whole, length + 100, false),
                Some(PacketFault::Length)
            );
            let mut other = whole.clone();
            other[length - 1] ^= 1;
            let fault = packet_fault(&other, length, false);
            assert_eq!(fault, Some(PacketFault::Checksum));
            assert_eq!(packet_fault(&other, length, true), None);
            let mut other = whole.clone();
            let header = if length == 33 { 20 } else { 40 };
            other[header + 5] -= 1;
            let fault = packet_fault(&other, length, false);
            assert_eq!(fault, Some(PacketFault::Length));
            for held in 0..header + UDP_HEADER {
                let fault = packet_fault(&whole[..held], length, false);
                assert_eq!(fault, Some(PacketFault::Unknown), "{held}");
            }
        }
        // The frame is filled up.
        assert_eq!(packet_fault(&v4(), LEAST, false), None);
    }
}
