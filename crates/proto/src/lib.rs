//! Wire dialects as state machines without sockets or clock. A session gets bytes, commands and
//! the time, and gives back bytes, actions and its next deadline; the loop around it is the same
//! for every dialect and lives elsewhere.

pub mod iperf2;
pub mod iperf3;
pub mod native;
pub mod netperf;
mod parse;

pub use parse::Parse;
