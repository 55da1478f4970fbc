#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::iperf2_reply(data));
