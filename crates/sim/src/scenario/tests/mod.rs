//! Scenarios from text to resolved values, and every way in which they can be wrong.

mod agents;
mod errors;
mod layers;
mod own;
mod properties;
mod shipped_files;
mod topologies;

use super::{Layer, Resolved, ScenarioError, Sources};
use crate::resolve;

/// The smallest scenario.
const MINIMAL: &str = "topology = { kind = \"chain\", hops = 2 }\n";

fn sources(text: &str) -> Sources {
    Sources {
        scenario: Layer { name: "my.toml".into(), text: text.into() },
        techniques: Vec::new(),
        sets: Vec::new(),
    }
}

fn resolved(text: &str) -> Result<Resolved, ScenarioError> {
    resolve(&sources(text))
}

/// Resolves a scenario that must be right.
#[track_caller]
fn good(sources: &Sources) -> Resolved {
    resolve(sources).unwrap_or_else(|error| panic!("{error}"))
}

/// The message about a scenario that must be wrong.
#[track_caller]
fn complaint(sources: &Sources) -> String {
    match resolve(sources) {
        Ok(_) => panic!("resolved, but should not"),
        Err(error) => error.to_string(),
    }
}
