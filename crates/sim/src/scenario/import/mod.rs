//! Files beside the scenario: motion and lists of flows that other tools write.
//!
//! What such a file says takes its place in the tree of the scenario, as if it had been written there, with the lines
//! of the file. So a resolved scenario needs no second file, and its hash covers what was in it.

mod bonnmotion;
mod fcd;
mod flows;
mod setdest;
#[cfg(test)]
mod tests;
mod track;

use super::tree::{LayerSource, Node, Value};
use super::{RunConfig, ScenarioError};
use multihop_proto::units::SimTime;
use std::path::Path;
use std::sync::Arc;
use track::Track;

/// Reads a text file by its path, or says why it cannot.
pub(super) type Reader<'a> = &'a dyn Fn(&Path) -> Result<String, String>;

/// Replaces every mention of a file by what it says.
///
/// # Errors
/// What cannot be read or makes no sense, with its line.
pub(super) fn expand(root: &mut Node, read: Reader<'_>) -> Result<(), ScenarioError> {
    if let Some(topology) = root.get_mut("topology")
        && topology.get("kind").and_then(Node::text) == Some("explicit")
        && let Some(named) = topology.remove("file")
    {
        let (text, source) = open(&named, "topology.file", read)?;
        let tracks = motion(&text, &source, &named)?;
        let nodes = tracks.iter().map(|track| track.node(&source));
        push(topology, "node", &named, nodes)?;
        let end = end(root);
        let events = tracks.iter().flat_map(|track| track.absences(&source, end)).collect::<Vec<_>>();
        if !events.is_empty() {
            push(root, "event", &named, events.into_iter())?;
        }
    }
    flow_lists(root, read)
}

/// When the run ends; where it is not said in words that can be read, that is found out later.
fn end(root: &Node) -> SimTime {
    let said = root.at_path("run.duration").and_then(Node::text).and_then(|text| text.parse().ok());
    SimTime::ZERO + said.unwrap_or(RunConfig::default().duration)
}

/// Puts the flows of each list in the place of the `[[flow]]` that names it.
fn flow_lists(root: &mut Node, read: Reader<'_>) -> Result<(), ScenarioError> {
    let Some(Value::List(flows)) = root.get_mut("flow").map(|node| &mut node.value) else { return Ok(()) };
    let mut all = Vec::with_capacity(flows.len());
    for (index, mut flow) in std::mem::take(flows).into_iter().enumerate() {
        let Some(named) = flow.remove("list") else {
            all.push(flow);
            continue;
        };
        let path = format!("flow.{index}.list");
        for key in ["from", "to", "start", "name"] {
            if let Some(said) = flow.get(key) {
                let message = format!("`flow.{index}.{key}` is said beside a list of flows");
                return Err(ScenarioError::at(&said.key_at, message)
                    .key(format!("flow.{index}.{key}"))
                    .help("the list says it of each flow; leave one of them out"));
            }
        }
        let (text, source) = open(&named, &path, read)?;
        for ends in flows::parse(&text, &source)? {
            let mut one = flow.clone();
            one.merge(ends);
            all.push(one);
        }
    }
    *flows = all;
    Ok(())
}

/// The text of a named file, which stands beside the one that names it.
fn open(named: &Node, path: &str, read: Reader<'_>) -> Result<(String, Arc<LayerSource>), ScenarioError> {
    let Some(name) = named.text() else {
        return Err(
            ScenarioError::at(&named.at, format!("`{path}` is {named}; expected a path in quotes")).key(path)
        );
    };
    let beside = match &*named.at.source {
        LayerSource::File(file) | LayerSource::Technique { file, .. } => Path::new(file).parent(),
        LayerSource::Profile(_) | LayerSource::Set(_) => None,
    };
    let file = beside.unwrap_or(Path::new("")).join(name);
    let text = read(&file).map_err(|why| {
        ScenarioError::at(&named.at, format!("`{path}`: {} cannot be read: {why}", file.display())).key(path)
    })?;
    let text = text.trim_start_matches('\u{feff}').to_owned(); // a byte order mark, as some editors write
    Ok((text, Arc::new(LayerSource::File(file.display().to_string()))))
}

/// The motion that a file says, by its format: the end of its name decides.
fn motion(text: &str, source: &Arc<LayerSource>, named: &Node) -> Result<Vec<Track>, ScenarioError> {
    let given = named.text().unwrap_or_default();
    let name = given.strip_suffix(".gz").unwrap_or(given); // has been expanded
    let ends = |end: &str| Path::new(name).extension().is_some_and(|found| found.eq_ignore_ascii_case(end));
    let tracks = if ends("xml") {
        fcd::parse(text, source)
    } else if ends("movements") {
        bonnmotion::parse(text, source)
    } else if ["tcl", "ns_movements", "txt", "scn"].into_iter().any(ends) {
        setdest::parse(text, source)
    } else {
        return Err(ScenarioError::at(
            &named.at,
            format!("`topology.file`: \"{given}\" has no known ending"),
        )
        .key("topology.file")
        .help(
            ".tcl, .ns_movements, .scn and .txt are ns-2's setdest, .movements is BonnMotion, .xml is SUMO's \
             floating-car data; any of them may be compressed (.gz)",
        ));
    }?;
    if tracks.is_empty() {
        return Err(ScenarioError::of(source.file(), "the file moves no node").key("topology.file"));
    }
    Ok(tracks)
}

/// Adds elements to a list, which there may not be yet.
fn push(
    table: &mut Node,
    key: &str,
    named: &Node,
    more: impl Iterator<Item = Node>,
) -> Result<(), ScenarioError> {
    let empty = || Node::new(Value::List(Vec::new()), named.at.clone());
    let Some(list) = table.get_or_insert(key, empty) else { return Ok(()) };
    let Value::List(items) = &mut list.value else {
        return Err(ScenarioError::at(&list.at, format!("`{key}` is {list}; expected a list")).key(key));
    };
    items.extend(more);
    Ok(())
}
