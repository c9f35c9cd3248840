//! Motion as ns-2's `setdest` writes it: `$node_(3) set X_ 12.5`, `$ns_ at 2.0 "$node_(3) setdest X Y SPEED"`.
//!
//! At its instant a command brings the node's place up to date and sends it off in a straight line; it stops exactly
//! at its destination, and a later command replaces what it was about. A speed of 0 lets it stand. What is said to
//! `god` concerns ns-2 alone.

use super::super::ScenarioError;
use super::super::tree::LayerSource;
use super::track::{Stop, Track, instant, lines, number, wrong};
use multihop_proto::units::{Dur, SimTime};
use std::collections::BTreeMap;
use std::sync::Arc;

/// "At this instant go there at this speed."
struct Command {
    at: SimTime,
    line: u32,
    x: f64,
    y: f64,
    speed: f64,
}

/// What a file says of one node.
#[derive(Default)]
struct Said {
    line: u32,
    x: Option<f64>,
    y: Option<f64>,
    commands: Vec<Command>,
}

/// The nodes in the order of their numbers, each called by its number.
pub(super) fn parse(text: &str, source: &Arc<LayerSource>) -> Result<Vec<Track>, ScenarioError> {
    let mut nodes: BTreeMap<u32, Said> = BTreeMap::new();
    for (line, content) in lines(text) {
        let words: Vec<&str> = content.split([' ', '\t', '"']).filter(|word| !word.is_empty()).collect();
        if words.iter().any(|word| word.starts_with("$god")) {
            continue;
        }
        let value = |text: &str| number(text, source, line);
        match words[..] {
            [node, "set", axis @ ("X_" | "Y_" | "Z_"), place] => {
                let said = nodes.entry(node_number(node, source, line)?).or_default();
                said.line = if said.line == 0 { line } else { said.line };
                match axis {
                    "X_" => said.x = Some(value(place)?),
                    "Y_" => said.y = Some(value(place)?),
                    _ if value(place)? == 0.0 => {}
                    _ => return Err(wrong(source, line, "the air is a plane: Z_ must be 0")),
                }
            }
            [_, "at", at, node, "setdest", x, y, speed] => {
                let at = instant(value(at)?, source, line)?;
                let command = Command { at, line, x: value(x)?, y: value(y)?, speed: value(speed)? };
                if command.speed < 0.0 {
                    return Err(wrong(source, line, format!("a speed of {speed} m/s is below 0")));
                }
                nodes.entry(node_number(node, source, line)?).or_default().commands.push(command);
            }
            _ => {
                let help =
                    "expected `$node_(N) set X_ PLACE` or `$ns_ at TIME \"$node_(N) setdest X Y SPEED\"`";
                return Err(wrong(source, line, "not a line that setdest writes").help(help));
            }
        }
    }
    nodes.into_iter().map(|(number, said)| replay(number, said, source)).collect()
}

fn node_number(text: &str, source: &Arc<LayerSource>, line: u32) -> Result<u32, ScenarioError> {
    let between = text.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    between
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| wrong(source, line, format!("expected a node like `$node_(3)`, got `{text}`")))
}

/// Follows the commands of one node in the order of time, those of one instant in the order of the file.
fn replay(node: u32, mut said: Said, source: &Arc<LayerSource>) -> Result<Track, ScenarioError> {
    let (Some(x), Some(y)) = (said.x, said.y) else {
        let line = said.commands.first().map_or(said.line, |command| command.line);
        return Err(wrong(source, line, format!("nothing says where node {node} is to begin with"))
            .help(format!("set its X_ and Y_: `$node_({node}) set X_ 10.0`")));
    };
    let mut track = Track::new(node.to_string(), said.line, x, y);
    said.commands.sort_by_key(|command| command.at);
    let mut bound: Option<Stop> = None;
    for Command { at, x, y, speed, line } in said.commands {
        let here = arrive(&mut track, bound.take(), at);
        let distance = libm::hypot(x - here.x, y - here.y);
        if speed > 0.0 && distance > 0.0 {
            let length = instant(distance / speed, source, line)?;
            bound = Some(Stop { at: at + Dur::from_ns(length.as_ns()), x, y });
        }
    }
    if let Some(last) = bound {
        track.reach(last);
    }
    Ok(track)
}

/// Takes the node along on its way until an instant, at which it turns.
fn arrive(track: &mut Track, bound: Option<Stop>, at: SimTime) -> Stop {
    let from = track.last();
    let here = match bound {
        Some(goal) if goal.at > at => {
            let part = at.saturating_since(from.at).as_ns() as f64
                / goal.at.saturating_since(from.at).as_ns() as f64;
            Stop { at, x: from.x + (goal.x - from.x) * part, y: from.y + (goal.y - from.y) * part }
        }
        Some(goal) => {
            track.reach(goal);
            Stop { at, ..goal }
        }
        None => Stop { at, ..from },
    };
    track.reach(here);
    here
}
