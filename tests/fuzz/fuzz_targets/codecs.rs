//! Any bytes as messages of AODV and headers of DSR: refused, or read into what is written the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use multihop_proto::routing::{aodv, dsr};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(message) = aodv::parse(bytes) {
        assert_eq!(aodv::parse(&aodv::emit(&message)), Ok(message));
    }
    if let Ok(header) = dsr::Header::parse(bytes) {
        let again = header.emit();
        assert_eq!(dsr::Header::parse(&again).expect("what is written can be read"), header);
    }
});
