//! netperf's protocol at work: both ends of its control connections, and its data.
//!
//! The data goes through the same flows and workers as that of a plan. What netperf's datagrams
//! and connections do differently has flows of its own: they carry no header, and it is an empty
//! datagram or a closed connection that ends a test.

pub mod client;
mod cpu;
mod payload;
pub mod server;
mod socket;

pub use cpu::Cpu;
