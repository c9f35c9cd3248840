//! The phases of window rules, as the series `path` numbers them, described for Python: `multihop explain`, the
//! glossary.

use multihop_proto::tcp::window::phases;
use serde_json::{Value, json};

/// The phases of each rule, by its name in scenarios, as one JSON object.
#[must_use]
pub fn described() -> String {
    let rules = phases().map(|(window, phases)| {
        let phases: Vec<Value> = phases
            .iter()
            .map(|it| json!({ "name": it.name, "meaning": it.meaning, "begins": it.begins }))
            .collect();
        json!({ "window": window, "phases": phases })
    });
    json!(rules).to_string()
}
