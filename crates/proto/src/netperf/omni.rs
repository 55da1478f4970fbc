//! The messages that describe any test.

use plan::Family;
use units::Bytes;

use super::codec::{
    Alignment, Codec, FamilyNumber, FlagBits, FourWords, Known, KnownBytes, LengthWord, LongBytes,
    MarkWord, Offset, Port, Real, Size, Text, Wish, WishedBytes, Word, layout,
};
use super::{Address, Flags, Frame, Length, Mark};

#[cfg(test)]
mod tests;

/// What the data socket of the server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Accepts connections and closes them.
    Connect,
    /// Sends.
    Send,
    /// Receives.
    Receive,
    /// Receives requests and sends responses.
    Both,
}

layout! {
    /// A request for any test. Everything is the server's part unless it says otherwise.
    OmniRequest {
        /// SO_SNDBUF.
        2 send_buffer: Option<Bytes> = WishedBytes,
        /// Bytes of every send of a stream.
        3 send_size: Option<Bytes> = Size::OMNI,
        /// A power of two.
        4 send_alignment: Bytes = Alignment,
        /// Where in its buffer a message begins.
        5 send_offset: Bytes = Offset,
        /// How many buffers the client's own sending takes in turn; 0 is automatic.
        6 send_width: u32 = Word,
        /// Bytes that the server must receive per transaction, or per receive of a stream.
        7 request_size: Option<Bytes> = Size::OMNI,
        /// SO_RCVBUF.
        8 recv_buffer: Option<Bytes> = WishedBytes,
        /// Bytes of every receive of a stream.
        9 recv_size: Option<Bytes> = Size::OMNI,
        /// A power of two.
        10 recv_alignment: Bytes = Alignment,
        /// Where in its buffer a message begins.
        11 recv_offset: Bytes = Offset,
        /// How many buffers the client's own receiving takes in turn; 0 is automatic.
        12 recv_width: u32 = Word,
        /// Bytes that the server must send per transaction, or per send of a stream.
        13 response_size: Option<Bytes> = Size::OMNI,
        /// What is switched on.
        14 flags: Flags = FlagBits,
        /// A rate of CPU calibration that the user gave; 0 is none.
        15 cpu_rate: f32 = Real,
        /// How long.
        16 length: Length = LengthWord,
        /// 1: received data need not be read, only counted.
        17 recv_avoidance: u32 = Word,
        /// 1: sent data need not be written; no effect on Linux.
        18 send_avoidance: u32 = Word,
        /// Bytes to dirty before a send; no effect in usual builds.
        19 send_dirty: u32 = Word,
        /// Bytes to dirty before a receive; no effect in usual builds.
        20 recv_dirty: u32 = Word,
        /// Bytes to read before a receive; no effect in usual builds.
        21 recv_clean: u32 = Word,
        /// Port of the data socket; 0 is any.
        22 data_port: u16 = Port,
        /// Family of the data socket.
        23 family: Family = FamilyNumber,
        /// 1 stream, 2 datagram, 3 DCCP, 4 sequential packets, -1 unknown.
        24 socket_type: u32 = Word,
        /// Number of the protocol in the IP header.
        25 protocol: u32 = Word,
        /// What the server does.
        26 direction: Direction = DirectionNumber,
        /// Port of the client's data socket; 0 if it does not know it yet.
        27 client_port: u16 = Port,
        /// Messages per interval of a paced server; 0 is unpaced.
        28 burst: u32 = Word,
        /// The interval, in microseconds.
        29 interval_usecs: u32 = Word,
        /// Address of the client's data socket, rarely known.
        30 client_address: Address = FourWords,
        /// Address for the server's data socket.
        34 server_address: Address = FourWords,
        /// SO_PRIORITY.
        38 priority: Option<u32> = Wish,
        /// IP_TOS or IPV6_TCLASS; 0 is none too.
        39 tos: Option<u32> = Wish,
        /// TCP_CONGESTION; empty is the system's default.
        40 congestion: String = Text { room: 16 },
        /// Name of a file at the server for the content of what it sends. It is a stranger's
        /// wish to read a file, and never granted.
        44 fill_file: String = Text { room: 32 },
    }
}

impl Default for OmniRequest {
    /// A TCP_STREAM test of ten seconds, as netperf asks for it.
    fn default() -> Self {
        let none = u32::MAX;
        Self {
            send_buffer: None,
            send_size: None,
            send_alignment: Bytes::new(8),
            send_offset: Bytes::new(0),
            send_width: 0,
            request_size: None,
            recv_buffer: None,
            recv_size: None,
            recv_alignment: Bytes::new(8),
            recv_offset: Bytes::new(0),
            recv_width: 0,
            response_size: None,
            flags: Flags::ROUTING,
            cpu_rate: 0.0,
            length: Length::Seconds(10),
            recv_avoidance: 0,
            send_avoidance: 0,
            send_dirty: none,
            recv_dirty: none,
            recv_clean: none,
            data_port: 0,
            family: Family::V4,
            socket_type: 1,
            protocol: 6,
            direction: Direction::Receive,
            client_port: 0,
            burst: 0,
            interval_usecs: 0,
            client_address: Address::default(),
            server_address: Address::default(),
            priority: None,
            tos: None,
            congestion: String::new(),
            fill_file: String::new(),
        }
    }
}

layout! {
    /// The answer to a request: the data socket is open.
    #[derive(Default)]
    OmniResponse {
        /// SO_RCVBUF as the system tells it.
        2 recv_buffer: Option<Bytes> = KnownBytes,
        /// Bytes of every receive, or of a request.
        3 recv_size: Option<Bytes> = KnownBytes,
        /// Buffers that receiving takes in turn.
        4 recv_width: u32 = Word,
        /// SO_SNDBUF as the system tells it.
        5 send_buffer: Option<Bytes> = KnownBytes,
        /// Bytes of every send, or of a response.
        6 send_size: Option<Bytes> = KnownBytes,
        /// Buffers that sending takes in turn.
        7 send_width: u32 = Word,
        /// Whether TCP_NODELAY is in effect and the CPUs will be measured; the rest is stale.
        8 flags: Flags = FlagBits,
        /// Clock ticks per second if the CPUs will be measured, else 0.
        9 cpu_rate: f32 = Real,
        /// The request's.
        11 recv_avoidance: u32 = Word,
        /// The request's.
        12 send_avoidance: u32 = Word,
        /// Port of the data socket.
        13 data_port: u16 = Port,
        /// Messages per interval that the server will keep to; 0 is unpaced.
        14 burst: u32 = Word,
        /// The interval, in microseconds.
        15 interval_usecs: u32 = Word,
        /// SO_PRIORITY.
        18 priority: Mark = MarkWord,
        /// IP_TOS or IPV6_TCLASS.
        19 tos: Mark = MarkWord,
    }
}

layout! {
    /// The server's figures of a test.
    #[derive(Default)]
    OmniResults {
        /// Payload.
        2 bytes_received: Bytes = LongBytes,
        /// Receives that gave something.
        4 recv_calls: u32 = Word,
        /// SO_RCVBUF at the end.
        5 recv_buffer: Option<Bytes> = KnownBytes,
        /// Payload.
        6 bytes_sent: Bytes = LongBytes,
        /// Sends.
        8 send_calls: u32 = Word,
        /// SO_SNDBUF at the end.
        9 send_buffer: Option<Bytes> = KnownBytes,
        /// Transactions that the server completed.
        11 transactions: u32 = Word,
        /// Length of the test at the server.
        12 elapsed_seconds: f32 = Real,
        /// Busy part of all CPUs.
        13 cpu_percent: f32 = Real,
        /// Of it, in user mode.
        14 user_percent: f32 = Real,
        /// Of it, in the kernel.
        15 system_percent: f32 = Real,
        /// Of it, idle with input or output outstanding.
        16 iowait_percent: f32 = Real,
        /// Of it, in interrupts.
        17 irq_percent: f32 = Real,
        /// Of it, in soft interrupts.
        18 softirq_percent: f32 = Real,
        /// How the CPUs were measured: 0 not at all, 8 by /proc/stat.
        20 cpu_method: u32 = Word,
        /// CPUs of the server.
        21 cpus: u32 = Word,
        /// The busiest CPU.
        22 peak_cpu: Option<u32> = Known,
        /// Its busy part.
        23 peak_percent: f32 = Real,
        /// Segments that the last TCP socket sent again.
        28 retransmits: Option<u32> = Known,
        /// The data socket's congestion control.
        69 congestion: String = Text { room: 16 },
    }
}

/// A direction by netperf's bits: 2 is sending, 4 receiving.
struct DirectionNumber;

impl Codec for DirectionNumber {
    type Value = Direction;
    fn read(&self, frame: &Frame, at: usize) -> Result<Direction, String> {
        match frame.word(at) {
            0 => Ok(Direction::Connect),
            2 => Ok(Direction::Send),
            4 => Ok(Direction::Receive),
            6 => Ok(Direction::Both),
            number => Err(format!(
                "{number}: 0 (connect), 2 (send), 4 (receive) and 6 (both) are accepted"
            )),
        }
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Direction) {
        let number = match value {
            Direction::Connect => 0,
            Direction::Send => 2,
            Direction::Receive => 4,
            Direction::Both => 6,
        };
        frame.set_word(at, number);
    }
}
