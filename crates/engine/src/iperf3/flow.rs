//! iperf3's behaviours on a socket.

mod block_receive;
mod block_send;
mod numbered_receive;
mod numbered_send;

pub(super) use block_receive::BlockReceive;
pub(super) use block_send::{BlockSend, Source};
pub(super) use numbered_receive::NumberedReceive;
pub(super) use numbered_send::NumberedSend;
