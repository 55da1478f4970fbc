//! What a well-behaved client and server say to each other.

use proto::netperf::{
    CpuUse, ExchangeTest, Flags, Mark, OmniRequest, Opened, StreamTest, Tally, Test, TestRequest,
};
use units::{Bytes, Nanos};

pub(super) const PASSPHRASE: &str = "sesame";

/// A test of every layout.
pub(super) fn tests() -> [TestRequest; 5] {
    let omni = OmniRequest {
        flags: Flags::ROUTING | Flags::MEASURE_CPU,
        congestion: "cubic".into(),
        ..OmniRequest::default()
    };
    [
        TestRequest::Omni(Box::new(omni)),
        TestRequest::new(Test::Stream(StreamTest::Tcp)),
        TestRequest::new(Test::Maerts),
        TestRequest::new(Test::Exchange(ExchangeTest::TcpCrr)),
        TestRequest::new(Test::UdpStream),
    ]
}

pub(super) fn opened() -> Opened {
    Opened {
        port: 40_000,
        recv_buffer: Some(Bytes::new(131_072)),
        send_buffer: Some(Bytes::new(16384)),
        cpu_rate: Some(100.0),
        priority: Mark::Failed,
        ..Opened::default()
    }
}

pub(super) fn tally() -> Tally {
    Tally {
        bytes_received: Bytes::new(1 << 40),
        recv_calls: 1 << 20,
        elapsed: Nanos::from_secs(10),
        cpu: Some(CpuUse {
            method: CpuUse::PROC_STAT,
            busy_percent: 31.5,
            ..CpuUse::default()
        }),
        cpus: 2,
        retransmits: Some(3),
        congestion: "cubic".into(),
        ..Tally::default()
    }
}
