//! What this end sends: on the client's connection, or on one of its own back to the client.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use proto::iperf2::{Amount, Mode, TestHeader, UpperFlags, digits};
use sys::{Options, Readiness, clock};
use units::{BitRate, Bytes, Nanos};

use super::House;
use super::arriving::{Arriving, Stage};
use super::limits::{BACKWARD, DATAGRAM, DATAGRAM_RATE, MOST_WRITE, REFUSALS, WRITE};
use super::session::{Line, Part, Session};
use crate::flow::{Manner, Pace, StreamSend};
use crate::histogram::Histogram;
use crate::iperf2::event::{Event, Tell};
use crate::iperf2::flow::{BurstSend, DatagramSend, Farewell, Frames, Schedule, Sizes, Stamps};
use crate::iperf2::meter::{Meter, Way};
use crate::pacer::Pacer;
use crate::tally::Half;

/// Whether this end sends on the client's own socket.
pub(super) fn is_on_same_socket(header: &TestHeader) -> bool {
    matches!(header.mode, Mode::Reverse | Mode::FullDuplex)
}

impl House {
    /// The rate at which this end may send, by its owner and by the client.
    fn rate(&self, header: &TestHeader) -> Option<BitRate> {
        let asked = header.extended.as_ref().and_then(|extended| extended.rate);
        // Legacy clients name the rate of datagrams elsewhere.
        let legacy = || {
            let rate = header.window_or_rate;
            (header.extended.is_none() && rate > 0).then_some(u64::from(rate))
        };
        let asked = asked.or_else(legacy).map(BitRate::new);
        match (asked, self.held(Some(header))) {
            (Some(asked), Some(most)) => Some(asked.min(most)),
            (asked, most) => asked.or(most),
        }
    }

    pub(super) fn read_pace(&self) -> Option<Pace> {
        let rate = self.config.read_rate?;
        let size = Bytes::new(self.config.size as u64);
        let pacer = Pacer::stream(size, rate, clock::now());
        Some(pace(pacer))
    }

    /// The sending half of a TCP flow, and the bytes of payload that its worker needs.
    pub(super) fn stream_sender(
        &self,
        socket: &Arc<OwnedFd>,
        header: &TestHeader,
    ) -> (Part, usize) {
        let meter = Arc::new(Meter::new(None));
        let extended = header.extended.clone().unwrap_or_default();
        let upper = extended.upper;
        let mut size = match header.size {
            0 => WRITE,
            size => (size as usize).min(MOST_WRITE),
        };
        let options = Options::of(&**socket);
        if upper.has(UpperFlags::WRITE_PREFETCH) && extended.prefetch > 0 {
            let _ = options.set_notsent_lowat(Bytes::new(extended.prefetch.into()));
        }
        if upper.has(UpperFlags::FQ_RATE) && extended.fq_rate > 0 {
            let _ = options.set_pacing(BitRate::new(extended.fq_rate.saturating_mul(8)));
        }
        if let Some(most) = self.held(Some(header)) {
            let _ = options.set_pacing(most);
            // What its owner grants is no burst: 10 ms of it at a time.
            size = size.min((most.get() / 800).max(1) as usize);
        }
        let left = match header.amount {
            Amount::Bytes(bytes) => bytes.get(),
            Amount::Time(_) => u64::MAX,
        };
        let now = clock::now();
        let rate = self.rate(header);
        let pace = rate.map(|rate| pace(Pacer::stream(Bytes::new(size as u64), rate, now)));
        let trip_times = self.has_trip_times(Some(header));
        let bursts = upper.has(UpperFlags::BURSTS) && extended.frames.per_second > 0.0;
        let frames = upper.has(UpperFlags::ISOCHRONOUS) && extended.frames.per_second > 0.0;
        let mut half = Half::default();
        if !trip_times && !bursts && !frames {
            let single = pace.is_none() && !upper.has(UpperFlags::WRITE_PREFETCH);
            let send = StreamSend {
                socket: socket.clone(),
                tally: meter.tally.clone(),
                half,
                size,
                left,
                pace,
                manner: Manner::default(),
                rest: 0,
                full: false,
            };
            let part = Part {
                flow: Box::new(send),
                way: Way::Sends,
                meter,
                single,
            };
            return (part, size);
        }
        let wall = clock::wall();
        // The client expects a header like its own before the first burst.
        if trip_times || bursts {
            let mut own = header.clone();
            own.mode = Mode::Forward;
            own.wants_ack = false;
            own.key = None;
            if let Some(extended) = &mut own.extended {
                extended.upper = UpperFlags::TRIP_TIMES;
                extended.start = proto::iperf2::Stamp::from_micros(wall.get() / 1000);
                extended.frames = Default::default();
            }
            if let Ok(n) = sys::send(&**socket, &own.encode(), sys::Wait::Never) {
                half.bytes += n as u64;
            }
        }
        let schedule = if bursts {
            let bytes = (extended.frames.mean as usize).clamp(92, MOST_WRITE);
            let sizes = Sizes::Fixed(bytes);
            Schedule::Frames(Frames::new(extended.frames.per_second, sizes, now))
        } else if frames {
            let sizes = Sizes::drawn(&extended.frames, u64::from(header.port));
            Schedule::Frames(Frames::new(extended.frames.per_second, sizes, now))
        } else {
            pace.map_or(Schedule::Free, Schedule::Pace)
        };
        let front = size.max(92);
        let stamps = (trip_times || bursts).then(|| Stamps::new(wall, &digits(front)));
        let send = BurstSend {
            socket: socket.clone(),
            meter: meter.clone(),
            half,
            size,
            left,
            schedule,
            stamps,
            times: None,
            source: None,
            message: Default::default(),
            full: false,
        };
        let part = Part {
            flow: Box::new(send),
            way: Way::Sends,
            meter,
            single: false,
        };
        (part, front)
    }

    /// The sending half of a UDP flow.
    pub(super) fn datagram_sender(
        &self,
        socket: &Arc<OwnedFd>,
        header: &TestHeader,
        is_backward: bool,
    ) -> Part {
        let meter = Arc::new(Meter::new(None));
        let size = match header.size {
            0 => DATAGRAM,
            size => (size as usize).clamp(16, 65_507),
        };
        let extended = header.extended.clone().unwrap_or_default();
        let usual = BitRate::new(DATAGRAM_RATE);
        let rate = self.rate(header).unwrap_or(usual);
        let now = clock::now();
        let frames = extended.upper.has(UpperFlags::ISOCHRONOUS)
            && extended.upper.has(UpperFlags::FRAME_SETTINGS)
            && extended.frames.per_second > 0.0;
        let pacer = Pacer::datagrams(Bytes::new(size as u64), rate, now);
        let send = DatagramSend {
            socket: socket.clone(),
            meter: meter.clone(),
            half: Half::default(),
            datagram: digits(size),
            size,
            batch: None,
            as_one: None,
            source: None,
            ready: None,
            id: 1,
            left: match header.amount {
                Amount::Bytes(bytes) => bytes.get(),
                Amount::Time(_) => u64::MAX,
            },
            pace: (!frames).then(|| pace(pacer)),
            frames: frames.then(|| {
                let sizes = Sizes::drawn(&extended.frames, u64::from(header.port));
                Frames::new(extended.frames.per_second, sizes, now).datagrams()
            }),
            farewell: if is_backward {
                Farewell::Ask
            } else {
                Farewell::Once
            },
            ending: None,
            full: false,
            pause: None,
            refusals_left: REFUSALS,
        };
        Part {
            flow: Box::new(send.batched()),
            way: Way::Sends,
            meter,
            single: false,
        }
    }

    /// Connects back for `-d` as soon as the client's flow has begun.
    pub(super) fn go_back_at_once(&mut self, tell: Tell<'_>) {
        let Some(session) = self.sessions.last_mut() else {
            return;
        };
        let is_dual = session
            .header
            .as_ref()
            .is_some_and(|header| header.mode == Mode::Dual);
        if is_dual && let Some(header) = session.header.take() {
            let (local, peer, is_tcp) = (session.local, session.peer, session.is_tcp);
            self.connect_back(local, peer, is_tcp, header, tell);
        }
    }

    /// Connects back for `-r` when the client's flow has ended.
    pub(super) fn go_back(&mut self, session: Session, tell: Tell<'_>) {
        if let Some(header) = session.header
            && header.mode == Mode::Tradeoff
        {
            self.connect_back(session.local, session.peer, session.is_tcp, header, tell);
        }
    }

    /// Only ever to the client's own address.
    fn connect_back(
        &mut self,
        local: SocketAddr,
        peer: SocketAddr,
        is_tcp: bool,
        header: TestHeader,
        tell: Tell<'_>,
    ) {
        let port = match u16::try_from(header.port) {
            Ok(port) if port > 0 => port,
            _ => {
                return tell(Event::Note(format!(
                    "not connecting back to {}: it named port {}",
                    peer.ip(),
                    header.port
                )));
            }
        };
        let mut to = peer;
        to.set_port(port);
        let mut from = local;
        from.set_port(0);
        let made = (|| {
            let socket = if is_tcp {
                sys::tcp_socket(to)?
            } else {
                sys::udp_socket(to)?
            };
            sys::bind(&socket, from)?;
            sys::connect(&socket, to)?;
            std::io::Result::Ok(socket)
        })();
        let socket = match made {
            Ok(socket) => socket,
            Err(error) => {
                return tell(Event::Note(format!("connecting back to {to}: {error}")));
            }
        };
        let local = sys::local_address(&socket).unwrap_or(local);
        if !is_tcp {
            let socket = Arc::new(socket);
            let part = self.datagram_sender(&socket, &header, true);
            let line = Line {
                socket,
                local,
                peer: to,
                is_tcp: false,
                header: Some(header),
                bounce: None,
                bursts: None,
                is_backward: true,
                payload: 0,
                sink: 4096,
            };
            return self.begin(line, vec![part], tell);
        }
        let key = self.next_key;
        if let Err(error) = self.epoll.add(&socket, key, Readiness::WRITE) {
            return tell(Event::Note(format!("connecting back to {to}: {error}")));
        }
        self.next_key += 1;
        self.arriving.insert(
            key,
            Arriving {
                socket,
                local,
                peer: to,
                deadline: clock::now() + BACKWARD,
                accepted: Nanos::ZERO,
                stage: Stage::Connects(Box::new(header)),
            },
        );
    }

    /// A connection back is made, or not.
    pub(super) fn connected(&mut self, key: u64, tell: Tell<'_>) {
        let Some(arriving) = self.leave(key) else {
            return;
        };
        let Stage::Connects(header) = arriving.stage else {
            return;
        };
        if let Err(error) = sys::take_error(&arriving.socket) {
            return tell(Event::Note(format!(
                "connecting back to {}: {error}",
                arriving.peer
            )));
        }
        let socket = Arc::new(arriving.socket);
        // No header goes back, and no times.
        let mut plain = *header.clone();
        if let Some(extended) = &mut plain.extended {
            extended.upper = UpperFlags::NONE;
        }
        let (part, payload) = self.stream_sender(&socket, &plain);
        let line = Line {
            socket,
            local: arriving.local,
            peer: arriving.peer,
            is_tcp: true,
            header: Some(plain),
            bounce: None,
            bursts: None,
            is_backward: true,
            payload,
            sink: 4096,
        };
        self.begin(line, vec![part], tell);
    }
}

fn pace(pacer: Pacer) -> Pace {
    Pace {
        pacer,
        errors: Arc::<Histogram>::default(),
        last: None,
    }
}
