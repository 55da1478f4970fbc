//! Links, addresses and routes, asked of the kernel and told to it (rtnetlink(7)).

mod address;
mod link;
mod queueing;
mod route;

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

use netlink_packet_core::{
    ErrorMessage, NLM_F_ACK, NLM_F_ACK_TLVS, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage,
    NetlinkPayload, NlasIterator,
};
use netlink_packet_route::RouteNetlinkMessage;
use socket2::{Domain, Protocol, Socket, Type};

use crate::check;

pub use link::{Link, NewVeth, VethEnd};

/// A conversation with the kernel about one network namespace: that of the thread that opened
/// it, wherever that thread goes later.
#[derive(Debug)]
pub struct Rtnetlink {
    socket: Socket,
    sequence: u32,
    reply: Vec<MaybeUninit<u8>>,
}

/// Longer than any answer about one object; the kernel fills at most 32 KiB at a time
/// (NLMSG_GOODSIZE and netlink_dump in net/netlink/af_netlink.c).
const REPLY: usize = 64 * 1024;

impl Rtnetlink {
    /// About the calling thread's network namespace.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn open() -> io::Result<Self> {
        let socket = Socket::new(
            Domain::from(libc::AF_NETLINK),
            Type::RAW,
            Some(Protocol::from(libc::NETLINK_ROUTE)),
        )?;
        // Ask for the sentence that explains a refusal, and for answers without our own request
        // in them. Old kernels refuse; then there is a number only.
        for option in [libc::NETLINK_EXT_ACK, libc::NETLINK_CAP_ACK] {
            let _ = set_option(&socket, option, 1);
        }
        Ok(Self {
            socket,
            sequence: 0,
            reply: vec![MaybeUninit::uninit(); REPLY],
        })
    }

    /// Waits until `holds`, which is asked again after every change in the group (RTNLGRP_…).
    fn wait_until(
        &mut self,
        group: u32,
        patience: Duration,
        holds: impl FnMut(&mut Self) -> io::Result<bool>,
    ) -> io::Result<()> {
        // The group is joined before the first look, so no change is missed. The notes only are
        // the reason to look again: what counts is the state then.
        self.group(group, true)?;
        let answer = self.look_until(Instant::now() + patience, holds);
        self.socket.set_read_timeout(None)?;
        self.group(group, false)?;
        answer
    }

    fn look_until(
        &mut self,
        deadline: Instant,
        mut holds: impl FnMut(&mut Self) -> io::Result<bool>,
    ) -> io::Result<()> {
        while !holds(self)? {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.socket.set_read_timeout(Some(left))?;
            match self.receive() {
                Err(e) if e.kind() != io::ErrorKind::WouldBlock => return Err(e),
                _ => (),
            }
        }
        Ok(())
    }

    /// Hears of changes in the group (RTNLGRP_…), or no longer.
    fn group(&self, group: u32, join: bool) -> io::Result<()> {
        let option = if join {
            libc::NETLINK_ADD_MEMBERSHIP
        } else {
            libc::NETLINK_DROP_MEMBERSHIP
        };
        set_option(&self.socket, option, group as libc::c_int)
    }

    /// Has the kernel do something.
    fn command(&mut self, message: RouteNetlinkMessage, flags: u16) -> io::Result<()> {
        let sequence = self.send(message, flags | NLM_F_ACK)?;
        loop {
            for (header, payload) in self.receive()? {
                if let (true, NetlinkPayload::Error(answer)) =
                    (header.sequence_number == sequence, payload)
                {
                    return answer
                        .code
                        .map_or(Ok(()), |_| Err(refusal(&header, &answer)));
                }
            }
        }
    }

    /// Asks for one object.
    fn query(&mut self, message: RouteNetlinkMessage) -> io::Result<RouteNetlinkMessage> {
        let sequence = self.send(message, 0)?;
        loop {
            for (header, payload) in self.receive()? {
                if header.sequence_number != sequence {
                    continue;
                }
                match payload {
                    NetlinkPayload::InnerMessage(message) => return Ok(message),
                    NetlinkPayload::Error(answer) => return Err(refusal(&header, &answer)),
                    _ => (),
                }
            }
        }
    }

    fn send(&mut self, message: RouteNetlinkMessage, flags: u16) -> io::Result<u32> {
        self.sequence = self.sequence.wrapping_add(1);
        let mut message = NetlinkMessage::new(
            NetlinkHeader::default(),
            NetlinkPayload::InnerMessage(message),
        );
        message.header.flags = NLM_F_REQUEST | flags;
        message.header.sequence_number = self.sequence;
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.socket.send(&bytes)?;
        Ok(self.sequence)
    }

    fn receive(&mut self) -> io::Result<Vec<(NetlinkHeader, NetlinkPayload<RouteNetlinkMessage>)>> {
        let mut bytes = self.receive_bytes()?;
        let mut messages = Vec::new();
        while !bytes.is_empty() {
            let message = NetlinkMessage::deserialize(bytes).map_err(io::Error::other)?;
            // Messages begin at multiples of NLMSG_ALIGNTO.
            let length = (message.header.length as usize).next_multiple_of(4);
            bytes = bytes.get(length..).unwrap_or_default();
            messages.push(message.into_parts());
        }
        Ok(messages)
    }
}

impl Rtnetlink {
    /// The next datagram of the kernel.
    fn receive_bytes(&mut self) -> io::Result<&[u8]> {
        let n = self.socket.recv(&mut self.reply)?;
        // SAFETY: the kernel filled the first n bytes.
        Ok(unsafe { self.reply[..n].assume_init_ref() })
    }
}

/// NLMSGERR_ATTR_MSG of include/uapi/linux/netlink.h.
const MESSAGE: u16 = 1;
/// struct nlmsghdr: the header of our own request, which precedes the attributes.
const HEADER: usize = 16;

/// The kernel's number, with its sentence where it gave one.
fn refusal(header: &NetlinkHeader, answer: &ErrorMessage) -> io::Error {
    let error = answer.to_io();
    let sentence = (header.flags & NLM_F_ACK_TLVS != 0)
        .then(|| answer.header.get(HEADER..))
        .flatten()
        .and_then(|attributes| {
            NlasIterator::new(attributes)
                .flatten()
                .find(|attribute| attribute.kind() == MESSAGE)
                .map(|attribute| String::from_utf8_lossy(attribute.value()).into_owned())
        });
    match sentence {
        None => error,
        Some(sentence) => {
            let sentence = sentence.trim_end_matches('\0');
            io::Error::new(error.kind(), format!("{error}: {sentence}"))
        }
    }
}

fn unexpected(message: &RouteNetlinkMessage) -> io::Error {
    io::Error::other(format!(
        "the kernel answered with another kind of object: {message:?}"
    ))
}

fn set_option(socket: &Socket, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    // SAFETY: `value` is readable for its size; the descriptor is open while borrowed.
    check(unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_NETLINK,
            option,
            (&raw const value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    })?;
    Ok(())
}

#[cfg(test)]
mod tests;
