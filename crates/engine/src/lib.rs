//! Runs a plan: workers, flows, pacing, and the control connection of both ends.

mod answering;
mod arrivals;
mod buffer;
pub mod client;
mod closing;
mod control;
mod course;
mod crew;
mod flow;
mod histogram;
mod inbox;
pub mod iperf2;
pub mod iperf3;
mod many;
mod mark;
pub mod netperf;
mod opener;
mod options;
mod orders;
mod pacer;
mod published;
mod role;
pub mod server;
mod squad;
mod tally;
mod timeline;
mod worker;
