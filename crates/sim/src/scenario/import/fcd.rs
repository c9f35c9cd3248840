//! Motion as SUMO writes it (`--fcd-output`, floating-car data in XML): at each time step the places of all vehicles
//! and persons.
//!
//! Between two steps a vehicle goes in a straight line. Before it departs and after it has arrived its node is down.

use super::super::ScenarioError;
use super::super::tree::LayerSource;
use super::track::{Stop, Track, instant, number, wrong};
use multihop_proto::units::SimTime;
use roxmltree::{Document, Node, TextPos};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A vehicle so far, and the step at which it was seen last.
struct Seen {
    track: Track,
    step: usize,
}

/// The vehicles in the order in which they appear, by their names.
pub(super) fn parse(text: &str, source: &Arc<LayerSource>) -> Result<Vec<Track>, ScenarioError> {
    let document = Document::parse(text)
        .map_err(|error| wrong(source, error.pos().row, format!("not valid XML: {error}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "fcd-export" {
        let message = format!("expected <fcd-export>, got <{}>", root.tag_name().name());
        return Err(wrong(source, line_of(&root).row, message).help("SUMO writes it with --fcd-output"));
    }
    let mut seen: Vec<Seen> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut times: Vec<SimTime> = Vec::new();
    let steps = root.children().filter(|node| node.has_tag_name("timestep"));
    for (step, timestep) in steps.enumerate() {
        let at = instant(attribute(&timestep, "time", source)?, source, line_of(&timestep).row)?;
        if times.last().is_some_and(|&before| at <= before) {
            let message = format!("{} s does not lie after the time before it", at.as_secs_f64());
            return Err(wrong(source, line_of(&timestep).row, message));
        }
        times.push(at);
        for body in timestep.children().filter(|node| matches!(node.tag_name().name(), "vehicle" | "person"))
        {
            let line = line_of(&body).row;
            let name = body.attribute("id").ok_or_else(|| wrong(source, line, "it has no id"))?;
            let (x, y) = (attribute(&body, "x", source)?, attribute(&body, "y", source)?);
            let place = *places.entry(name.to_owned()).or_insert_with(|| {
                seen.push(Seen { track: Track::new(name.to_owned(), line, x, y), step: usize::MAX });
                seen.len() - 1
            });
            if seen[place].step == step {
                let message = format!("`{name}` is in this time step already");
                let help = "vehicles and persons become nodes of one network; each needs a name of its own";
                return Err(wrong(source, line, message).help(help));
            }
            see(&mut seen[place], step, &times, x, y);
        }
    }
    let finish = |Seen { mut track, step }: Seen| {
        let gone = times.get(step + 1).copied().unwrap_or(SimTime::MAX);
        if let Some((_, until)) = track.present.last_mut() {
            *until = gone;
        }
        track
    };
    Ok(seen.into_iter().map(finish).collect())
}

/// A vehicle is at a place at this step.
fn see(seen: &mut Seen, step: usize, times: &[SimTime], x: f64, y: f64) {
    let at = times[step];
    if seen.step != step.wrapping_sub(1) {
        let gone = times.get(seen.step.wrapping_add(1)).copied().unwrap_or(SimTime::ZERO);
        if let Some((_, until)) = seen.track.present.last_mut() {
            *until = gone;
        }
        seen.track.present.push((at, SimTime::MAX));
    }
    seen.step = step;
    seen.track.reach(Stop { at, x, y });
}

fn line_of(node: &Node<'_, '_>) -> TextPos {
    node.document().text_pos_at(node.range().start)
}

fn attribute(node: &Node<'_, '_>, name: &str, source: &Arc<LayerSource>) -> Result<f64, ScenarioError> {
    let line = line_of(node).row;
    let tag = node.tag_name().name();
    let text = node
        .attribute(name)
        .ok_or_else(|| wrong(source, line, format!("<{tag}> has no attribute `{name}`")))?;
    number(text, source, line)
}
