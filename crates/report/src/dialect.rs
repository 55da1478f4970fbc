//! Other tools' output, from values of their own: what their users' scripts read.

pub mod iperf2;
pub mod iperf3;
pub mod netperf;
