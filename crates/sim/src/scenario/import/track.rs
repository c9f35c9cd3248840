//! The way of one node, as a file says it.

use super::super::ScenarioError;
use super::super::tree::{LayerSource, Node, Origin, Value};
use multihop_proto::units::SimTime;
use std::sync::Arc;

/// A place and the instant at which it is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stop {
    pub(super) at: SimTime,
    pub(super) x: f64,
    pub(super) y: f64,
}

/// The way of one node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Track {
    pub(super) name: String,
    /// Where the file begins to speak of it.
    pub(super) line: u32,
    /// Where it is as time begins.
    pub(super) x: f64,
    pub(super) y: f64,
    stops: Vec<Stop>,
    /// When it is there: from the first, until the second; none: always.
    pub(super) present: Vec<(SimTime, SimTime)>,
}

impl Track {
    pub(super) const fn new(name: String, line: u32, x: f64, y: f64) -> Self {
        Self { name, line, x, y, stops: Vec::new(), present: Vec::new() }
    }

    /// Where it is from its last stop on.
    pub(super) fn last(&self) -> Stop {
        self.stops.last().copied().unwrap_or(Stop { at: SimTime::ZERO, x: self.x, y: self.y })
    }

    /// All places that the file says.
    pub(super) fn places(&self) -> impl Iterator<Item = (f64, f64)> {
        std::iter::once((self.x, self.y)).chain(self.stops.iter().map(|it| (it.x, it.y)))
    }

    /// The speeds of its ways from stop to stop \[m/s\].
    pub(super) fn speeds(&self) -> impl Iterator<Item = f64> {
        let start = Stop { at: SimTime::ZERO, x: self.x, y: self.y };
        let from = std::iter::once(start).chain(self.stops.iter().copied());
        from.zip(&self.stops).map(|(from, to)| {
            libm::hypot(to.x - from.x, to.y - from.y) / to.at.saturating_since(from.at).as_secs_f64()
        })
    }

    /// Its power is switched off (false) and on at these instants; before the first one it is on.
    pub(super) fn switched(&mut self, mut power: Vec<(SimTime, bool)>) {
        power.sort_by_key(|&(at, _)| at);
        let mut since = Some(SimTime::ZERO);
        for (at, on) in power {
            match since {
                Some(from) if !on => {
                    self.present.push((from, at));
                    since = None;
                }
                None if on => {
                    // Off and on at one instant is nothing.
                    let same = self.present.pop_if(|(_, until)| *until == at);
                    since = Some(same.map_or(at, |(from, _)| from));
                }
                _ => {}
            }
        }
        if let (Some(from), false) = (since, self.present.is_empty()) {
            self.present.push((from, SimTime::MAX));
        }
    }

    /// It is put to a place at once, an instant after it was where it is.
    pub(super) fn put(&mut self, stop: Stop) {
        let Stop { at, x, y } = self.last();
        if stop.at == SimTime::ZERO {
            (self.x, self.y) = (stop.x, stop.y);
            return;
        }
        let before = Stop { at: SimTime::from_ns(stop.at.as_ns() - 1), x, y };
        if at == stop.at {
            self.stops.pop();
        }
        // What it has been put to at this very instant is no place on its way.
        self.reach(before);
        self.stops.push(stop);
    }

    /// It reaches a place; what is no later than its last stop is that stop.
    pub(super) fn reach(&mut self, stop: Stop) {
        if stop.at > self.last().at {
            // A longer stay is one stay.
            if let [.., before, last] = &mut self.stops[..]
                && (before.x, before.y, last.x, last.y) == (stop.x, stop.y, stop.x, stop.y)
            {
                *last = stop;
                return;
            }
            self.stops.push(stop);
        }
    }

    /// The node as a scenario writes it.
    pub(super) fn node(&self, source: &Arc<LayerSource>) -> Node {
        let at = at(source, self.line);
        let text = |value: String| Node::new(Value::Text(value), at.clone());
        let metres = |value: f64| text(format!("{value} m"));
        let table = |entries: Vec<(&str, Node)>| {
            let entries = entries.into_iter().map(|(key, node)| (key.to_owned(), node));
            Node::new(Value::Table(entries.collect()), at.clone())
        };
        let stop =
            |it: &Stop| table(vec![("at", text(time(it.at))), ("x", metres(it.x)), ("y", metres(it.y))]);
        let stops = Node::new(Value::List(self.stops.iter().map(stop).collect()), at.clone());
        table(vec![
            ("name", text(self.name.clone())),
            ("x", metres(self.x)),
            ("y", metres(self.y)),
            ("waypoint", stops),
        ])
    }

    /// The times before `end` at which it goes and comes, as events of a scenario.
    pub(super) fn absences(&self, source: &Arc<LayerSource>, end: SimTime) -> Vec<Node> {
        let at = at(source, self.line);
        let event = |kind: &str, when: SimTime| {
            let entries = [("at", time(when)), ("kind", kind.to_owned()), ("node", self.name.clone())];
            let entry =
                |(key, value): (&str, String)| (key.to_owned(), Node::new(Value::Text(value), at.clone()));
            Node::new(Value::Table(entries.into_iter().map(entry).collect()), at.clone())
        };
        let mut events = Vec::new();
        let mut there_until = None;
        for &(from, until) in &self.present {
            if from > SimTime::ZERO {
                events.push(("node-down", there_until.unwrap_or(SimTime::ZERO)));
                events.push(("node-up", from));
            }
            there_until = Some(until);
        }
        events.extend(there_until.map(|until| ("node-down", until)));
        events.retain(|&(_, when)| when < end);
        events.into_iter().map(|(kind, when)| event(kind, when)).collect()
    }
}

fn time(at: SimTime) -> String {
    format!("{} ns", at.as_ns())
}

/// A line of a file.
pub(super) fn at(source: &Arc<LayerSource>, line: u32) -> Origin {
    Origin { source: Arc::clone(source), line, column: 1 }
}

/// What is wrong on a line.
pub(super) fn wrong(source: &Arc<LayerSource>, line: u32, message: impl Into<String>) -> ScenarioError {
    ScenarioError::at(&at(source, line), message)
}

/// A finite number.
pub(super) fn number(text: &str, source: &Arc<LayerSource>, line: u32) -> Result<f64, ScenarioError> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(wrong(source, line, format!("expected a number, got `{text}`"))),
    }
}

/// Seconds as an instant, to the nearest nanosecond.
pub(super) fn instant(seconds: f64, source: &Arc<LayerSource>, line: u32) -> Result<SimTime, ScenarioError> {
    let nanoseconds = libm::round(seconds * 1e9);
    if (0.0..1e18).contains(&nanoseconds) {
        return Ok(SimTime::from_ns(nanoseconds as u64));
    }
    Err(wrong(source, line, format!("{seconds} s is no time of a run")))
}

/// Lines with their numbers, from 1, without those that say nothing.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let numbered = (1..).zip(text.lines().map(str::trim));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}
