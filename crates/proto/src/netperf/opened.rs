//! The answer to a request: a data socket.

use units::{Bytes, Nanos};

use super::{
    ExchangeResponse, FieldError, Flags, Frame, MaertsResponse, Mark, OmniResponse, Pace,
    StreamResponse, TestRequest, UdpStreamResponse,
};

#[cfg(test)]
mod tests;

/// What the server has opened, whichever layout tells it. The classic layouts tell less than
/// omni's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Opened {
    /// The data socket's port.
    pub port: u16,
    /// SO_RCVBUF as the system tells it.
    pub recv_buffer: Option<Bytes>,
    /// SO_SNDBUF as the system tells it.
    pub send_buffer: Option<Bytes>,
    /// Bytes of every receive, or of a request; none if the server does not receive.
    pub recv_size: Option<Bytes>,
    /// Bytes of every send, or of a response; none if the server does not send.
    pub send_size: Option<Bytes>,
    /// Buffers that receiving takes in turn.
    pub recv_width: u32,
    /// Buffers that sending takes in turn.
    pub send_width: u32,
    /// Whether TCP_NODELAY is in effect.
    pub nodelay: bool,
    /// Clock ticks per second, if the server measures its CPUs.
    pub cpu_rate: Option<f32>,
    /// The rate that a sending server keeps to.
    pub pace: Option<Pace>,
    /// SO_PRIORITY.
    pub priority: Mark,
    /// IP_TOS or IPV6_TCLASS.
    pub tos: Mark,
}

impl Opened {
    /// The response to `request`.
    pub fn encode(&self, request: &TestRequest) -> Frame {
        let measures_cpu = self.cpu_rate.is_some();
        // A rate that the user gave comes back as it was.
        let cpu_rate = self
            .cpu_rate
            .map_or(0.0, |rate| request.cpu_rate().unwrap_or(rate));
        let mut frame = Frame::new(request.test().response(), 0);
        match request {
            TestRequest::Omni(request) => OmniResponse {
                recv_buffer: self.recv_buffer,
                recv_size: self.recv_size.or(request.recv_size),
                recv_width: self.recv_width,
                send_buffer: self.send_buffer,
                send_size: self.send_size.or(request.send_size),
                send_width: self.send_width,
                flags: Flags::NODELAY.when(self.nodelay) | Flags::MEASURE_CPU.when(measures_cpu),
                cpu_rate,
                recv_avoidance: request.recv_avoidance,
                send_avoidance: request.send_avoidance,
                data_port: self.port,
                burst: self.pace.map_or(0, |pace| pace.burst),
                interval_usecs: self.pace.map_or(0, |pace| usecs(pace.interval)),
                priority: self.priority,
                tos: self.tos,
            }
            .write(&mut frame),
            TestRequest::Stream(_, request) => StreamResponse {
                recv_buffer: self.recv_buffer,
                recv_size: self.recv_size,
                nodelay: self.nodelay,
                measure_cpu: measures_cpu,
                send_buffer: self.send_buffer,
                data_port: self.port,
                cpu_rate,
                recv_avoidance: request.recv_avoidance,
                send_avoidance: request.send_avoidance,
            }
            .write(&mut frame),
            TestRequest::Maerts(request) => MaertsResponse {
                recv_buffer: self.recv_buffer,
                send_size: self.send_size,
                nodelay: self.nodelay,
                measure_cpu: measures_cpu,
                send_buffer: self.send_buffer,
                data_port: self.port,
                cpu_rate,
                recv_avoidance: request.recv_avoidance,
                send_avoidance: request.send_avoidance,
            }
            .write(&mut frame),
            TestRequest::Exchange(_, request) => ExchangeResponse {
                recv_buffer: self.recv_buffer,
                nodelay: self.nodelay,
                measure_cpu: measures_cpu,
                send_buffer: self.send_buffer,
                data_port: self.port,
                cpu_rate,
                recv_avoidance: request.recv_avoidance,
                send_avoidance: request.send_avoidance,
            }
            .write(&mut frame),
            TestRequest::UdpStream(request) => UdpStreamResponse {
                recv_buffer: self.recv_buffer,
                send_buffer: self.send_buffer,
                measure_cpu: measures_cpu,
                data_port: self.port,
                cpu_rate,
                recv_avoidance: request.recv_avoidance,
                send_avoidance: request.send_avoidance,
            }
            .write(&mut frame),
        }
        frame
    }

    /// What the response to `request` says. Without a port it is none: some servers answer so
    /// when the port that was asked for is taken.
    pub fn decode(frame: &Frame, request: &TestRequest) -> Result<Self, FieldError> {
        let (opened, word) = match request {
            TestRequest::Omni(_) => (OmniResponse::read(frame)?.into(), 13),
            TestRequest::Stream(..) => (StreamResponse::read(frame)?.into(), 8),
            TestRequest::Maerts(_) => (MaertsResponse::read(frame)?.into(), 8),
            TestRequest::Exchange(..) => (ExchangeResponse::read(frame)?.into(), 7),
            TestRequest::UdpStream(_) => (UdpStreamResponse::read(frame)?.into(), 6),
        };
        match opened {
            Self { port: 0, .. } => Err(FieldError {
                field: "data_port",
                word,
                wrong: "0: the server did not get the port, ports from 1 to 65535 are accepted"
                    .to_owned(),
            }),
            opened => Ok(opened),
        }
    }
}

impl From<OmniResponse> for Opened {
    fn from(response: OmniResponse) -> Self {
        let paced = response.burst > 0 && response.interval_usecs > 0;
        let measures_cpu = response.flags.contains(Flags::MEASURE_CPU);
        Self {
            port: response.data_port,
            recv_buffer: response.recv_buffer,
            send_buffer: response.send_buffer,
            recv_size: response.recv_size,
            send_size: response.send_size,
            recv_width: response.recv_width,
            send_width: response.send_width,
            nodelay: response.flags.contains(Flags::NODELAY),
            cpu_rate: measures_cpu.then_some(response.cpu_rate),
            pace: paced.then(|| Pace {
                burst: response.burst,
                interval: Nanos::new(u64::from(response.interval_usecs) * 1000),
            }),
            priority: response.priority,
            tos: response.tos,
        }
    }
}

impl From<StreamResponse> for Opened {
    fn from(response: StreamResponse) -> Self {
        Self {
            port: response.data_port,
            recv_buffer: response.recv_buffer,
            send_buffer: response.send_buffer,
            recv_size: response.recv_size,
            nodelay: response.nodelay,
            cpu_rate: response.measure_cpu.then_some(response.cpu_rate),
            ..Self::default()
        }
    }
}

impl From<MaertsResponse> for Opened {
    fn from(response: MaertsResponse) -> Self {
        Self {
            port: response.data_port,
            recv_buffer: response.recv_buffer,
            send_buffer: response.send_buffer,
            send_size: response.send_size,
            nodelay: response.nodelay,
            cpu_rate: response.measure_cpu.then_some(response.cpu_rate),
            ..Self::default()
        }
    }
}

impl From<ExchangeResponse> for Opened {
    fn from(response: ExchangeResponse) -> Self {
        Self {
            port: response.data_port,
            recv_buffer: response.recv_buffer,
            send_buffer: response.send_buffer,
            nodelay: response.nodelay,
            cpu_rate: response.measure_cpu.then_some(response.cpu_rate),
            ..Self::default()
        }
    }
}

impl From<UdpStreamResponse> for Opened {
    fn from(response: UdpStreamResponse) -> Self {
        Self {
            port: response.data_port,
            recv_buffer: response.recv_buffer,
            send_buffer: response.send_buffer,
            cpu_rate: response.measure_cpu.then_some(response.cpu_rate),
            ..Self::default()
        }
    }
}

fn usecs(interval: Nanos) -> u32 {
    u32::try_from(interval.get() / 1000).unwrap_or(u32::MAX)
}
