//! One flow of a test: what it sends or receives, and how.

use std::sync::Arc;

use proto::iperf2::{Mode, digits};
use sys::clock;
use units::{Bytes, Nanos};

use super::ClientError;
use super::line::Line;
use super::order::{Kind, Offer, Order, Source};
use crate::flow::{Flow, Manner, Pace, StreamSend};
use crate::iperf2::flow::{
    BurstReader, BurstSend, DatagramReceive, DatagramSend, Farewell, Frames, Hello, Receive,
    Schedule, Sizes, Source as Payload, Stamps,
};
use crate::iperf2::meter::Meter;
use crate::pacer::Pacer;
use crate::squad::Single;
use crate::tally::Half;

/// How often a reverse flow says hello, as iperf does.
const HELLOS: u32 = 100;

/// A flow that is to have a worker.
pub(super) struct Worked {
    /// Of the line.
    pub number: u32,
    pub flow: Box<dyn Flow>,
    pub active: bool,
    pub single: Option<Single>,
}

/// What the client sends on a stream.
pub(super) fn stream(
    order: &Arc<Order>,
    line: &Line,
    meter: Arc<Meter>,
    start: Nanos,
    payload: &mut usize,
) -> Result<Worked, ClientError> {
    let is_load = line.is_load;
    let rate = match order.offer {
        Offer::Rate(rate) if !is_load => Some(rate),
        Offer::Varying { mean, .. } if !is_load => Some(units::BitRate::new(mean as u64)),
        _ => None,
    };
    // Whole, also where it is a burst at a low rate: it is what was asked, and parts of segments
    // would wait for delayed acknowledgements.
    let size = order.size;
    let half = Half {
        bytes: line.header_len as u64,
        ..Half::default()
    };
    meter.tally.set_sent(&half);
    let left = match order.bytes() {
        u64::MAX => u64::MAX,
        // The header is a part of what is asked.
        bytes => bytes.saturating_sub(line.header_len as u64),
    };
    let left = if is_load { u64::MAX } else { left };
    let varies = |pacer: Pacer| match order.offer {
        Offer::Varying { mean, deviation } => {
            pacer.varying(deviation / mean.max(1.0), u64::from(line.flow))
        }
        _ => pacer,
    };
    let pace = rate.map(|rate| Pace {
        pacer: varies(Pacer::stream(Bytes::new(size as u64), rate, start)),
        errors: Default::default(),
        last: None,
    });
    let has_source = matches!(order.source, Source::File(_));
    let is_plain = matches!(order.kind, Kind::Bulk | Kind::Bounce(_))
        && !order.trip_times
        && !order.write_times
        && !has_source;
    let waits = order.socket.prefetch.is_some();
    if is_plain || is_load {
        *payload = (*payload).max(size);
        let single = (pace.is_none() && !waits).then(|| Single {
            socket: line.socket.clone(),
            shut_to_stop: true,
        });
        let flow = StreamSend {
            socket: line.socket.clone(),
            tally: meter.tally.clone(),
            half,
            size,
            left,
            pace,
            manner: Manner::default(),
            rest: 0,
            full: false,
        };
        return Ok(Worked {
            number: line.flow,
            flow: Box::new(flow),
            active: true,
            single,
        });
    }
    let schedule = match &order.kind {
        Kind::Frames { settings } => {
            let sizes = Sizes::drawn(settings, u64::from(line.flow));
            Schedule::Frames(Frames::new(settings.per_second, sizes, start))
        }
        Kind::Bursts { period, size } => {
            let per_second = 1.0 / period.as_secs_f64().max(1e-6);
            Schedule::Frames(Frames::new(per_second, Sizes::Fixed(size.len()), start))
        }
        Kind::NearCongestion(weight) => Schedule::Near {
            weight: *weight,
            until: Nanos::ZERO,
        },
        _ => pace.map_or(Schedule::Free, Schedule::Pace),
    };
    let front = size.max(proto::iperf2::BurstHeader::LEN);
    *payload = (*payload).max(front);
    let has_bursts =
        order.trip_times || matches!(order.kind, Kind::Frames { .. } | Kind::Bursts { .. });
    let began = order.start_at.unwrap_or_else(clock::wall);
    let source = file_of(order)?;
    let flow = BurstSend {
        socket: line.socket.clone(),
        meter: meter.clone(),
        half,
        size,
        left,
        schedule,
        stamps: has_bursts.then(|| Stamps::new(began, &digits(front))),
        times: order.write_times.then(|| meter.times_pen()),
        source,
        message: Default::default(),
        full: false,
    };
    Ok(Worked {
        number: line.flow,
        flow: Box::new(flow),
        active: true,
        single: None,
    })
}

/// The flow's own view of the file that is sent.
fn file_of(order: &Order) -> Result<Option<Payload>, ClientError> {
    let Source::File(file) = &order.source else {
        return Ok(None);
    };
    let source = Payload::of(file).map_err(|error| ClientError::Socket {
        doing: "opening what is to be sent once more".to_owned(),
        error,
    })?;
    Ok(Some(source))
}

/// What the client sends in datagrams.
pub(super) fn datagrams(
    order: &Arc<Order>,
    line: &mut Line,
    meter: Arc<Meter>,
    start: Nanos,
) -> Result<Worked, ClientError> {
    let size = order.size.max(proto::iperf2::DatagramHeader::LEAST);
    let datagram = first_datagram(order, line, size);
    let pacer = match order.offer {
        Offer::Unlimited => None,
        Offer::Rate(rate) => Some(Pacer::datagrams(Bytes::new(size as u64), rate, start)),
        Offer::Varying { mean, deviation } => {
            let rate = units::BitRate::new(mean as u64);
            let pacer = Pacer::datagrams(Bytes::new(size as u64), rate, start);
            Some(pacer.varying(deviation / mean.max(1.0), u64::from(line.flow)))
        }
        Offer::Gap(gap) => Some(Pacer::gaps(gap, start)),
    };
    let frames = match &order.kind {
        Kind::Frames { settings } => {
            let sizes = Sizes::drawn(settings, u64::from(line.flow));
            Some(Frames::new(settings.per_second, sizes, start).datagrams())
        }
        _ => None,
    };
    let is_group = line.peer.ip().is_multicast();
    let flow = DatagramSend {
        socket: line.socket.clone(),
        meter,
        half: Half::default(),
        datagram,
        size,
        batch: None,
        as_one: None,
        source: file_of(order)?,
        ready: None,
        id: 1,
        left: order.bytes(),
        pace: pacer.filter(|_| frames.is_none()).map(|pacer| Pace {
            pacer,
            errors: Default::default(),
            last: None,
        }),
        frames,
        farewell: if order.no_udp_fin || is_group || line.mode == Mode::FullDuplex {
            Farewell::Once
        } else {
            Farewell::Ask
        },
        ending: None,
        full: false,
        pause: None,
        refusals_left: u32::MAX,
    };
    Ok(Worked {
        number: line.flow,
        flow: Box::new(flow.batched()),
        active: true,
        single: None,
    })
}

/// A datagram with the test header.
fn first_datagram(order: &Order, line: &mut Line, size: usize) -> Vec<u8> {
    let header = order.test_header(line.flow, line.peer.port(), clock::wall());
    // Below that there is no room for a test header with times.
    if order.trip_times && size < 128 {
        let mut datagram = digits(size.max(18));
        datagram[16..18].copy_from_slice(&[0, 2]);
        return datagram;
    }
    if !order.header {
        return digits(size);
    }
    let mut datagram = digits(size.max(header.datagram_length()));
    header.write_datagram(&mut datagram);
    line.header = Some(header);
    datagram
}

pub(super) fn receiver(order: &Arc<Order>, line: &mut Line, meter: Arc<Meter>) -> Worked {
    let socket = line.socket.clone();
    if order.is_tcp {
        let mut flow = Receive::new(socket.clone(), meter.clone(), order.size, 0);
        flow.discards = order.skips_copy;
        let is_timed = order.trip_times || matches!(order.kind, Kind::Bursts { .. });
        if is_timed && !line.is_load {
            flow.bursts = Some(BurstReader::new(&meter, true));
        }
        return Worked {
            number: line.flow,
            flow: Box::new(flow),
            active: false,
            single: Some(Single {
                socket,
                shut_to_stop: false,
            }),
        };
    }
    let mut flow = DatagramReceive::new(socket, meter, Default::default());
    flow.answers = false;
    flow.frames_2_2 = matches!(order.kind, Kind::Frames { .. }).then_some(false);
    if line.mode == Mode::Reverse {
        let size = order.size.max(proto::iperf2::DatagramHeader::LEN);
        let mut datagram = first_datagram(order, line, size);
        proto::iperf2::DatagramHeader {
            id: 1,
            sent: proto::iperf2::Stamp::from_micros(clock::wall().get() / 1000),
        }
        .write(&mut datagram);
        flow.hello = Some(Hello {
            datagram,
            left: HELLOS,
            due: Nanos::ZERO,
        });
    }
    Worked {
        number: line.flow,
        flow: Box::new(flow),
        active: false,
        single: None,
    }
}
