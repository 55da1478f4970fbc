//! The server receives a stream.

use plan::Family;
use units::Bytes;

use crate::netperf::Length;
use crate::netperf::codec::{
    Alignment, DoubleBytes, FamilyNumber, KnownBytes, LengthWord, Offset, Port, Real, Size,
    WishedBytes, Word, YesNo, layout,
};

layout! {
    /// The server receives a stream: TCP_STREAM, TCP_SENDFILE, TCP_MSS, SCTP_STREAM.
    StreamRequest {
        /// SO_SNDBUF.
        2 send_buffer: Option<Bytes> = WishedBytes,
        /// SO_RCVBUF.
        3 recv_buffer: Option<Bytes> = WishedBytes,
        /// Bytes of every receive.
        4 recv_size: Option<Bytes> = Size::CLASSIC,
        /// A power of two.
        5 recv_alignment: Bytes = Alignment,
        /// Where in its buffer a message begins.
        6 recv_offset: Bytes = Offset,
        /// TCP_NODELAY.
        7 nodelay: bool = YesNo,
        /// The server measures its CPUs.
        8 measure_cpu: bool = YesNo,
        /// A rate of CPU calibration that the user gave; 0 is none.
        9 cpu_rate: f32 = Real,
        /// How long. A test counted in bytes asks for so many seconds.
        10 length: Length = LengthWord,
        /// 1: received data need not be read, only counted.
        11 recv_avoidance: u32 = Word,
        /// 1: sent data need not be written; no effect on Linux.
        12 send_avoidance: u32 = Word,
        /// Port of the data socket; 0 is any.
        15 port: u16 = Port,
        /// Family of the data socket.
        16 family: Family = FamilyNumber,
        /// TCP: receive asynchronously (later versions). SCTP: sockets that do not block.
        17 asynchronous: bool = YesNo,
    }
}

impl Default for StreamRequest {
    /// A test of ten seconds, as netperf asks for it.
    fn default() -> Self {
        Self {
            send_buffer: None,
            recv_buffer: None,
            recv_size: None,
            recv_alignment: Bytes::new(8),
            recv_offset: Bytes::new(0),
            nodelay: false,
            measure_cpu: false,
            cpu_rate: 0.0,
            length: Length::Seconds(10),
            recv_avoidance: 0,
            send_avoidance: 0,
            port: 0,
            family: Family::V4,
            asynchronous: false,
        }
    }
}

layout! {
    /// The data socket of a received stream is open.
    #[derive(Default)]
    StreamResponse {
        /// SO_RCVBUF as the system tells it.
        2 recv_buffer: Option<Bytes> = KnownBytes,
        /// Bytes of every receive.
        3 recv_size: Option<Bytes> = KnownBytes,
        /// Whether TCP_NODELAY is in effect.
        4 nodelay: bool = YesNo,
        /// Whether the CPUs will be measured.
        5 measure_cpu: bool = YesNo,
        /// SO_SNDBUF as the system tells it.
        7 send_buffer: Option<Bytes> = KnownBytes,
        /// Port of the data socket.
        8 data_port: u16 = Port,
        /// Clock ticks per second if the CPUs will be measured, else 0.
        9 cpu_rate: f32 = Real,
        /// The request's.
        10 recv_avoidance: u32 = Word,
        /// The request's.
        11 send_avoidance: u32 = Word,
    }
}

layout! {
    /// The server's figures of a received stream.
    #[derive(Default)]
    StreamResults {
        /// Payload.
        2 bytes_received: Bytes = DoubleBytes,
        /// Receives that gave something.
        4 recv_calls: u32 = Word,
        /// Length of the test at the server.
        5 elapsed_seconds: f32 = Real,
        /// Busy part of all CPUs.
        6 cpu_percent: f32 = Real,
        /// How the CPUs were measured: 0 not at all, 8 by /proc/stat.
        8 cpu_method: u32 = Word,
        /// CPUs of the server.
        9 cpus: u32 = Word,
        /// SO_RCVBUF at the end.
        10 recv_buffer: Option<Bytes> = KnownBytes,
        /// SO_SNDBUF at the end.
        11 send_buffer: Option<Bytes> = KnownBytes,
    }
}
