//! Datagrams that belong to no flow yet.

use std::collections::{HashMap, HashSet};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use proto::iperf2::{FirstDatagram, Mode, UpperFlags};
use sys::{Arrival, FrameTap, clock};

use super::House;
use super::limits::{MOST_DATAGRAM_FLOWS, MOST_FLOWS};
use super::session::{Line, Part, Session};
use crate::iperf2::event::{Event, Refusal, Tell};
use crate::iperf2::flow::{BurstListener, DatagramReceive, Early, PacketCheck};
use crate::iperf2::meter::{Meter, Way};

/// Room for what a datagram may have.
const LONGEST: usize = 64 << 10;

/// A sender whose flow is about to begin.
struct Newcomer {
    socket: OwnedFd,
    arrival: Arrival,
    first: FirstDatagram,
    early: Vec<Early>,
}

impl House {
    /// Takes all that came to the listening socket. What follows a flow's first datagram before
    /// the flow has its own socket goes with it.
    pub(super) fn take_datagrams(&mut self, door: &OwnedFd, tell: Tell<'_>) {
        let mut newcomers: HashMap<SocketAddr, Newcomer> = HashMap::new();
        let Ok(local) = sys::local_address(door) else {
            return;
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        loop {
            match sys::receive_from(door, &mut buffer) {
                Ok(Some(arrival)) => {
                    let bytes = &buffer[..arrival.length];
                    self.take_one(&mut newcomers, arrival, bytes, local.port(), tell);
                    if self.config.one_at_a_time && !newcomers.is_empty() {
                        break;
                    }
                }
                Ok(None) => break,
                // A datagram of ours met a closed port.
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => (),
                Err(error) => {
                    tell(Event::Note(format!("receiving datagrams: {error}")));
                    break;
                }
            }
        }
        // Between bind and connect a flow's socket takes what others send, whom we may not know yet.
        let mut drained = HashSet::new();
        while let Some(from) = newcomers
            .keys()
            .find(|from| !drained.contains(*from))
            .copied()
        {
            drained.insert(from);
            let strays = match newcomers.get_mut(&from) {
                Some(newcomer) => drain(newcomer, &mut buffer),
                None => continue,
            };
            for (arrival, bytes) in strays {
                let has_flow = |session: &Session| !session.is_tcp && session.peer == arrival.from;
                if !self.sessions.iter().any(has_flow) {
                    self.take_one(&mut newcomers, arrival, &bytes, local.port(), tell);
                }
            }
        }
        self.buffer = buffer;
        for (_, newcomer) in newcomers {
            self.begin_datagrams(newcomer, tell);
        }
    }

    fn take_one(
        &mut self,
        newcomers: &mut HashMap<SocketAddr, Newcomer>,
        arrival: Arrival,
        bytes: &[u8],
        port: u16,
        tell: Tell<'_>,
    ) {
        if let Some(newcomer) = newcomers.get_mut(&arrival.from) {
            newcomer.early.push(early(bytes));
            return;
        }
        let flows = self.sessions.iter().filter(|session| !session.is_tcp);
        let has_room = flows.count() + newcomers.len() < MOST_DATAGRAM_FLOWS
            && self.sessions.len() < MOST_FLOWS;
        let Some(first) = FirstDatagram::parse(bytes) else {
            return;
        };
        // Datagrams carry no key, so a server with one takes none.
        let local = SocketAddr::new(arrival.to, port);
        let why = if !self.admits(arrival.from.ip()) {
            Some(Refusal::Address)
        } else if self.config.key.is_some() {
            Some(Refusal::Key)
        } else if !has_room {
            Some(Refusal::TooMany)
        } else {
            None
        };
        if let Some(why) = why {
            return tell(Event::Refused {
                local,
                peer: arrival.from,
                why,
            });
        }
        match sys::udp_for_peer(arrival, port) {
            Ok(socket) => {
                let newcomer = Newcomer {
                    socket,
                    arrival,
                    first,
                    early: vec![early(bytes)],
                };
                newcomers.insert(arrival.from, newcomer);
            }
            Err(error) => tell(Event::Note(format!(
                "opening a socket for {}: {error}",
                arrival.from
            ))),
        }
    }

    fn begin_datagrams(&mut self, newcomer: Newcomer, tell: Tell<'_>) {
        let Newcomer {
            socket,
            arrival,
            first,
            early,
        } = newcomer;
        let socket = Arc::new(socket);
        let local = sys::local_address(&socket).unwrap_or(arrival.from);
        let header = first.header;
        let mode = header.as_ref().map_or(Mode::Forward, |header| header.mode);
        let upper = header
            .as_ref()
            .map(|header| header.upper())
            .unwrap_or_default();
        if let Some(window) = self.config.socket.window {
            let _ = sys::Options::of(&*socket).set_rcvbuf(window);
        }
        if let Some(extended) = header.as_ref().and_then(|header| header.extended.as_ref()) {
            let tos = self.config.tos_override.unwrap_or(extended.tos);
            if tos != 0 {
                let _ = sys::Options::of(&*socket).set_tos(local.is_ipv6(), tos);
            }
        }
        let (mut parts, mut frames) = (Vec::new(), None);
        if mode != Mode::Reverse {
            let meter = Arc::new(Meter::of_datagrams(
                self.config.bins,
                self.config.jitter_bins,
            ));
            let mut receive = DatagramReceive::new(socket.clone(), meter.clone(), first.shape);
            receive.answers = !upper.has(UpperFlags::NO_UDP_FIN)
                && mode != Mode::FullDuplex
                && !arrival.to.is_multicast();
            receive.is_enhanced = self.config.enhanced
                || first.has_small_trip_times
                || self.has_trip_times(header.as_ref());
            (receive.early, receive.alone) = (early, true);
            receive.frames_2_2 = upper.has(UpperFlags::ISOCHRONOUS).then(|| {
                let extended = header.as_ref().and_then(|header| header.extended.as_ref());
                extended.is_some_and(|extended| extended.version.is_2_2())
            });
            if self.config.by_frame && receive.frames_2_2.is_some() {
                let (listener, told) = BurstListener::new(self.workers.clone());
                (receive.frame_listener, frames) = (Some(listener), Some(told));
            }
            if self.config.checks_packets || upper.has(UpperFlags::L2_LENGTH) {
                match FrameTap::open(arrival.from, local) {
                    Ok(tap) => receive.packets = Some(PacketCheck::new(tap, meter.clone())),
                    Err(error) => tell(Event::Note(format!(
                        "--l2checks: looking at the packets of {}: {error}; it needs CAP_NET_RAW",
                        arrival.from
                    ))),
                }
            }
            let _ = sys::Options::of(&*socket).set_receive_timeout(units::Nanos::from_millis(500));
            parts.push(Part {
                flow: Box::new(receive),
                way: Way::Receives,
                meter,
                single: true,
            });
        }
        if let Some(header) = header
            .as_ref()
            .filter(|_| matches!(mode, Mode::Reverse | Mode::FullDuplex))
        {
            parts.push(self.datagram_sender(&socket, header, false));
        }
        let line = Line {
            socket,
            local,
            peer: arrival.from,
            is_tcp: false,
            header,
            bounce: None,
            bursts: frames,
            is_backward: false,
            payload: 0,
            sink: LONGEST,
        };
        self.begin(line, parts, tell);
        self.go_back_at_once(tell);
    }
}

fn early(bytes: &[u8]) -> Early {
    Early {
        bytes: bytes.to_vec(),
        at: clock::now(),
        wall: clock::wall(),
    }
}

/// Takes what is in a new flow's socket; gives what is not the flow's.
fn drain(newcomer: &mut Newcomer, buffer: &mut [u8]) -> Vec<(Arrival, Vec<u8>)> {
    let mut strays = Vec::new();
    let Ok(socket) = newcomer.socket.try_clone() else {
        return strays;
    };
    let socket = UdpSocket::from(socket);
    while let Ok((length, from)) = socket.recv_from(buffer) {
        let bytes = &buffer[..length];
        if from == newcomer.arrival.from {
            newcomer.early.push(early(bytes));
        } else {
            let arrival = Arrival {
                length,
                from,
                to: newcomer.arrival.to,
            };
            strays.push((arrival, bytes.to_vec()));
        }
    }
    strays
}
