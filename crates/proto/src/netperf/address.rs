//! Addresses in omni requests.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use plan::Family;

/// An address as it travels; what it means depends on the request's family. The default is no
/// address.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Address([u8; Address::LEN]);

impl Address {
    pub(super) const LEN: usize = 16;

    pub(super) const fn of(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    pub(super) const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// The address; none if it is all zero.
    pub fn ip(&self, family: Family) -> Option<IpAddr> {
        let ip = match family {
            Family::V6 => Ipv6Addr::from(swapped(self.0)).into(),
            Family::Any | Family::V4 => {
                let [a, b, c, d, ..] = self.0;
                IpAddr::from(Ipv4Addr::new(a, b, c, d))
            }
        };
        Some(ip).filter(|ip| !ip.is_unspecified())
    }
}

impl From<IpAddr> for Address {
    fn from(ip: IpAddr) -> Self {
        let mut bytes = [0; Self::LEN];
        match ip {
            IpAddr::V4(ip) => bytes[..4].copy_from_slice(&ip.octets()),
            IpAddr::V6(ip) => bytes = swapped(ip.octets()),
        }
        Self(bytes)
    }
}

/// netperf swaps the four words of an IPv6 address, which are in network order already: a
/// little-endian sender reverses them. All peers that matter are little-endian.
fn swapped(mut bytes: [u8; Address::LEN]) -> [u8; Address::LEN] {
    bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(ip: &str, family: Family, bytes: [u8; 16]) {
        let ip: IpAddr = ip.parse().unwrap();
        let address = Address::from(ip);
        assert_eq!(address.as_bytes(), &bytes);
        assert_eq!(Address::of(bytes).ip(family), Some(ip));
    }

    #[test]
    fn ipv4_is_in_network_order_in_the_first_word() {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&[127, 0, 0, 1]);
        round("127.0.0.1", Family::V4, bytes);
    }

    #[test]
    fn every_group_of_ipv6_is_reversed() {
        let mut bytes = [0; 16];
        bytes[12] = 1;
        round("::1", Family::V6, bytes);
        #[rustfmt::skip]
        let bytes = [
            0xb8, 0x0d, 0x01, 0x20, 0x44, 0x33, 0x22, 0x11,
            0x88, 0x77, 0x66, 0x55, 0xcc, 0xbb, 0xaa, 0x99,
        ];
        round("2001:db8:1122:3344:5566:7788:99aa:bbcc", Family::V6, bytes);
    }

    #[test]
    fn zeros_are_no_address() {
        for family in [Family::Any, Family::V4, Family::V6] {
            assert_eq!(Address::default().ip(family), None);
        }
    }
}
