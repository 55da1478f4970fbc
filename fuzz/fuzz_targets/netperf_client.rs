#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drop(fuzz::netperf_client(data)));
