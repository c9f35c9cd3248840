//! What a figure is, how it is written and how it is told.

use serde_json::{Map, Value, json};

/// How a figure is read, and with that what kind of number it is.
#[derive(Debug)]
pub enum Read<C> {
    /// A count.
    Count(fn(&C) -> u64),
    /// A quantity.
    Real(fn(&C) -> f64),
    /// A quantity that may not be known.
    Perhaps(fn(&C) -> Option<f64>),
}

/// How the figure of several flows or nodes becomes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Counts and rates add up.
    Sum,
    /// Times and shares are averaged.
    Mean,
    /// The last of all.
    Max,
}

/// Which direction is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More of it.
    More,
    /// Less of it.
    Less,
    /// Neither: it tells what was done, not how well.
    Neither,
}

/// Where a figure stands without being asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the table that `run` prints.
    Run,
    /// In the same, if the terminal is wide enough; the highest number goes first.
    RunIfWide(u8),
    /// In the table of a report.
    Report,
    /// Among what `compare` compares, in the order of these numbers.
    Compare(u8),
}

/// One figure of a flow, a node or a run.
#[derive(Debug)]
pub struct Figure<C: 'static> {
    /// Its name in results. A quantity ends with its unit; `group.part` stands in an object.
    pub name: &'static str,
    /// How people call it.
    pub title: &'static str,
    /// The unit that people read it in, and what one of it is in the unit of the results.
    pub shown: (&'static str, f64),
    /// What it means, in one line.
    pub meaning: &'static str,
    /// How it is read.
    pub read: Read<C>,
    /// Several of them as one.
    pub together: Aggregate,
    /// Which direction is the better one.
    pub better: Better,
    /// The transports whose flows have it; none: those of all.
    pub transports: &'static [&'static str],
    /// Where it stands without being asked for.
    pub places: &'static [Place],
}

impl<C> Figure<C> {
    /// A figure that is summed, good neither way, shown as it is, and only where it is asked for.
    pub(super) const fn new(
        name: &'static str,
        title: &'static str,
        read: Read<C>,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            title,
            shown: ("", 1.0),
            meaning,
            read,
            together: Aggregate::Sum,
            better: Better::Neither,
            transports: &[],
            places: &[],
        }
    }

    pub(super) const fn shown(mut self, unit: &'static str, scale: f64) -> Self {
        self.shown = (unit, scale);
        self
    }

    pub(super) const fn together(mut self, together: Aggregate) -> Self {
        self.together = together;
        self
    }

    pub(super) const fn better(mut self, better: Better) -> Self {
        self.better = better;
        self
    }

    pub(super) const fn of(mut self, transports: &'static [&'static str]) -> Self {
        self.transports = transports;
        self
    }

    pub(super) const fn places(mut self, places: &'static [Place]) -> Self {
        self.places = places;
        self
    }

    fn json(&self, facts: &C) -> Value {
        match self.read {
            Read::Count(read) => json!(read(facts)),
            Read::Real(read) => json!(read(facts)),
            Read::Perhaps(read) => json!(read(facts)),
        }
    }

    pub(super) fn described(&self, of: &str) -> Value {
        let kind = match self.read {
            Read::Count(_) => "count",
            Read::Real(_) => "real",
            Read::Perhaps(_) => "perhaps",
        };
        let together = match self.together {
            Aggregate::Sum => "sum",
            Aggregate::Mean => "mean",
            Aggregate::Max => "max",
        };
        let better = match self.better {
            Better::More => Some(true),
            Better::Less => Some(false),
            Better::Neither => None,
        };
        let mut places = Map::new();
        for place in self.places {
            match place {
                Place::Run => places.insert("run".to_owned(), json!(0)),
                Place::RunIfWide(rank) => places.insert("run".to_owned(), json!(rank)),
                Place::Report => places.insert("report".to_owned(), json!(0)),
                Place::Compare(rank) => places.insert("compare".to_owned(), json!(rank)),
            };
        }
        json!({
            "of": of, "name": self.name, "title": self.title, "unit": self.shown.0, "scale": self.shown.1,
            "meaning": self.meaning, "kind": kind, "together": together, "more_is_better": better,
            "transports": self.transports, "places": places,
        })
    }
}

/// Writes the figures of `facts` into a JSON object, in the order of the list.
pub fn write<C>(object: &mut Map<String, Value>, figures: &[Figure<C>], facts: &C) {
    for figure in figures {
        let value = figure.json(facts);
        match figure.name.split_once('.') {
            None => {
                object.insert(figure.name.to_owned(), value);
            }
            Some((group, part)) => {
                let group = object.entry(group).or_insert_with(|| json!({}));
                group[part] = value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::FlowSpan;
    use super::*;

    #[test]
    fn a_figure_of_the_list_is_in_the_output_and_its_description() {
        let toy = Figure::new(
            "toy.lost",
            "toys",
            Read::Count(|it: &FlowSpan| it.probe.delivered + 1),
            "Toys lost.",
        );
        let time = Figure::new("toys_s", "toys", Read::Real(|it: &FlowSpan| it.seconds), "Toys [s].");
        let more = [time, toy];
        let mut object = Map::new();
        write(&mut object, &more, &FlowSpan { seconds: 2.0, ..FlowSpan::default() });
        assert_eq!(Value::Object(object), json!({ "toys_s": 2.0, "toy": { "lost": 1 } }));
        assert_eq!(more[1].described("flow")["meaning"], "Toys lost.");
    }
}
