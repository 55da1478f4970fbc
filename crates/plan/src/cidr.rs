//! A block of addresses.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A block of addresses, `10.0.0.0/8` or `fd00::/8`; a bare address is a block of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    network: IpAddr,
    length: u8,
}

impl Cidr {
    /// Whether the address is in the block. An IPv4 address that a dual-stack socket shows as
    /// `::ffff:a.b.c.d` counts as IPv4.
    pub fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.network.is_ipv4()
            && (bits(address) ^ bits(self.network)).leading_zeros() >= u32::from(self.length)
    }
}

impl FromStr for Cidr {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            |_| format!("'{text}' is not a block of addresses such as 10.0.0.0/8 or fd00::/8");
        let (address, length) = match text.split_once('/') {
            None => (text, None),
            Some((address, length)) => (address, Some(length)),
        };
        let network: IpAddr = address.parse().map_err(|_| wrong(()))?;
        let most = if network.is_ipv4() { 32 } else { 128 };
        let length = length
            .map_or(Ok(most), |length| length.parse().map_err(|_| ()))
            .map_err(wrong)?;
        if length > most {
            return Err(format!("'{text}' has more than {most} bits of network"));
        }
        let block = Self { network, length };
        // Bits after the network would be silently ignored, which is never what was meant.
        let host_bits = bits(network).checked_shl(length.into()).unwrap_or(0);
        if host_bits != 0 {
            return Err(format!(
                "'{text}' has bits set after its first {length}: it is no block"
            ));
        }
        Ok(block)
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.length)
    }
}

/// The address from the top bit down, so that prefixes of both families compare alike.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()) << 96,
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_their_addresses_and_no_others() {
        for (block, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
            ("10.1.2.3", "10.1.2.3", "10.1.2.2"),
            ("10.1.2.0/23", "10.1.3.255", "10.1.4.0"),
            ("0.0.0.0/0", "255.255.255.255", "::"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("::/0", "ffff::", "1.2.3.4"),
            ("::1", "::1", "::2"),
            ("10.0.0.0/8", "::ffff:10.0.0.1", "::10.0.0.1"),
        ] {
            let block: Cidr = block.parse().unwrap();
            assert!(block.contains(inside.parse().unwrap()), "{block} {inside}");
            assert!(
                !block.contains(outside.parse().unwrap()),
                "{block} {outside}"
            );
        }
    }

    #[test]
    fn what_is_no_block_gets_one_sentence() {
        for (text, sentence) in [
            (
                "lan",
                "'lan' is not a block of addresses such as 10.0.0.0/8 or fd00::/8",
            ),
            (
                "10.0.0.0/",
                "'10.0.0.0/' is not a block of addresses such as 10.0.0.0/8 or fd00::/8",
            ),
            (
                "10.0.0.0/33",
                "'10.0.0.0/33' has more than 32 bits of network",
            ),
            ("::/129", "'::/129' has more than 128 bits of network"),
            (
                "10.0.0.1/8",
                "'10.0.0.1/8' has bits set after its first 8: it is no block",
            ),
            (
                "fd00::1/64",
                "'fd00::1/64' has bits set after its first 64: it is no block",
            ),
        ] {
            assert_eq!(text.parse::<Cidr>().unwrap_err(), sentence);
        }
        assert_eq!("::1/128".parse::<Cidr>().unwrap().to_string(), "::1/128");
    }
}
