//! `intervals`.

use serde::Serialize;

use super::super::number::{Number, percent, ratio};
use super::super::{Interval, Protocol, StreamInterval, Way, sum};
use super::Shape;

#[derive(Debug, Clone, Serialize)]
pub(super) struct IntervalPart {
    streams: Vec<Row>,
    sum: Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_bidir_reverse: Option<Row>,
}

/// A stream's, or several streams'.
#[derive(Debug, Clone, Serialize)]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<i32>,
    start: Number,
    end: Number,
    seconds: Number,
    bytes: u64,
    bits_per_second: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    retransmits: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    path: Option<PathPart>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    received: Option<Received>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packets: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_percent: Option<Number>,
    omitted: bool,
    sender: bool,
}

#[derive(Debug, Clone, Serialize)]
struct PathPart {
    snd_cwnd: u64,
    snd_wnd: u64,
    rtt: u64,
    rttvar: u64,
    pmtu: u64,
    reorder: u64,
}

#[derive(Debug, Clone, Serialize)]
struct Received {
    jitter_ms: Number,
    lost_packets: u64,
}

impl IntervalPart {
    pub fn new(interval: &Interval, shape: Shape) -> Self {
        let half = |reverse| {
            let of_half = |stream: &&StreamInterval| shape.is_reverse(stream.sends) == reverse;
            let sum = sum::interval(interval.streams.iter().filter(of_half));
            Row::new(&sum, None, interval.omitted, shape)
        };
        let rows = interval.streams.iter();
        Self {
            streams: rows
                .map(|stream| Row::new(stream, Some(stream.socket), interval.omitted, shape))
                .collect(),
            sum: half(false),
            sum_bidir_reverse: (shape.way == Way::Both).then(|| half(true)),
        }
    }
}

impl Row {
    fn new(stream: &StreamInterval, socket: Option<i32>, omitted: bool, shape: Shape) -> Self {
        let seconds = stream.end_seconds - stream.start_seconds;
        let datagrams = stream.datagrams.filter(|_| shape.protocol == Protocol::Udp);
        let received = datagrams.filter(|_| !stream.sends);
        let path = stream.path.filter(|_| socket.is_some());
        Self {
            socket,
            start: Number(stream.start_seconds),
            end: Number(stream.end_seconds),
            seconds: Number(seconds),
            bytes: stream.bytes,
            bits_per_second: Number(ratio(stream.bytes as f64 * 8.0, seconds)),
            retransmits: stream.path.map(|path| path.retransmits),
            path: path.map(|path| PathPart {
                snd_cwnd: path.cwnd_bytes,
                snd_wnd: path.window_bytes,
                rtt: path.rtt_us,
                rttvar: path.rttvar_us,
                pmtu: path.pmtu_bytes,
                reorder: path.reorder,
            }),
            received: received.map(|datagrams| Received {
                jitter_ms: Number(datagrams.jitter_seconds * 1e3),
                lost_packets: datagrams.lost,
            }),
            packets: datagrams.map(|datagrams| datagrams.packets),
            lost_percent: received
                .map(|datagrams| Number(percent(datagrams.lost, datagrams.packets))),
            omitted,
            sender: stream.sends,
        }
    }
}
