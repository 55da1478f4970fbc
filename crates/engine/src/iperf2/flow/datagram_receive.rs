//! The receiving half of a UDP flow.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use proto::iperf2::{
    DatagramHeader, FrameBlock, Reception, ReportLayout, ServerFarewell, ServerReport, Shape,
};
use stats::{Arrived, Jitter, Sequence};
use sys::{Readiness, Wait, clock};
use units::{Bytes, Nanos};

use super::{BurstListener, PacketCheck, ReceivedBurst};
use crate::flow::{Broken, Flow, Room, State, TURN, would_block};
use crate::iperf2::meter::{Meter, TimesPen};
use crate::iperf2::spread::SpreadPen;
use crate::tally::Half;

/// Takes datagrams until one says that it is the last, answers that, and ends when it hears
/// nothing more.
pub(crate) struct DatagramReceive {
    pub socket: Arc<OwnedFd>,
    pub meter: Arc<Meter>,
    pub half: Half,
    pub shape: Shape,
    /// Whether the sender's blocks of frames are where 2.2 writes them; none without frames.
    pub frames_2_2: Option<bool>,
    /// Whether the last datagram is answered.
    pub answers: bool,
    /// The report's times are meant to be looked at.
    pub is_enhanced: bool,
    /// What came before this flow had its socket.
    pub early: Vec<Early>,
    /// It has its thread for itself, and a socket whose receives end after a time.
    pub alone: bool,
    /// Looks at the packets that bring the datagrams.
    pub packets: Option<PacketCheck>,
    /// Who wants to hear of each frame.
    pub frame_listener: Option<BurstListener>,
    /// What a client of a reverse flow says until anything comes.
    pub hello: Option<Hello>,
    state: Received,
}

/// A datagram and when it came.
pub(crate) struct Early {
    pub bytes: Vec<u8>,
    pub at: Nanos,
    pub wall: Nanos,
}

/// A datagram that asks for others.
pub(crate) struct Hello {
    pub datagram: Vec<u8>,
    pub left: u32,
    pub due: Nanos,
}

struct Received {
    reception: Reception,
    sequence: Sequence,
    jitter: Jitter,
    malformed: u64,
    times: TimesPen,
    frame_times: SpreadPen,
    frames: u64,
    frame: Frame,
    first: Option<Nanos>,
    last: Nanos,
    ending: Option<ServerFarewell>,
    /// Bytes that were sent back.
    answered: u64,
}

/// The frame at hand.
#[derive(Default)]
struct Frame {
    /// From 1.
    number: u32,
    /// When its first datagram was sent, us.
    sent_us: i64,
    /// When its first datagram came, since 1970.
    began: Nanos,
    bytes: u64,
    /// Datagrams by size, in eighths of a frame's first one.
    classes: [u64; 8],
    largest: usize,
}

/// Silence after which a sender that said nothing is thought dead.
pub(crate) const PATIENCE: Nanos = Nanos::from_secs(10);
/// How often a client of a reverse flow says hello.
const HELLO_AGAIN: Nanos = Nanos::from_millis(10);
/// A flow may be sent this many times the bytes that it sent: a stranger who borrows an address
/// gets little for his datagrams.
const MOST_ANSWERS: u64 = 3;

impl DatagramReceive {
    pub fn new(socket: Arc<OwnedFd>, meter: Arc<Meter>, shape: Shape) -> Self {
        let state = Received {
            reception: Reception::default(),
            sequence: Sequence::default(),
            jitter: Jitter::default(),
            malformed: 0,
            times: meter.times_pen(),
            frame_times: SpreadPen::new(meter.ways[0].clone()),
            frames: 0,
            frame: Frame::default(),
            first: None,
            last: clock::now(),
            ending: None,
            answered: 0,
        };
        Self {
            socket,
            meter,
            half: Half::default(),
            shape,
            frames_2_2: None,
            answers: true,
            is_enhanced: false,
            early: Vec::new(),
            alone: false,
            packets: None,
            frame_listener: None,
            hello: None,
            state,
        }
    }

    #[inline]
    fn take(&mut self, bytes: &[u8], now: Nanos, wall: Nanos) -> Option<State> {
        self.state.last = now;
        if let Some(ending) = &mut self.state.ending {
            if ending.hear(now) {
                self.answer();
            }
            return None;
        }
        let Some(header) = DatagramHeader::parse(bytes, self.shape) else {
            self.state.malformed += 1;
            return None;
        };
        self.hello = None;
        let state = &mut self.state;
        state.first.get_or_insert(now);
        self.half.add(bytes.len());
        let wall_us = (wall.get() / 1000) as i64;
        let before = state.reception.received;
        let transit = state.reception.last_transit_us();
        state.reception.take(header, bytes.len(), wall_us);
        if let Some(bins) = self.meter.jitter_bins.as_ref().filter(|_| before > 0) {
            let deviation = state.reception.last_transit_us().abs_diff(transit);
            bins.record(deviation as f64, wall_us as u64);
        }
        state
            .times
            .take(state.reception.last_transit_us() as f64, wall);
        let number = header
            .id
            .unsigned_abs()
            .saturating_sub(self.shape.first_id() as u64);
        // The last datagram of older clients has the number of the one before.
        if header.id >= 0 || number >= state.sequence.highest_plus_one() {
            let sent = header.sent.as_micros().max(0) as u64;
            state.jitter.take(sent.saturating_mul(1000), wall.get());
            let _: Arrived = state.sequence.take(number);
        }
        // The last datagram has the block of the one before.
        if self.frames_2_2.is_some() && header.id >= 0 {
            self.take_frame(bytes, header, wall);
        }
        let tally = &self.meter.tally;
        tally.set_received(&self.half);
        let state = &mut self.state;
        tally.set_sequence(&state.sequence, state.jitter.nanos(), state.malformed);
        self.meter.set_reception(&state.reception);
        if header.id >= 0 {
            return None;
        }
        tally.set_received_all(now);
        if !self.answers {
            return Some(State::Done);
        }
        let mut ending = ServerFarewell::new(now, self.shape == Shape::Legacy);
        let _ = self
            .socket_options()
            .set_receive_timeout(Nanos::from_millis(50));
        if ending.hear(now) {
            self.answer();
        }
        self.state.ending = Some(ending);
        None
    }

    fn socket_options(&self) -> sys::Options<'_> {
        sys::Options::of(&*self.socket)
    }

    fn take_frame(&mut self, bytes: &[u8], header: DatagramHeader, wall: Nanos) {
        let block = FrameBlock::read(bytes, self.frames_2_2 == Some(true));
        if block.frame == 0 {
            return;
        }
        let state = &mut self.state;
        if block.frame > state.frame.number {
            state.frame = Frame {
                number: block.frame,
                sent_us: header.sent.as_micros(),
                began: wall,
                largest: bytes.len().max(1),
                ..Frame::default()
            };
        }
        if block.frame < state.frame.number {
            return;
        }
        let frame = &mut state.frame;
        frame.bytes += bytes.len() as u64;
        frame.classes[(bytes.len() * 8 / frame.largest).min(7)] += 1;
        if block.remaining as usize > bytes.len() {
            return;
        }
        state.frames += 1;
        let wall_us = (wall.get() / 1000) as i64;
        state.frame_times.take((wall_us - frame.sent_us) as f64);
        let lost = u64::from(block.frame).saturating_sub(state.frames);
        self.meter.frames.set([state.frames, lost, 0]);
        if let Some(listener) = &self.frame_listener {
            listener.tell(ReceivedBurst {
                began: frame.began,
                ended: wall,
                size: Bytes::new(frame.bytes),
                period: Nanos::new(u64::from(block.period_us) * 1000),
                classes: frame.classes,
            });
        }
    }

    fn answer(&mut self) {
        let state = &mut self.state;
        let length = ServerReport::LEN as u64;
        if state.answered + length > self.half.bytes * MOST_ANSWERS {
            return;
        }
        let duration = match (state.first, self.meter.tally.received_all()) {
            (Some(first), Some(last)) => last - first,
            _ => Nanos::ZERO,
        };
        let report = state.reception.report(duration.get() / 1000);
        let mut datagram = [0; ServerReport::LEN];
        let layout = ReportLayout::for_shape(self.shape);
        report.write(&mut datagram, layout, self.is_enhanced);
        state.answered += length;
        // Whether it arrives shows in whether it is asked for again.
        let _ = sys::send(&*self.socket, &datagram, Wait::Never);
    }

    /// What has to be done or is over by now.
    fn at_time(&mut self, now: Nanos) -> State {
        if let Some(hello) = &mut self.hello
            && hello.due <= now
            && hello.left > 0
        {
            hello.left -= 1;
            hello.due = now + HELLO_AGAIN;
            let _ = sys::send(&*self.socket, &hello.datagram, Wait::Never);
        }
        match &self.state.ending {
            Some(ending) if ending.is_over(now) => {
                if ending.was_unheard() {
                    let _ = self.meter.unheard.set(());
                }
                State::Done
            }
            None if now >= self.state.last + PATIENCE => {
                self.meter.tally.set_received_all(self.state.last);
                Broken::peer("receiving datagrams: nothing came for 10 seconds")
            }
            _ => State::Going,
        }
    }
}

impl Flow for DatagramReceive {
    fn socket(&self) -> Option<(BorrowedFd<'_>, u32)> {
        Some((self.socket.as_fd(), 0))
    }

    fn interest(&self) -> Readiness {
        Readiness::READ
    }

    fn due(&self) -> Option<Nanos> {
        if self.alone {
            return None;
        }
        let idle = match &self.state.ending {
            Some(ending) => ending.due(),
            None => self.state.last + PATIENCE,
        };
        let hello = self.hello.as_ref().filter(|hello| hello.left > 0);
        Some(hello.map_or(idle, |hello| hello.due.min(idle)))
    }

    #[inline]
    fn advance(&mut self, room: &mut Room) -> State {
        let state = self.receive(room);
        if let Some(packets) = &mut self.packets {
            packets.look();
        }
        state
    }

    fn stop(&mut self) -> State {
        State::Going
    }
}

impl DatagramReceive {
    #[inline]
    fn receive(&mut self, room: &mut Room) -> State {
        for early in std::mem::take(&mut self.early) {
            if let Some(state) = self.take(&early.bytes, early.at, early.wall) {
                return state;
            }
        }
        for _ in 0..TURN {
            match sys::recv(&*self.socket, &mut room.sink, room.wait) {
                // What a call on a shut socket gives; an empty datagram is nothing of ours.
                Ok(0) => return State::Going,
                Ok(n) => {
                    let (now, wall) = (clock::now(), clock::wall());
                    if let Some(state) = self.take(&room.sink[..n], now, wall) {
                        return state;
                    }
                }
                Err(error) if would_block(&error) => return self.at_time(clock::now()),
                // Our own datagrams met a closed port.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    if self.state.ending.is_some() {
                        return State::Done;
                    }
                    return self.at_time(clock::now());
                }
                Err(error) => return Broken::at("receiving datagrams", error),
            }
        }
        self.at_time(clock::now())
    }
}
