#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lispwright_properties::lines::holds(data));
