//! The kernel's choice of a way.

use std::io;
use std::net::IpAddr;

use netlink_packet_route::route::{RouteAttribute, RouteMessage};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};

use super::{Rtnetlink, unexpected};

impl Rtnetlink {
    /// The number of the interface through which packets to `destination` leave; that of the
    /// loopback for the host's own addresses.
    ///
    /// # Errors
    /// ENETUNREACH and the like when there is no way.
    pub fn interface_towards(&mut self, destination: IpAddr) -> io::Result<u32> {
        let mut message = RouteMessage::default();
        (
            message.header.address_family,
            message.header.destination_prefix_length,
        ) = match destination {
            IpAddr::V4(_) => (AddressFamily::Inet, 32),
            IpAddr::V6(_) => (AddressFamily::Inet6, 128),
        };
        message.attributes = vec![RouteAttribute::Destination(destination.into())];
        match self.query(RouteNetlinkMessage::GetRoute(message))? {
            RouteNetlinkMessage::NewRoute(route) => route
                .attributes
                .iter()
                .find_map(|attribute| match attribute {
                    RouteAttribute::Oif(index) => Some(*index),
                    _ => None,
                })
                .ok_or_else(|| io::Error::other("the kernel's route names no interface")),
            other => Err(unexpected(&other)),
        }
    }
}
