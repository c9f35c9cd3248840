//! Motion as SUMO writes it (`--fcd-output`, floating-car data in XML): at each time step the places of all vehicles
//! and persons.
//!
//! Between two steps a vehicle goes in a straight line. Before it departs, after it has arrived and from the first step
//! that it is missing in until it is back its node is down. What the first step says holds from the beginning.

use super::super::ScenarioError;
use super::super::tree::LayerSource;
use super::track::{Stop, Track, instant, wrong};
use multihop_proto::units::SimTime;
use roxmltree::{Document, Error, Node, TextPos};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where all places lie within so much of each other in both directions, they are degrees, not metres.
const DEGREES: f64 = 1.0;
/// So many times as far as by their places have vehicles gone by their speeds, if places are degrees: one of them is
/// 110 km to the north, and to the east so long up to 89 degrees from the equator.
const METRES_A_DEGREE: f64 = 1000.0;
/// Way by speed from which on the two are compared \[m\].
const WAY: f64 = 100.0;

/// A vehicle so far, and the step at which it was seen last.
struct Seen {
    track: Track,
    step: Option<usize>,
    /// How far it has gone: by its places, and by its speeds \[m\].
    gone: (f64, f64),
}

/// The vehicles in the order in which they appear, by their names.
pub(super) fn parse(text: &str, source: &Arc<LayerSource>) -> Result<Vec<Track>, ScenarioError> {
    let document = Document::parse(text).map_err(|error| match error {
        // These two say the first line, whatever the file.
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(1);
            wrong(source, last, "the file ends here, within its XML")
                .help("it has been cut off, or is still being written")
        }
        _ => wrong(source, error.pos().row, format!("not valid XML: {error}")),
    })?;
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
        let at = instant(time(&timestep, source)?, source, line_of(&timestep).row)?;
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
                seen.push(Seen {
                    track: Track::new(name.to_owned(), line, x, y),
                    step: None,
                    gone: (0.0, 0.0),
                });
                seen.len() - 1
            });
            if seen[place].step == Some(step) {
                let message = format!("`{name}` is in this time step already");
                let help = "vehicles and persons become nodes of one network; each needs a name of its own";
                return Err(wrong(source, line, message).help(help));
            }
            let speed = body.attribute("speed").and_then(finite).unwrap_or(0.0);
            see(&mut seen[place], step, &times, (x, y), speed);
        }
    }
    let gone = |step: Option<usize>| step.and_then(|step| times.get(step + 1)).copied();
    let sum = |part: fn(&Seen) -> f64| seen.iter().map(part).sum::<f64>();
    let ways = (sum(|it| it.gone.0), sum(|it| it.gone.1));
    for Seen { track, step, .. } in &mut seen {
        if let (Some(gone), Some((_, until))) = (gone(*step), track.present.last_mut()) {
            *until = gone;
        }
    }
    let tracks: Vec<Track> = seen.into_iter().map(|it| it.track).collect();
    in_metres(&tracks, ways, &root, source)?;
    Ok(tracks)
}

/// A vehicle is at a place at this step, to which it has come at this speed \[m/s\].
fn see(seen: &mut Seen, step: usize, times: &[SimTime], (x, y): (f64, f64), speed: f64) {
    let at = times[step];
    let last = seen.step.replace(step);
    if last.is_some_and(|last| last + 1 == step) {
        let before = seen.track.last();
        seen.gone.0 += libm::hypot(x - before.x, y - before.y);
        seen.gone.1 += speed.abs() * at.saturating_since(times[step - 1]).as_secs_f64();
    }
    if last.is_none_or(|last| last + 1 < step) {
        if let (Some(last), Some((_, until))) = (last, seen.track.present.last_mut()) {
            *until = times[last + 1];
        }
        seen.track.present.push((if step == 0 { SimTime::ZERO } else { at }, SimTime::MAX));
    }
    seen.track.reach(Stop { at, x, y });
}

/// Refuses longitudes and latitudes: they look like a network of some centimetres or metres, in which nobody gets as far
/// as the speeds say.
fn in_metres(
    tracks: &[Track],
    (gone, by_speed): (f64, f64),
    root: &Node<'_, '_>,
    source: &Arc<LayerSource>,
) -> Result<(), ScenarioError> {
    let span = |axis: fn((f64, f64)) -> f64, most: f64| {
        let values = || tracks.iter().flat_map(Track::places).map(axis);
        let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        (low >= -most && high <= most).then_some(high - low)
    };
    let (Some(x), Some(y)) = (span(|it| it.0, 180.0), span(|it| it.1, 90.0)) else { return Ok(()) };
    if tracks.len() < 2 {
        return Ok(()); // no network, whatever the unit
    }
    let what = if x < DEGREES && y < DEGREES {
        format!("all places lie within {x:.6} by {y:.6} of each other")
    } else if by_speed > WAY && by_speed > METRES_A_DEGREE * gone {
        format!("by their speeds all have gone {by_speed:.0} m and by their places {gone:.6}")
    } else {
        return Ok(());
    };
    let message = format!("{what}, like degrees of longitude and latitude; expected metres");
    let help = "let SUMO write them without --fcd-output.geo";
    Err(wrong(source, line_of(root).row, message).help(help))
}

fn line_of(node: &Node<'_, '_>) -> TextPos {
    node.document().text_pos_at(node.range().start)
}

/// The time of a step \[s\]: a number of seconds, or with `--human-readable-time` hours, minutes and seconds, before
/// them days if there are any.
fn time(step: &Node<'_, '_>, source: &Arc<LayerSource>) -> Result<f64, ScenarioError> {
    let text = said(step, "time", source)?;
    let seconds = if text.contains(':') { clock(text) } else { finite(text) };
    seconds.ok_or_else(|| {
        let message =
            format!("`time` of <timestep>: expected seconds, hh:mm:ss or days:hh:mm:ss, got `{text}`");
        wrong(source, line_of(step).row, message).help("like 90.50, 00:01:30.50 or 1:00:01:30.50")
    })
}

/// Seconds of `00:01:30.50` or `1:00:01:30.50`.
fn clock(text: &str) -> Option<f64> {
    let (rest, seconds) = text.rsplit_once(':')?;
    let whole =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u32>().ok())?;
    let parts = rest.split(':').map(whole).collect::<Option<Vec<u32>>>()?;
    let (days, hours, minutes) = match parts[..] {
        [hours, minutes] => (0, hours, minutes),
        [days, hours, minutes] if hours < 24 => (days, hours, minutes),
        _ => return None,
    };
    let seconds = finite(seconds).filter(|it| (0.0..60.0).contains(it) && it.is_sign_positive())?;
    (minutes < 60).then(|| {
        let hours = f64::from(days) * 24.0 + f64::from(hours);
        (hours * 60.0 + f64::from(minutes)) * 60.0 + seconds
    })
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn attribute(node: &Node<'_, '_>, name: &str, source: &Arc<LayerSource>) -> Result<f64, ScenarioError> {
    let text = said(node, name, source)?;
    finite(text).ok_or_else(|| {
        let message = format!("`{name}` of <{}>: expected a number, got `{text}`", node.tag_name().name());
        wrong(source, line_of(node).row, message)
    })
}

fn said<'a>(node: &Node<'a, '_>, name: &str, source: &Arc<LayerSource>) -> Result<&'a str, ScenarioError> {
    let missing = || {
        let message = format!("<{}> has no attribute `{name}`", node.tag_name().name());
        wrong(source, line_of(node).row, message)
    };
    node.attribute(name).ok_or_else(missing)
}
