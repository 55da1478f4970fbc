//! The messages that describe one kind of test each. Sizes of 0 are the default here.
//!
//! Dirty counts, clean counts and the rest of what has no effect in usual builds is not read and
//! goes out as 0.

mod exchange;
mod maerts;
mod stream;
mod udp_stream;

#[cfg(test)]
mod tests;

pub use exchange::{ExchangeRequest, ExchangeResponse, ExchangeResults};
pub use maerts::{MaertsRequest, MaertsResponse, MaertsResults};
pub use stream::{StreamRequest, StreamResponse, StreamResults};
pub use udp_stream::{UdpStreamRequest, UdpStreamResponse, UdpStreamResults};
