//! iperf 2 at work: its server and its client, on netdyno's workers.
//!
//! A coordinator accepts or makes connections, reads headers, and gives each flow to a worker of
//! its own; it reads their figures at edges and tells of them as [`Event`]s. Where nothing
//! special is asked for, TCP data goes through the flows of netdyno's own loads; datagrams,
//! bursts and bouncebacks have flows of their own.

mod bins;
pub mod client;
mod event;
mod flow;
mod meter;
mod moments;
mod roll;
pub mod server;
mod socket;
mod spread;

pub use bins::{BinCounts, BinScale};
pub use event::{Event, FlowFacts, Refusal, Tell};
pub use flow::{BounceOrder, ReceivedBurst};
pub use meter::{Counts, Reading, Way};
pub use moments::Moments;
pub use socket::SocketOrder;
