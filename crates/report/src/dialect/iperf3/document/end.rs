//! `end`.

use serde::Serialize;

use super::super::number::{Number, percent, ratio};
use super::super::{Counts, Cpu, CpuUse, End, File, Protocol, StreamEnd, Way, sum};
use super::Shape;

/// Empty if a test did not come to an end.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct EndPart {
    #[serde(skip_serializing_if = "Option::is_none")]
    streams: Option<Vec<StreamPart>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_sent: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_received: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_bidir_reverse: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_sent_bidir_reverse: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_received_bidir_reverse: Option<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_utilization_percent: Option<CpuPart>,
    /// Beyond iperf3: the hosts, not only the processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole_host_cpu_utilization_percent: Option<HostCpuPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender_tcp_congestion: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver_tcp_congestion: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum StreamPart {
    Datagrams {
        udp: Row,
    },
    Bytes {
        sender: Box<Row>,
        #[serde(skip_serializing_if = "Option::is_none")]
        diskfile: Option<DiskFile>,
        receiver: Box<Row>,
    },
}

/// What an end counted, of a stream or of several.
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
    datagrams: Option<Datagrams>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out_of_order: Option<u64>,
    sender: bool,
}

#[derive(Debug, Clone, Serialize)]
struct PathPart {
    max_snd_cwnd: u64,
    max_snd_wnd: u64,
    max_rtt: u64,
    min_rtt: u64,
    mean_rtt: u64,
    reorder: u64,
}

#[derive(Debug, Clone, Serialize)]
struct Datagrams {
    jitter_ms: Number,
    lost_packets: Option<u64>,
    packets: u64,
    lost_percent: Option<Number>,
}

#[derive(Debug, Clone, Serialize)]
struct DiskFile {
    sent: u64,
    received: u64,
    size: u64,
    percent_sent: Number,
    percent_received: Number,
    filename: String,
}

#[derive(Debug, Clone, Serialize)]
struct CpuPart {
    host_total: Number,
    host_user: Number,
    host_system: Number,
    remote_total: Number,
    remote_user: Number,
    remote_system: Number,
}

#[derive(Debug, Clone, Serialize)]
struct HostCpuPart {
    local: Option<Number>,
    remote: Option<Number>,
}

impl EndPart {
    pub fn new(end: &End, shape: Shape) -> Self {
        let forward = Half::new(end, shape, false);
        let reverse = (shape.way == Way::Both).then(|| Half::new(end, shape, true));
        let udp = shape.protocol == Protocol::Udp;
        let streams = end.streams.iter();
        Self {
            streams: Some(streams.map(|stream| StreamPart::new(stream, udp)).collect()),
            sum: udp.then(|| forward.both()),
            sum_sent: Some(forward.sent(udp)),
            sum_received: Some(forward.received(udp)),
            sum_bidir_reverse: reverse.as_ref().filter(|_| udp).map(Half::both),
            sum_sent_bidir_reverse: reverse.as_ref().map(|half| half.sent(udp)),
            sum_received_bidir_reverse: reverse.as_ref().map(|half| half.received(udp)),
            cpu_utilization_percent: Some(CpuPart::new(&end.local_cpu, end.remote_cpu.as_ref())),
            whole_host_cpu_utilization_percent: HostCpuPart::new(end),
            sender_tcp_congestion: end.sender_congestion.clone(),
            receiver_tcp_congestion: end.receiver_congestion.clone(),
        }
    }
}

/// The streams of one direction together.
struct Half {
    sends: bool,
    sent: Option<Counts>,
    received: Option<Counts>,
}

impl Half {
    fn new(end: &End, shape: Shape, reverse: bool) -> Self {
        let streams = end.streams.iter();
        let streams = streams.filter(|stream| shape.is_reverse(stream.sends) == reverse);
        Self {
            sends: streams.clone().next().is_some_and(|stream| stream.sends),
            sent: sum::counts(streams.clone().map(|stream| stream.sent)),
            received: sum::counts(streams.map(|stream| stream.received)),
        }
    }

    fn sent(&self, udp: bool) -> Row {
        let row = sent(self.sent, self.received, udp || self.sends);
        Row {
            datagrams: udp.then(|| Datagrams::sent(self.sent)),
            ..row
        }
    }

    fn received(&self, udp: bool) -> Row {
        let sender = !udp && self.sends;
        Row {
            datagrams: udp.then(|| Datagrams::received(self.received, None)),
            ..row(self.received, self.sent, sender)
        }
    }

    /// What the sender sent and what became of it.
    fn both(&self) -> Row {
        let seconds = self.received.or(self.sent).unwrap_or_default().seconds;
        Row {
            end: Number(seconds),
            seconds: Number(seconds),
            datagrams: Some(Datagrams::received(self.received, self.sent)),
            ..row(self.sent, self.received, self.sends)
        }
    }
}

impl StreamPart {
    fn new(stream: &StreamEnd, udp: bool) -> Self {
        let socket = Some(stream.socket);
        if udp {
            let received = stream.received.unwrap_or_default();
            return Self::Datagrams {
                udp: Row {
                    socket,
                    datagrams: Some(Datagrams::received(stream.received, stream.sent)),
                    out_of_order: Some(received.out_of_order),
                    ..row(stream.sent, stream.received, stream.sends)
                },
            };
        }
        let sender = Row {
            socket,
            ..sent(stream.sent, stream.received, stream.sends)
        };
        let path = stream.path.unwrap_or_default();
        Self::Bytes {
            sender: Box::new(Row {
                path: sender.retransmits.map(|_| PathPart {
                    max_snd_cwnd: path.max_cwnd_bytes,
                    max_snd_wnd: path.max_window_bytes,
                    max_rtt: path.max_rtt_us,
                    min_rtt: path.min_rtt_us,
                    mean_rtt: path.mean_rtt_us,
                    reorder: path.reorder,
                }),
                ..sender
            }),
            diskfile: stream.file.as_ref().map(|file| DiskFile::new(file, stream)),
            receiver: Box::new(Row {
                socket,
                ..row(stream.received, stream.sent, stream.sends)
            }),
        }
    }
}

/// What the sender counted, with what it sent again.
fn sent(counts: Option<Counts>, other: Option<Counts>, sender: bool) -> Row {
    Row {
        retransmits: counts.and_then(|counts| counts.retransmits),
        ..row(counts, other, sender)
    }
}

/// What an end counted: nothing if it has not said, in the time of the other one.
fn row(counts: Option<Counts>, other: Option<Counts>, sender: bool) -> Row {
    let seconds = counts.or(other).unwrap_or_default().seconds;
    let bytes = counts.unwrap_or_default().bytes;
    Row {
        socket: None,
        start: Number(0.0),
        end: Number(seconds),
        seconds: Number(seconds),
        bytes,
        bits_per_second: Number(ratio(bytes as f64 * 8.0, seconds)),
        retransmits: None,
        path: None,
        datagrams: None,
        out_of_order: None,
        sender,
    }
}

impl Datagrams {
    fn sent(counts: Option<Counts>) -> Self {
        Self {
            jitter_ms: Number(0.0),
            lost_packets: Some(0),
            packets: counts.unwrap_or_default().packets,
            lost_percent: Some(Number(0.0)),
        }
    }

    /// Where the receiver has not said, what the sender sent and nothing of its fate.
    fn received(counts: Option<Counts>, sent: Option<Counts>) -> Self {
        let Some(counts) = counts else {
            return Self::sent(sent);
        };
        Self {
            jitter_ms: Number(counts.jitter_seconds * 1e3),
            lost_packets: counts.lost,
            packets: counts.packets,
            lost_percent: counts
                .lost
                .map(|lost| Number(percent(lost, counts.packets))),
        }
    }
}

impl DiskFile {
    fn new(file: &File, stream: &StreamEnd) -> Self {
        let sent = stream.sent.unwrap_or_default().bytes;
        let received = stream.received.unwrap_or_default().bytes;
        Self {
            sent,
            received,
            size: file.bytes,
            percent_sent: Number(percent(sent, file.bytes)),
            percent_received: Number(percent(received, file.bytes)),
            filename: file.name.clone(),
        }
    }
}

impl CpuPart {
    fn new(local: &Cpu, remote: Option<&Cpu>) -> Self {
        let local = local.process;
        let remote = remote.map_or_else(CpuUse::default, |cpu| cpu.process);
        Self {
            host_total: Number(local.total_percent),
            host_user: Number(local.user_percent),
            host_system: Number(local.system_percent),
            remote_total: Number(remote.total_percent),
            remote_user: Number(remote.user_percent),
            remote_system: Number(remote.system_percent),
        }
    }
}

impl HostCpuPart {
    fn new(end: &End) -> Option<Self> {
        let local = end.local_cpu.host_percent.map(Number);
        let remote = end.remote_cpu.and_then(|cpu| cpu.host_percent).map(Number);
        (local.is_some() || remote.is_some()).then_some(Self { local, remote })
    }
}
