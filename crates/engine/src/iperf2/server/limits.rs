//! What one server takes on.

use units::Nanos;

/// Connections that have not said what they are.
pub(super) const ARRIVING: usize = 1024;
/// Flows at once; each has a thread.
pub(super) const MOST_FLOWS: usize = 4096;
/// Datagram flows at once: a stranger's datagram makes one, and it lasts for seconds.
pub(super) const MOST_DATAGRAM_FLOWS: usize = 1024;
/// How long a connection may take to say what it is.
pub(super) const PATIENCE: Nanos = Nanos::from_secs(10);
/// How long a connection back may take.
pub(super) const BACKWARD: Nanos = Nanos::from_secs(5);
/// How far clocks may be apart for trip times.
pub(super) const CLOCKS: Nanos = Nanos::from_secs(600);
/// Longest flow that this end sends where a client names no end: what iperf calls for ever.
pub(super) const LONGEST: Nanos = Nanos::from_secs(248 * 86_400);
/// Bytes of a write of this end, where the client names none.
pub(super) const WRITE: usize = 128 << 10;
/// Most bytes of a write that a client may ask for.
pub(super) const MOST_WRITE: usize = 16 << 20;
/// Payload of a datagram of this end, where the client names none.
pub(super) const DATAGRAM: usize = 1470;
/// Rate of datagrams of this end, where the client names none: 1 Mbit/s, as iperf counts it.
pub(super) const DATAGRAM_RATE: u64 = 1 << 20;
/// Refusals by a closed port after which datagrams are no longer sent to it.
pub(super) const REFUSALS: u32 = 10;
