//! Network interfaces.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use netlink_packet_core::{NLM_F_CREATE, NLM_F_EXCL};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{
    AfSpecInet6, AfSpecUnspec, In6AddrGenMode, InfoData, InfoKind, InfoVeth, LinkAttribute,
    LinkFlags, LinkInfo, LinkMessage,
};
use record::InterfaceCounters;

use super::{Rtnetlink, unexpected};
use crate::netns::NetNs;

/// An interface as it is now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    /// Its number in its namespace.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// The largest packet, without the link's header, bytes.
    pub mtu: Option<u32>,
    /// The root qdisc.
    pub qdisc: Option<String>,
    /// How often the carrier came or went since the interface was made (`carrier_changes` of
    /// sysfs). Kernels before 3.15 do not tell.
    pub carrier_changes: Option<u32>,
    /// What it counted (64 bits).
    pub counters: Option<InterfaceCounters>,
    /// Transmit queues that it was made with.
    pub tx_queues: Option<u32>,
    /// Whether it carries packets: switched on, carrier there, and its qdisc in place.
    pub carries: bool,
}

/// One end of a new veth pair.
#[derive(Debug, Clone, Copy)]
pub struct VethEnd<'a> {
    /// Name.
    pub name: &'a str,
    /// Where it is put; none for the namespace of the conversation.
    pub netns: Option<&'a NetNs>,
}

/// A veth pair to be made. Both ends alike but for name and place.
#[derive(Debug, Clone, Copy)]
pub struct NewVeth<'a> {
    /// The ends.
    pub ends: [VethEnd<'a>; 2],
    /// Transmit and receive queues.
    pub queues: u16,
}

/// RTNLGRP_LINK of include/uapi/linux/rtnetlink.h.
const LINK_GROUP: u32 = 1;

impl Rtnetlink {
    /// The interface `name`.
    ///
    /// # Errors
    /// ENODEV when there is none.
    pub fn link(&mut self, name: &str) -> io::Result<Link> {
        let mut message = LinkMessage::default();
        message.attributes.push(LinkAttribute::IfName(name.into()));
        self.query_link(message)
    }

    /// The interface with the number `index`.
    ///
    /// # Errors
    /// ENODEV when there is none.
    pub fn link_by_index(&mut self, index: u32) -> io::Result<Link> {
        self.query_link(about(index))
    }

    /// Makes a veth pair.
    ///
    /// # Errors
    /// EPERM without CAP_NET_ADMIN, EEXIST when a name is taken, EOPNOTSUPP when the kernel has
    /// no veth, EINVAL when it does not take the number of queues.
    pub fn add_veth(&mut self, veth: &NewVeth<'_>) -> io::Result<()> {
        let [mut first, second] = veth.ends.map(|end| {
            let mut message = LinkMessage::default();
            message.attributes = vec![
                LinkAttribute::IfName(end.name.into()),
                LinkAttribute::NumTxQueues(veth.queues.into()),
                LinkAttribute::NumRxQueues(veth.queues.into()),
            ];
            if let Some(netns) = end.netns {
                let fd = netns.as_fd().as_raw_fd();
                message.attributes.push(LinkAttribute::NetNsFd(fd));
            }
            message
        });
        first.attributes.push(LinkAttribute::LinkInfo(vec![
            LinkInfo::Kind(InfoKind::Veth),
            LinkInfo::Data(InfoData::Veth(InfoVeth::Peer(second))),
        ]));
        self.command(
            RouteNetlinkMessage::NewLink(first),
            NLM_F_CREATE | NLM_F_EXCL,
        )
    }

    /// Sets MTU and hardware address.
    ///
    /// # Errors
    /// EPERM without CAP_NET_ADMIN, EINVAL when the driver does not take the MTU.
    pub fn set_device(&mut self, index: u32, mtu: u32, mac: [u8; 6]) -> io::Result<()> {
        let mut message = about(index);
        message.attributes = vec![
            LinkAttribute::Mtu(mtu),
            LinkAttribute::Address(mac.to_vec()),
        ];
        self.command(RouteNetlinkMessage::SetLink(message), 0)
    }

    /// Sets the length of the transmit queue, in packets.
    ///
    /// # Errors
    /// EPERM without CAP_NET_ADMIN.
    pub fn set_queue_length(&mut self, index: u32, packets: u32) -> io::Result<()> {
        let mut message = about(index);
        message.attributes = vec![LinkAttribute::TxQueueLen(packets)];
        self.command(RouteNetlinkMessage::SetLink(message), 0)
    }

    /// Sets how many segments a packet for later segmentation (GSO) may hold; with one the sockets
    /// build packets of single frames.
    ///
    /// # Errors
    /// EPERM without CAP_NET_ADMIN.
    pub fn set_segments(&mut self, index: u32, most: u32) -> io::Result<()> {
        let mut message = about(index);
        message.attributes = vec![LinkAttribute::GsoMaxSegs(most)];
        self.command(RouteNetlinkMessage::SetLink(message), 0)
    }

    /// Makes the interface send nothing of its own: no ARP and no neighbour discovery, no
    /// membership reports (a NOARP interface joins no solicited-node group), no link-local
    /// address and so no router solicitation.
    ///
    /// # Errors
    /// EPERM without CAP_NET_ADMIN.
    pub fn silence(&mut self, index: u32) -> io::Result<()> {
        let mut message = about(index);
        message.header.flags = LinkFlags::Noarp;
        message.header.change_mask = LinkFlags::Noarp;
        let quiet = message.clone();
        message.attributes = vec![LinkAttribute::AfSpecUnspec(vec![AfSpecUnspec::Inet6(
            vec![AfSpecInet6::AddrGenMode(In6AddrGenMode::None)],
        )])];
        match self.command(RouteNetlinkMessage::SetLink(message), 0) {
            // The interface has no IPv6 that could speak: an MTU below 1280 (RFC 8200, section 5).
            Err(error) if error.raw_os_error() == Some(libc::EAFNOSUPPORT) => {
                self.command(RouteNetlinkMessage::SetLink(quiet), 0)
            }
            other => other,
        }
    }

    /// Switches the interface on or off.
    ///
    /// # Errors
    /// EPERM without CAP_NET_ADMIN.
    pub fn set_up(&mut self, index: u32, up: bool) -> io::Result<()> {
        let mut message = about(index);
        message.header.change_mask = LinkFlags::Up;
        if up {
            message.header.flags = LinkFlags::Up;
        }
        self.command(RouteNetlinkMessage::SetLink(message), 0)
    }

    /// Waits until the interface carries packets.
    ///
    /// # Errors
    /// TimedOut when it does not within `patience`; ENODEV when there is none.
    pub fn wait_until_it_carries(&mut self, index: u32, patience: Duration) -> io::Result<()> {
        self.wait_until(LINK_GROUP, patience, |netlink| {
            Ok(netlink.link_by_index(index)?.carries)
        })
    }

    fn query_link(&mut self, message: LinkMessage) -> io::Result<Link> {
        match self.query(RouteNetlinkMessage::GetLink(message))? {
            RouteNetlinkMessage::NewLink(link) => Ok(read(link)),
            other => Err(unexpected(&other)),
        }
    }
}

fn about(index: u32) -> LinkMessage {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message
}

fn read(message: LinkMessage) -> Link {
    let on = message
        .header
        .flags
        .contains(LinkFlags::Up | LinkFlags::LowerUp | LinkFlags::Running);
    let mut link = Link {
        index: message.header.index,
        ..Link::default()
    };
    for attribute in message.attributes {
        match attribute {
            LinkAttribute::IfName(name) => link.name = name,
            LinkAttribute::Mtu(mtu) => link.mtu = Some(mtu),
            LinkAttribute::Qdisc(kind) => link.qdisc = Some(kind),
            LinkAttribute::NumTxQueues(queues) => link.tx_queues = Some(queues),
            LinkAttribute::CarrierChanges(changes) => link.carrier_changes = Some(changes),
            LinkAttribute::Stats64(stats) => {
                link.counters = Some(InterfaceCounters {
                    tx_bytes: stats.tx_bytes,
                    tx_packets: stats.tx_packets,
                    rx_bytes: stats.rx_bytes,
                    rx_packets: stats.rx_packets,
                    tx_dropped: stats.tx_dropped,
                    rx_dropped: stats.rx_dropped,
                });
            }
            _ => (),
        }
    }
    // Until the kernel has noticed the carrier, packets go to the no-operation qdisc and vanish.
    link.carries = on && link.qdisc.as_deref() != Some("noop");
    link
}
