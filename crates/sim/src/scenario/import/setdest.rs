//! Motion as ns-2's `setdest` and its relatives write it: `$node_(3) set X_ 12.5`, `$ns_ at 2.0 "$node_(3) setdest X Y
//! SPEED"`.
//!
//! At its instant a command brings the node's place up to date and sends it off in a straight line; it stops exactly at
//! its destination, and a later command replaces what it was about. A speed of 0 lets it stand. `set X_` and `set Y_`
//! at an instant put the node there at once, as ns-3 reads them, and it stands; `off` and `on` take it down and bring
//! it up. What is said to `god` concerns ns-2 alone.

use super::super::ScenarioError;
use super::super::tree::LayerSource;
use super::Motion;
use super::passed::Passed;
use super::tcl::statements;
use super::track::{Stop, Track, instant, lines, number, wrong};
use super::unit::{Ways, in_metres};
use multihop_proto::units::{Dur, SimTime};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What other commands a node of ns-2 knows: they draw, or concern its machines.
const OF_NS2: [&str; 14] = [
    "add-mark",
    "attach",
    "color",
    "delete-mark",
    "label",
    "label-at",
    "label-color",
    "namattach",
    "radius",
    "random-motion",
    "reset",
    "shape",
    "start",
    "topography",
];
/// Commands that a script has besides those to nodes.
const OF_SCRIPTS: [&str; 4] = ["set", "puts", "create-god", "global"];
/// Where the next command comes this soon, the way until it is compared with what the speed says: later ones leave time
/// to stand.
const SOON: Dur = Dur::from_secs(60);

/// At an instant, do this.
struct Command {
    at: SimTime,
    line: u32,
    what: What,
}

enum What {
    /// Go there at this speed.
    Go { x: f64, y: f64, speed: f64 },
    /// Be at this x, or y, at once.
    Put { x: Option<f64>, y: Option<f64> },
}

/// What a file says of one node.
#[derive(Default)]
struct Said {
    line: u32,
    x: Option<f64>,
    y: Option<f64>,
    commands: Vec<Command>,
    /// When it goes down or comes up.
    power: Vec<(SimTime, bool)>,
}

/// What is read so far.
struct Script<'a> {
    source: &'a Arc<LayerSource>,
    nodes: BTreeMap<u32, Said>,
    passed: Passed,
}

/// The nodes in the order of their numbers, each called by its number.
pub(super) fn parse(text: &str, source: &Arc<LayerSource>) -> Result<Motion, ScenarioError> {
    let mut script = Script { source, nodes: BTreeMap::new(), passed: Passed::default() };
    for (line, content) in lines(text) {
        for words in statements(content) {
            match words[..] {
                [_, "at", at, ref told @ ..] if !told.is_empty() => {
                    let at = instant(number(at, source, line)?, source, line)?;
                    match told {
                        [all] => {
                            for words in statements(all) {
                                script.command(at, &words, line)?;
                            }
                        }
                        words => script.command(at, words, line)?,
                    }
                }
                _ => script.command(SimTime::ZERO, &words, line)?,
            }
        }
    }
    let mut ways = Ways::default();
    let replay = |(number, said)| replay(number, said, source, &mut ways);
    let tracks = script.nodes.into_iter().map(replay).collect::<Result<Vec<_>, _>>()?;
    in_metres(&tracks, Some(ways), source, "project the places first, for example to UTM")?;
    Ok(Motion { tracks, passed: script.passed })
}

impl Script<'_> {
    fn command(&mut self, at: SimTime, words: &[&str], line: u32) -> Result<(), ScenarioError> {
        let source = self.source;
        let value = |text: &str| number(text, source, line);
        match *words {
            [god, ..] if god.starts_with("$god") => {}
            [node, "set", "Z_", height] => {
                self.node(node, line)?;
                if value(height)? != 0.0 {
                    self.passed.note("a height, `Z_`");
                }
            }
            [node, "set", axis @ ("X_" | "Y_"), place] => {
                let place = Some(value(place)?);
                let said = self.node(node, line)?;
                let (x, y) = if axis == "X_" { (place, None) } else { (None, place) };
                if at == SimTime::ZERO {
                    (said.x, said.y) = (x.or(said.x), y.or(said.y));
                } else {
                    said.commands.push(Command { at, line, what: What::Put { x, y } });
                }
            }
            [node, "setdest", x, y, speed] => {
                let (x, y, metres) = (value(x)?, value(y)?, value(speed)?);
                if metres < 0.0 {
                    return Err(wrong(source, line, format!("a speed of {speed} m/s is below 0")));
                }
                let what = What::Go { x, y, speed: metres };
                self.node(node, line)?.commands.push(Command { at, line, what });
            }
            [node, power @ ("on" | "off")] => self.node(node, line)?.power.push((at, power == "on")),
            [node, "set", variable, _] if node.starts_with('$') && variable.ends_with('_') => {
                self.node(node, line)?;
                self.passed.note(&format!("`set {variable}` of a node"));
            }
            [node, command, ..] if OF_NS2.contains(&command) => {
                self.node(node, line)?;
                self.passed.note(&format!("`{command}` of a node"));
            }
            [simulator, command @ ("initial_node_pos" | "halt"), ..] if simulator.starts_with('$') => {
                self.passed.note(&format!("`{command}` of the simulator"));
            }
            [command, ..] if OF_SCRIPTS.contains(&command) => self.passed.note(&format!("`{command}`")),
            _ => {
                let help = "expected `$node_(N) set X_ PLACE`, `$ns_ at TIME \"$node_(N) setdest X Y SPEED\"`, or `on` or `off` \
                            of a node";
                return Err(wrong(source, line, "not a line that setdest writes").help(help));
            }
        }
        Ok(())
    }

    /// What is said of a node: `$node_(3)`.
    fn node(&mut self, text: &str, line: u32) -> Result<&mut Said, ScenarioError> {
        let between = text.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        let number = between.filter(|_| text.starts_with('$')).and_then(|number| number.parse().ok());
        let Some(number) = number else {
            let message = format!("expected a node like `$node_(3)`, got `{text}`");
            return Err(wrong(self.source, line, message));
        };
        let said = self.nodes.entry(number).or_default();
        said.line = if said.line == 0 { line } else { said.line };
        Ok(said)
    }
}

/// Follows the commands of one node in the order of time, those of one instant in the order of the file.
fn replay(
    node: u32,
    mut said: Said,
    source: &Arc<LayerSource>,
    ways: &mut Ways,
) -> Result<Track, ScenarioError> {
    let (Some(x), Some(y)) = (said.x, said.y) else {
        return Err(wrong(source, said.line, format!("nothing says where node {node} is to begin with"))
            .help(format!("set its X_ and Y_: `$node_({node}) set X_ 10.0`")));
    };
    let mut track = Track::new(node.to_string(), said.line, x, y);
    track.switched(said.power);
    said.commands.sort_by_key(|command| command.at);
    let next: Vec<SimTime> = said.commands.iter().skip(1).map(|it| it.at).chain([SimTime::MAX]).collect();
    let mut bound: Option<Stop> = None;
    for (Command { at, what, line }, next) in said.commands.into_iter().zip(next) {
        let here = arrive(&mut track, bound.take(), at);
        match what {
            What::Put { x, y } => track.put(Stop { at, x: x.unwrap_or(here.x), y: y.unwrap_or(here.y) }),
            What::Go { x, y, speed } => {
                let distance = libm::hypot(x - here.x, y - here.y);
                if speed > 0.0 && distance > 0.0 {
                    let length = instant(distance / speed, source, line)?;
                    bound = Some(Stop { at: at + Dur::from_ns(length.as_ns()), x, y });
                    if next.saturating_since(at) <= SOON {
                        let until = next.saturating_since(at).as_secs_f64();
                        ways.by_speeds += speed * until;
                        ways.by_places += distance.min(speed * until);
                    }
                }
            }
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
