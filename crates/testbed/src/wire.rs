//! The two ends' devices: how they are called, and what joins them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use plan::{Family, Link};
use record::End;
use sys::ethtool::{self, Offload};

use crate::TestbedError;
use crate::host::on_or_off;

/// Ethernet's header as the kernel counts it on these devices: without preamble and checksum.
pub(crate) const FRAME_HEADER: u64 = 14;

/// Ethernet's MTU.
const DEFAULT_MTU: u32 = 1500;
/// RFC 8200 section 5: a link below carries no IPv6.
const LEAST_MTU_V6: u32 = 1280;
/// A TAP device's MTU (drivers/net/tun.c): 65535 with the Ethernet header.
const LARGEST_TAP_MTU: u32 = 65521;
/// MAX_TAP_QUEUES of drivers/net/tun.c.
const MOST_TAP_QUEUES: u16 = 256;

/// Both ends have the same hardware address, locally administered. The devices ask for no
/// neighbour (NOARP), and such a device addresses every frame to its own address: with one
/// address for both, that is the other end's too. So no ARP and no neighbour discovery disturbs
/// the counters, and no neighbour entry is lost when the link goes down and comes back.
pub(crate) const MAC: [u8; 6] = [0x02, 0, 0, 0, 0, 0x73];

/// The device's name at an end.
pub(crate) const fn device(end: End) -> &'static str {
    match end {
        End::Client => "client0",
        End::Server => "server0",
    }
}

/// An end's address and the length of its prefix.
pub(crate) fn address(end: End, family: Family) -> (IpAddr, u8) {
    let last = match end {
        End::Client => 1,
        End::Server => 2,
    };
    match family {
        Family::V4 | Family::Any => (Ipv4Addr::new(10, 73, 0, last).into(), 30),
        Family::V6 => (
            Ipv6Addr::new(0xfd73, 0, 0, 0, 0, 0, 0, last.into()).into(),
            64,
        ),
    }
}

/// The link's MTU.
pub(crate) fn mtu(link: &Link) -> u32 {
    link.mtu.unwrap_or(DEFAULT_MTU)
}

/// The link's transmit queues.
pub(crate) fn queues(link: &Link) -> u16 {
    link.queues.map_or(1, std::num::NonZeroU16::get)
}

/// Whether frames pass through the relay.
pub(crate) fn is_relayed(link: &Link) -> bool {
    link.delay.is_some() || link.loss.is_some()
}

/// Whether the settings go together.
pub(crate) fn check(link: &Link, family: Family) -> Result<(), TestbedError> {
    let refuse = |sentence: String| Err(TestbedError::Contradiction(sentence));
    if family == Family::V6 && mtu(link) < LEAST_MTU_V6 {
        return refuse(format!(
            "mtu={} carries no IPv6: at least {LEAST_MTU_V6}, or use IPv4",
            mtu(link)
        ));
    }
    if !is_relayed(link) {
        return Ok(());
    }
    // The relay carries frames as they are on a wire, so that it loses packets and not bundles.
    if link.offload == Some(true) {
        return refuse(
            "offload=on does not go with delay or loss: the relay carries single frames".into(),
        );
    }
    if mtu(link) > LARGEST_TAP_MTU {
        return refuse(format!(
            "with delay or loss the mtu is at most {LARGEST_TAP_MTU}"
        ));
    }
    if queues(link) > MOST_TAP_QUEUES {
        return refuse(format!(
            "with delay or loss there are at most {MOST_TAP_QUEUES} queues"
        ));
    }
    Ok(())
}

/// Switches all offloads of the device, which is in the calling thread's namespace, on or off.
pub(crate) fn set_offloads(device: &str, on: bool) -> Result<(), TestbedError> {
    let advice = "leave out offload=";
    let mut offloads = Offload::ALL;
    if !on {
        offloads.reverse();
    }
    for offload in offloads {
        let is = || ethtool::offload(device, offload);
        let doing = format!("switch {} of {device} {}", offload.name(), on_or_off(on));
        // A driver refuses even to be told what it does anyway.
        let set = is().and_then(|is| match is == on {
            true => Ok(()),
            false => ethtool::set_offload(device, offload, on),
        });
        if set
            .and_then(|()| is())
            .map_err(TestbedError::system(&*doing, advice))?
            != on
        {
            let answer = std::io::Error::other("the driver did not do it");
            return Err(TestbedError::system(doing, advice)(answer));
        }
    }
    Ok(())
}
