//! What happens in a test, as it is shown.

use super::{Connected, Contact, End, Interval, Started};

/// One thing that happened, in the order in which they come.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// The program began: a client before it connects, a server once, before its first test.
    Opened {
        /// Largest segment of the control connection; clients show it.
        control_mss: Option<u32>,
        /// The block size that a client chose for UDP because none was asked.
        udp_block: Option<u32>,
    },
    /// A server waits for its next client.
    Listening {
        /// Its port.
        port: u16,
        /// Which test is next, from 1.
        number: u64,
    },
    /// The ends agreed on parameters.
    Contact(&'a Contact),
    /// A data stream is connected.
    Connected(&'a Connected),
    /// All streams are connected; data moves now.
    Started(&'a Started),
    /// An interval is over.
    Interval(&'a Interval),
    /// Data has stopped moving and results are exchanged, as far as they ever will be.
    Ended(&'a End),
    /// Something for those who asked for it (`-d`), or a warning; text only.
    Remark(&'a str),
    /// Nothing more comes. In text the error is on standard error, which is the caller's.
    Closed {
        /// Why the test is not what was asked.
        error: Option<&'a str>,
    },
}
