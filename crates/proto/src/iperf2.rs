//! What iperf 2 puts on the wire: TCP and UDP, usually port 5001. There is no control connection;
//! every agreement is inside the test's own connection or datagrams.
//!
//! ```text
//! TCP  client                       server
//!        test header + data  ->
//!                            <-     ack              if the header is extended
//!        data …              ->                      -R: <- data; full duplex: both
//!        FIN                 ->
//!                            <-     FIN              at once: clients measure until then
//!
//! UDP    id 1 + test header  ->
//!        id 2, 3 …           ->
//!        id -(n+1)           ->
//!                            <-     server report
//! ```
//!
//! The shapes of three generations are told apart by their bytes: *legacy* (2.0.2 to 2.0.9), whose
//! datagram header has 12 bytes; *middle* (2.0.10 to 2.0.13); and 2.1 and later, whose header is
//! extended. A client may also send no header at all. Everything is in network order, and reading
//! is lenient: what is not there is zero.

mod ack;
mod amount;
mod bounce;
mod burst;
mod datagram;
mod extended;
mod farewell;
mod flags;
mod frames;
mod header;
mod key;
mod opening;
mod packet;
mod reception;
mod report;
mod stamp;
mod version;
mod words;

#[cfg(test)]
mod fixture;

pub use ack::{Ack, AckTimes};
pub use amount::Amount;
pub use bounce::{BounceFlags, BounceMessage};
pub use burst::BurstHeader;
pub use datagram::{DatagramHeader, FirstDatagram, Shape};
pub use extended::Extended;
pub use farewell::{ClientFarewell, ServerFarewell};
pub use flags::{Flags, LowerFlags, UpperFlags};
pub use frames::{FrameBlock, FrameSettings};
pub use header::{Mode, TestHeader};
pub use key::PermitKey;
pub use opening::Opening;
pub use packet::{PacketFault, packet_fault};
pub use reception::Reception;
pub use report::{ReportExtension, ReportLayout, ServerReport};
pub use stamp::Stamp;
pub use version::Version;

/// The port of iperf 2's servers, TCP and UDP.
pub const PORT: u16 = 5001;

/// Byte `i` of the payload is the last digit of `i`.
pub fn digits(length: usize) -> Vec<u8> {
    (0..length).map(|i| b'0' + (i % 10) as u8).collect()
}
