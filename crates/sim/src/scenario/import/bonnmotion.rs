//! Motion as BonnMotion writes it (`.movements`): a line a node, `time x y` again and again.

use super::super::ScenarioError;
use super::super::tree::LayerSource;
use super::track::{Stop, Track, instant, lines, number, wrong};
use std::sync::Arc;

/// The nodes in the order of the lines, called 0, 1, …
pub(super) fn parse(text: &str, source: &Arc<LayerSource>) -> Result<Vec<Track>, ScenarioError> {
    let track = |(node, (line, content)): (usize, (u32, &str))| {
        let words: Vec<&str> = content.split_whitespace().collect();
        let numbers = words.iter().map(|text| number(text, source, line)).collect::<Result<Vec<_>, _>>()?;
        if !numbers.len().is_multiple_of(3) {
            let message = format!("expected `time x y` again and again, got {} numbers", numbers.len());
            let spatial = numbers.len().is_multiple_of(4);
            let error = wrong(source, line, message);
            return Err(if spatial {
                error.help("motion in three dimensions cannot be read")
            } else {
                error
            });
        }
        let stop =
            |three: &[f64]| Ok(Stop { at: instant(three[0], source, line)?, x: three[1], y: three[2] });
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
    };
    lines(text).enumerate().map(track).collect()
}
