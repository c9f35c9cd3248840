//! Whether places are metres. Degrees of longitude and latitude look like a network of some centimetres or metres, in
//! which no node gets far.

use super::super::ScenarioError;
use super::super::tree::LayerSource;
use super::track::{Track, wrong};
use std::sync::Arc;

/// Where all places lie within so much of each other in both directions, they are degrees, not metres.
const DEGREES: f64 = 1.0;
/// So many times as far as by their places have nodes gone by their speeds, if places are degrees: one of them is
/// 110 km to the north, and to the east so long up to 89 degrees from the equator.
const METRES_A_DEGREE: f64 = 1000.0;
/// Way by speed from which on the two are compared \[m\].
const WAY: f64 = 100.0;
/// Where even the fastest node goes less than this by its places, they are degrees \[m/s\]: a person walks 1 m/s.
const SLOWEST: f64 = 0.001;

/// How far nodes have gone by their places and by their speeds \[m\], where a file says speeds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ways {
    pub(super) by_places: f64,
    pub(super) by_speeds: f64,
}

/// Refuses longitudes and latitudes; `ways` is what a file's speeds say, if it has any, `help` how to get metres.
pub(super) fn in_metres(
    tracks: &[Track],
    ways: Option<Ways>,
    source: &Arc<LayerSource>,
    help: &str,
) -> Result<(), ScenarioError> {
    let places = || tracks.iter().flat_map(Track::places);
    let slow = fastest(tracks).filter(|speed| ways.is_none() && *speed < SLOWEST);
    let ways = ways.unwrap_or_default();
    let what = if tracks.len() < 2 {
        return Ok(()); // no network, whatever the unit
    } else if let Some((x, y)) = like_degrees(places()) {
        format!("all places lie within {x:.6} by {y:.6} of each other")
    } else if span(places()).is_none() {
        return Ok(());
    } else if ways.by_speeds > WAY && ways.by_speeds > METRES_A_DEGREE * ways.by_places {
        let Ways { by_places, by_speeds } = ways;
        format!("by their speeds all have gone {by_speeds:.0} m and by their places {by_places:.6}")
    } else if let Some(speed) = slow {
        format!("by its places the fastest node goes {speed:.6} in a second")
    } else {
        return Ok(());
    };
    let message = format!("{what}, like degrees of longitude and latitude; expected metres");
    Err(wrong(source, tracks[0].line, message).help(help))
}

/// The extent of places that lie so near to each other as degrees of one network do, and not all in one place.
pub(crate) fn like_degrees(places: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    span(places).filter(|&(x, y)| x < DEGREES && y < DEGREES && (x > 0.0 || y > 0.0))
}

/// The extent of places that may be longitudes and latitudes.
fn span(places: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    let all = (f64::MAX, f64::MIN, f64::MAX, f64::MIN);
    let (west, east, south, north) = places.fold(all, |(west, east, south, north), (x, y)| {
        (west.min(x), east.max(x), south.min(y), north.max(y))
    });
    (west >= -180.0 && east <= 180.0 && south >= -90.0 && north <= 90.0)
        .then_some((east - west, north - south))
}

/// The speed of the fastest node on its fastest way, if any moves \[m/s\].
fn fastest(tracks: &[Track]) -> Option<f64> {
    tracks.iter().flat_map(Track::speeds).filter(|&speed| speed > 0.0).reduce(f64::max)
}
