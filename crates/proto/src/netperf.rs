//! The control dialogue of netperf 2.7.x and later. TCP, usually port 12865; the data has sockets
//! of its own.
//!
//! Every message of either end is a [`Frame`] of 656 bytes. There is no hello and no version:
//!
//! ```text
//! client                          server
//!   passphrase             ->                       if it has one; no answer
//!   request of a test      ->
//!                                                   opens a data socket
//!                          <-     response          port and sizes, or an error number
//!   data connects, flows, ends
//!                          <-     results           or an error number
//!   the next request       ->                       as often as wanted
//!   closes                 ->
//! ```
//!
//! Tests come in two layouts. [`OmniRequest`] describes any test, and a usual netperf sends it for
//! all but a few; the classic layouts ([`StreamRequest`] and its like) have fields for one kind of
//! test each. [`TestName`] knows which test name uses which. Both become one [`Job`] for the
//! server's driver, and both sides' answers are one [`Opened`] and one [`Tally`].
//!
//! Numbers are in network order. Texts are not, and IPv6 addresses are as a little-endian host
//! sends them: every group of four bytes reversed. The type of an answer means nothing: netserver
//! leaves swapped bytes of the answer before in it.

mod address;
mod classic;
mod client;
mod codec;
mod cpu_use;
mod data_options;
mod error;
mod flags;
mod frame;
mod group;
mod job;
mod length;
mod line;
mod mark;
mod omni;
mod opened;
mod refusal;
mod request;
mod server;
mod tally;
mod test;
mod test_name;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use address::Address;
pub use classic::{
    ExchangeRequest, ExchangeResponse, ExchangeResults, MaertsRequest, MaertsResponse,
    MaertsResults, StreamRequest, StreamResponse, StreamResults, UdpStreamRequest,
    UdpStreamResponse, UdpStreamResults,
};
pub use client::{ClientAction, ClientSession};
pub use cpu_use::CpuUse;
pub use data_options::DataOptions;
pub use error::{SessionError, WrongTurn};
pub use flags::Flags;
pub use frame::{Frame, FrameReader};
pub use job::{Job, Pace, Transport, Work};
pub use length::Length;
pub use mark::Mark;
pub use omni::{Direction, OmniRequest, OmniResponse, OmniResults};
pub use opened::Opened;
pub use refusal::{ErrorNumber, FieldError, Refusal};
pub use request::{Request, TestRequest};
pub use server::{ServerAction, ServerSession, Terms};
pub use tally::Tally;
pub use test::{ExchangeTest, StreamTest, Test};
pub use test_name::{Dialogue, TestName, UnknownTest};

/// The port of netserver's control connections.
pub const PORT: u16 = 12865;
