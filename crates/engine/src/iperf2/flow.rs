//! What iperf 2's flows do that netdyno's own do not: a file a behaviour.

mod bounce;
mod burst_reader;
mod burst_send;
mod datagram_receive;
mod datagram_send;
mod echo;
mod packet_check;
mod receive;
mod schedule;
mod source;

pub(super) use bounce::Bounce;
pub use bounce::BounceOrder;
pub use burst_reader::ReceivedBurst;
pub(super) use burst_reader::{BurstListener, BurstReader};
pub(super) use burst_send::{BurstSend, Stamps};
pub(super) use datagram_receive::{DatagramReceive, Early, Hello};
pub(super) use datagram_send::{DatagramSend, Farewell, FrameSend};
pub(super) use echo::Echo;
pub(super) use packet_check::PacketCheck;
pub(super) use receive::Receive;
pub(super) use schedule::{Frames, Schedule, Sizes};
pub(super) use source::Source;
