//! Gaps between the datagrams of a paced stream, as the receiving kernel stamped them. It listens
//! beside the receiver, on a packet socket, so it serves for every tool alike and asks none.

use std::io::IoSliceMut;
use std::os::fd::AsRawFd;
use std::time::Duration;

use anyhow::{Context, Result};
use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::socket::sockopt::{RcvBuf, ReceiveTimeout, ReceiveTimestampns};
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, MsgFlags, SockFlag, SockProtocol, SockType, recvmsg,
    setsockopt, socket,
};
use nix::sys::time::{TimeSpec, TimeVal};
use serde_json::{Value, json};

use crate::alarm;
use crate::percentiles;

/// The datagrams to look at.
pub struct Stream {
    /// Where they go.
    pub port: u16,
    /// UDP payload; leaves out greetings and farewells.
    pub payload: usize,
    /// The distance that was asked for.
    pub gap: Duration,
}

/// Enough of a packet for its headers: 60 bytes of IPv4 with all options, 8 of UDP.
const HEADERS: usize = 68;
const UDP: u8 = 17;

/// Records for a while. Gives the percentiles of |gap - asked gap|.
pub fn watch(stream: &Stream, time: Duration) -> Result<Value> {
    // With ETH_P_IP the kernel hands over received packets only, so a packet of the loopback
    // device, which is sent and received here, comes once.
    let socket = socket(
        AddressFamily::Packet,
        SockType::Datagram,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::EthIp,
    )
    .context("cannot make a packet socket: it needs CAP_NET_RAW")?;
    setsockopt(&socket, ReceiveTimestampns, &true).context("cannot set SO_TIMESTAMPNS")?;
    setsockopt(&socket, RcvBuf, &(4 << 20)).context("cannot set SO_RCVBUF")?;
    setsockopt(&socket, ReceiveTimeout, &TimeVal::new(0, 100_000))
        .context("cannot set SO_RCVTIMEO")?;
    alarm::after(time);

    let mut control = cmsg_space!(TimeSpec);
    let mut headers = [0; HEADERS];
    let mut before = None;
    let mut errors = Vec::new();
    while !alarm::rang() {
        let mut parts = [IoSliceMut::new(&mut headers)];
        let received = recvmsg::<()>(
            socket.as_raw_fd(),
            &mut parts,
            Some(&mut control),
            MsgFlags::empty(),
        );
        let (bytes, stamp) = match received {
            Ok(message) => (message.bytes, stamp(message.cmsgs().context("no stamp")?)),
            Err(Errno::EAGAIN | Errno::EINTR) => continue,
            Err(error) => return Err(error).context("cannot receive from the packet socket"),
        };
        let together = stream.count(&headers[..bytes]);
        let Some(stamp) = stamp.filter(|_| together > 0) else {
            continue;
        };
        // What came in one piece, which the kernel cuts at the socket, has no gaps inside.
        errors.extend(std::iter::repeat_n(
            stream.gap.as_nanos() as u64,
            together - 1,
        ));
        if let Some(before) = before.replace(stamp) {
            errors.push(stamp.abs_diff(before).abs_diff(stream.gap).as_nanos() as u64);
        }
    }
    Ok(json!({
        "asked_gap_ns": stream.gap.as_nanos() as u64,
        "gap_error": percentiles::summary(errors),
    }))
}

impl Stream {
    /// How many of the stream's datagrams an IPv4 packet, from its IP header on, holds: more than
    /// one if it is still to be cut (UDP_SEGMENT), none if it is another's.
    fn count(&self, packet: &[u8]) -> usize {
        let Some(&first) = packet.first() else {
            return 0;
        };
        // RFC 791: version and header length in words; protocol at 9. RFC 768: destination port
        // at 2, length with its own header at 4.
        let header = usize::from(first & 0xf) * 4;
        let udp = packet.get(header..header + 8);
        let Some(udp) = udp.filter(|_| first >> 4 == 4 && packet[9] == UDP) else {
            return 0;
        };
        let port = u16::from_be_bytes([udp[2], udp[3]]);
        let payload = usize::from(u16::from_be_bytes([udp[4], udp[5]])).saturating_sub(8);
        if port == self.port && payload.is_multiple_of(self.payload) {
            payload / self.payload
        } else {
            0
        }
    }
}

/// The kernel's time of receipt since its epoch.
fn stamp(messages: impl Iterator<Item = ControlMessageOwned>) -> Option<Duration> {
    messages.into_iter().find_map(|message| match message {
        ControlMessageOwned::ScmTimestampns(time) => Some(Duration::from(time)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(protocol: u8, port: u16, payload: u16, options: usize) -> Vec<u8> {
        let header = 20 + options;
        let mut packet = vec![0; header + 8];
        packet[0] = 0x40 | (header / 4) as u8;
        packet[9] = protocol;
        packet[header + 2..header + 4].copy_from_slice(&port.to_be_bytes());
        packet[header + 4..header + 6].copy_from_slice(&(payload + 8).to_be_bytes());
        packet
    }

    #[test]
    fn only_the_streams_own_datagrams() {
        let stream = Stream {
            port: 5000,
            payload: 1470,
            gap: Duration::from_micros(100),
        };
        assert_eq!(stream.count(&packet(17, 5000, 1470, 0)), 1);
        assert_eq!(stream.count(&packet(17, 5000, 3 * 1470, 0)), 3);
        assert_eq!(stream.count(&packet(17, 5000, 1470, 40)), 1);
        assert_eq!(stream.count(&packet(6, 5000, 1470, 0)), 0);
        assert_eq!(stream.count(&packet(17, 5001, 1470, 0)), 0);
        assert_eq!(stream.count(&packet(17, 5000, 4, 0)), 0);
        assert_eq!(stream.count(&packet(17, 5000, 1470, 0)[..24]), 0);
        assert_eq!(stream.count(&[]), 0);
    }
}
