//! iperf3's protocol at work: both ends of its control connections, and its data.
//!
//! The data goes through the same workers as that of a plan. Its flows are iperf3's own: blocks
//! that end without a FIN, datagrams with iperf3's heads, ends by bytes of all streams together.

pub mod auth;
pub mod client;
pub mod server;

mod budget;
mod counts;
mod event;
mod flow;
mod lane;
mod ledger;
mod limit;
mod mark;
mod socket;
mod staff;
mod test;

pub use socket::Keepalive;

pub use event::{
    Connected, Contact, Datagrams, Event, Interval, Outcome, PathSample, Started, StreamInterval,
    StreamOutcome,
};
