//! Transactions, or connections without them.

use plan::Family;
use units::Bytes;

use crate::netperf::Length;
use crate::netperf::codec::{
    Alignment, FamilyNumber, KnownBytes, LengthWord, Offset, Port, Real, Size, WishedBytes, Word,
    WrappingBytes, YesNo, layout,
};

layout! {
    /// Transactions or connections: TCP_RR, TCP_CRR, TCP_CC, UDP_RR, SCTP_RR.
    ExchangeRequest {
        /// SO_RCVBUF.
        2 recv_buffer: Option<Bytes> = WishedBytes,
        /// SO_SNDBUF.
        3 send_buffer: Option<Bytes> = WishedBytes,
        /// A power of two.
        4 recv_alignment: Bytes = Alignment,
        /// Where in its buffer a request begins.
        5 recv_offset: Bytes = Offset,
        /// A power of two.
        6 send_alignment: Bytes = Alignment,
        /// Where in its buffer a response begins.
        7 send_offset: Bytes = Offset,
        /// Bytes of a request.
        8 request_size: Option<Bytes> = Size::CLASSIC,
        /// Bytes of a response.
        9 response_size: Option<Bytes> = Size::CLASSIC,
        /// TCP_NODELAY.
        10 nodelay: bool = YesNo,
        /// The server measures its CPUs.
        11 measure_cpu: bool = YesNo,
        /// A rate of CPU calibration that the user gave; 0 is none.
        12 cpu_rate: f32 = Real,
        /// How long.
        13 length: Length = LengthWord,
        /// 1: received data need not be read, only counted.
        14 recv_avoidance: u32 = Word,
        /// 1: sent data need not be written; no effect on Linux.
        15 send_avoidance: u32 = Word,
        /// Port of the data socket; 0 is any.
        16 port: u16 = Port,
        /// Family of the data socket.
        17 family: Family = FamilyNumber,
        /// SCTP: sockets that do not block.
        18 nonblocking: bool = YesNo,
    }
}

impl Default for ExchangeRequest {
    /// Ten seconds of one byte in each direction, as netperf asks for it.
    fn default() -> Self {
        Self {
            recv_buffer: None,
            send_buffer: None,
            recv_alignment: Bytes::new(8),
            recv_offset: Bytes::new(0),
            send_alignment: Bytes::new(8),
            send_offset: Bytes::new(0),
            request_size: Some(Bytes::new(1)),
            response_size: Some(Bytes::new(1)),
            nodelay: false,
            measure_cpu: false,
            cpu_rate: 0.0,
            length: Length::Seconds(10),
            recv_avoidance: 0,
            send_avoidance: 0,
            port: 0,
            family: Family::V4,
            nonblocking: false,
        }
    }
}

layout! {
    /// The data socket of transactions or connections is open.
    #[derive(Default)]
    ExchangeResponse {
        /// SO_RCVBUF as the system tells it.
        2 recv_buffer: Option<Bytes> = KnownBytes,
        /// Whether TCP_NODELAY is in effect.
        3 nodelay: bool = YesNo,
        /// Whether the CPUs will be measured.
        4 measure_cpu: bool = YesNo,
        /// SO_SNDBUF as the system tells it.
        6 send_buffer: Option<Bytes> = KnownBytes,
        /// Port of the data socket.
        7 data_port: u16 = Port,
        /// Clock ticks per second if the CPUs will be measured, else 0.
        8 cpu_rate: f32 = Real,
        /// The request's.
        9 recv_avoidance: u32 = Word,
        /// The request's.
        10 send_avoidance: u32 = Word,
    }
}

layout! {
    /// The server's figures of transactions or connections.
    #[derive(Default)]
    ExchangeResults {
        /// Payload.
        2 bytes_received: Bytes = WrappingBytes,
        /// Receives that gave something.
        3 recv_calls: u32 = Word,
        /// Transactions, or connections, that the server completed.
        4 transactions: u32 = Word,
        /// Length of the test at the server.
        5 elapsed_seconds: f32 = Real,
        /// Busy part of all CPUs.
        6 cpu_percent: f32 = Real,
        /// How the CPUs were measured: 0 not at all, 8 by /proc/stat.
        8 cpu_method: u32 = Word,
        /// CPUs of the server.
        9 cpus: u32 = Word,
    }
}
