//! A layer as a tree in which every value knows where it stands.

use super::depth::{DEEPEST, too_deep};
use super::error::ScenarioError;
pub(super) use super::origin::{LayerSource, Origin};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with the places of its key and of itself.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) key_at: Origin,
    pub(super) at: Origin,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Whole(i64),
    Real(f64),
    Flag(bool),
    List(Vec<Node>),
    Table(BTreeMap<String, Node>),
}

/// Equality of values, wherever they stand.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Whole(a), Value::Whole(b)) => a == b,
            (Value::Real(a), Value::Real(b)) => a.total_cmp(b).is_eq(),
            (Value::Flag(a), Value::Flag(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Table(a), Value::Table(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Whole(number) => number.fmt(f),
            Value::Real(number) => number.fmt(f),
            Value::Flag(flag) => flag.fmt(f),
            Value::List(_) => f.write_str("a list"),
            Value::Table(_) => f.write_str("a table"),
        }
    }
}

impl Node {
    /// An empty table.
    pub(super) fn empty(source: &Arc<LayerSource>) -> Self {
        Self::new(Value::Table(BTreeMap::new()), Origin::whole(source))
    }

    pub(super) fn new(value: Value, at: Origin) -> Self {
        Self { value, key_at: at.clone(), at }
    }

    /// Reads a TOML document.
    pub(super) fn parse(text: &str, source: &Arc<LayerSource>) -> Result<Self, ScenarioError> {
        Self::check_depth(text, source)?;
        let lines = Lines::new(text, source);
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or_else(|| Origin::whole(source), |span| lines.origin(span.start));
            ScenarioError::at(&at, format!("not valid TOML: {}", error.message().replace('\n', ", ")))
        })?;
        let at = Origin::whole(source);
        Ok(Self::new(lines.table(table.get_ref())?, at))
    }

    /// Refuses a document that is nested too deep.
    pub(super) fn check_depth(text: &str, source: &Arc<LayerSource>) -> Result<(), ScenarioError> {
        too_deep(text).map_or(Ok(()), |offset| {
            let message = format!("tables, lists or dotted keys are nested more than {DEEPEST} deep");
            Err(ScenarioError::at(&Lines::new(text, source).origin(offset), message)
                .help("nothing that can be said lies so deep"))
        })
    }

    /// Reads a single TOML value, as after `--set path=`.
    pub(super) fn parse_value(text: &str, source: &Arc<LayerSource>) -> Option<Self> {
        if too_deep(text).is_some() {
            return None;
        }
        let value = DeValue::parse(text.trim()).ok()?;
        let mut node = Lines::new(text, source).node(&value, Origin::whole(source)).ok()?;
        node.at = Origin::whole(source);
        Some(node)
    }

    pub(super) fn table(&self) -> Option<&BTreeMap<String, Self>> {
        if let Value::Table(table) = &self.value { Some(table) } else { None }
    }

    /// The value below a key of a table.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.table()?.get(key)
    }

    /// The value below a key of a table, to be changed.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        if let Value::Table(table) = &mut self.value { table.get_mut(key) } else { None }
    }

    /// The value below a key of a table, which is put there if there is none; none if this is no table.
    pub(super) fn get_or_insert(&mut self, key: &str, make: impl FnOnce() -> Self) -> Option<&mut Self> {
        let Value::Table(table) = &mut self.value else { return None };
        Some(table.entry(key.to_owned()).or_insert_with(make))
    }

    /// What stands at a dotted path; a number in it is a place in a list.
    pub(super) fn at_path(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |here, segment| match &here.value {
            Value::Table(table) => table.get(segment),
            Value::List(list) => list.get(segment.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Takes a key out of a table.
    pub(super) fn remove(&mut self, key: &str) -> Option<Self> {
        if let Value::Table(table) = &mut self.value { table.remove(key) } else { None }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// Lays `over` on top. In `mac`, `topology` and `mobility` another `kind` replaces the whole table, since the keys
    /// of one kind mean nothing to another.
    pub(super) fn merge(&mut self, over: Self) {
        self.merge_at(over, 0, false);
    }

    fn merge_at(&mut self, over: Self, depth: usize, tagged: bool) {
        let other_kind = tagged && over.get("kind").is_some_and(|kind| Some(kind) != self.get("kind"));
        if let (Value::Table(base), Value::Table(_), false) = (&mut self.value, &over.value, other_kind) {
            let Value::Table(table) = over.value else { return };
            for (key, node) in table {
                let tagged = depth == 0 && is_tagged(&key);
                match base.get_mut(&key) {
                    Some(below) => below.merge_at(node, depth + 1, tagged),
                    None => drop(base.insert(key, node)),
                }
            }
            self.at = over.at;
        } else {
            *self = over;
        }
    }

    /// Sets the value at a dotted path; a number in the path is a place in a list, from 0.
    pub(super) fn set(&mut self, path: &str, node: Self) -> Result<(), ScenarioError> {
        if path.split('.').count() > DEEPEST {
            let message = format!("a path of more than {DEEPEST} keys: no key of a scenario lies so deep");
            return Err(ScenarioError::at(&node.key_at, message));
        }
        let mut here = self;
        let mut done = String::new();
        let mut segments = path.split('.').peekable();
        while let Some(segment) = segments.next() {
            let last = segments.peek().is_none();
            let fail = |message: String| ScenarioError::at(&node.key_at, message).key(path);
            let is_kind = last && segment == "kind" && is_tagged(&done);
            match &mut here.value {
                Value::Table(table) => {
                    if is_kind && table.get("kind").is_some_and(|kind| *kind != node) {
                        table.clear();
                    }
                    if last {
                        table.insert(segment.to_owned(), node);
                        return Ok(());
                    }
                    let source = &node.at.source;
                    here = table.entry(segment.to_owned()).or_insert_with(|| Self::empty(source));
                }
                Value::List(list) => {
                    let length = list.len();
                    let Some(item) = segment.parse().ok().and_then(|index: usize| list.get_mut(index)) else {
                        return Err(fail(format!(
                            "`{done}` is a list of {length}: `{segment}` is no place in it"
                        ))
                        .help(places(length)));
                    };
                    if last {
                        *item = node;
                        return Ok(());
                    }
                    here = item;
                }
                _ => return Err(fail(format!("`{done}` is a value, not a table: it has no `{segment}`"))),
            }
            if !done.is_empty() {
                done.push('.');
            }
            done.push_str(segment);
        }
        Ok(())
    }

    /// Calls `visit` with the dotted path of every value, tables and lists included.
    pub(super) fn visit<'a>(&'a self, path: &str, visit: &mut impl FnMut(&str, &'a Self)) {
        if !path.is_empty() {
            visit(path, self);
        }
        let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        match &self.value {
            Value::Table(table) => table.iter().for_each(|(key, node)| node.visit(&below(key), visit)),
            Value::List(list) => {
                list.iter()
                    .enumerate()
                    .for_each(|(index, node)| node.visit(&below(&index.to_string()), visit));
            }
            _ => {}
        }
    }

    /// All single values (a list counts as one) by dotted path.
    pub(super) fn leaves(&self) -> Vec<(String, Self)> {
        let mut leaves = Vec::new();
        self.collect_leaves(String::new(), &mut leaves);
        leaves
    }

    fn collect_leaves(&self, path: String, leaves: &mut Vec<(String, Self)>) {
        match &self.value {
            Value::Table(table) => {
                for (key, node) in table {
                    node.collect_leaves(
                        if path.is_empty() { key.clone() } else { format!("{path}.{key}") },
                        leaves,
                    );
                }
            }
            _ => leaves.push((path, self.clone())),
        }
    }
}

/// Sections whose keys depend on their `kind`.
fn is_tagged(section: &str) -> bool {
    matches!(section, "mac" | "topology" | "mobility")
}

/// Turns byte offsets into lines and columns while converting.
struct Lines<'a> {
    text: &'a str,
    source: &'a Arc<LayerSource>,
    /// Offset of each line but the first.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str, source: &'a Arc<LayerSource>) -> Self {
        Self { text, source, starts: text.match_indices('\n').map(|(at, _)| at + 1).collect() }
    }

    fn origin(&self, offset: usize) -> Origin {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = self.starts.partition_point(|&start| start <= before.len());
        let line_start = line.checked_sub(1).map_or(0, |last| self.starts[last]);
        let count = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
        Origin {
            source: Arc::clone(self.source),
            line: count(line),
            column: count(before[line_start..].chars().count()),
        }
    }

    fn table(&self, table: &DeTable<'_>) -> Result<Value, ScenarioError> {
        let mut nodes = BTreeMap::new();
        for (key, value) in table {
            let node = self.node(value, self.origin(key.span().start))?;
            nodes.insert(key.get_ref().to_string(), node);
        }
        Ok(Value::Table(nodes))
    }

    fn node(&self, value: &Spanned<DeValue<'_>>, key_at: Origin) -> Result<Node, ScenarioError> {
        let at = self.origin(value.span().start);
        let fail = |message: String| Err(ScenarioError::at(&at, message));
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
                Ok(number) => Value::Whole(number),
                Err(_) => return fail(format!("`{}` is too large a number", digits.as_str())),
            },
            DeValue::Float(digits) => match digits.as_str().parse() {
                Ok(number) if f64::is_finite(number) => Value::Real(number),
                _ => return fail(format!("`{}` is not a finite number", digits.as_str())),
            },
            DeValue::Datetime(_) => return fail("a date or time of day has no meaning here".to_owned()),
            DeValue::Array(items) => {
                let item = |item: &Spanned<DeValue<'_>>| self.node(item, self.origin(item.span().start));
                Value::List(items.iter().map(item).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => self.table(table)?,
        };
        Ok(Node { value, key_at, at })
    }
}

/// Which places a list of this length has.
fn places(length: usize) -> String {
    match length {
        0 => "it is empty".to_owned(),
        1 => "places count from 0, and there is only 0".to_owned(),
        _ => format!("places count from 0, and there are 0 to {}", length - 1),
    }
}
