//! Entry points for fuzzers. Each takes bytes as they may come from the network, and panics when
//! an invariant of the parser behind it does not hold: what parses encodes to the same thing,
//! fragments do not matter, memory is bounded, an end is an end.

mod client;
mod datagram;
mod iperf2;
mod iperf3;
mod mutation;
mod netperf;
mod preamble;
mod scene;
mod seeds;
mod server;
mod session;

pub use datagram::native_datagram;
pub use iperf2::{iperf2_datagram, iperf2_opening, iperf2_reply};
pub use iperf3::{iperf3_client, iperf3_datagram, iperf3_server};
pub use mutation::Mutation;
pub use netperf::{netperf_client, netperf_server};
pub use preamble::native_preamble;
pub use seeds::{Seed, seeds};

use proto::native::{ClientAction, ClientSession, ServerAction, ServerSession};

/// A name, which is also the name of the corpus folder, and the function that takes the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every entry point.
pub const TARGETS: [Target; 12] = [
    ("native_control_server", |data| {
        drop(native_control_server(data))
    }),
    ("native_control_client", |data| {
        drop(native_control_client(data))
    }),
    ("native_preamble", native_preamble),
    ("native_datagram", native_datagram),
    ("iperf2_opening", iperf2_opening),
    ("iperf2_datagram", iperf2_datagram),
    ("iperf2_reply", iperf2_reply),
    ("iperf3_server", |data| drop(iperf3_server(data))),
    ("iperf3_client", |data| drop(iperf3_client(data))),
    ("iperf3_datagram", iperf3_datagram),
    ("netperf_server", |data| drop(netperf_server(data))),
    ("netperf_client", |data| drop(netperf_client(data))),
];

/// A server on a control connection, after its preamble. Returns what its driver was told, for
/// tests that ask how far an input gets.
pub fn native_control_server(data: &[u8]) -> Vec<ServerAction> {
    session::check::<ServerSession>(data)
}

/// A client on a control connection. Returns what its driver was told.
pub fn native_control_client(data: &[u8]) -> Vec<ClientAction> {
    session::check::<ClientSession>(data)
}
