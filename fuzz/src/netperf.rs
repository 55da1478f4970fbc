//! netperf's control protocol under fuzz.

mod client;
mod scene;
mod seeds;
mod server;

pub(crate) use seeds::seeds;

use proto::netperf::{ClientAction, ClientSession, Frame, ServerAction, ServerSession};

use crate::session;

/// A server on a control connection. Returns what its driver was told, for tests that ask how far
/// an input gets.
pub fn netperf_server(data: &[u8]) -> Vec<ServerAction> {
    session::check::<ServerSession>(data)
}

/// A client on a control connection. Returns what its driver was told.
pub fn netperf_client(data: &[u8]) -> Vec<ClientAction> {
    session::check::<ClientSession>(data)
}

/// The whole messages of a stream.
fn frames(stream: &[u8]) -> impl Iterator<Item = Frame> {
    stream.as_chunks().0.iter().map(|bytes| Frame::of(*bytes))
}
