//! The names that `-t` takes, and which messages each of them uses.

use std::str::FromStr;

use thiserror::Error;
use units::Bytes;

use super::{Direction, ExchangeTest, Flags, OmniRequest, StreamTest, Test, TestRequest};

/// A test by the name that the user gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestName {
    /// TCP, the client sends.
    TcpStream,
    /// TCP, the server sends.
    TcpMaerts,
    /// TCP, the client sends a file.
    TcpSendfile,
    /// TCP, transactions.
    TcpRr,
    /// TCP, a connection for every transaction.
    TcpCrr,
    /// TCP, connections without transactions.
    TcpCc,
    /// TCP, the largest segment of one connection.
    TcpMss,
    /// UDP, the client sends.
    UdpStream,
    /// UDP, transactions.
    UdpRr,
    /// Whatever the options say.
    Omni,
    /// SCTP, the client sends.
    SctpStream,
    /// SCTP, the client sends on many associations of one socket.
    SctpStreamMany,
    /// SCTP, transactions.
    SctpRr,
    /// SCTP, transactions on many associations of one socket.
    SctpRrMany,
    /// The rate of the client's CPU calibration.
    LocCpu,
    /// The rate of the server's CPU calibration.
    RemCpu,
    /// A new UUID.
    Uuid,
}

/// What a test says on its control connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialogue {
    /// Nothing; the connection is made all the same.
    Silent,
    /// A question for the server's CPU calibration and its answer.
    Calibration,
    /// A request, a response, and results that nobody waits for.
    Response(Test),
    /// A request, a response and results, in every iteration.
    Results(Test),
}

/// A name that is no test's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no test; the tests are {all}", all = all_names())]
pub struct UnknownTest(pub String);

/// Every test: its name, what a usual netperf says, and the message of the same test in a
/// netperf that is built without omni.
#[rustfmt::skip]
const TABLE: [(TestName, &str, Dialogue, Option<Test>); 17] = {
    use Dialogue::{Calibration, Response, Results, Silent};
    use ExchangeTest::{SctpRr, SctpRrMany, TcpCc, TcpCrr, TcpRr, UdpRr};
    use StreamTest::{Sctp, SctpMany, Tcp};
    use Test::{Exchange, Maerts, Omni, Stream};
    use TestName as N;
    [
        (N::TcpStream,      "TCP_STREAM",       Results(Omni),                 Some(Stream(Tcp))),
        (N::TcpMaerts,      "TCP_MAERTS",       Results(Omni),                 Some(Maerts)),
        (N::TcpSendfile,    "TCP_SENDFILE",     Results(Stream(Tcp)),          Some(Stream(Tcp))),
        (N::TcpRr,          "TCP_RR",           Results(Omni),                 Some(Exchange(TcpRr))),
        (N::TcpCrr,         "TCP_CRR",          Results(Omni),                 Some(Exchange(TcpCrr))),
        (N::TcpCc,          "TCP_CC",           Results(Exchange(TcpCc)),      Some(Exchange(TcpCc))),
        (N::TcpMss,         "TCP_MSS",          Response(Stream(Tcp)),         Some(Stream(Tcp))),
        (N::UdpStream,      "UDP_STREAM",       Results(Omni),                 Some(Test::UdpStream)),
        (N::UdpRr,          "UDP_RR",           Results(Omni),                 Some(Exchange(UdpRr))),
        (N::Omni,           "OMNI",             Results(Omni),                 None),
        (N::SctpStream,     "SCTP_STREAM",      Results(Stream(Sctp)),         Some(Stream(Sctp))),
        (N::SctpStreamMany, "SCTP_STREAM_MANY", Results(Stream(SctpMany)),     Some(Stream(SctpMany))),
        (N::SctpRr,         "SCTP_RR",          Results(Exchange(SctpRr)),     Some(Exchange(SctpRr))),
        (N::SctpRrMany,     "SCTP_RR_MANY",     Results(Exchange(SctpRrMany)), Some(Exchange(SctpRrMany))),
        (N::LocCpu,         "LOC_CPU",          Silent,                        None),
        (N::RemCpu,         "REM_CPU",          Calibration,                   None),
        (N::Uuid,           "UUID",             Silent,                        None),
    ]
};

impl TestName {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.into_iter().map(|(name, ..)| name)
    }

    /// The name in capitals, as netperf shows it.
    pub fn as_str(self) -> &'static str {
        self.row().1
    }

    /// What the test says to the server.
    pub fn dialogue(self) -> Dialogue {
        self.row().2
    }

    /// The message of the same test in a netperf that is built without omni.
    pub fn classic(self) -> Option<Test> {
        self.row().3
    }

    /// The request that netperf makes of the bare name; none for tests without one.
    pub fn request(self) -> Option<TestRequest> {
        match self.dialogue() {
            Dialogue::Silent | Dialogue::Calibration => None,
            Dialogue::Response(Test::Omni) | Dialogue::Results(Test::Omni) => {
                Some(TestRequest::Omni(Box::new(self.omni())))
            }
            Dialogue::Response(test) | Dialogue::Results(test) => Some(TestRequest::new(test)),
        }
    }

    fn omni(self) -> OmniRequest {
        let stream = OmniRequest::default();
        let udp = OmniRequest {
            socket_type: 2,
            protocol: 17,
            ..stream.clone()
        };
        let transactions = |of: OmniRequest| OmniRequest {
            direction: Direction::Both,
            request_size: Some(Bytes::new(1)),
            response_size: Some(Bytes::new(1)),
            ..of
        };
        match self {
            Self::TcpMaerts => OmniRequest {
                direction: Direction::Send,
                ..stream
            },
            Self::TcpRr => transactions(stream),
            Self::TcpCrr => OmniRequest {
                flags: Flags::ROUTING | Flags::RECONNECTS,
                ..transactions(stream)
            },
            // Nobody floods a routed network by mistake.
            Self::UdpStream => OmniRequest {
                flags: Flags::NONE,
                ..udp
            },
            Self::UdpRr => transactions(udp),
            _ => stream,
        }
    }

    fn row(self) -> (Self, &'static str, Dialogue, Option<Test>) {
        let row = TABLE.into_iter().find(|(name, ..)| *name == self);
        row.expect("the table has every test")
    }
}

impl FromStr for TestName {
    type Err = UnknownTest;

    /// Upper or lower case.
    fn from_str(text: &str) -> Result<Self, UnknownTest> {
        TABLE
            .into_iter()
            .find(|(_, name, ..)| name.eq_ignore_ascii_case(text))
            .map(|(name, ..)| name)
            .ok_or_else(|| UnknownTest(text.to_owned()))
    }
}

fn all_names() -> String {
    TABLE.map(|(_, name, ..)| name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netperf::{Request, fixture};

    #[test]
    fn the_case_of_a_name_does_not_matter() {
        assert_eq!("tcp_rr".parse(), Ok(TestName::TcpRr));
        assert_eq!("Tcp_Stream".parse(), Ok(TestName::TcpStream));
        for name in TestName::all() {
            assert_eq!(name.as_str().parse(), Ok(name));
        }
    }

    #[test]
    fn an_unknown_name_gets_all_known_ones() {
        let error = "TCP_ROUND".parse::<TestName>().unwrap_err();
        let sentence = error.to_string();
        assert!(
            sentence.starts_with("'TCP_ROUND' is no test; the tests are TCP_STREAM, TCP_MAERTS, "),
            "{sentence}"
        );
    }

    #[test]
    fn a_test_asks_by_the_message_of_the_table() {
        for name in TestName::all() {
            let asked = name.request().map(|request| request.test());
            let expected = match name.dialogue() {
                Dialogue::Silent | Dialogue::Calibration => None,
                Dialogue::Response(test) | Dialogue::Results(test) => Some(test),
            };
            assert_eq!(asked, expected, "{name:?}");
        }
    }

    /// Flags and directions of bare names as they were seen on the wire.
    #[test]
    fn typical_words_of_omni() {
        for (name, flags, direction, [kind, protocol], sizes) in [
            (TestName::TcpStream, 0x20, 4, [1, 6], u32::MAX),
            (TestName::TcpRr, 0x20, 6, [1, 6], 1),
            (TestName::TcpCrr, 0x24, 6, [1, 6], 1),
            (TestName::UdpStream, 0, 4, [2, 17], u32::MAX),
            (TestName::UdpRr, 0x20, 6, [2, 17], 1),
            (TestName::TcpMaerts, 0x20, 2, [1, 6], u32::MAX),
        ] {
            let test = name.request().unwrap();
            let frame = Request::Test { cpu: None, test }.encode();
            let words = [14, 26, 24, 25, 7, 13].map(|at| frame.word(at));
            let expected = [flags, direction, kind, protocol, sizes, sizes];
            assert_eq!(words, expected, "{name:?}");
        }
    }

    #[test]
    fn the_bare_sendfile_is_the_one_of_the_wire() {
        let Some(TestRequest::Stream(kind, mut request)) = TestName::TcpSendfile.request() else {
            panic!("a classic test");
        };
        request.length = crate::netperf::Length::Seconds(1);
        let test = TestRequest::Stream(kind, request);
        let frame = Request::Test { cpu: None, test }.encode();
        assert_eq!(frame, fixture::sendfile_request());
    }
}
