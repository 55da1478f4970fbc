#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drop(fuzz::iperf3_server(data)));
