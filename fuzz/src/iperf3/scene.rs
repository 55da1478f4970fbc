//! What a well-behaved client and server say to each other.

use proto::iperf3::{
    Cookie, CpuUse, Omitted, Parameters, Protocol, Results, Retransmits, ServerOutput, StreamId,
    StreamResult,
};

pub(super) fn cookie() -> Cookie {
    Cookie::new([5; 36])
}

pub(super) fn parameters() -> Parameters {
    let mut parameters = Parameters::new(Protocol::Udp);
    parameters.congestion = Some("cubic".into());
    parameters.title = Some("title".into());
    parameters
}

pub(super) fn results() -> Results {
    Results {
        cpu: CpuUse::default(),
        host_cpu_percent: None,
        retransmits: Retransmits::Receiver,
        congestion: Some("cubic".into()),
        output: Some(ServerOutput::Text("a line\n".into())),
        streams: vec![StreamResult {
            id: StreamId::of_index(0),
            bytes: 1 << 40,
            retransmits: None,
            jitter_s: 1.5e-5,
            lost: 7,
            packets: 1 << 20,
            omitted: Some(Omitted::default()),
            seconds: Some(10.25),
            path: None,
        }],
    }
}

/// A text behind its length.
pub(super) fn message(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), text.as_bytes()].concat()
}
