//! What techniques need to act, and the counters that tell how often they did.

use super::config::Scenario;
use super::error::{ScenarioError, suggestion};
use super::overlay::Overlay;
use super::resolved::{Technique, flatten};
use super::shipped::{Kind, shipped};
use super::tree::{Node, Origin, Value};
use multihop_proto::link::LinkKind;
use std::collections::BTreeMap;

/// Refuses a technique whose conditions the scenario does not meet: it could not act.
pub(super) fn met(
    config: &Scenario,
    overlays: &[Overlay],
    places: &BTreeMap<String, Origin>,
) -> Result<(), ScenarioError> {
    let asked = overlays.iter().any(|overlay| !overlay.requires.is_empty());
    let values: BTreeMap<_, _> = if asked { flatten(config).into_iter().collect() } else { BTreeMap::new() };
    for overlay in overlays {
        for (path, wanted) in &overlay.requires {
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
        of_this_link(config, overlay)?;
    }
    Ok(())
}

/// Refuses a technique that sets something of a link that the nodes do not have.
fn of_this_link(config: &Scenario, overlay: &Overlay) -> Result<(), ScenarioError> {
    let here = config.link.kind;
    for other in LinkKind::ALL.into_iter().filter(|&kind| kind != here) {
        let below = |path: &str| other.sections().iter().any(|it| path.split('.').next() == Some(it));
        let Some((path, node)) = overlay.settings.iter().find(|(path, _)| below(path)) else { continue };
        let message = format!(
            "technique `{}` cannot act: it sets `{path}`, which a link of kind \"{}\" does not have",
            overlay.label,
            here.name()
        );
        let help = format!("leave it out, or set link.kind = \"{}\"", other.name());
        return Err(ScenarioError::at(&node.at, message).key(path).help(help));
    }
    Ok(())
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
