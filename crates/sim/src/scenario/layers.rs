//! Lays the layers over each other.

use super::blame::blame;
use super::config::Scenario;
use super::error::{ScenarioError, suggestion};
use super::import;
use super::locate::Locator;
use super::overlay::{self, Overlay};
use super::requires;
use super::resolved::Technique;
use super::shipped::{Kind, find};
use super::standards;
use super::tree::{LayerSource, Node, Origin, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

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

impl Sources {
    /// What results call the overlays.
    pub(crate) fn labels(&self) -> impl Iterator<Item = String> {
        self.techniques.iter().map(|(text, _)| overlay::label(text))
    }
}

/// The layers of a scenario, laid over each other.
pub(crate) struct Layers {
    /// All of them.
    root: Node,
    /// The profile alone.
    profile: Node,
    overlays: Vec<Overlay>,
    /// The scenario file.
    file: Arc<LayerSource>,
    /// Where each value stands, by its path.
    places: BTreeMap<String, Origin>,
    /// What is to be remarked of the files that the scenario names.
    pub(crate) remarks: Vec<String>,
}

impl Layers {
    /// Reads profile, file, overlays, settings, and the files that these name; `read` reads a file by its path.
    pub(crate) fn read(sources: &Sources, read: import::Reader<'_>) -> Result<Self, ScenarioError> {
        let source = Arc::new(LayerSource::File(sources.scenario.name.clone()));
        let file = Node::parse(&sources.scenario.text, &source)?;
        let sets = sources.sets.iter().map(|text| setting(text)).collect::<Result<Vec<_>, _>>()?;
        let overlays = sources
            .techniques
            .iter()
            .map(|(text, own)| overlay::load(text, own.as_deref()))
            .collect::<Result<Vec<_>, _>>()?;
        let chosen = sets.iter().rev().find(|(path, _)| path == "profile").map(|(_, node)| node);
        let base = match chosen.or_else(|| file.get("profile")) {
            Some(node) => named_profile(node)?,
            None => profile(&Scenario::default_profile(), &Origin::whole(&source), &mut Vec::new())?,
        };
        let mut root = base.clone();
        let has_own = file.at_path("mac.standard").is_some();
        standards::merge(&mut root, file)?;
        if chosen.is_some() && !has_own {
            // A profile from outside puts its radio in the place of the one whose rates the file has.
            standards::lay(&mut root, base.at_path("mac.standard"), base.at_path("mac.band"))?;
        }
        let of_overlays = |key| overlays.iter().flat_map(|it| &it.settings).find(|(path, _)| path == key);
        let said = |key| of_overlays(key).map(|(_, node)| node);
        standards::lay(&mut root, said("mac.standard"), said("mac.band"))?;
        apply(&mut root, &overlays)?;
        let said = |key| sets.iter().rev().find(|(path, _)| path == key).map(|(_, node)| node);
        standards::lay(&mut root, said("mac.standard"), said("mac.band"))?;
        for (path, node) in sets {
            root.set(&path, node)?;
        }
        let remarks = import::expand(&mut root, read)?;
        standards::lay_beside_dsss(&mut root)?;
        let places = places(&root);
        Ok(Self { root, profile: base, overlays, file: source, places, remarks })
    }

    /// The values as they were settled, if `check` finds nothing wrong with them.
    pub(crate) fn settle(
        &self,
        check: impl Fn(&Scenario, &Locator<'_>) -> Result<(), ScenarioError>,
    ) -> Result<Scenario, ScenarioError> {
        let config = Scenario::read(&self.root)?;
        check(&config, &self.locator()).map_err(|error| {
            blame(&self.root, &self.profile, error, |other| {
                check(&Scenario::read(other)?, &Locator::new(&places(other), &self.file))
            })
        })?;
        Ok(config)
    }

    /// Where each value stands.
    pub(crate) fn locator(&self) -> Locator<'_> {
        Locator::new(&self.places, &self.file)
    }

    /// The techniques, if all of them can act in this scenario.
    pub(crate) fn techniques(&self, config: &Scenario) -> Result<Vec<Technique>, ScenarioError> {
        requires::met(config, &self.overlays, &self.places)?;
        requires::techniques(config, &self.overlays)
    }

    /// Where each value stands, in words.
    pub(crate) fn origins(&self) -> BTreeMap<String, String> {
        self.places.iter().map(|(path, origin)| (path.clone(), origin.to_string())).collect()
    }
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

/// A shipped profile over what its standard brings, and over those that it inherits from.
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
    let mut base = match own.remove("inherits") {
        Some(parent) => profile(parent.text().unwrap_or_default(), &parent.at, below)?,
        None => Node::parse("", &source)?,
    };
    standards::merge(&mut base, own)?;
    Ok(base)
}

/// Lays the overlays over the scenario, those that yield first. Two that want different values for one key contradict
/// each other, unless one yields to the other.
fn apply(root: &mut Node, overlays: &[Overlay]) -> Result<(), ScenarioError> {
    let (yielding, others): (Vec<&Overlay>, Vec<&Overlay>) =
        overlays.iter().partition(|it| it.yields_to_all());
    let (yielding, others) = (settings(&yielding, overlays), settings(&others, overlays));
    disagreement(&yielding).or_else(|| disagreement(&others)).map_or(Ok(()), Err)?;
    // A `kind` clears its section, so it goes before the section's other keys.
    let mut settings = [yielding, others].concat();
    settings.sort_by_key(|setting| !setting.path.ends_with(".kind"));
    settings.into_iter().try_for_each(|setting| root.set(setting.path, setting.node.clone()))
}

/// A value that an overlay sets.
#[derive(Clone, Copy)]
struct Setting<'a> {
    label: &'a str,
    path: &'a str,
    node: &'a Node,
}

/// What some of all overlays set, but for what gives way.
fn settings<'a>(some: &[&'a Overlay], all: &'a [Overlay]) -> Vec<Setting<'a>> {
    let of = |overlay: &'a Overlay| {
        overlay.settings_beside(all).map(|(path, node)| Setting { label: &overlay.label, path, node })
    };
    some.iter().flat_map(|&overlay| of(overlay)).collect()
}

/// The first two overlays that want different values for one key.
fn disagreement(settings: &[Setting<'_>]) -> Option<ScenarioError> {
    let mut settled: BTreeMap<&str, Setting<'_>> = BTreeMap::new();
    settings.iter().find_map(|&setting| {
        let other = settled.insert(setting.path, setting).filter(|other| other.node != setting.node)?;
        Some(contradiction(setting.path, (other.label, other.node), (setting.label, setting.node)))
    })
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
