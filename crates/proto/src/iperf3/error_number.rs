//! iperf3's error numbers. None was ever given a second meaning; new versions add some.

use std::fmt;

/// An error number, as it follows SERVER_ERROR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorNumber(i32);

impl ErrorNumber {
    /// The duration is out of range.
    pub const DURATION: Self = Self(5);
    /// Too many streams, or none.
    pub const STREAMS: Self = Self(6);
    /// The block is too large.
    pub const BLOCK_SIZE: Self = Self(7);
    /// The socket buffer is too large.
    pub const BUFFER_SIZE: Self = Self(8);
    /// The MSS is too large.
    pub const MSS: Self = Self(10);
    /// The omitted time is too long.
    pub const OMIT: Self = Self(12);
    /// Too many at once.
    pub const BURST: Self = Self(15);
    /// This host has no SCTP.
    pub const NO_SCTP: Self = Self(18);
    /// A datagram of that size cannot be.
    pub const DATAGRAM_SIZE: Self = Self(20);
    /// The TOS is out of range.
    pub const TOS: Self = Self(21);
    /// More than the server permits.
    pub const RATE_LIMIT: Self = Self(27);
    /// A file, and datagrams.
    pub const FILE_OVER_UDP: Self = Self(34);
    /// Longer than the server permits.
    pub const DURATION_LIMIT: Self = Self(37);
    /// No listener for the streams.
    pub const LISTEN: Self = Self(102);
    /// The control connection is not made.
    pub const CONNECT: Self = Self(103);
    /// The cookie did not come.
    pub const RECEIVE_COOKIE: Self = Self(106);
    /// Reading from the control connection failed.
    pub const CONTROL_READ: Self = Self(108);
    /// The control connection was closed.
    pub const CONTROL_CLOSED: Self = Self(109);
    /// A byte without meaning.
    pub const UNKNOWN_MESSAGE: Self = Self(110);
    /// A state byte did not come.
    pub const RECEIVE_STATE: Self = Self(112);
    /// The parameters did not come, or cannot be read.
    pub const RECEIVE_PARAMETERS: Self = Self(114);
    /// The results did not come, or cannot be read.
    pub const RECEIVE_RESULTS: Self = Self(117);
    /// The client ends by a signal.
    pub const CLIENT_TERMINATED: Self = Self(119);
    /// The server ends by a signal.
    pub const SERVER_TERMINATED: Self = Self(120);
    /// The server is busy.
    pub const ACCESS_DENIED: Self = Self(121);
    /// The CPU cannot be had.
    pub const AFFINITY: Self = Self(132);
    /// The congestion control cannot be had.
    pub const CONGESTION: Self = Self(134);
    /// The socket buffer is smaller than asked.
    pub const SMALL_BUFFER: Self = Self(141);
    /// The credentials are wrong, or there are none.
    pub const AUTHORIZATION: Self = Self(142);
    /// The interface cannot be had.
    pub const BIND_DEVICE: Self = Self(143);
    /// Nothing was received for too long.
    pub const IDLE_RECEIVE: Self = Self(144);
    /// The test went on for longer than it should.
    pub const SERVER_EXPIRED: Self = Self(160);
    /// A stream could not be made.
    pub const CREATE_STREAM: Self = Self(200);
    /// A stream could not be set up.
    pub const INIT_STREAM: Self = Self(201);
    /// No listener for streams.
    pub const STREAM_LISTEN: Self = Self(202);
    /// A stream does not connect.
    pub const STREAM_CONNECT: Self = Self(203);
    /// A stream was not accepted.
    pub const STREAM_ACCEPT: Self = Self(204);
    /// Writing to a stream failed.
    pub const STREAM_WRITE: Self = Self(205);
    /// Reading from a stream failed.
    pub const STREAM_READ: Self = Self(206);
    /// Results of a stream that is not there.
    pub const UNKNOWN_STREAM: Self = Self(208);

    /// A number.
    pub const fn new(number: i32) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn get(self) -> i32 {
        self.0
    }

    /// What it means, as a sentence goes on with it; none for numbers of later versions.
    pub const fn meaning(self) -> Option<&'static str> {
        Some(match self.0 {
            1 => "client and server at once",
            2 => "neither client nor server",
            3 => "an option that only a server has",
            4 => "an option that only a client has",
            5 => "the duration is out of range",
            6 => "the number of parallel streams is out of range",
            7 => "the block size is out of range",
            8 => "the socket buffer is too large",
            9 => "the report interval is out of range",
            10 => "the MSS is out of range",
            11 => "there is no sendfile here",
            12 => "the omitted time is out of range",
            13 => "it is not implemented",
            14 => "the file cannot be opened",
            15 => "the burst is out of range",
            16 => "more than one of time, bytes and blocks ends the test",
            17 => "the log file cannot be opened",
            18 => "there is no SCTP here",
            20 => "the datagram size is out of range",
            21 => "the TOS is out of range",
            22 => "the client's credentials are incomplete",
            23 => "the server's credentials are incomplete",
            24 => "the report format is not known",
            25 => "reverse and both directions at once",
            26 => "the port is out of range",
            27 => "the rate is above the server's limit",
            28 => "the averaging interval is out of range",
            29 => "the time skew threshold is out of range",
            30 => "the idle timeout is out of range",
            31 => "the receive timeout is out of range",
            32 => "a receive timeout for an end that does not receive",
            33 => "the send timeout is out of range",
            34 => "a file cannot be sent over UDP",
            35 => "the file of authorized users cannot be read",
            36 => "the keep-alive values do not fit",
            37 => "the test is longer than the server permits",
            38 => "a number or its suffix cannot be read",
            39 => "received data cannot be skipped here",
            40 => "the DSCP is out of range",
            100 => "making a test failed",
            101 => "preparing the test failed",
            102 => "listening failed",
            103 => "the control connection was not made",
            104 => "accepting a connection failed",
            105 => "sending the cookie failed",
            106 => "the cookie did not come",
            107 => "writing to the control connection failed",
            108 => "reading from the control connection failed",
            109 => "the control connection was closed unexpectedly",
            110 => "a control message is not known",
            111 => "sending a control message failed",
            112 => "a control message did not come",
            113 => "sending the parameters failed",
            114 => "the parameters did not come or cannot be read",
            115 => "putting the results together failed",
            116 => "sending the results failed",
            117 => "the results did not come or cannot be read",
            118 => "waiting for events failed",
            119 => "the client was terminated",
            120 => "the server was terminated",
            121 => "the server is busy with another test",
            122 => "setting TCP_NODELAY failed",
            123 => "setting the MSS failed",
            124 => "setting the socket buffer failed",
            125 => "setting the TOS failed",
            126 => "setting the traffic class failed",
            127 => "setting the flow label failed",
            128 => "setting SO_REUSEADDR failed",
            129 => "making a socket non-blocking failed",
            130 => "setting the window failed",
            131 => "there is no such protocol",
            132 => "setting the CPU affinity failed",
            133 => "becoming a daemon failed",
            134 => "setting the congestion control failed",
            135 => "the pid file cannot be written",
            136 => "setting IPV6_V6ONLY failed",
            137 => "turning SCTP fragmentation off failed",
            138 => "setting the number of SCTP streams failed",
            139 => "binding SCTP addresses failed",
            140 => "setting the pacing rate failed",
            141 => "the socket buffer is smaller than asked",
            142 => "the credentials are not accepted",
            143 => "binding to the interface failed",
            144 => "nothing was received for too long",
            145 => "setting the don't-fragment flag failed",
            146 => "binding to an interface is not possible here",
            147 => "a host with an interface is not possible here",
            148 => "setting the send timeout failed",
            150..=154 | 159 => "a thread failed",
            155..=158 => "setting the keep-alive of the control connection failed",
            160 => "the test went on for longer than it should",
            200 => "making a stream failed",
            201 => "setting a stream up failed",
            202 => "listening for streams failed",
            203 => "connecting a stream failed",
            204 => "accepting a stream failed",
            205 => "writing to a stream failed",
            206 => "reading from a stream failed",
            207 => "a stream was closed",
            208 => "the results are of an unknown stream",
            300 | 301 => "a timer failed",
            _ => return None,
        })
    }
}

impl fmt::Display for ErrorNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.meaning() {
            Some(meaning) => write!(f, "{meaning} (error {})", self.0),
            None => write!(f, "error {}, which this version does not know", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_a_later_version_is_told_as_it_is() {
        assert_eq!(
            ErrorNumber::RATE_LIMIT.to_string(),
            "the rate is above the server's limit (error 27)"
        );
        assert_eq!(
            ErrorNumber::new(999).to_string(),
            "error 999, which this version does not know"
        );
    }
}
