//! Motion as BonnMotion writes it (`.movements`): a line a node, `time x y` again and again.

use super::super::ScenarioError;
use super::super::tree::LayerSource;
use super::Motion;
use super::passed::Passed;
use super::track::{Stop, Track, instant, lines, number, wrong};
use super::unit::in_metres;
use std::sync::Arc;

/// The nodes in the order of the lines, called 0, 1, …
pub(super) fn parse(text: &str, source: &Arc<LayerSource>) -> Result<Motion, ScenarioError> {
    let numbered = lines(text).enumerate();
    let tracks = numbered.map(|(node, (line, content))| track(node, line, content, source));
    let tracks = tracks.collect::<Result<Vec<_>, _>>()?;
    in_metres(&tracks, None, source, "project the places first, for example to UTM")?;
    Ok(Motion { tracks, passed: Passed::default() })
}

fn track(node: usize, line: u32, content: &str, source: &Arc<LayerSource>) -> Result<Track, ScenarioError> {
    let words = content.split_whitespace();
    let numbers = words.map(|text| number(text, source, line)).collect::<Result<Vec<_>, _>>()?;
    if !numbers.len().is_multiple_of(3) {
        let message = format!("expected `time x y` again and again, got {} numbers", numbers.len());
        let spatial = numbers.len().is_multiple_of(4);
        let error = wrong(source, line, message);
        return Err(if spatial { error.help("motion in three dimensions cannot be read") } else { error });
    }
    let stop = |three: &[f64]| Ok(Stop { at: instant(three[0], source, line)?, x: three[1], y: three[2] });
    let stops = numbers.chunks_exact(3).map(stop).collect::<Result<Vec<_>, ScenarioError>>()?;
    let mut track = Track::new(node.to_string(), line, stops[0].x, stops[0].y);
    let mut before = None;
    for stop in stops {
        if before.is_some_and(|before| stop.at <= before) {
            let message = format!("{} s does not lie after the time before it", stop.at.as_secs_f64());
            return Err(wrong(source, line, message));
        }
        before = Some(stop.at);
        track.reach(stop);
    }
    Ok(track)
}
