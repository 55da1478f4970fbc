//! The bytes that drive a test.

/// A state byte: what one side tells the other to be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i8)]
pub enum State {
    /// Server: all streams exist.
    TestStart = 1,
    /// Server: send.
    TestRunning = 2,
    /// Client: the end is reached.
    TestEnd = 4,
    /// Server: send your parameters.
    ParamExchange = 9,
    /// Server: open your streams.
    CreateStreams = 10,
    /// Server: a signal ends this server.
    ServerTerminate = 11,
    /// Client: a signal ends this client.
    ClientTerminate = 12,
    /// Server: send your results, then comes ours.
    ExchangeResults = 13,
    /// Server: results are complete.
    DisplayResults = 14,
    /// Client: the test is over.
    Done = 16,
    /// Server: busy, or a wrong cookie.
    AccessDenied = -1,
    /// Server: an error number and an errno follow.
    ServerError = -2,
}

impl State {
    /// The state of a byte; none for one that has no meaning on the wire.
    pub const fn of(byte: u8) -> Option<Self> {
        Some(match byte as i8 {
            1 => Self::TestStart,
            2 => Self::TestRunning,
            4 => Self::TestEnd,
            9 => Self::ParamExchange,
            10 => Self::CreateStreams,
            11 => Self::ServerTerminate,
            12 => Self::ClientTerminate,
            13 => Self::ExchangeResults,
            14 => Self::DisplayResults,
            16 => Self::Done,
            -1 => Self::AccessDenied,
            -2 => Self::ServerError,
            _ => return None,
        })
    }

    /// Its byte.
    pub const fn byte(self) -> u8 {
        self as i8 as u8
    }

    /// iperf3's word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TestStart => "TEST_START",
            Self::TestRunning => "TEST_RUNNING",
            Self::TestEnd => "TEST_END",
            Self::ParamExchange => "PARAM_EXCHANGE",
            Self::CreateStreams => "CREATE_STREAMS",
            Self::ServerTerminate => "SERVER_TERMINATE",
            Self::ClientTerminate => "CLIENT_TERMINATE",
            Self::ExchangeResults => "EXCHANGE_RESULTS",
            Self::DisplayResults => "DISPLAY_RESULTS",
            Self::Done => "IPERF_DONE",
            Self::AccessDenied => "ACCESS_DENIED",
            Self::ServerError => "SERVER_ERROR",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_with_a_meaning_is_its_states_byte() {
        let known: Vec<u8> = (0..=255u8).filter(|b| State::of(*b).is_some()).collect();
        assert_eq!(known, [1, 2, 4, 9, 10, 11, 12, 13, 14, 16, 0xfe, 0xff]);
        for byte in known {
            assert_eq!(State::of(byte).map(State::byte), Some(byte));
        }
    }
}
