//! What the integration tests share: a scenario with settings, its runs on threads, and figures from their output.

pub(crate) mod drawn;
pub(crate) mod walls;

use std::fmt::Display;
use std::ops::RangeInclusive;

use multihop_sim::network::{Ended, Handle, run};
use multihop_sim::probe::{Column, Series};
use multihop_sim::resolve;
use multihop_sim::scenario::{Kind, Layer, Resolved, Sources, TopologyConfig, shipped};
use serde_json::{Value, json};

/// A scenario and what is set over it.
#[derive(Clone, Debug)]
pub(crate) struct Case(Sources);

impl Case {
    /// A scenario by its text.
    pub(crate) fn new(text: &str) -> Self {
        let scenario = Layer { name: "test.toml".to_owned(), text: text.to_owned() };
        Self(Sources { scenario, techniques: Vec::new(), sets: Vec::new() })
    }

    /// A shipped scenario.
    pub(crate) fn shipped(name: &str) -> Self {
        let scenarios = shipped(Kind::Scenarios);
        let (_, text) = scenarios.iter().find(|(known, _)| *known == name).expect("a shipped scenario");
        Self::new(text)
    }

    /// Sets one key, as `--set` does.
    pub(crate) fn set(mut self, path: &str, value: impl Display) -> Self {
        self.0.sets.push(format!("{path}={value}"));
        self
    }

    /// Sets several keys, each as the text of a `--set`.
    pub(crate) fn sets(mut self, sets: &[&str]) -> Self {
        self.0.sets.extend(sets.iter().map(ToString::to_string));
        self
    }

    /// Sets several keys, and runs it twice: both runs are the same, and data arrive.
    #[track_caller]
    pub(crate) fn repeats(&self, sets: &[(&str, &str)]) -> Outcome {
        let case = sets.iter().fold(self.clone(), |case, (key, value)| case.set(key, value));
        let (outcome, again) = (case.run(1), case.run(1));
        assert!(outcome.goodput() > 1e5, "{sets:?}: {}", outcome.goodput());
        assert_eq!(outcome.json["fingerprint"], again.json["fingerprint"], "{sets:?}");
        outcome
    }

    /// Lays a technique over it, as `--technique` does.
    pub(crate) fn technique(mut self, name: &str) -> Self {
        self.0.techniques.push((name.to_owned(), None));
        self
    }

    /// The chain of the reference measurements, with this many hops.
    pub(crate) fn chain(hops: usize) -> Self {
        Self::shipped("chain").set("topology.hops", hops).set("flow.0.to", hops).set("measure.sample", "0 s")
    }

    /// All values settled.
    pub(crate) fn resolve(&self) -> Resolved {
        self.try_resolve().unwrap_or_else(|error| panic!("{error}"))
    }

    /// All values settled, or what is wrong with them.
    pub(crate) fn try_resolve(&self) -> Result<Resolved, String> {
        resolve(&self.0).map_err(|error| error.to_string())
    }

    /// What is set over the scenario, each as the text of a `--set`.
    pub(crate) fn settings(&self) -> &[String] {
        &self.0.sets
    }

    /// The scenario's text, and what is set over it.
    pub(crate) fn text(&self) -> String {
        let names: Vec<&str> = self.0.techniques.iter().map(|(name, _)| name.as_str()).collect();
        let (scenario, sets) = (&self.0.scenario.text, self.0.sets.join("\n"));
        format!("{scenario}\n# techniques: {}\n# set over it:\n{sets}\n", names.join(", "))
    }

    /// Run number `number`. Its ledger has been checked.
    pub(crate) fn run(&self, number: u64) -> Outcome {
        Outcome::of(run(&self.resolve(), number, &Handle::default(), None))
    }

    /// Several runs, each on its own thread.
    pub(crate) fn runs(&self, numbers: RangeInclusive<u64>) -> Vec<Outcome> {
        on_threads(numbers, |number| self.run(number))
    }
}

/// What one run left behind.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The run as the program prints it.
    pub(crate) json: Value,
    /// Its tables.
    pub(crate) series: Series,
}

impl Outcome {
    /// What a run has told. Its ledger has been checked.
    pub(crate) fn of(ended: Result<Ended, String>) -> Self {
        match ended {
            Ok(Ended::Done(output)) => {
                let json = serde_json::from_str(&output.json).expect("the output is JSON");
                let outcome = Self { json, series: output.series };
                outcome.check_ledger();
                outcome
            }
            Ok(Ended::Cancelled) => unreachable!("nobody cancels"),
            Err(message) => panic!("{message}"),
        }
    }

    /// Goodput of all flows together \[bit/s\].
    pub(crate) fn goodput(&self) -> f64 {
        self.flows().iter().map(|flow| number(&flow["goodput_bps"])).sum()
    }

    /// A count of all flows together.
    pub(crate) fn over_flows(&self, key: &str) -> f64 {
        self.flows().iter().map(|flow| number(&flow[key])).sum()
    }

    /// A count of all nodes together; `frames/rts` looks into an object.
    pub(crate) fn over_nodes(&self, path: &str) -> f64 {
        (0..self.list("nodes").len()).map(|node| self.of_node(node, path)).sum()
    }

    /// A count of one node, by its place in the list.
    pub(crate) fn of_node(&self, node: usize, path: &str) -> f64 {
        let found = self.json["nodes"][node].pointer(&format!("/{path}"));
        number(found.unwrap_or_else(|| panic!("no `{path}` in a node's output")))
    }

    /// Frames of all kinds that all nodes sent during the measured time.
    pub(crate) fn frames(&self) -> f64 {
        ["rts", "cts", "data", "ack", "broadcast"]
            .iter()
            .map(|kind| self.over_nodes(&format!("frames/{kind}")))
            .sum()
    }

    /// Share of RTS frames that got no CTS.
    pub(crate) fn rts_failure_share(&self) -> f64 {
        self.over_nodes("rts_failures") / self.over_nodes("frames/rts")
    }

    /// The hash of all transmissions.
    pub(crate) fn fingerprint(&self) -> String {
        self.json["fingerprint"].as_str().expect("a fingerprint").to_owned()
    }

    pub(crate) fn flows(&self) -> &[Value] {
        self.list("flows")
    }

    pub(crate) fn list(&self, key: &str) -> &[Value] {
        self.json[key].as_array().unwrap_or_else(|| panic!("no list `{key}` in the output"))
    }

    /// created + copied = delivered + absorbed + dropped + inside, for the network and for every flow; no flow
    /// has more of anything than the network.
    fn check_ledger(&self) {
        let total = books(&self.json["ledger"]);
        let mut flows = [0; 6];
        for flow in self.flows() {
            for (sum, value) in flows.iter_mut().zip(books(&flow["ledger"])) {
                *sum += value;
            }
        }
        assert!(flows.iter().zip(total).all(|(flow, total)| *flow <= total), "{flows:?} within {total:?}");
    }
}

/// The entries of one ledger, after a look at its balance.
fn books(ledger: &Value) -> [u64; 6] {
    let count = |key: &str| ledger[key].as_u64().unwrap_or_else(|| panic!("no count `{key}` in {ledger}"));
    let sum = |key: &str| {
        let counts = ledger[key].as_object().unwrap_or_else(|| panic!("no counts `{key}` in {ledger}"));
        counts.values().map(|n| n.as_u64().expect("a count")).sum::<u64>()
    };
    let entries = [
        count("created"),
        count("copied"),
        count("delivered"),
        sum("absorbed"),
        sum("dropped"),
        count("in_network"),
    ];
    let [created, copied, delivered, absorbed, dropped, inside] = entries;
    assert_eq!(created + copied, delivered + absorbed + dropped + inside, "unbalanced: {ledger}");
    entries
}

/// Does `work` for every item, each on its own thread; results in the items' order.
pub(crate) fn on_threads<T, R>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Send + Sync,
) -> Vec<R>
where
    T: Send,
    R: Send,
{
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = items.into_iter().map(|item| scope.spawn(move || work(item))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The same nodes at the same places under the same names, listed in another order.
pub(crate) fn listed_as(case: &Case, order: impl Fn(usize, usize) -> usize) -> Case {
    let resolved = case.resolve();
    if let TopologyConfig::Links(listed) = &resolved.config.topology {
        let list: Vec<String> = (0..listed.link.len())
            .map(|place| {
                let link = &listed.link[order(place, listed.link.len())];
                let (one_way, sense_only) = (link.one_way, link.sense_only);
                format!(
                    "{{ from = \"{}\", to = \"{}\", loss = {:?}, one-way = {one_way}, sense-only = {sense_only} }}",
                    link.from, link.to, link.loss
                )
            })
            .collect();
        return case.clone().set("topology.link", format!("[{}]", list.join(", ")));
    }
    let nodes = resolved.nodes;
    let list: Vec<String> = (0..nodes.len())
        .map(|place| {
            let node = &nodes[order(place, nodes.len())];
            let way: Vec<String> = node
                .waypoints
                .iter()
                .map(|it| {
                    let (at, x, y) = (it.at.as_ns(), it.place.x, it.place.y);
                    format!("{{ at = \"{at} ns\", x = \"{x} m\", y = \"{y} m\" }}")
                })
                .collect();
            let way = way.join(", ");
            format!(
                "{{ name = \"{}\", x = \"{}\", y = \"{}\", waypoint = [{way}] }}",
                node.name, node.x, node.y
            )
        })
        .collect();
    // A flow may end at the `last` node: it is the same node wherever that stands in the list.
    let ends = resolved.flows.iter().enumerate().filter(|(_, flow)| flow.to.index() + 1 == nodes.len());
    let named = ends.fold(case.clone(), |case, (place, _)| {
        case.set(&format!("flow.{place}.to"), nodes.last().map_or("", |node| node.name.as_str()))
    });
    named.set("topology.kind", "explicit").set("topology.node", format!("[{}]", list.join(", ")))
}

/// What must not depend on the numbers of the nodes: all but the fingerprint, which hashes them, and where they are
/// drawn. Nodes by name.
pub(crate) fn tables(run: &Outcome) -> Value {
    let mut json = run.json.clone();
    let object = json.as_object_mut().expect("an object");
    object.remove("fingerprint");
    if let Some(Value::Array(nodes)) = object.get_mut("nodes") {
        for node in nodes.iter_mut().filter_map(Value::as_object_mut) {
            // Where links are listed a node is drawn by its number.
            node.retain(|key, _| key != "x" && key != "y");
        }
        nodes.sort_by_key(|node| node["name"].to_string());
    }
    let series: Vec<Value> = run
        .series
        .iter()
        .filter(|(name, _)| ["goodput", "tcp", "losses"].contains(name))
        .map(|(name, table)| {
            let columns: Vec<Value> = table
                .iter()
                .map(|(column, values)| match values {
                    Column::Float(values) => json!([column, values]),
                    Column::Int(values) => json!([column, values]),
                })
                .collect();
            json!([name, columns])
        })
        .collect();
    json!({ "run": json, "series": series })
}

/// Where two documents part, in words.
pub(crate) fn first_difference(a: &Value, b: &Value, path: &str) -> String {
    match (a, b) {
        (Value::Object(one), Value::Object(other)) => {
            one.iter().find(|(key, value)| other.get(*key) != Some(value)).map_or_else(
                || format!("{path}: keys differ"),
                |(key, value)| first_difference(value, &other[key], &format!("{path}.{key}")),
            )
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let at = one.iter().zip(other).position(|(x, y)| x != y).unwrap_or_default();
            first_difference(&one[at], &other[at], &format!("{path}.{at}"))
        }
        _ => format!("{path} is {a}, was {b}"),
    }
}

/// The middle value, or the mean of the middle two.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) }
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Figures beside what they should be; a test fails with all that is out of bounds, not with the first.
#[derive(Debug, Default)]
pub(crate) struct Report {
    faults: Vec<String>,
}

impl Report {
    /// `ours` must lie within `share` of `wanted`.
    pub(crate) fn near(&mut self, what: impl Display, ours: f64, wanted: f64, share: f64) {
        let off = ours / wanted - 1.0;
        self.judge(off.abs() <= share, format!("{what}: {ours:.5} for {wanted:.5}, {:+.2} %", off * 100.0));
    }

    /// `ours` must lie within `distance` of `wanted`.
    pub(crate) fn close(&mut self, what: impl Display, ours: f64, wanted: f64, distance: f64) {
        let line = format!("{what}: {ours:.5} for {wanted:.5}, at most {distance:.5} off");
        self.judge((ours - wanted).abs() <= distance, line);
    }

    /// Notes a figure; shown with `--nocapture`.
    pub(crate) fn judge(&mut self, holds: bool, line: String) {
        println!("{} {line}", if holds { "  " } else { "!!" });
        if !holds {
            self.faults.push(line);
        }
    }

    /// Fails if anything was out of bounds.
    pub(crate) fn assert_all(self) {
        assert!(self.faults.is_empty(), "out of bounds:\n{}", self.faults.join("\n"));
    }
}
