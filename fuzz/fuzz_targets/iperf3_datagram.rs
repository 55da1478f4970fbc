#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::iperf3_datagram(data));
