//! What a client sends.

use units::Bytes;

use super::{
    ErrorNumber, ExchangeRequest, ExchangeTest, FieldError, Flags, Frame, Length, MaertsRequest,
    OmniRequest, Refusal, StreamRequest, StreamTest, Test, UdpStreamRequest,
};

#[cfg(test)]
mod tests;

/// A message of a client's.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Switches the server's debug output on. No 2.7.x client sends it.
    DebugOn,
    /// Switches it off.
    DebugOff,
    /// Asks how fast an idle CPU counts: the test REM_CPU.
    Calibrate,
    /// Proves that the client may use the server; there is no answer. At most 647 bytes count.
    Passphrase(Vec<u8>),
    /// Asks what the server's system is. No 2.7.x client sends it.
    SystemInfo,
    /// Asks for a test.
    Test {
        /// The CPU that the server's part should run on.
        cpu: Option<u32>,
        /// The test.
        test: TestRequest,
    },
}

/// A test as its own message describes it.
#[derive(Debug, Clone, PartialEq)]
pub enum TestRequest {
    /// Any test.
    Omni(Box<OmniRequest>),
    /// The server receives a stream.
    Stream(StreamTest, StreamRequest),
    /// The server sends a stream.
    Maerts(MaertsRequest),
    /// Transactions, or connections without them.
    Exchange(ExchangeTest, ExchangeRequest),
    /// The server receives datagrams.
    UdpStream(UdpStreamRequest),
}

const DEBUG_ON: u32 = 1;
const DEBUG_OFF: u32 = 2;
const DEBUG_OK: u32 = 3;
const CALIBRATE: u32 = 5;
const PASSPHRASE: u32 = 6;
const SYSTEM_INFO: u32 = 600;
/// The second word of a message that binds to no CPU.
const NO_CPU: u32 = u32::MAX;
/// Where the text of a message begins.
const TEXT: usize = 2;

impl Request {
    /// The longest passphrase; a NUL ends it.
    pub const PASSPHRASE_MAX: Bytes = Bytes::new((Frame::LEN - 4 * TEXT - 1) as u64);

    /// The request, or how the server answers to what is none.
    pub fn decode(frame: &Frame) -> Result<Self, Refusal> {
        match frame.kind() {
            DEBUG_ON => Ok(Self::DebugOn),
            DEBUG_OFF => Ok(Self::DebugOff),
            CALIBRATE => Ok(Self::Calibrate),
            PASSPHRASE => {
                let text = frame.raw(TEXT, Self::PASSPHRASE_MAX.len());
                let text = text.iter().copied().take_while(|byte| *byte != 0);
                Ok(Self::Passphrase(text.collect()))
            }
            SYSTEM_INFO => Ok(Self::SystemInfo),
            kind => match Test::of_request(kind) {
                Some(test) => {
                    let cpu = frame.cpu();
                    let test = TestRequest::read(test, frame)?;
                    Ok(Self::Test { cpu, test })
                }
                None => {
                    let reason = format!("no test that this server knows has request type {kind}");
                    Err(Refusal::new(ErrorNumber::UNKNOWN_TEST, reason))
                }
            },
        }
    }

    /// The message.
    pub fn encode(&self) -> Frame {
        match self {
            Self::DebugOn => Frame::new(DEBUG_ON, NO_CPU),
            Self::DebugOff => Frame::new(DEBUG_OFF, NO_CPU),
            Self::Calibrate => Frame::new(CALIBRATE, NO_CPU),
            Self::Passphrase(text) => {
                let mut frame = Frame::new(PASSPHRASE, NO_CPU);
                let len = text.len().min(Self::PASSPHRASE_MAX.len());
                frame.raw_mut(TEXT, len).copy_from_slice(&text[..len]);
                frame
            }
            Self::SystemInfo => Frame::new(SYSTEM_INFO, NO_CPU),
            Self::Test { cpu, test } => {
                let mut frame = Frame::new(test.test().request(), cpu.unwrap_or(NO_CPU));
                test.write(&mut frame);
                frame
            }
        }
    }
}

/// The answer to debug requests.
pub(super) fn debug_ok() -> Frame {
    Frame::new(DEBUG_OK, 0)
}

/// The answer to [`Request::SystemInfo`], which netserver has given up to give.
pub(super) fn system_info() -> Frame {
    let text = b",Deprecated,Deprecated,Deprecated,Deprecated";
    let mut frame = Frame::new(SYSTEM_INFO + 1, 0);
    frame.raw_mut(TEXT, text.len()).copy_from_slice(text);
    frame
}

/// The answer to [`Request::Calibrate`].
pub(super) fn calibrated(rate: f32, cpus: u32) -> Frame {
    let mut frame = Frame::new(CALIBRATE, 0);
    frame.set_word(TEXT, rate.to_bits());
    frame.set_word(TEXT + 1, cpus);
    frame
}

/// What [`calibrated`] says.
pub(super) fn calibration(frame: &Frame) -> (f32, u32) {
    let rate = f32::from_bits(frame.word(TEXT));
    let rate = if rate.is_finite() { rate } else { 0.0 };
    (rate, frame.word(TEXT + 1))
}

impl TestRequest {
    /// The test that netperf asks for when nothing else is said.
    pub fn new(test: Test) -> Self {
        match test {
            Test::Omni => Self::Omni(Box::default()),
            Test::Stream(test) => Self::Stream(test, StreamRequest::default()),
            Test::Maerts => Self::Maerts(MaertsRequest::default()),
            Test::Exchange(test) => Self::Exchange(test, ExchangeRequest::default()),
            Test::UdpStream => Self::UdpStream(UdpStreamRequest::default()),
        }
    }

    /// Reads the message as a request for `test`.
    pub fn read(test: Test, frame: &Frame) -> Result<Self, FieldError> {
        Ok(match test {
            Test::Omni => Self::Omni(Box::new(OmniRequest::read(frame)?)),
            Test::Stream(test) => Self::Stream(test, StreamRequest::read(frame)?),
            Test::Maerts => Self::Maerts(MaertsRequest::read(frame)?),
            Test::Exchange(test) => Self::Exchange(test, ExchangeRequest::read(frame)?),
            Test::UdpStream => Self::UdpStream(UdpStreamRequest::read(frame)?),
        })
    }

    /// Which kind of test it asks for.
    pub const fn test(&self) -> Test {
        match self {
            Self::Omni(_) => Test::Omni,
            Self::Stream(test, _) => Test::Stream(*test),
            Self::Maerts(_) => Test::Maerts,
            Self::Exchange(test, _) => Test::Exchange(*test),
            Self::UdpStream(_) => Test::UdpStream,
        }
    }

    /// Whether the server is to measure its CPUs.
    pub fn measures_cpu(&self) -> bool {
        match self {
            Self::Omni(request) => request.flags.contains(Flags::MEASURE_CPU),
            Self::Stream(_, request) => request.measure_cpu,
            Self::Maerts(request) => request.measure_cpu,
            Self::Exchange(_, request) => request.measure_cpu,
            Self::UdpStream(request) => request.measure_cpu,
        }
    }

    /// How long the test is.
    pub fn length(&self) -> Length {
        match self {
            Self::Omni(request) => request.length,
            Self::Stream(_, request) => request.length,
            Self::Maerts(request) => request.length,
            Self::Exchange(_, request) => request.length,
            Self::UdpStream(request) => request.length,
        }
    }

    /// The rate of CPU calibration that the user gave.
    pub(super) fn cpu_rate(&self) -> Option<f32> {
        let rate = match self {
            Self::Omni(request) => request.cpu_rate,
            Self::Stream(_, request) => request.cpu_rate,
            Self::Maerts(request) => request.cpu_rate,
            Self::Exchange(_, request) => request.cpu_rate,
            Self::UdpStream(request) => request.cpu_rate,
        };
        Some(rate).filter(|rate| *rate > 0.0)
    }

    fn write(&self, frame: &mut Frame) {
        match self {
            Self::Omni(request) => request.write(frame),
            Self::Stream(_, request) => request.write(frame),
            Self::Maerts(request) => request.write(frame),
            Self::Exchange(_, request) => request.write(frame),
            Self::UdpStream(request) => request.write(frame),
        }
    }
}
