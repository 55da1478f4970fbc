//! iperf 2's protocol and output against iperf 2.1.8 itself.

mod layout;
mod matrix;
mod options;
mod output;
mod peer;
mod raw;
