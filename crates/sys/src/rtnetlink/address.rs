//! Addresses of interfaces.

use std::io;
use std::net::IpAddr;

use netlink_packet_core::{NLM_F_CREATE, NLM_F_REPLACE};
use netlink_packet_route::address::{AddressAttribute, AddressFlags, AddressMessage};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};

use super::Rtnetlink;

impl Rtnetlink {
    /// Gives the interface an address, usable at once: without duplicate address detection
    /// (RFC 4862 section 5.4), which would hold an IPv6 address back for a second.
    ///
    /// # Errors
    /// EPERM without CAP_NET_ADMIN; EINVAL or EACCES when the interface cannot have such an
    /// address, for example IPv6 with an MTU below 1280.
    pub fn add_address(&mut self, index: u32, address: IpAddr, prefix: u8) -> io::Result<()> {
        let mut message = AddressMessage::default();
        message.header.index = index;
        message.header.prefix_len = prefix;
        message.header.family = match address {
            IpAddr::V4(_) => AddressFamily::Inet,
            IpAddr::V6(_) => AddressFamily::Inet6,
        };
        message.attributes = vec![
            AddressAttribute::Local(address),
            AddressAttribute::Address(address),
            AddressAttribute::Flags(AddressFlags::Nodad),
        ];
        self.command(
            RouteNetlinkMessage::NewAddress(message),
            NLM_F_CREATE | NLM_F_REPLACE,
        )
    }
}
