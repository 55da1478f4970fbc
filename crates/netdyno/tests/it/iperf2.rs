//! iperf 2's protocol and output against iperf 2.1.8 itself.

mod output;
