//! From trees to typed configuration, with errors that know their place.

use super::channels::ChannelsConfig;
use super::error::{ScenarioError, nearest, suggestion};
use super::group::NodeConfig;
use super::layout::TopologyConfig;
use super::standards;
use super::tree::{Node, Origin, Value};
use super::words::absent;
use crate::mobility::MobilityConfig;
use crate::overrides::Override;
use crate::traffic::config::FlowConfig;
use multihop_proto::mac::config::MacConfig;
use serde::Serialize;
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::fmt;

/// A section that serde reads without help; its default if the file has none.
pub(super) fn section<T: DeserializeOwned + Default>(root: &Node, name: &str) -> Result<T, ScenarioError> {
    root.get(name).map_or_else(|| Ok(T::default()), |node| typed(node, name))
}

/// The profile of a file that names none.
pub(super) fn default_profile() -> String {
    "ns2".to_owned()
}

/// The profile's name.
pub(super) fn profile(root: &Node, name: &str) -> Result<String, ScenarioError> {
    Ok(section::<Option<String>>(root, name)?.unwrap_or_else(default_profile))
}

/// Medium access, by its kind.
pub(super) fn mac(root: &Node, name: &str) -> Result<MacConfig, ScenarioError> {
    root.get(name).map_or_else(|| Ok(MacConfig::default()), |node| mac_at(node, name))
}

fn mac_at(node: &Node, path: &str) -> Result<MacConfig, ScenarioError> {
    let (_, rest) = kind(node, path, &["dcf"], Some("dcf"))?;
    Ok(MacConfig::Dcf(typed(&rest, path)?))
}

/// How nodes move, by the kind of the model.
pub(super) fn mobility(root: &Node, name: &str) -> Result<Option<MobilityConfig>, ScenarioError> {
    root.get(name).map(|node| mobility_at(node, name)).transpose()
}

fn mobility_at(node: &Node, path: &str) -> Result<MobilityConfig, ScenarioError> {
    let (kind, rest) = kind(node, path, MobilityConfig::KINDS, None)?;
    Ok(match kind {
        "random-waypoint" => MobilityConfig::RandomWaypoint(typed(&rest, path)?),
        "random-walk" => MobilityConfig::RandomWalk(typed(&rest, path)?),
        "gauss-markov" => MobilityConfig::GaussMarkov(typed(&rest, path)?),
        _ => MobilityConfig::Static(typed(&rest, path)?),
    })
}

/// The flows, each with its own TCP and shim.
pub(super) fn flows(root: &Node, name: &str) -> Result<Vec<FlowConfig>, ScenarioError> {
    let mut flows: Vec<FlowConfig> = section(root, name)?;
    for (index, flow) in flows.iter_mut().enumerate() {
        flow.tcp = own(root, &format!("{name}.{index}"), "tcp", (as_said, typed))?;
        flow.shim = own(root, &format!("{name}.{index}"), "shim", (as_said, typed))?;
    }
    Ok(flows)
}

/// The groups of nodes, each with its own medium access, queue and motion.
pub(super) fn nodes(root: &Node, name: &str) -> Result<Vec<NodeConfig>, ScenarioError> {
    let mut nodes: Vec<NodeConfig> = section(root, name)?;
    for (index, node) in nodes.iter_mut().enumerate() {
        let place = format!("{name}.{index}");
        node.mac = own(root, &place, "mac", (standards::lay_older, mac_at))?;
        node.queue = own(root, &place, "queue", (as_said, typed))?;
        let said = root.at_path(&place).and_then(|node| node.get("mobility"));
        node.mobility = said.map(|said| mobility_at(said, &format!("{place}.mobility"))).transpose()?;
    }
    Ok(nodes)
}

/// What is laid over a section before what was said of it.
type Lay = fn(&mut Node, &Node) -> Result<(), ScenarioError>;

/// Reads a section, or what is of some nodes or one flow.
type Read<T> = fn(&Node, &str) -> Result<T, ScenarioError>;

/// Nothing is.
fn as_said(_: &mut Node, _: &Node) -> Result<(), ScenarioError> {
    Ok(())
}

/// What a list element at the dotted path `place` says of a section, laid over what the section says.
fn own<T: Serialize>(
    root: &Node,
    place: &str,
    section: &str,
    (lay, read): (Lay, Read<T>),
) -> Result<Option<Override<T>>, ScenarioError> {
    let Some(said) = root.at_path(place).and_then(|node| node.get(section)) else { return Ok(None) };
    let mut whole = root.get(section).cloned().unwrap_or_else(|| Node::empty(&said.at.source));
    lay(&mut whole, said)?;
    whole.merge(said.clone());
    let settled = read(&whole, &format!("{place}.{section}"))?;
    Ok(Some(Override::new(settled, said.table().into_iter().flatten().map(|(key, _)| key.as_str()))))
}

/// The plan of channels: one that names no plan is told which there are.
pub(super) fn channels(root: &Node, name: &str) -> Result<Option<ChannelsConfig>, ScenarioError> {
    let missing = |error: &ScenarioError| error.message.ends_with("is missing");
    section(root, name).map_err(|error: ScenarioError| match error.key.as_deref() {
        Some("channels.plan") if missing(&error) => error.help("say \"alternate\", \"by-link\" or \"all\""),
        Some("channels.list") if missing(&error) => error.help("name some channels, like list = [36, 149]"),
        _ => error,
    })
}

/// The topology, by its kind.
pub(super) fn topology(root: &Node, name: &str) -> Result<TopologyConfig, ScenarioError> {
    let Some(node) = root.get(name) else {
        return Err(ScenarioError::at(&root.at, "there is no [topology]")
            .key(name)
            .help("say where the nodes are, like kind = \"chain\", hops = 7, spacing = \"200 m\""));
    };
    let (kind, rest) = kind(node, name, TopologyConfig::KINDS, None)?;
    let read = match kind {
        "chain" => typed(&rest, name).map(TopologyConfig::Chain),
        "cross" => typed(&rest, name).map(TopologyConfig::Cross),
        "grid" => typed(&rest, name).map(TopologyConfig::Grid),
        "star" => typed(&rest, name).map(TopologyConfig::Star),
        "random" => typed(&rest, name).map(TopologyConfig::Random),
        "links" => typed(&rest, name).map(TopologyConfig::Links),
        _ => typed(&rest, name).map(TopologyConfig::Explicit),
    };
    let replaced = node.get("kind").is_some_and(|kind| kind.at.source != node.at.source);
    read.map_err(|error| match error.help {
        None if replaced => {
            error.help("another `kind` leaves out all keys of the one before: set those it needs as well")
        }
        _ => error,
    })
}

/// Refuses what is no section.
pub(super) fn only(root: &Node, known: &[&'static str]) -> Result<(), ScenarioError> {
    let stranger = root.table().into_iter().flatten().find(|(key, _)| !known.contains(&key.as_str()));
    stranger.map_or(Ok(()), |(key, node)| {
        Err(ScenarioError::at(&node.key_at, format!("unknown key `{key}`")).key(key).unknown(key, known))
    })
}

/// Splits a tagged section into its kind and the rest.
fn kind<'a>(
    node: &Node,
    section: &str,
    kinds: &[&'a str],
    default: Option<&'a str>,
) -> Result<(&'a str, Node), ScenarioError> {
    let mut rest = node.clone();
    let key = format!("{section}.kind");
    if rest.table().is_none() {
        return Err(
            ScenarioError::at(&node.at, format!("`{section}` is {node}; expected a table")).key(section)
        );
    }
    let Some(found) = rest.remove("kind") else {
        let missing = || ScenarioError::at(&node.at, format!("`{key}` is missing")).key(&key);
        return default
            .map(|kind| (kind, rest))
            .ok_or_else(|| missing().help(format!("known: {}", kinds.join(", "))));
    };
    match kinds.iter().find(|&&kind| found.text() == Some(kind)) {
        Some(kind) => Ok((kind, rest)),
        None => Err(ScenarioError::at(&found.at, format!("`{key}` is {found}, which is no known kind"))
            .key(key)
            .help(suggestion(found.text().unwrap_or_default(), kinds))),
    }
}

/// Reads a subtree that stands at the dotted path `section`.
pub(super) fn typed<T: DeserializeOwned>(node: &Node, section: &str) -> Result<T, ScenarioError> {
    T::deserialize(Reader(node)).map_err(|error| error.located(node, section))
}

/// A subtree as serde sees it.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a Node);

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.0.value {
            Value::Text(text) => visitor.visit_str(text),
            Value::Whole(number) => visitor.visit_i64(*number),
            Value::Real(number) => visitor.visit_f64(*number),
            Value::Flag(flag) => visitor.visit_bool(*flag),
            Value::List(list) => visitor.visit_seq(Items { list, next: 0 }),
            Value::Table(table) => visitor.visit_map(Entries { rest: table.iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match &self.0.value {
            Value::Text(text) => {
                // `40MHz` is `40 MHz`, as with quantities.
                let joined = |it: &str| it.replace(' ', "");
                let spaced = variants.iter().find(|it| it.contains(' ') && joined(it) == joined(text));
                let text = spaced.map_or(text.as_str(), |it| *it);
                visitor.visit_enum(IntoDeserializer::<Fault>::into_deserializer(text))
            }
            _ => Err(de::Error::custom(format!("expected one of {}; got {}", quoted(variants), self.0))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'a> {
    list: &'a [Node],
    next: usize,
}

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(node) = self.list.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        seed.deserialize(Reader(node)).map(Some).map_err(|fault| fault.inside(&index.to_string(), &node.at))
    }
}

struct Entries<'a> {
    rest: std::collections::btree_map::Iter<'a, String, Node>,
    value: Option<(&'a str, &'a Node)>,
}

impl<'de> de::MapAccess<'de> for Entries<'_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let Some((key, node)) = self.rest.next() else { return Ok(None) };
        self.value = Some((key, node));
        let name: StrDeserializer<'_, Fault> = key.as_str().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|fault| fault.inside(key, &node.key_at))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let (key, node) =
            self.value.take().ok_or_else(|| de::Error::custom("a value was asked for before its key"))?;
        seed.deserialize(Reader(node)).map_err(|fault| fault.inside(key, &node.at))
    }
}

/// What serde found wrong, with the way to it.
#[derive(Debug)]
struct Fault {
    what: What,
    /// Keys from the inside out.
    path: Vec<String>,
    at: Option<Origin>,
}

#[derive(Debug)]
enum What {
    UnknownKey { key: String, known: &'static [&'static str] },
    UnknownValue { value: String, known: &'static [&'static str] },
    Missing(&'static str),
    Other(String),
}

impl Fault {
    fn new(what: What) -> Self {
        Self { what, path: Vec::new(), at: None }
    }

    fn inside(mut self, key: &str, at: &Origin) -> Self {
        self.path.push(key.to_owned());
        self.at.get_or_insert_with(|| at.clone());
        self
    }

    fn located(self, root: &Node, section: &str) -> ScenarioError {
        let mut path: Vec<_> = if section.is_empty() { Vec::new() } else { vec![section.to_owned()] };
        path.extend(self.path.into_iter().rev());
        if let What::Missing(name) = self.what {
            path.push(name.to_owned());
        }
        let path = path.join(".");
        let at = self.at.unwrap_or_else(|| root.at.clone());
        let error = |message| ScenarioError::at(&at, message).key(&path);
        match self.what {
            What::UnknownKey { key, known } => error(format!("unknown key `{path}`")).unknown(key, known),
            What::UnknownValue { value, known } => {
                let help = match (absent(&value), nearest(&value, known.iter().copied())) {
                    ("", Some(name)) if is_plain(known) => format!("did you mean \"{name}\"?"),
                    ("", Some(name)) => {
                        format!("did you mean \"{name}\"? There are {}", quoted(known))
                    }
                    ("", None) => format!("expected one of {}", quoted(known)),
                    (note, _) => format!("expected one of {}; {note}", quoted(known)),
                };
                error(format!("`{path}` has no value \"{value}\"")).help(help)
            }
            What::Missing(_) => error(format!("`{path}` is missing")),
            What::Other(message) => error(format!("`{path}`: {message}")),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.what)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(What::Other(message.to_string()))
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(format!("expected {}, got {}", human(&expected.to_string()), shown(found)))
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(value: &str, known: &'static [&'static str]) -> Self {
        Self::new(What::UnknownValue { value: value.to_owned(), known })
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Self::new(What::UnknownKey { key: key.to_owned(), known })
    }

    fn missing_field(name: &'static str) -> Self {
        Self::new(What::Missing(name))
    }
}

/// Whether values are words: a mistyped one is easily told. A number that is none of the values may mean any of them.
fn is_plain(known: &[&str]) -> bool {
    known.iter().all(|it| !it.contains(|c: char| c.is_ascii_digit()))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// Rust's names for types mean nothing to the reader of a scenario.
fn human(expected: &str) -> String {
    match expected {
        "u8" => "a whole number from 0 to 255".to_owned(),
        "u16" => "a whole number from 0 to 65535".to_owned(),
        "u32" => "a whole number from 0 to 4294967295".to_owned(),
        "u64" => "a whole number, 0 or more".to_owned(),
        "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text in quotes".to_owned(),
        "a sequence" => "a list".to_owned(),
        other if other.starts_with("struct ") || other == "a map" => "a table".to_owned(),
        other => other.to_owned(),
    }
}

fn shown(found: de::Unexpected<'_>) -> String {
    match found {
        de::Unexpected::Signed(number) => number.to_string(),
        de::Unexpected::Unsigned(number) => number.to_string(),
        de::Unexpected::Float(number) => number.to_string(),
        de::Unexpected::Str(text) => format!("{text:?}"),
        de::Unexpected::Bool(flag) => flag.to_string(),
        de::Unexpected::Seq => "a list".to_owned(),
        de::Unexpected::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}
