//! Other tools' command lines.

pub mod netperf;
