//! Files beside the scenario: motion and lists of flows that other tools write.
//!
//! What such a file says takes its place in the tree of the scenario, as if it had been written there, with the lines
//! of the file. So a resolved scenario needs no second file, and its hash covers what was in it.

mod bonnmotion;
mod fcd;
mod flows;
mod passed;
mod setdest;
mod tcl;
#[cfg(test)]
mod tests;
mod track;
mod unit;
mod xml;

pub(crate) use unit::like_degrees;

use super::tree::{LayerSource, Node, Value};
use super::{RunConfig, ScenarioError};
use multihop_proto::units::SimTime;
use passed::Passed;
use std::path::Path;
use std::sync::Arc;
use track::{Track, lines};

/// Reads a text file by its path, or says why it cannot.
pub(crate) type Reader<'a> = &'a dyn Fn(&Path) -> Result<String, String>;

/// What a file of motion says.
struct Motion {
    tracks: Vec<Track>,
    passed: Passed,
}

/// Replaces every mention of a file by what it says; returns what is to be remarked of them.
///
/// # Errors
/// What cannot be read or makes no sense, with its line.
pub(super) fn expand(root: &mut Node, read: Reader<'_>) -> Result<Vec<String>, ScenarioError> {
    let mut remarks = Vec::new();
    if let Some(topology) = root.get_mut("topology")
        && topology.get("kind").and_then(Node::text) == Some("explicit")
        && let Some(named) = topology.remove("file")
    {
        let (text, source) = open(&named, "topology.file", read)?;
        let Motion { tracks, passed } = motion(&text, &source)?;
        remarks.extend(passed.words(&source.file()));
        let nodes = tracks.iter().map(|track| track.node(&source));
        push(topology, "node", &named, nodes)?;
        let end = end(root);
        let events = tracks.iter().flat_map(|track| track.absences(&source, end)).collect::<Vec<_>>();
        if !events.is_empty() {
            push(root, "event", &named, events.into_iter())?;
        }
    }
    flow_lists(root, read)?;
    Ok(remarks)
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
        LayerSource::Profile(_) | LayerSource::Standard(_) | LayerSource::Set(_) => None,
    };
    let file = beside.unwrap_or(Path::new("")).join(name);
    let text = read(&file).map_err(|why| {
        ScenarioError::at(&named.at, format!("`{path}`: {} cannot be read: {why}", file.display())).key(path)
    })?;
    let text = text.trim_start_matches('\u{feff}'); // a byte order mark, as some editors write
    let text = text.replace("\r\n", "\n").replace('\r', "\n"); // of Windows, and of old Macs
    Ok((text, Arc::new(LayerSource::File(file.display().to_string()))))
}

/// The motion that a file says, by its format, which its contents tell: the ends of names differ from tool to tool.
fn motion(text: &str, source: &Arc<LayerSource>) -> Result<Motion, ScenarioError> {
    let Some((line, first)) = lines(text).next() else {
        return Err(ScenarioError::of(source.file(), "the file moves no node").key("topology.file"));
    };
    let number = |word: &str| word.parse::<f64>().is_ok();
    let motion = if first.starts_with('<') {
        fcd::parse(text, source)
    } else if text.contains("$node_(") || first.starts_with('$') {
        setdest::parse(text, source)
    } else if first.split_whitespace().next().is_some_and(number) {
        bonnmotion::parse(text, source)
    } else {
        let shown: String = first.chars().take(60).collect();
        let message = format!("`{shown}` is no motion that can be read");
        return Err(track::wrong(source, line, message).key("topology.file").help(
            "expected ns-2's setdest (`$node_(0) set X_ 10.0`), BonnMotion (a line `time x y time x y` a node), or SUMO's \
             floating-car data (`<fcd-export>`); any of them may be compressed (.gz)",
        ));
    }?;
    if motion.tracks.is_empty() {
        return Err(ScenarioError::of(source.file(), "the file moves no node").key("topology.file"));
    }
    Ok(motion)
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
