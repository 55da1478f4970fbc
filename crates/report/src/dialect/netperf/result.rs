//! The figures of a test. Rates, elapsed time, CPU and service demand are means over the
//! iterations of `-i`; everything else is of the last one, as netperf has it.

use units::Bytes;

use super::{Confidence, Unit};

/// Everything that any form of output may show. The default is a test in which nothing happened
/// and nothing was asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NetperfResult {
    /// How long the client measured.
    pub elapsed_seconds: f64,
    /// Payload per second: what the receiver got in a test of one direction (what the client sent,
    /// if no server says), requests and responses together otherwise.
    pub bytes_per_second: f64,
    /// Transactions or connections per second; 0 in streams.
    pub transactions_per_second: f64,
    /// How long the client measured in the last iteration.
    pub last_elapsed_seconds: f64,
    /// Transactions or connections of the last iteration.
    pub transactions: u64,
    /// The client.
    pub local: End,
    /// The server, as it says itself.
    pub remote: End,
    /// Bytes of a request; none in streams.
    pub request_size: Option<Bytes>,
    /// Bytes of a response; none in streams.
    pub response_size: Option<Bytes>,
    /// Requests beyond the first one that are outstanding (`-b`).
    pub burst: u32,
    /// Time that pacing waited, which is no latency.
    pub paced_seconds: f64,
    /// Largest segment at the end of the first iteration; none without one.
    pub mss: Option<u32>,
    /// Times of single operations, if they were taken, of all iterations together.
    pub latency: Option<Latency>,
    /// The same one by one: so long, so often. Empty where latency was not asked for.
    pub times_ns: Vec<(u64, u64)>,
    /// How sure the means are, if it was asked.
    pub confidence: Option<Confidence>,
    /// Iterations that ran.
    pub iterations: u32,
    /// `-u`, or one that was made up.
    pub uuid: String,
    /// The command line, joined by blanks.
    pub command_line: String,
}

/// What one end used, did and counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct End {
    /// Where data connections begin or end, as asked: a name or an address.
    pub host: String,
    /// The port as asked; 0 is any.
    pub port: u16,
    /// The number of the address family as asked: 0 any, 2 IPv4, 10 IPv6.
    pub family: u32,
    /// SO_SNDBUF.
    pub send_buffer: Buffer,
    /// SO_RCVBUF.
    pub recv_buffer: Buffer,
    /// Bytes of every send of a stream; at the server also of a response.
    pub send_size: Option<Bytes>,
    /// Bytes of every receive of a stream; at the server also of a request.
    pub recv_size: Option<Bytes>,
    /// Payload that went.
    pub bytes_sent: u64,
    /// Payload that came.
    pub bytes_received: u64,
    /// Sends; datagrams of UDP.
    pub send_calls: u64,
    /// Receives that gave something; datagrams of UDP.
    pub recv_calls: u64,
    /// Sends that the kernel had no room for.
    pub failed_sends: u64,
    /// CPUs of the host; the client knows its own only if it measures them.
    pub cpus: u32,
    /// CPU use, if it was measured.
    pub cpu: Option<Cpu>,
    /// Microseconds of CPU for each unit of work (KiB or transaction), if it was measured.
    pub service_demand: Option<f64>,
    /// Segments that the last TCP socket sent again.
    pub retransmits: Option<u32>,
    /// The data socket's congestion control.
    pub congestion: Option<String>,
    /// `-T`.
    pub bound_cpu: Option<u32>,
    /// Alignment of what is sent.
    pub send_alignment: u64,
    /// Alignment of what is received.
    pub recv_alignment: u64,
    /// Offset of what is sent.
    pub send_offset: u64,
    /// Offset of what is received.
    pub recv_offset: u64,
    /// Buffers that sending takes in turn; 0 is automatic.
    pub send_width: u32,
    /// Buffers that receiving takes in turn; 0 is automatic.
    pub recv_width: u32,
    /// TCP_NODELAY.
    pub nodelay: bool,
    /// TCP_CORK as asked.
    pub cork: bool,
    /// SO_PRIORITY; negative numbers say why there is none.
    pub priority: Option<i32>,
    /// IP_TOS or IPV6_TCLASS.
    pub tos: Option<u32>,
    /// Where the payload comes from.
    pub fill_file: Option<String>,
    /// Microseconds between bursts (`-w`).
    pub interval_usecs: u64,
    /// Messages at once (`-b`).
    pub interval_burst: u32,
}

/// A socket buffer in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Buffer {
    /// As asked; none is the system's default.
    pub asked: Option<Bytes>,
    /// Before the connection.
    pub initial: Option<Bytes>,
    /// At the end.
    pub last: Option<Bytes>,
}

/// How busy a host was, in percent of all its CPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cpu {
    /// The letter of the method: `S` is /proc/stat.
    pub method: char,
    /// Busy.
    pub busy_percent: f64,
    /// Of it, in user mode.
    pub user_percent: f64,
    /// Of it, in the kernel.
    pub system_percent: f64,
    /// Of it, idle with input or output outstanding.
    pub iowait_percent: f64,
    /// Of it, in interrupts.
    pub irq_percent: f64,
    /// Of it, in soft interrupts.
    pub softirq_percent: f64,
    /// The busiest CPU.
    pub peak_cpu: u32,
    /// Its busy part.
    pub peak_percent: f64,
}

/// Times of single operations, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latency {
    /// Shortest.
    pub min_usecs: u64,
    /// Longest.
    pub max_usecs: u64,
    /// Median.
    pub p50_usecs: u64,
    /// 90th percentile.
    pub p90_usecs: u64,
    /// 99th percentile.
    pub p99_usecs: u64,
    /// Mean.
    pub mean_usecs: f64,
    /// Standard deviation of the population.
    pub stddev_usecs: f64,
}

impl NetperfResult {
    /// Throughput in `unit`.
    pub fn throughput(&self, unit: Unit) -> f64 {
        unit.figure(match unit {
            Unit::Trans => self.transactions_per_second,
            _ => self.bytes_per_second,
        })
    }

    /// So many bytes of the last iteration, as a rate in `unit`.
    pub(super) fn last_rate(&self, bytes: u64, unit: Unit) -> f64 {
        unit.of_bytes()
            .figure(ratio(bytes as f64, self.last_elapsed_seconds))
    }

    /// Microseconds of a round trip, from how many there were; none in streams.
    pub(super) fn round_trip_usecs(&self) -> Option<f64> {
        let seconds = self.last_elapsed_seconds - self.paced_seconds;
        let in_flight = f64::from(self.burst) + 1.0;
        (self.transactions > 0).then(|| seconds / self.transactions as f64 * in_flight * 1e6)
    }
}

impl End {
    /// The letter of how CPU use was measured.
    pub(super) fn method(&self) -> char {
        self.cpu.map_or('U', |cpu| cpu.method)
    }

    pub(super) fn send_width(&self) -> u64 {
        width(self.send_width, self.send_buffer, self.send_size)
    }

    pub(super) fn recv_width(&self) -> u64 {
        width(self.recv_width, self.recv_buffer, self.recv_size)
    }

    /// Mean size of a send.
    pub(super) fn bytes_per_send(&self) -> f64 {
        ratio(self.bytes_sent as f64, self.send_calls as f64)
    }

    /// Mean size of a receive.
    pub(super) fn bytes_per_recv(&self) -> f64 {
        ratio(self.bytes_received as f64, self.recv_calls as f64)
    }
}

/// As many buffers as overfill the socket's, unless a number was asked; none where nothing goes.
fn width(asked: u32, buffer: Buffer, size: Option<Bytes>) -> u64 {
    let (buffer, size) = match (asked, buffer.initial, size) {
        (0, Some(buffer), Some(size)) if !size.is_empty() => (buffer.get(), size.get()),
        _ => return asked.into(),
    };
    (buffer / size + 1).max(2)
}

/// `a / b`, and 0 where nothing was measured.
pub(super) fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}
