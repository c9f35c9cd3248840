//! Which keys a word may mean that is none here.

use super::config::Scenario;
use super::error::{ScenarioError, Unknown, nearest};
use super::resolved::flatten;
use super::tree::{LayerSource, Node};
use super::words::{KEYS, absent, plain};
use std::sync::Arc;

/// What a word means here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guess {
    /// Dotted paths of the keys that it may mean, the likeliest first.
    pub keys: Vec<String>,
    /// What to know if there is no such thing here; else empty.
    pub note: &'static str,
}

/// What a word that is no key here may mean. A word of the last part of keys means these, too.
#[must_use]
pub fn guess(word: &str) -> Guess {
    let word = plain(word);
    let called = KEYS.iter().filter(|(words, _)| words.contains(&word.as_str()));
    let mut keys: Vec<String> = called.flat_map(|(_, keys)| *keys).map(|&key| key.to_owned()).collect();
    for path in known_paths() {
        if path.rsplit('.').next() == Some(&word) && !keys.contains(&path) {
            keys.push(path);
        }
    }
    Guess { keys, note: absent(&word) }
}

/// The keys of [`KEYS`] alone that a word means in a section, or in any if the section has none of them.
fn meant(word: &str, section: &str) -> Vec<&'static str> {
    let word = plain(word);
    let named = KEYS.iter().filter(|(words, _)| words.contains(&word.as_str()));
    let all: Vec<&'static str> = named.flat_map(|(_, keys)| *keys).copied().collect();
    let inside = |key: &&&'static str| key.split('.').next() == Some(section);
    let near: Vec<&'static str> = all.iter().filter(inside).copied().collect();
    if near.is_empty() { all } else { near }
}

/// The error with what may be meant, if it is of a key that is not known.
pub(crate) fn suggest(mut error: ScenarioError) -> ScenarioError {
    if let Some(Unknown { key, known }) = error.unknown.take().map(|it| *it) {
        error.help = Some(key_help(error.key.as_deref().unwrap_or_default(), &key, &known));
    }
    error
}

/// Suggests a key of the same table, else what the word means elsewhere, else the table where the key belongs, else
/// lists the table's keys. An element of a list, such as a flow or an event, has few keys: there a key of another table
/// hardly is what was meant.
fn key_help(path: &str, key: &str, known: &[&str]) -> String {
    if let Some(name) = nearest(key, known.iter().copied()) {
        return format!("did you mean `{name}`?");
    }
    let in_list = path.split('.').any(|part| part.parse::<usize>().is_ok());
    let listed = format!("known: {}", known.join(", "));
    let section = path.split('.').next().unwrap_or_default();
    let meant = meant(key, section);
    if !in_list && !meant.is_empty() {
        return format!("did you mean {}?", ticked(&meant));
    }
    if let (note, false) = (absent(key), in_list)
        && !note.is_empty()
    {
        return note.to_owned();
    }
    // a parameter of one mechanism of another section, like `queue.pie.alpha`, is hardly what was meant
    let near = |path: &str| path.matches('.').count() == 1 || path.split('.').next() == Some(section);
    let elsewhere = known_paths().into_iter().find(|path| path.rsplit('.').next() == Some(key) && near(path));
    match elsewhere {
        Some(path) if in_list => format!("{listed}; or did you mean `{path}`?"),
        Some(path) => format!("did you mean `{path}`?"),
        None => listed,
    }
}

/// `` `a`, `b` or `c` ``.
fn ticked(names: &[&str]) -> String {
    let named: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match named.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => named.concat(),
    }
}

/// Dotted paths of all keys that have a default.
fn known_paths() -> Vec<String> {
    let source = Arc::new(LayerSource::Profile("default".to_owned()));
    let empty = Node::parse("topology = { kind = \"explicit\", node = [] }", &source);
    let scenario = empty.and_then(|root| Scenario::read(&root));
    scenario.map_or_else(|_| Vec::new(), |it| flatten(&it).into_iter().map(|(path, _)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::super::config::json_schema;
    use super::*;

    #[test]
    fn every_key_of_the_table_is_one_of_a_scenario() {
        let schema: serde_json::Value = serde_json::from_str(&json_schema()).unwrap();
        for key in KEYS.iter().flat_map(|(_, keys)| *keys) {
            let (section, name) = key.split_once('.').unwrap();
            assert!(has(&schema, &schema["properties"][section], name), "{key}");
        }
    }

    /// Whether a definition, or a kind of it, has a property of this name.
    fn has(schema: &serde_json::Value, part: &serde_json::Value, name: &str) -> bool {
        if let Some(target) = part["$ref"].as_str() {
            return has(schema, &schema["$defs"][target.trim_start_matches("#/$defs/")], name);
        }
        let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| part[*key].as_array()).flatten();
        part["properties"].get(name).is_some() || lists.into_iter().any(|inner| has(schema, inner, name))
    }
}
