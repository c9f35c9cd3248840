//! Any text as a scenario file: resolved or refused, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use multihop_sim::resolve;
use multihop_sim::scenario::{Layer, Sources};

fn sources(text: &str) -> Sources {
    let scenario = Layer { name: "fuzz.toml".to_owned(), text: text.to_owned() };
    Sources { scenario, techniques: Vec::new(), sets: Vec::new() }
}

fuzz_target!(|text: &str| {
    match resolve(&sources(text)) {
        Err(refusal) => assert!(!refusal.to_string().is_empty()),
        Ok(resolved) => {
            let Ok(printed) = resolved.to_toml() else { return };
            let again = resolve(&sources(&printed)).unwrap_or_else(|error| panic!("{error}\n{printed}"));
            assert_eq!(again.hash(), resolved.hash(), "{printed}");
        }
    }
});
