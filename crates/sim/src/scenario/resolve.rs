//! Lays the layers over each other and settles every value.

use super::blame::blame;
use super::error::suggestion;
use super::import;
use super::overlay::{self, Overlay};
use super::resolved::{Resolved, Technique, flatten, windows};
use super::shipped::{Kind, find, shipped};
use super::tree::{LayerSource, Node, Origin, Value};
use super::{
    Scenario, ScenarioError, agent, event, flows, group, idle, moving, names, noise, topology, unused,
    validate,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The section of the slotted link; as a key of `[requires]` it stands for that link.
const SLOTTED: &str = "frn";

/// The scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// What messages call it, usually its path.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// Everything that a scenario is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// The scenario file.
    pub scenario: Layer,
    /// Overlays: what the user wrote (`drr`, `small-window:8`, `mine.toml`), and the content of a file of the
    /// user's own (`None`: the shipped one of that name).
    pub techniques: Vec<(String, Option<String>)>,
    /// Settings as written after `--set`: `tcp.max-window=8`.
    pub sets: Vec<String>,
}

/// Resolves a scenario that names no other files.
///
/// # Errors
/// As of [`resolve_with`], and if the scenario names a file.
pub fn resolve(sources: &Sources) -> Result<Resolved, ScenarioError> {
    resolve_with(sources, &|_| Err("there are no files here".to_owned()))
}

/// Resolves a scenario: profile, file, overlays, settings, the files that these name, then validation and the places
/// of the nodes. `read` reads a file by its path.
///
/// # Errors
/// The first thing wrong, with its place and what was expected.
pub fn resolve_with(sources: &Sources, read: import::Reader<'_>) -> Result<Resolved, ScenarioError> {
    let source = Arc::new(LayerSource::File(sources.scenario.name.clone()));
    let file = Node::parse(&sources.scenario.text, &source)?;
    let sets = sources.sets.iter().map(|text| setting(text)).collect::<Result<Vec<_>, _>>()?;
    let overlays = sources
        .techniques
        .iter()
        .map(|(text, own)| overlay::load(text, own.as_deref()))
        .collect::<Result<Vec<_>, _>>()?;

    names::files(&sources.scenario, overlays.iter().map(|it| it.label.as_str()))?;
    let chosen = sets.iter().rev().find(|(path, _)| path == "profile").map(|(_, node)| node);
    let mut root = match chosen.or_else(|| file.get("profile")) {
        Some(node) => named_profile(node)?,
        None => profile(&Scenario::default_profile(), &Origin::whole(&source), &mut Vec::new())?,
    };
    let base = root.clone();
    root.merge(file);
    let slotted = has_slotted_link(&root, &overlays, &sets);
    apply(&mut root, &overlays)?;
    for (path, node) in sets {
        root.set(&path, node)?;
    }
    let mut warnings = import::expand(&mut root, read)?;
    let places = places(&root);
    let check = validate::Check::new(&places, &source);
    let config = Scenario::read(&root)?;
    validate::scenario(&config, &check).map_err(|error| {
        blame(&root, &base, error, |other| {
            validate::scenario(&Scenario::read(other)?, &validate::Check::new(&self::places(other), &source))
        })
    })?;
    let mut nodes = topology::place(&config, &check)?;
    group::assign(&config, &mut nodes, &check)?;
    moving::check(&config, &nodes, &check)?;
    let flows = flows::flows(&config, &nodes, &check)?;
    let agents = agent::agents(&config, &nodes, &flows, &check)?;
    let events = event::schedule(&config, &nodes, &check)?;
    validate::length(config.run.duration, nodes.len(), flows.len(), &check)?;
    required(&config, &overlays, &places, slotted)?;
    let techniques = techniques(&config, overlays)?;
    warnings.extend(topology::warnings(&config, &nodes));
    warnings.extend(flows::warnings(&config, &nodes, &flows));
    warnings.extend(idle::replaced(&config, &check));
    warnings.extend(idle::uncombined(&config, &flows, &check));
    warnings.extend(unused::warnings(&config, &check));
    let longest = flows.iter().map(|flow| flows::longest_packet(&config, &flow.config, flow.transport)).max();
    warnings.extend(longest.and_then(|longest| noise::gains_nothing(&config, longest, &check)));
    warnings.extend(idle::warnings(&config, &nodes, &check));
    let origins = places.into_iter().map(|(path, origin)| (path, origin.to_string())).collect();
    let windows = windows(&config);
    Ok(Resolved { config, nodes, flows, agents, events, windows, techniques, origins, warnings })
}

/// Where each value stands, by its path.
fn places(root: &Node) -> BTreeMap<String, Origin> {
    let mut places = BTreeMap::new();
    root.visit("", &mut |path, node| drop(places.insert(path.to_owned(), node.at.clone())));
    places
}

/// `path=value`; what is no TOML value is taken as text, so that shells need no second quotes.
fn setting(text: &str) -> Result<(String, Node), ScenarioError> {
    let source = Arc::new(LayerSource::Set(text.to_owned()));
    let well_formed = text.split_once('=').map(|(path, value)| (path.trim(), value.trim()));
    match well_formed {
        Some((path, value)) if !path.is_empty() && path.split('.').all(|part| !part.is_empty()) => {
            let plain = || Node::new(Value::Text(value.to_owned()), Origin::whole(&source));
            Ok((path.to_owned(), Node::parse_value(value, &source).unwrap_or_else(plain)))
        }
        _ => Err(ScenarioError::of(format!("--set {text}"), "expected path=value, like tcp.max-window=8")),
    }
}

fn named_profile(node: &Node) -> Result<Node, ScenarioError> {
    match node.text() {
        Some(name) => profile(name, &node.at, &mut Vec::new()),
        None => Err(ScenarioError::at(&node.at, format!("`profile` is {node}; expected its name in quotes"))
            .key("profile")),
    }
}

/// A shipped profile over those that it inherits from.
fn profile(name: &str, from: &Origin, below: &mut Vec<String>) -> Result<Node, ScenarioError> {
    let text = find(Kind::Profiles, name).map_err(|known| {
        ScenarioError::at(from, format!("there is no profile `{name}`"))
            .key("profile")
            .help(suggestion(name, &known))
    })?;
    if below.iter().any(|other| other == name) {
        return Err(ScenarioError::at(from, format!("profile `{name}` inherits from itself")));
    }
    below.push(name.to_owned());
    let source = Arc::new(LayerSource::Profile(name.to_owned()));
    let mut own = Node::parse(text, &source)?;
    own.remove("summary");
    let Some(parent) = own.remove("inherits") else { return Ok(own) };
    let mut base = profile(parent.text().unwrap_or_default(), &parent.at, below)?;
    base.merge(own);
    Ok(base)
}

/// Lays the overlays over the scenario. Two that want different values for one key contradict each other.
fn apply(root: &mut Node, overlays: &[Overlay]) -> Result<(), ScenarioError> {
    let mut settled: BTreeMap<&str, (&Node, &str)> = BTreeMap::new();
    for overlay in overlays {
        for (path, node) in &overlay.settings {
            if let Some((other, label)) =
                settled.insert(path, (node, &overlay.label)).filter(|(it, _)| *it != node)
            {
                return Err(contradiction(path, (label, other), (&overlay.label, node)));
            }
        }
    }
    // A `kind` clears its section, so it goes before the section's other keys.
    let mut settings: Vec<_> = overlays.iter().flat_map(|overlay| &overlay.settings).collect();
    settings.sort_by_key(|(path, _)| !path.ends_with(".kind"));
    settings.into_iter().try_for_each(|(path, node)| root.set(path, node.clone()))
}

/// Two techniques, by their labels, want different values for one key.
fn contradiction(path: &str, (one, value): (&str, &Node), (other, node): (&str, &Node)) -> ScenarioError {
    let (how, help) = match &node.value {
        Value::List(_) => (
            format!("each has a list `{path}` of its own"),
            "use one of them, or write into the scenario what is to be in the list",
        ),
        _ => (
            format!("the one sets `{path}` to {value}, the other to {node}"),
            "use one of them, or an overlay of your own that says which value holds",
        ),
    };
    let message = format!("techniques `{one}` and `{other}` contradict each other: {how}");
    ScenarioError::at(&node.at, message).key(path).help(help)
}

/// Refuses a technique whose conditions the scenario does not meet: it could not act.
fn required(
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
fn has_slotted_link(root: &Node, overlays: &[Overlay], sets: &[(String, Node)]) -> bool {
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
fn techniques(config: &Scenario, overlays: Vec<Overlay>) -> Result<Vec<Technique>, ScenarioError> {
    let known = config.parts().counter_names();
    let technique = |overlay: Overlay| match overlay.counter {
        Some(counter) => match counter.text() {
            Some(name) if known.contains(&name) => {
                Ok(Technique { name: overlay.label, counter: Some(name.to_owned()) })
            }
            name => {
                Err(ScenarioError::at(&counter.at, format!("no machine of this scenario counts {counter}"))
                    .key("counter")
                    .help(suggestion(name.unwrap_or_default(), &known)))
            }
        },
        None => Ok(Technique { name: overlay.label, counter: None }),
    };
    overlays.into_iter().map(technique).collect()
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
