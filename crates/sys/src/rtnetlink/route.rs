//! The kernel's choice of a way.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use netlink_packet_route::route::{RouteAttribute, RouteMessage, RouteType};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};

use super::{Rtnetlink, unexpected};

/// RTNLGRP_IPV6_ROUTE of include/uapi/linux/rtnetlink.h.
const ROUTE_GROUP_V6: u32 = 11;

impl Rtnetlink {
    /// The number of the interface through which packets to `destination` leave; that of the
    /// loopback for the host's own addresses.
    ///
    /// # Errors
    /// ENETUNREACH and the like when there is no way.
    pub fn interface_towards(&mut self, destination: IpAddr) -> io::Result<u32> {
        self.route(destination)?
            .attributes
            .iter()
            .find_map(|attribute| match attribute {
                RouteAttribute::Oif(index) => Some(*index),
                _ => None,
            })
            .ok_or_else(|| io::Error::other("the kernel's route names no interface"))
    }

    /// Waits until packets to `address` are taken for the host's own. That is so at once for an
    /// IPv4 address; with IPv6 the kernel finishes the address and its route in a work queue
    /// (addrconf_dad_work of net/ipv6/addrconf.c), duplicate detection or not.
    ///
    /// # Errors
    /// TimedOut when they are not within `patience`.
    pub fn wait_until_own(&mut self, address: IpAddr, patience: Duration) -> io::Result<()> {
        self.wait_until(ROUTE_GROUP_V6, patience, |netlink| {
            let route = netlink.route(address);
            Ok(route.is_ok_and(|route| route.header.kind == RouteType::Local))
        })
    }

    fn route(&mut self, destination: IpAddr) -> io::Result<RouteMessage> {
        let mut message = RouteMessage::default();
        let (family, length) = match destination {
            IpAddr::V4(_) => (AddressFamily::Inet, 32),
            IpAddr::V6(_) => (AddressFamily::Inet6, 128),
        };
        message.header.address_family = family;
        message.header.destination_prefix_length = length;
        message.attributes = vec![RouteAttribute::Destination(destination.into())];
        match self.query(RouteNetlinkMessage::GetRoute(message))? {
            RouteNetlinkMessage::NewRoute(route) => Ok(route),
            other => Err(unexpected(&other)),
        }
    }
}
