//! Linux system calls with safe faces. This is the only crate with `unsafe`; each block says why
//! it is sound. No policy here: what to do with an answer is decided by the callers.
#![allow(
    unsafe_code,
    reason = "the one crate that talks to the kernel directly"
)]

pub mod child;
pub mod clock;
pub mod ethtool;
pub mod limits;
pub mod netns;
pub mod pidfd;
pub mod redirect;
pub mod rtnetlink;
pub mod signal;
pub mod sysfs;
pub mod terminal;
pub mod thread;
pub mod usage;

mod arrival;
mod batch;
mod epoll;
mod frames;
mod options;
mod socket;
mod tap;
mod tcp_info;
mod transfer;
mod wake;

pub use arrival::{Arrival, receive_from, send_from, tell_destinations, udp_for_peer};
pub use batch::{RecvBatch, SendBatch};
pub use epoll::{Epoll, Events, Readiness};
pub use frames::{Frame, FrameTap};
pub use options::{Options, interface_index};
pub use socket::{
    accept, bind, connect, local_address, mptcp_listener, mptcp_socket, reuse_address, reuse_port,
    sctp_listener, sctp_socket, set_blocking, shut, shut_receiving, shut_sending, take_error,
    tcp_listener, tcp_socket, udp_listener, udp_socket, unacknowledged,
};
pub use tap::{Tap, create_tap};
pub use tcp_info::tcp_info;
pub use transfer::{
    Sender, Wait, connect_to, discard, is_no_buffers, memory_file, recv, recv_from, send,
    send_file, send_to,
};
pub use wake::Wake;

/// The answer of a system call that says -1 for failure.
pub(crate) fn check(result: libc::c_int) -> std::io::Result<libc::c_int> {
    if result < 0 {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
