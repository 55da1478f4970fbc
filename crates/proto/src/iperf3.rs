//! The control dialogue of iperf3 3.1 to 3.21, and what its data connections begin with. TCP and
//! UDP data go to the port of the control connection, usually 5201.
//!
//! Everything after the [`Cookie`] is driven by single signed bytes, the [`State`]s; JSON goes
//! between them behind a 32-bit length:
//!
//! ```text
//! client                            server
//!   cookie                  ->
//!                           <-      PARAM_EXCHANGE
//!   length, Parameters      ->
//!                           <-      CREATE_STREAMS
//!   for each stream, one after the other:
//!     TCP: connect, cookie  ->
//!     UDP: hello            ->
//!                           <-      reply
//!                           <-      TEST_START, TEST_RUNNING
//!   data flows in either direction
//!   TEST_END                ->
//!                           <-      EXCHANGE_RESULTS
//!   length, Results         ->
//!                           <-      length, Results
//!                           <-      DISPLAY_RESULTS
//!   IPERF_DONE              ->
//! ```
//!
//! A server may end it at any point with ACCESS_DENIED, with SERVER_TERMINATE, with SERVER_ERROR
//! and two integers, or by closing.

mod arrivals;
mod client;
mod cookie;
mod datagram;
mod error;
mod error_number;
mod hello;
mod json;
mod line;
mod parameters;
mod results;
mod server;
mod state;
mod stream_id;

pub use arrivals::Arrivals;
pub use client::{ClientAction, ClientSession};
pub use cookie::Cookie;
pub use datagram::{Counter, Datagram};
pub use error::{Peer, SessionError, WrongTurn};
pub use error_number::ErrorNumber;
pub use hello::Hello;
pub use parameters::{Direction, Parameters, Protocol, Rejected, Segmentation};
pub use results::{CpuUse, Omitted, PathSummary, Results, Retransmits, ServerOutput, StreamResult};
pub use server::{ServerAction, ServerSession};
pub use state::State;
pub use stream_id::StreamId;

/// The port of iperf3's servers, for control and all data.
pub const PORT: u16 = 5201;
