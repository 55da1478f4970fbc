//! The tests that have messages of their own, and the types of these messages.

/// A kind of test on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Test {
    /// Any test; its request describes which.
    Omni,
    /// The server receives a stream.
    Stream(StreamTest),
    /// The server sends a TCP stream.
    Maerts,
    /// Transactions, or connections without them.
    Exchange(ExchangeTest),
    /// The server receives datagrams.
    UdpStream,
}

/// The tests in which the server receives a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StreamTest {
    /// TCP_STREAM, TCP_SENDFILE and TCP_MSS.
    Tcp,
    /// SCTP_STREAM.
    Sctp,
    /// SCTP_STREAM_MANY: many associations on one socket.
    SctpMany,
}

/// The tests that count transactions or connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExchangeTest {
    /// TCP_RR.
    TcpRr,
    /// TCP_CRR: a connection for every transaction.
    TcpCrr,
    /// TCP_CC: connections without transactions.
    TcpCc,
    /// UDP_RR.
    UdpRr,
    /// SCTP_RR.
    SctpRr,
    /// SCTP_RR_MANY: many associations on one socket.
    SctpRrMany,
}

impl Test {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Omni,
        Self::Stream(StreamTest::Tcp),
        Self::Stream(StreamTest::Sctp),
        Self::Stream(StreamTest::SctpMany),
        Self::Maerts,
        Self::Exchange(ExchangeTest::TcpRr),
        Self::Exchange(ExchangeTest::TcpCrr),
        Self::Exchange(ExchangeTest::TcpCc),
        Self::Exchange(ExchangeTest::UdpRr),
        Self::Exchange(ExchangeTest::SctpRr),
        Self::Exchange(ExchangeTest::SctpRrMany),
        Self::UdpStream,
    ];

    /// The test whose request has this type.
    pub fn of_request(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|test| test.request() == number)
    }

    /// The type of its request.
    pub const fn request(self) -> u32 {
        match self {
            Self::Stream(StreamTest::Tcp) => 10,
            Self::Exchange(ExchangeTest::TcpRr) => 13,
            Self::UdpStream => 16,
            Self::Exchange(ExchangeTest::UdpRr) => 19,
            Self::Exchange(ExchangeTest::TcpCrr) => 34,
            Self::Maerts => 94,
            Self::Omni => 97,
            Self::Exchange(ExchangeTest::TcpCc) => 300,
            Self::Stream(StreamTest::Sctp) => 500,
            Self::Stream(StreamTest::SctpMany) => 510,
            Self::Exchange(ExchangeTest::SctpRr) => 520,
            Self::Exchange(ExchangeTest::SctpRrMany) => 530,
        }
    }

    /// The type of its response.
    pub const fn response(self) -> u32 {
        self.request() + 1
    }

    /// The type of its results.
    pub const fn results(self) -> u32 {
        self.request() + 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_meaning() {
        let mut numbers: Vec<_> = Test::ALL
            .into_iter()
            .flat_map(|test| [test.request(), test.response(), test.results()])
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 3 * Test::ALL.len());
    }

    #[test]
    fn only_requests_ask_for_a_test() {
        for test in Test::ALL {
            assert_eq!(Test::of_request(test.request()), Some(test));
            assert_eq!(Test::of_request(test.response()), None);
            assert_eq!(Test::of_request(test.results()), None);
        }
        assert_eq!(Test::of_request(777), None);
    }
}
