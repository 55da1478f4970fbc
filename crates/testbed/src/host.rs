//! One of the two hosts.

use std::time::Duration;

use plan::{Family, Link};
use record::{End, InterfaceCounters};
use sys::netns::NetNs;
use sys::rtnetlink::{self, Rtnetlink};
use sys::{Tap, create_tap};

use crate::error::RIGHTS;
use crate::tc::Tc;
use crate::{TestbedError, shaping, wire};

/// A network namespace with a loopback and, in the end, the link's device.
#[derive(Debug)]
pub(crate) struct Host {
    end: End,
    netns: NetNs,
    /// Opened inside, so it speaks of this namespace wherever it is used.
    netlink: Rtnetlink,
}

/// How long a link may take to come up: the kernel does it at once or not at all.
const PATIENCE: Duration = Duration::from_secs(5);
/// Frames that wait for the relay's thread to wake up.
const TAP_QUEUE: u32 = 4096;
const SEE_LOG: &str = "see the kernel's log";

impl Host {
    /// Moves the calling thread into a new namespace and switches its loopback on.
    pub(crate) fn unshare(end: End) -> Result<Self, TestbedError> {
        let netns = NetNs::unshare().map_err(TestbedError::system(
            format!("make the {}'s network namespace", name(end)),
            RIGHTS,
        ))?;
        let netlink = Rtnetlink::open().and_then(|mut netlink| {
            let loopback = netlink.link("lo")?.index;
            netlink.set_up(loopback, true)?;
            Ok(netlink)
        });
        Ok(Self {
            end,
            netns,
            netlink: netlink.map_err(TestbedError::system(
                format!("switch on the {}'s loopback", name(end)),
                RIGHTS,
            ))?,
        })
    }

    pub(crate) fn netns(&self) -> &NetNs {
        &self.netns
    }

    /// Moves the calling thread into the namespace.
    pub(crate) fn enter(&self) -> Result<(), TestbedError> {
        self.netns.enter().map_err(TestbedError::system(
            format!("enter the {}'s network namespace", name(self.end)),
            RIGHTS,
        ))
    }

    /// Makes the device as a TAP device; the calling thread is inside.
    pub(crate) fn add_taps(&self, link: &Link) -> Result<Vec<Tap>, TestbedError> {
        create_tap(wire::device(self.end), wire::queues(link)).map_err(TestbedError::system(
            format!("make the TAP device {}", wire::device(self.end)),
            "delay and loss need /dev/net/tun, to be read and written by you",
        ))
    }

    /// Makes the device here and the peer's there as a veth pair.
    pub(crate) fn add_veth(&mut self, link: &Link, peer: &Self) -> Result<(), TestbedError> {
        let veth = rtnetlink::NewVeth {
            ends: [
                rtnetlink::VethEnd {
                    name: wire::device(self.end),
                    netns: None,
                },
                rtnetlink::VethEnd {
                    name: wire::device(peer.end),
                    netns: Some(&peer.netns),
                },
            ],
            queues: wire::queues(link),
        };
        self.netlink.add_veth(&veth).map_err(TestbedError::system(
            format!("make a veth pair with {} queues", veth.queues),
            "load the kernel module veth, or ask for fewer queues",
        ))
    }

    /// Configures the device and switches it on; the calling thread is inside.
    pub(crate) fn set_up(
        &mut self,
        link: &Link,
        family: Family,
        tc: Option<&Tc>,
    ) -> Result<(), TestbedError> {
        let device = wire::device(self.end);
        let mtu = wire::mtu(link);
        let index = self.index()?;
        let netlink = &mut self.netlink;
        netlink
            .set_device(index, mtu, wire::MAC)
            .map_err(TestbedError::system(
                format!("give {device} an MTU of {mtu} bytes"),
                "ask for another mtu",
            ))?;
        if wire::is_relayed(link) {
            netlink
                .set_queue_length(index, TAP_QUEUE)
                .map_err(TestbedError::system(
                    format!("lengthen the queue of {device}"),
                    SEE_LOG,
                ))?;
        }
        if let Some(segments) = shaping::segments(link) {
            netlink
                .set_segments(index, segments)
                .map_err(TestbedError::system(
                    format!("limit the segments of {device}'s packets to {segments}"),
                    "ask for offload=on, which leaves them alone",
                ))?;
        }
        netlink.silence(index).map_err(TestbedError::system(
            format!("switch off ARP and neighbour discovery of {device}"),
            SEE_LOG,
        ))?;
        self.add_address(family)?;
        if let Some(on) = link.offload {
            wire::set_offloads(device, on)?;
        }
        if let Some(tc) = tc {
            for words in shaping::commands(link, device)? {
                tc.run(&words, link.qdisc.as_deref())?;
            }
        }
        self.set_link_up(true)
    }

    /// Gives the device its address, again if need be: an IPv6 address goes when the device is
    /// switched off.
    pub(crate) fn add_address(&mut self, family: Family) -> Result<(), TestbedError> {
        let (address, prefix) = wire::address(self.end, family);
        let index = self.index()?;
        self.netlink
            .add_address(index, address, prefix)
            .map_err(TestbedError::system(
                format!("give {} the address {address}", wire::device(self.end)),
                "use the other IP version",
            ))
    }

    /// Switches the device on or off.
    pub(crate) fn set_link_up(&mut self, up: bool) -> Result<(), TestbedError> {
        let index = self.index()?;
        self.netlink.set_up(index, up).map_err(TestbedError::system(
            format!("switch {} {}", wire::device(self.end), on_or_off(up)),
            SEE_LOG,
        ))
    }

    /// Waits until the device carries packets and its address is in use.
    pub(crate) fn wait_until_it_carries(&mut self, family: Family) -> Result<(), TestbedError> {
        let index = self.index()?;
        let (address, _) = wire::address(self.end, family);
        self.netlink
            .wait_until_it_carries(index, PATIENCE)
            .and_then(|()| self.netlink.wait_until_own(address, PATIENCE))
            .map_err(TestbedError::system(
                format!("bring {} up", wire::device(self.end)),
                SEE_LOG,
            ))
    }

    /// What the device counted so far.
    pub(crate) fn counters(&mut self) -> Result<InterfaceCounters, TestbedError> {
        self.device()?.counters.ok_or_else(|| {
            TestbedError::system(
                format!("read the counters of {}", wire::device(self.end)),
                SEE_LOG,
            )(std::io::Error::other("the kernel gave none"))
        })
    }

    fn index(&mut self) -> Result<u32, TestbedError> {
        Ok(self.device()?.index)
    }

    fn device(&mut self) -> Result<rtnetlink::Link, TestbedError> {
        let name = wire::device(self.end);
        self.netlink
            .link(name)
            .map_err(TestbedError::system(format!("find {name}"), SEE_LOG))
    }
}

pub(crate) const fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

const fn name(end: End) -> &'static str {
    match end {
        End::Client => "client",
        End::Server => "server",
    }
}
