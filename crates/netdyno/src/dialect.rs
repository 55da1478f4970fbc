//! Other tools' command lines.

mod getopt_long;
pub mod iperf2;
pub mod iperf3;
pub mod netperf;
