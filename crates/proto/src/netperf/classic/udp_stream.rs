//! The server receives datagrams.

use plan::Family;
use units::Bytes;

use crate::netperf::Length;
use crate::netperf::codec::{
    Alignment, FamilyNumber, KnownBytes, LengthWord, Offset, Port, Real, Size, WishedBytes, Word,
    WrappingBytes, YesNo, layout,
};

layout! {
    /// The server receives datagrams: UDP_STREAM.
    UdpStreamRequest {
        /// SO_RCVBUF.
        2 recv_buffer: Option<Bytes> = WishedBytes,
        /// Bytes of every datagram.
        3 message_size: Option<Bytes> = Size::CLASSIC,
        /// The server connects its socket.
        4 connected: bool = YesNo,
        /// A power of two.
        5 recv_alignment: Bytes = Alignment,
        /// Where in its buffer a datagram begins.
        6 recv_offset: Bytes = Offset,
        /// The server measures its CPUs.
        8 measure_cpu: bool = YesNo,
        /// A rate of CPU calibration that the user gave; 0 is none.
        9 cpu_rate: f32 = Real,
        /// How long.
        10 length: Length = LengthWord,
        /// 1: received data need not be read, only counted.
        11 recv_avoidance: u32 = Word,
        /// 1: sent data need not be written; no effect on Linux.
        12 send_avoidance: u32 = Word,
        /// Port of the data socket; 0 is any.
        13 port: u16 = Port,
        /// Family of the data socket.
        14 family: Family = FamilyNumber,
    }
}

impl Default for UdpStreamRequest {
    /// A test of ten seconds. netperf always names the size of the datagrams.
    fn default() -> Self {
        Self {
            recv_buffer: None,
            message_size: None,
            connected: false,
            recv_alignment: Bytes::new(8),
            recv_offset: Bytes::new(0),
            measure_cpu: false,
            cpu_rate: 0.0,
            length: Length::Seconds(10),
            recv_avoidance: 0,
            send_avoidance: 0,
            port: 0,
            family: Family::V4,
        }
    }
}

layout! {
    /// The data socket of received datagrams is open.
    #[derive(Default)]
    UdpStreamResponse {
        /// SO_RCVBUF as the system tells it.
        2 recv_buffer: Option<Bytes> = KnownBytes,
        /// SO_SNDBUF as the system tells it.
        3 send_buffer: Option<Bytes> = KnownBytes,
        /// Whether the CPUs will be measured.
        4 measure_cpu: bool = YesNo,
        /// Port of the data socket.
        6 data_port: u16 = Port,
        /// Clock ticks per second if the CPUs will be measured, else 0.
        7 cpu_rate: f32 = Real,
        /// The request's.
        8 recv_avoidance: u32 = Word,
        /// The request's.
        9 send_avoidance: u32 = Word,
    }
}

layout! {
    /// The server's figures of received datagrams.
    #[derive(Default)]
    UdpStreamResults {
        /// Datagrams.
        2 messages: u32 = Word,
        /// Payload.
        3 bytes_received: Bytes = WrappingBytes,
        /// Length of the test at the server.
        4 elapsed_seconds: f32 = Real,
        /// Busy part of all CPUs.
        5 cpu_percent: f32 = Real,
        /// How the CPUs were measured: 0 not at all, 8 by /proc/stat.
        6 cpu_method: u32 = Word,
        /// CPUs of the server.
        7 cpus: u32 = Word,
    }
}
