//! netdyno's own dialect. TCP control, TCP data and UDP data share one port.
//!
//! Every TCP connection begins with a [`Preamble`]. After a control preamble both ends exchange
//! frames, each a length and one JSON message:
//!
//! ```text
//! client                          server
//!   preamble, hello        ->
//!                          <-     hello            (or refuse)
//!   propose                ->
//!                          <-     accept           (or refuse)
//!   flows connect, each with the token in its preamble or UDP hello
//!                          <-     attached
//!   start                  ->
//!                          <-     started
//!                          <-     edge …, observed …
//!   done                   <->    done             each when it has sent its last byte
//!                          <-     report, flows …, report-end
//!   bye                    ->
//! ```
//!
//! Who only wants to see says `observe` instead of `propose`, and gets `observed …` until its `bye`.
//!
//! Either end may abort at any time. A message in any other place is a broken rule. UDP data
//! travels under a [`DatagramHeader`]; a flow proves itself with a UDP hello before the server
//! sends it anything, and the welcome is as long as the hello.

mod client;
mod datagram;
mod endpoint;
mod error;
mod frame;
mod message;
mod outbox;
mod preamble;
mod report;
mod roster;
mod server;
mod state;
mod text;
mod token;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use client::{ClientAction, ClientSession};
pub use datagram::{DatagramHeader, DatagramKind};
pub use error::{SessionError, WrongTurn};
pub use frame::{FrameError, FrameReader};
pub use message::{Cap, ClientMessage, MessageError, RefuseCode, SentTotals, ServerMessage};
pub use preamble::{Claim, Preamble, PreambleError};
pub use server::{ServerAction, ServerSession};
pub use token::Token;

/// Sysctls by name, with their values.
pub type Sysctls = std::collections::BTreeMap<String, String>;

/// The version of the messages. Both ends must speak the same one; the record's types refuse
/// unknown fields, so a new field in them is a new version too.
pub const PROTOCOL: u32 = 3;
