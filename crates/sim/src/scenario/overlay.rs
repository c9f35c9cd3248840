//! Technique overlays: what `drr`, `small-window:8` or `my-overlay.toml:gain=2` set and require.

use super::error::{ScenarioError, suggestion};
use super::read::typed;
use super::shipped::{Kind, find};
use super::tree::{LayerSource, Node, Origin, Value};
use super::words::absent;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An overlay with its parameters put in.
pub(super) struct Overlay {
    /// As results call it: the name with the parameters given.
    pub(super) label: String,
    /// Values to set, by dotted path.
    pub(super) settings: Vec<(String, Node)>,
    /// Values that the resolved scenario must have: one, or one of a list.
    pub(super) requires: Vec<(String, Node)>,
    /// Before which other techniques its values give way where both set one key.
    pub(super) yields: Yields,
    /// Counter of the engine that tells how often the technique acted.
    pub(super) counter: Option<Node>,
}

/// Before which other techniques an overlay gives way.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "expected true, false or a list of techniques in quotes")]
pub(super) enum Yields {
    /// Before all of them, or before none.
    All(bool),
    /// Before these, by name.
    To(Vec<String>),
}

impl Default for Yields {
    fn default() -> Self {
        Self::All(false)
    }
}

/// The keys of an overlay file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    #[serde(rename = "summary")]
    _summary: String,
    #[serde(rename = "source")]
    _source: Option<String>,
    #[serde(default)]
    parameters: BTreeMap<String, Parameter>,
    #[serde(rename = "set")]
    _set: Option<BTreeMap<String, IgnoredAny>>,
    #[serde(rename = "requires")]
    _requires: Option<BTreeMap<String, IgnoredAny>>,
    #[serde(default)]
    yields: Yields,
    #[serde(rename = "counter")]
    _counter: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameter {
    #[serde(rename = "default")]
    _default: IgnoredAny,
    #[serde(rename = "help")]
    _help: String,
    /// Whether a value without a name is meant for this one of several.
    #[serde(default)]
    unnamed: bool,
}

impl Overlay {
    /// The name without parameters.
    fn name(&self) -> &str {
        Spec::read(&self.label).name
    }

    /// Whether it gives way before all others.
    pub(super) fn yields_to_all(&self) -> bool {
        self.yields == Yields::All(true)
    }

    /// What it sets, but for the keys with which it gives way before one of these.
    pub(super) fn settings_beside<'a>(
        &'a self,
        others: &'a [Overlay],
    ) -> impl Iterator<Item = &'a (String, Node)> {
        let named: Vec<&Overlay> = match &self.yields {
            Yields::To(names) => {
                others.iter().filter(|it| names.iter().any(|name| name == it.name())).collect()
            }
            Yields::All(_) => Vec::new(),
        };
        self.settings
            .iter()
            .filter(move |(path, _)| !named.iter().any(|it| it.settings.iter().any(|(set, _)| set == path)))
    }
}

/// `name:a=1,b=2` or `file.toml:8`, taken apart.
struct Spec<'a> {
    name: &'a str,
    arguments: Vec<(Option<&'a str>, &'a str)>,
}

impl<'a> Spec<'a> {
    fn read(text: &'a str) -> Self {
        // A path may hold colons of its own, so look behind `.toml` first.
        let split = match text.find(".toml:") {
            Some(at) => Some((&text[..at + 5], &text[at + 6..])),
            None if text.ends_with(".toml") => None,
            None => text.split_once(':'),
        };
        let (name, arguments) = split.unwrap_or((text, ""));
        let argument = |part: &'a str| match part.split_once('=') {
            Some((key, value)) => (Some(key.trim()), value.trim()),
            None => (None, part.trim()),
        };
        Self {
            name,
            arguments: arguments.split(',').filter(|part| !part.trim().is_empty()).map(argument).collect(),
        }
    }

    /// The name without folders and extension, with the arguments as written.
    fn label(&self, text: &str) -> String {
        let stem = self.name.rsplit(['/', '\\']).next().unwrap_or(self.name);
        let stem = stem.strip_suffix(".toml").unwrap_or(stem);
        format!("{stem}{}", &text[self.name.len()..])
    }
}

/// What results call an overlay that the user called `text`.
pub(super) fn label(text: &str) -> String {
    Spec::read(text).label(text)
}

/// Reads the overlay that the user called `text`; `own` is the content of a file of the user's.
pub(super) fn load(text: &str, own: Option<&str>) -> Result<Overlay, ScenarioError> {
    let spec = Spec::read(text);
    let (file, content) = match own {
        Some(content) => (spec.name.to_owned(), content),
        None => match find(Kind::Techniques, spec.name) {
            Ok(content) => (format!("techniques/{}.toml", spec.name), content),
            Err(known) => {
                return Err(ScenarioError::of(
                    format!("--technique {text}"),
                    format!("there is no technique `{}`", spec.name),
                )
                .help(match absent(spec.name) {
                    "" => suggestion(spec.name, &known),
                    note => note.to_owned(),
                }));
            }
        },
    };
    let label = spec.label(text);
    let source = Arc::new(LayerSource::Technique { label: label.clone(), file });
    let root = Node::parse(content, &source)?;
    let header: File = typed(&root, "")?;
    let given =
        Arc::new(LayerSource::Technique { label: label.clone(), file: format!("--technique {text}") });
    let values = parameters(text, &spec, &root, &header, &given)?;
    let settings = section(&root, "set")
        .into_iter()
        .map(|(path, node)| Ok((path, substitute(node, &values)?)))
        .collect::<Result<Vec<_>, ScenarioError>>()?;
    if let Some((path, node)) = settings.iter().find(|(path, _)| path == "profile") {
        return Err(ScenarioError::at(&node.key_at, "an overlay cannot change the profile")
            .key(path)
            .help("a profile is chosen by the scenario"));
    }
    let counter = root.get("counter").cloned();
    let yields = header.yields;
    Ok(Overlay { label, settings, requires: section(&root, "requires"), yields, counter })
}

fn section(root: &Node, name: &str) -> Vec<(String, Node)> {
    root.get(name).map(Node::leaves).unwrap_or_default()
}

/// The value of each parameter: given by the user, or the default.
fn parameters(
    text: &str,
    spec: &Spec<'_>,
    root: &Node,
    header: &File,
    given_by: &Arc<LayerSource>,
) -> Result<BTreeMap<String, Node>, ScenarioError> {
    let declared: Vec<&str> = header.parameters.keys().map(String::as_str).collect();
    let mut values = BTreeMap::new();
    for name in &declared {
        let default = root.get("parameters").and_then(|all| all.get(name)).and_then(|one| one.get("default"));
        values.extend(default.map(|value| ((*name).to_owned(), value.clone())));
    }
    let unnamed = header.parameters.iter().find(|(_, one)| one.unnamed).map(|(name, _)| name.as_str());
    let fail = |message: String| ScenarioError::of(format!("--technique {text}"), message);
    for &(name, given) in &spec.arguments {
        let name = match (name, declared.as_slice()) {
            (_, []) => return Err(fail(format!("`{}` has no parameters", spec.name))),
            (None, [only]) => *only,
            (None, _) if unnamed.is_some() => unnamed.unwrap_or_default(),
            (None, _) => {
                return Err(fail(format!("`{given}` may be any of several parameters")).help(format!(
                    "write {}:{}=...; known: {}",
                    spec.name,
                    declared[0],
                    declared.join(", ")
                )));
            }
            (Some(name), _) => name,
        };
        let Some(value) = values.get_mut(name) else {
            return Err(
                fail(format!("`{}` has no parameter `{name}`", spec.name)).help(suggestion(name, &declared))
            );
        };
        *value = argument(given, value, given_by).ok_or_else(|| {
            fail(format!("parameter `{name}` cannot be `{given}`"))
                .help(format!("expected {} like {value}", kind(value)))
        })?;
    }
    Ok(values)
}

/// What the user gave, if it has the type of the default; a number alone has the unit of a default that has one.
fn argument(given: &str, default: &Node, source: &Arc<LayerSource>) -> Option<Node> {
    let value = match (&default.value, Node::parse_value(given, source).map(|node| node.value)) {
        (Value::Text(_), Some(Value::Text(text))) => Value::Text(text),
        (Value::Text(usual), Some(Value::Whole(_) | Value::Real(_))) if unit(usual).is_some() => {
            Value::Text(format!("{given} {}", unit(usual).unwrap_or_default()))
        }
        (Value::Text(_), _) => Value::Text(given.to_owned()),
        (Value::Real(_), Some(Value::Whole(number))) => Value::Real(number as f64),
        (Value::Whole(_), Some(value @ Value::Whole(_)))
        | (Value::Real(_), Some(value @ Value::Real(_)))
        | (Value::Flag(_), Some(value @ Value::Flag(_))) => value,
        _ => return None,
    };
    Some(Node::new(value, Origin::whole(source)))
}

/// The unit of a quantity like `5.5 Mbps`.
fn unit(quantity: &str) -> Option<&str> {
    let (number, unit) = quantity.split_once(' ')?;
    number.parse::<f64>().ok().map(|_| unit)
}

fn kind(node: &Node) -> &'static str {
    match node.value {
        Value::Text(_) => "a text",
        Value::Whole(_) => "a whole number",
        Value::Real(_) => "a number",
        Value::Flag(_) => "true or false",
        Value::List(_) => "a list",
        Value::Table(_) => "a table",
    }
}

/// Puts the parameter's value where the overlay says `"$name"`, or `"$name B"` of one that is given without its unit;
/// also inside lists and tables.
fn substitute(node: Node, values: &BTreeMap<String, Node>) -> Result<Node, ScenarioError> {
    let text = match node.value {
        Value::List(list) => {
            let list = list.into_iter().map(|item| substitute(item, values)).collect::<Result<_, _>>()?;
            return Ok(Node { value: Value::List(list), ..node });
        }
        Value::Table(table) => {
            let item = |(key, item)| Ok((key, substitute(item, values)?));
            let table = table.into_iter().map(item).collect::<Result<_, ScenarioError>>()?;
            return Ok(Node { value: Value::Table(table), ..node });
        }
        Value::Text(ref text) if text.starts_with('$') => &text[1..],
        _ => return Ok(node),
    };
    let (name, unit) = text.split_once(' ').unwrap_or((text, ""));
    let Some(given) = values.get(name) else {
        let known: Vec<_> = values.keys().map(String::as_str).collect();
        return Err(ScenarioError::at(&node.at, format!("there is no parameter `{name}`"))
            .help(suggestion(name, &known)));
    };
    let value = if unit.is_empty() { given.value.clone() } else { Value::Text(format!("{given} {unit}")) };
    Ok(Node { value, key_at: node.key_at, at: given.at.clone() })
}
