//! Motion as SUMO writes it (`--fcd-output`, floating-car data in XML): at each time step the places of all vehicles
//! and persons.
//!
//! Between two steps a vehicle goes in a straight line. Before it departs, after it has arrived and from the first step
//! that it is missing in until it is back its node is down. What the first step says holds from the beginning.

use super::super::ScenarioError;
use super::super::tree::LayerSource;
use super::Motion;
use super::passed::Passed;
use super::track::{Stop, Track, instant, wrong};
use super::unit::{Ways, in_metres};
use super::xml::{Document, Element, Part};
use multihop_proto::units::SimTime;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// A vehicle so far, and the step at which it was seen last.
struct Seen {
    track: Track,
    step: Option<usize>,
}

/// What is read so far.
struct Steps<'a> {
    source: &'a Arc<LayerSource>,
    seen: Vec<Seen>,
    places: HashMap<String, usize>,
    times: Vec<SimTime>,
    ways: Ways,
    /// Whether any speed is said.
    speeds: bool,
    passed: Passed,
}

/// The vehicles in the order in which they appear, by their names.
pub(super) fn parse(text: &str, source: &Arc<LayerSource>) -> Result<Motion, ScenarioError> {
    let mut document = Document::new(text, source);
    let mut steps = Steps {
        source,
        seen: Vec::new(),
        places: HashMap::new(),
        times: Vec::new(),
        ways: Ways::default(),
        speeds: false,
        passed: Passed::default(),
    };
    let (mut depth, mut in_step) = (0_u64, false);
    while let Some(part) = document.next()? {
        let Part::Begin(element) = part else {
            depth -= 1;
            continue;
        };
        match (depth, element.name()) {
            (0, "fcd-export") => {}
            (0, name) => {
                let message = format!("expected <fcd-export>, got <{name}>");
                return Err(wrong(source, element.line, message).help("SUMO writes it with --fcd-output"));
            }
            (1, "timestep") => steps.step(&element)?,
            (2, "vehicle" | "person") if in_step => steps.body(&element)?,
            (_, name) => steps.passed.note(&format!("<{name}>")),
        }
        in_step = if depth == 1 { element.name() == "timestep" } else { in_step };
        depth += 1;
    }
    steps.end()
}

impl Steps<'_> {
    /// A time step begins.
    fn step(&mut self, element: &Element<'_>) -> Result<(), ScenarioError> {
        let [time] = element.attributes(["time"], self.source)?;
        let text = time.ok_or_else(|| self.missing(element, "time"))?;
        let seconds = if text.contains(':') { clock(&text) } else { finite(&text) };
        let seconds = seconds.ok_or_else(|| {
            let message =
                format!("`time` of <timestep>: expected seconds, hh:mm:ss or days:hh:mm:ss, got `{text}`");
            wrong(self.source, element.line, message).help("like 90.50, 00:01:30.50 or 1:00:01:30.50")
        })?;
        let at = instant(seconds, self.source, element.line)?;
        if self.times.last().is_some_and(|&before| at <= before) {
            let message = format!("{} s does not lie after the time before it", at.as_secs_f64());
            return Err(wrong(self.source, element.line, message));
        }
        self.times.push(at);
        Ok(())
    }

    /// A vehicle or person is somewhere in this step.
    fn body(&mut self, element: &Element<'_>) -> Result<(), ScenarioError> {
        let line = element.line;
        let [id, x, y, z, speed] = element.attributes(["id", "x", "y", "z", "speed"], self.source)?;
        let name = id.ok_or_else(|| wrong(self.source, line, "it has no id"))?;
        let metres = |key: &str, text: Option<Cow<'_, str>>| {
            let text = text.ok_or_else(|| self.missing(element, key))?;
            finite(&text).ok_or_else(|| {
                let message = format!("`{key}` of <{}>: expected a number, got `{text}`", element.name());
                wrong(self.source, line, message)
            })
        };
        let (x, y) = (metres("x", x)?, metres("y", y)?);
        if z.is_some_and(|z| finite(&z) != Some(0.0)) {
            self.passed.note("a height, `z`");
        }
        let place = match self.places.get(&*name) {
            Some(&place) => place,
            None => {
                self.seen.push(Seen { track: Track::new(name.to_string(), line, x, y), step: None });
                self.places.insert(name.to_string(), self.seen.len() - 1);
                self.seen.len() - 1
            }
        };
        if self.seen[place].step == Some(self.times.len() - 1) {
            let message = format!("`{name}` is in this time step already");
            let help = "vehicles and persons become nodes of one network; each needs a name of its own";
            return Err(wrong(self.source, line, message).help(help));
        }
        self.speeds |= speed.is_some();
        let speed = speed.as_deref().and_then(finite).unwrap_or(0.0);
        self.see(place, (x, y), speed);
        Ok(())
    }

    /// A vehicle is at a place in this step, to which it has come at this speed \[m/s\].
    fn see(&mut self, place: usize, (x, y): (f64, f64), speed: f64) {
        let (seen, step) = (&mut self.seen[place], self.times.len() - 1);
        let at = self.times[step];
        let last = seen.step.replace(step);
        if last.is_some_and(|last| last + 1 == step) {
            let before = seen.track.last();
            self.ways.by_places += libm::hypot(x - before.x, y - before.y);
            self.ways.by_speeds += speed.abs() * at.saturating_since(self.times[step - 1]).as_secs_f64();
        }
        if last.is_none_or(|last| last + 1 < step) {
            if let (Some(last), Some((_, until))) = (last, seen.track.present.last_mut()) {
                *until = self.times[last + 1];
            }
            seen.track.present.push((if step == 0 { SimTime::ZERO } else { at }, SimTime::MAX));
        }
        seen.track.reach(Stop { at, x, y });
    }

    /// The last step is over: vehicles that are not in it have gone.
    fn end(mut self) -> Result<Motion, ScenarioError> {
        for Seen { track, step } in &mut self.seen {
            let gone = step.and_then(|step| self.times.get(step + 1)).copied();
            if let (Some(gone), Some((_, until))) = (gone, track.present.last_mut()) {
                *until = gone;
            }
        }
        let tracks: Vec<Track> = self.seen.into_iter().map(|it| it.track).collect();
        in_metres(
            &tracks,
            self.speeds.then_some(self.ways),
            self.source,
            "let SUMO write them without --fcd-output.geo",
        )?;
        Ok(Motion { tracks, passed: self.passed })
    }

    fn missing(&self, element: &Element<'_>, key: &str) -> ScenarioError {
        wrong(self.source, element.line, format!("<{}> has no attribute `{key}`", element.name()))
    }
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
