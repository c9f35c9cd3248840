//! Whose fault it is where a value of the user's does not go with one of a profile, or with a default.

use super::error::ScenarioError;
use super::tree::{LayerSource, Node, Value};

/// An error about a value that the user has not chosen is of the value that has made it wrong: the one without which it
/// is right. `base` is the profile, `settle` reads and checks a whole scenario.
pub(super) fn blame(
    root: &Node,
    base: &Node,
    error: ScenarioError,
    settle: impl Fn(&Node) -> Result<(), ScenarioError>,
) -> ScenarioError {
    let Some(key) = error.key.clone().filter(|key| !root.at_path(key).is_some_and(is_chosen)) else {
        return error;
    };
    let mut chosen: Vec<_> = root.leaves();
    chosen.retain(|(_, leaf)| is_chosen(leaf) && !matches!(leaf.value, Value::List(_)));
    chosen.sort_by_key(|(path, _)| std::cmp::Reverse(common(path, &key)));
    let guilty = chosen.into_iter().find(|(path, _)| {
        let without = without(root, base, path);
        match settle(&without) {
            Ok(()) => true,
            Err(other) => other.key.as_deref() != Some(&*key) && other.key.as_deref() != Some(path),
        }
    });
    let Some((path, leaf)) = guilty else { return error };
    let from = root.at_path(&key).map_or_else(|| "the default".to_owned(), |node| node.at.to_string());
    let message = format!("`{path}` = {leaf} does not go with what {from} says: {}", error.message);
    let help = error.help.map_or_else(String::new, |help| format!("{help}; "));
    ScenarioError::at(&leaf.at, message).key(path).help(format!("{help}change one of the two"))
}

/// Whether the file, `--set` or a technique says a value.
fn is_chosen(node: &Node) -> bool {
    !matches!(*node.at.source, LayerSource::Profile(_) | LayerSource::Standard(_))
}

/// How many keys two paths have in common before they part.
fn common(one: &str, other: &str) -> usize {
    one.split('.').zip(other.split('.')).take_while(|(a, b)| a == b).count()
}

/// The scenario with what the profile says at a path, or with nothing there.
fn without(root: &Node, base: &Node, path: &str) -> Node {
    let mut other = root.clone();
    match base.at_path(path) {
        Some(node) => drop(other.set(path, node.clone())),
        None => {
            let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
            let mut keys = table.split('.').filter(|key| !key.is_empty());
            let holder = keys.try_fold(&mut other, |here, key| here.get_mut(key));
            holder.and_then(|holder| holder.remove(key));
        }
    }
    other
}
