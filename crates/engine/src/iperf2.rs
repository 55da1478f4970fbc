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

/// The load of netdyno's own that comes nearest to a flow: what its thread is called by.
fn load(mode: proto::iperf2::Mode, is_tcp: bool) -> plan::Kind {
    use plan::Kind;
    use proto::iperf2::Mode;
    match (mode, is_tcp) {
        (Mode::Forward | Mode::Dual | Mode::Tradeoff, true) => Kind::Stream,
        (Mode::Forward | Mode::Dual | Mode::Tradeoff, false) => Kind::UdpStream,
        (Mode::Reverse, true) => Kind::Maerts,
        (Mode::Reverse, false) => Kind::UdpMaerts,
        (Mode::FullDuplex, true) => Kind::Bidir,
        (Mode::FullDuplex, false) => Kind::UdpBidir,
    }
}
