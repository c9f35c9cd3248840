//! What techniques need to act, and the counters that tell how often they did.

use super::error::suggestion;
use super::overlay::Overlay;
use super::resolved::{Technique, flatten};
use super::shipped::{Kind, shipped};
use super::tree::{Node, Origin, Value};
use super::{Scenario, ScenarioError};
use std::collections::BTreeMap;

/// The section of the slotted link; as a key of `[requires]` it stands for that link.
const SLOTTED: &str = "frn";

/// Refuses a technique whose conditions the scenario does not meet: it could not act.
pub(super) fn met(
    config: &Scenario,
    overlays: &[Overlay],
    places: &BTreeMap<String, Origin>,
    slotted: bool,
) -> Result<(), ScenarioError> {
    if config.frn.is_some() {
        overlays.iter().try_for_each(without_queue)?;
    }
    if overlays.iter().all(|overlay| overlay.requires.is_empty()) {
        return Ok(());
    }
    let values: BTreeMap<_, _> = flatten(config).into_iter().collect();
    for overlay in overlays {
        for (path, wanted) in &overlay.requires {
            if path == SLOTTED {
                needs_slots(overlay, wanted, slotted)?;
                continue;
            }
            let value = values.get(path);
            let accepted = match &wanted.value {
                Value::List(list) => list.iter().any(|one| same(one, value)),
                _ => same(wanted, value),
            };
            if !accepted {
                let from = places.get(path).map_or_else(|| "default".to_owned(), Origin::to_string);
                let found = value.map_or_else(|| "not set".to_owned(), |value| format!("{value} ({from})"));
                return Err(ScenarioError::at(
                    &wanted.at,
                    format!(
                        "technique `{}` cannot act: it needs `{path}` = {}, which is {found}",
                        overlay.label,
                        listed(wanted)
                    ),
                )
                .key(path)
                .help(way_out(path, wanted, &overlay.label)));
            }
        }
    }
    Ok(())
}

/// Refuses a technique of the slotted link where there is none.
fn needs_slots(overlay: &Overlay, wanted: &Node, slotted: bool) -> Result<(), ScenarioError> {
    if slotted {
        return Ok(());
    }
    let label = &overlay.label;
    let message = format!("technique `{label}` cannot act: it needs the slotted link of `[frn]`");
    Err(ScenarioError::at(&wanted.at, message)
        .key(SLOTTED)
        .help(format!("use `-t frn+{label}`, or give the scenario a section [frn]")))
}

/// Whether somebody else than the techniques of the slotted link asks for it: their own keys would make its section.
pub(super) fn has_link(root: &Node, overlays: &[Overlay], sets: &[(String, Node)]) -> bool {
    let of = |path: &str| path.split('.').next() == Some(SLOTTED);
    let needs = |it: &&Overlay| it.requires.iter().any(|(path, _)| path == SLOTTED);
    let other = overlays.iter().filter(|it| !needs(it)).flat_map(|it| &it.settings);
    root.get(SLOTTED).is_some() || other.chain(sets).any(|(path, _)| of(path))
}

/// Refuses a technique that sets something in interface queue or MAC where the slotted link stands in their place.
fn without_queue(overlay: &Overlay) -> Result<(), ScenarioError> {
    let below = |path: &str| path.starts_with("queue.") || path.starts_with("mac.");
    let Some((path, node)) = overlay.settings.iter().find(|(path, _)| below(path)) else { return Ok(()) };
    let message = format!(
        "technique `{}` cannot act: it sets `{path}`, and `frn` has taken the place of interface queue and MAC",
        overlay.label
    );
    Err(ScenarioError::at(&node.at, message).key(path).help("leave it or the slotted link of `[frn]` out"))
}

/// How to meet a condition: with the technique that is named as what it wants (which may be the one that wants it, with
/// something set over it), or in the scenario.
fn way_out(path: &str, wanted: &Node, label: &str) -> String {
    let names = shipped(Kind::Techniques);
    match wanted.text().filter(|text| names.iter().any(|(name, _)| name == text)) {
        Some(name) if label.split(':').next() == Some(name) => format!("leave `{path}` to it"),
        Some(name) => format!("use `-t {name}+{label}`, or set `{path}` in the scenario"),
        None => format!("set `{path}` in the scenario"),
    }
}

/// The techniques with their counters, which the machines of this scenario must have.
pub(super) fn techniques(config: &Scenario, overlays: &[Overlay]) -> Result<Vec<Technique>, ScenarioError> {
    let known = config.parts().counter_names();
    let technique = |overlay: &Overlay| match &overlay.counter {
        Some(counter) => match counter.text() {
            Some(name) if known.contains(&name) => {
                Ok(Technique { name: overlay.label.clone(), counter: Some(name.to_owned()) })
            }
            name => {
                Err(ScenarioError::at(&counter.at, format!("no machine of this scenario counts {counter}"))
                    .key("counter")
                    .help(suggestion(name.unwrap_or_default(), &known)))
            }
        },
        None => Ok(Technique { name: overlay.label.clone(), counter: None }),
    };
    overlays.iter().map(technique).collect()
}

fn same(wanted: &Node, value: Option<&serde_json::Value>) -> bool {
    match (&wanted.value, value) {
        (Value::Text(a), Some(serde_json::Value::String(b))) => a == b,
        (Value::Flag(a), Some(serde_json::Value::Bool(b))) => a == b,
        (Value::Whole(a), Some(serde_json::Value::Number(b))) => b.as_f64() == Some(*a as f64),
        (Value::Real(a), Some(serde_json::Value::Number(b))) => b.as_f64() == Some(*a),
        _ => false,
    }
}

fn listed(wanted: &Node) -> String {
    match &wanted.value {
        Value::List(list) => list.iter().map(Node::to_string).collect::<Vec<_>>().join(" or "),
        _ => wanted.to_string(),
    }
}
