//! The server's figures at the end of a test.

use units::{Bytes, Nanos};

use super::{
    CpuUse, ExchangeResults, FieldError, Frame, MaertsResults, OmniResults, StreamResults,
    TestRequest, UdpStreamResults,
};

#[cfg(test)]
mod tests;

/// What the server counted, whichever layout tells it. The classic layouts tell less than omni's.
/// Counts have 32 bits on the wire and start again at 0 there, as netperf's do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// Payload that came.
    pub bytes_received: Bytes,
    /// Receives that gave something; datagrams of UDP_STREAM.
    pub recv_calls: u64,
    /// Payload that went.
    pub bytes_sent: Bytes,
    /// Sends.
    pub send_calls: u64,
    /// Transactions, or connections.
    pub transactions: u64,
    /// SO_RCVBUF at the end.
    pub recv_buffer: Option<Bytes>,
    /// SO_SNDBUF at the end.
    pub send_buffer: Option<Bytes>,
    /// How long the test was at the server, without the time that it waited for the client's end
    /// in vain. netperf computes nothing from it.
    pub elapsed: Nanos,
    /// How busy the CPUs were, if they were measured.
    pub cpu: Option<CpuUse>,
    /// CPUs of the server.
    pub cpus: u32,
    /// Segments that the last TCP socket sent again; none without such a socket.
    pub retransmits: Option<u32>,
    /// The data socket's congestion control.
    pub congestion: String,
}

impl Tally {
    /// The results of `request`.
    pub fn encode(&self, request: &TestRequest) -> Frame {
        let cpu = self.cpu.unwrap_or_default();
        let elapsed_seconds = self.elapsed.as_secs_f64() as f32;
        let mut frame = Frame::new(request.test().results(), 0);
        match request {
            TestRequest::Omni(_) => OmniResults {
                bytes_received: self.bytes_received,
                recv_calls: self.recv_calls as u32,
                recv_buffer: self.recv_buffer,
                bytes_sent: self.bytes_sent,
                send_calls: self.send_calls as u32,
                send_buffer: self.send_buffer,
                transactions: self.transactions as u32,
                elapsed_seconds,
                cpu_percent: cpu.busy_percent,
                user_percent: cpu.user_percent,
                system_percent: cpu.system_percent,
                iowait_percent: cpu.iowait_percent,
                irq_percent: cpu.irq_percent,
                softirq_percent: cpu.softirq_percent,
                cpu_method: cpu.method,
                cpus: self.cpus,
                peak_cpu: cpu.peak_cpu,
                peak_percent: cpu.peak_percent,
                retransmits: self.retransmits,
                congestion: self.congestion.clone(),
            }
            .write(&mut frame),
            TestRequest::Stream(..) => StreamResults {
                bytes_received: self.bytes_received,
                recv_calls: self.recv_calls as u32,
                elapsed_seconds,
                cpu_percent: cpu.busy_percent,
                cpu_method: cpu.method,
                cpus: self.cpus,
                recv_buffer: self.recv_buffer,
                send_buffer: self.send_buffer,
            }
            .write(&mut frame),
            TestRequest::Maerts(_) => MaertsResults {
                bytes_sent: self.bytes_sent,
                send_calls: self.send_calls as u32,
                elapsed_seconds,
                cpu_percent: cpu.busy_percent,
                cpu_method: cpu.method,
                cpus: self.cpus,
            }
            .write(&mut frame),
            TestRequest::Exchange(..) => ExchangeResults {
                bytes_received: self.bytes_received,
                recv_calls: self.recv_calls as u32,
                transactions: self.transactions as u32,
                elapsed_seconds,
                cpu_percent: cpu.busy_percent,
                cpu_method: cpu.method,
                cpus: self.cpus,
            }
            .write(&mut frame),
            TestRequest::UdpStream(_) => UdpStreamResults {
                messages: self.recv_calls as u32,
                bytes_received: self.bytes_received,
                elapsed_seconds,
                cpu_percent: cpu.busy_percent,
                cpu_method: cpu.method,
                cpus: self.cpus,
            }
            .write(&mut frame),
        }
        frame
    }

    /// What the results of `request` say. The CPUs' figures count only if the request asked for
    /// them: servers fill the fields with anything otherwise.
    pub fn decode(frame: &Frame, request: &TestRequest) -> Result<Self, FieldError> {
        let mut tally: Self = match request {
            TestRequest::Omni(_) => OmniResults::read(frame)?.into(),
            TestRequest::Stream(..) => StreamResults::read(frame)?.into(),
            TestRequest::Maerts(_) => MaertsResults::read(frame)?.into(),
            TestRequest::Exchange(..) => ExchangeResults::read(frame)?.into(),
            TestRequest::UdpStream(_) => UdpStreamResults::read(frame)?.into(),
        };
        let measured = |cpu: &CpuUse| request.measures_cpu() && cpu.method != 0;
        tally.cpu = tally.cpu.filter(measured);
        Ok(tally)
    }
}

impl From<OmniResults> for Tally {
    fn from(results: OmniResults) -> Self {
        Self {
            bytes_received: results.bytes_received,
            recv_calls: results.recv_calls.into(),
            bytes_sent: results.bytes_sent,
            send_calls: results.send_calls.into(),
            transactions: results.transactions.into(),
            recv_buffer: results.recv_buffer,
            send_buffer: results.send_buffer,
            elapsed: nanos(results.elapsed_seconds),
            cpu: Some(CpuUse {
                method: results.cpu_method,
                busy_percent: results.cpu_percent,
                user_percent: results.user_percent,
                system_percent: results.system_percent,
                iowait_percent: results.iowait_percent,
                irq_percent: results.irq_percent,
                softirq_percent: results.softirq_percent,
                peak_cpu: results.peak_cpu,
                peak_percent: results.peak_percent,
            }),
            cpus: results.cpus,
            retransmits: results.retransmits,
            congestion: results.congestion,
        }
    }
}

impl From<StreamResults> for Tally {
    fn from(results: StreamResults) -> Self {
        Self {
            bytes_received: results.bytes_received,
            recv_calls: results.recv_calls.into(),
            recv_buffer: results.recv_buffer,
            send_buffer: results.send_buffer,
            elapsed: nanos(results.elapsed_seconds),
            cpu: total(results.cpu_method, results.cpu_percent),
            cpus: results.cpus,
            ..Self::default()
        }
    }
}

impl From<MaertsResults> for Tally {
    fn from(results: MaertsResults) -> Self {
        Self {
            bytes_sent: results.bytes_sent,
            send_calls: results.send_calls.into(),
            elapsed: nanos(results.elapsed_seconds),
            cpu: total(results.cpu_method, results.cpu_percent),
            cpus: results.cpus,
            ..Self::default()
        }
    }
}

impl From<ExchangeResults> for Tally {
    fn from(results: ExchangeResults) -> Self {
        Self {
            bytes_received: results.bytes_received,
            recv_calls: results.recv_calls.into(),
            transactions: results.transactions.into(),
            elapsed: nanos(results.elapsed_seconds),
            cpu: total(results.cpu_method, results.cpu_percent),
            cpus: results.cpus,
            ..Self::default()
        }
    }
}

impl From<UdpStreamResults> for Tally {
    fn from(results: UdpStreamResults) -> Self {
        Self {
            bytes_received: results.bytes_received,
            recv_calls: results.messages.into(),
            elapsed: nanos(results.elapsed_seconds),
            cpu: total(results.cpu_method, results.cpu_percent),
            cpus: results.cpus,
            ..Self::default()
        }
    }
}

fn total(method: u32, busy_percent: f32) -> Option<CpuUse> {
    Some(CpuUse {
        method,
        busy_percent,
        ..CpuUse::default()
    })
}

/// The cast saturates.
fn nanos(seconds: f32) -> Nanos {
    Nanos::new((f64::from(seconds) * 1e9) as u64)
}
