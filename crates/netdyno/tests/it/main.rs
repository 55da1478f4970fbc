//! The program as its users drive it: processes, sockets, signals, files, the kernel's counters.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod client;
mod differences;
mod document;
mod forwarder;
mod hosts;
mod machine;
mod process;
mod server;
mod store;
mod stranger;

mod cleanup;
mod compare;
mod explain;
mod faults;
mod idle;
mod iperf2;
mod iperf3;
mod keeping;
mod kinds;
mod lab;
mod limits;
mod local;
mod many;
mod netperf;
mod observe;
mod port;
mod rate;
mod reporter;
mod series;
mod slips;
mod strangers;
mod timing;
mod truth;
