//! From a network at its end to the output of the run.

use std::collections::{BTreeMap, BTreeSet};

use multihop_proto::contract::Stations;
use multihop_proto::endpoint::{AnyTransport, Trace, Transport};
use multihop_proto::phy::MODES;
use multihop_proto::units::{FlowId, NodeId, SimTime};
use multihop_proto::wire::causes::cause;
use serde_json::{Map, Value, json};

use super::Network;
use super::sample::Reading;
use crate::air::{EnergyConfig, StateTimes};
use crate::probe::figures::{self, FlowSpan, NodeSpan, Packets, RunSpan};
use crate::probe::{
    Belief, DropRecord, FlowProbe, NodeState, Rows, RunOutput, Series, Table, Traced, Truth, kind_number,
    ledger_json, span_json,
};
use crate::scenario::{Flow, Resolved};
use crate::traffic::FlowKind;

/// Counters of what routing sent: messages, and their bytes.
const ROUTING: [&str; 2] = ["routing.messages", "routing.message-bytes"];

impl Network {
    /// Closes the books.
    pub fn into_output(mut self, scenario: &Resolved, run: u64) -> Result<RunOutput, String> {
        let traced = match self.world.tap.take() {
            Some(tap) => tap.finish(&self.packets)?,
            None => None,
        };
        self.world.recorder.file_losses();
        let (from, to) = self.world.recorder.measured();
        let seconds = (to - from).as_secs_f64();
        let counters = self.counters();
        let delivered_bits = self.world.recorder.flows.iter().map(|flow| flow.delivered * 8).sum();
        let (in_use_s, packets) = (self.in_use().as_secs_f64(), self.data_packets());
        let flows: Vec<Value> = (0..self.flows.len()).map(|index| self.flow_json(scenario, index)).collect();
        let (energy, metered) = (self.drawn(scenario), scenario.config.energy.is_some());
        let (stations, nothing) = (scenario.stations(), NodeState::default());
        let common = NodeSpan { before: nothing, after: nothing, seconds, energy: energy.clone(), metered };
        let nodes: Vec<Value> = scenario
            .nodes
            .iter()
            .zip(scenario.starts(run))
            .zip((0..).map(NodeId))
            .map(|((place, start), id)| {
                let mut node = object(json!({ "name": place.name, "x": start.x, "y": start.y }));
                self.write_node(&mut node, id, &stations, &common);
                Value::Object(node)
            })
            .collect();
        let techniques: Vec<Value> = scenario
            .techniques
            .iter()
            .map(|technique| {
                let acted = technique.counter.as_ref().map(|name| counters.get(name.as_str()).copied());
                json!({ "name": technique.name, "acted": acted })
            })
            .collect();
        let (ledger, end) = (ledger_json(&self.packets.ledger()), self.end);
        let Reading { whole, frames, .. } = &self.sampler.before;
        let measured = span_json(whole, &self.sampler.after.whole);
        let (drops, thinned) = (self.drops_json(scenario), self.thinned());
        let name = |node: NodeId| scenario.nodes[node.index()].name.as_str();
        let interference = self.sampler.is_on().then(|| self.world.recorder.interference.json(name));
        let mpdus = self.world.recorder.mpdus.as_ref().map(|mpdus| mpdus.json(&self.sampler.peers(), name));
        let recorder = &self.world.recorder;
        let whole = RunSpan {
            events: self.events,
            frames: self.sampler.after.frames - frames,
            frames_whole_run: recorder.frames,
            energy,
            radio: self.radio_times(),
            spent_at: self.sampler.after.nodes.iter().filter_map(|node| node.spent_at).min(),
            delivered_bits,
            in_use_s,
            packets,
            routing: self.routing_sent(&counters),
            by_mode: self.data_by_mode(),
        };
        let mut document = object(json!({
            "run": run,
            "seed": scenario.config.run.seed,
            "fingerprint": format!("{:016x}", recorder.fingerprint.value()),
        }));
        figures::write(&mut document, figures::RUN, &whole);
        let (series, causes, truths) = self.tables();
        document.extend(object(json!({
            "sim_s": end.as_secs_f64(),
            "flows": flows,
            "ledger": ledger,
            "ledger_measured": measured,
            "drops": drops,
            "interference": interference,
            "mpdus": mpdus,
            "nodes": nodes,
            "counters": counters,
            "techniques": techniques,
            "causes": causes,
            "truths": truths,
            "thinned": thinned,
            "capture": traced.map(capture_json),
        })));
        Ok(RunOutput { json: Value::Object(document).to_string(), series })
    }

    /// The figures of a node, and of each of its radios if there are several; `common` is what all nodes have in common.
    fn write_node(&self, node: &mut Map<String, Value>, id: NodeId, stations: &Stations, common: &NodeSpan) {
        let [from, to] = [&self.sampler.before, &self.sampler.after];
        let whole =
            NodeSpan { before: from.nodes[id.index()], after: to.nodes[id.index()], ..common.clone() };
        figures::write(node, figures::NODE, &whole);
        if stations.of(id).nth(1).is_none() {
            return;
        }
        let radio = |station: NodeId| {
            let [before, after] = [from, to].map(|reading| reading.radios[station.index()]);
            let mut radio = object(json!({ "channel": stations.channel(station) }));
            figures::write(&mut radio, figures::NODE, &NodeSpan { before, after, ..common.clone() });
            Value::Object(radio)
        };
        node.insert("radios".to_owned(), stations.of(id).map(radio).collect());
    }

    /// What radios draw: without `[energy]`, what the default card does. Nothing is known where a link of another kind does
    /// not say for how long it has sent, and frames are not metered.
    fn drawn(&self, scenario: &Resolved) -> Option<EnergyConfig> {
        let told = self
            .nodes
            .iter()
            .flat_map(multihop_proto::node::Node::interfaces)
            .all(|it| it.link().counters().is_some());
        scenario.config.energy.clone().or_else(|| told.then(EnergyConfig::default))
    }

    /// What all radios did in the measured time, in whole nanoseconds: the order of the nodes does not matter.
    fn radio_times(&self) -> StateTimes {
        let readings = self.sampler.before.nodes.iter().zip(&self.sampler.after.nodes);
        let times = readings.map(|(before, after)| after.radio.since(&before.radio));
        times.fold(StateTimes::default(), |sum, times| sum.and(&times))
    }

    /// Data frames of all nodes in each mode in the measured time, if any was sent at a rate that was chosen.
    fn data_by_mode(&self) -> Option<[u64; MODES.len()]> {
        let mut sum = [0; MODES.len()];
        let readings = self.sampler.before.nodes.iter().zip(&self.sampler.after.nodes);
        for (before, after) in readings {
            for (mode, count) in sum.iter_mut().enumerate() {
                *count += after.mac.by_mode[mode] - before.mac.by_mode[mode];
            }
        }
        self.sampler.after.nodes.iter().any(|node| node.mac.by_mode != [0; MODES.len()]).then_some(sum)
    }

    /// Messages of routing in the measured time and their bytes, if it sent any in the whole run.
    fn routing_sent(&self, measured: &BTreeMap<&'static str, u64>) -> Option<(u64, u64)> {
        let [messages, bytes] = ROUTING.map(|name| measured.get(name).copied().unwrap_or(0));
        self.sampler.after.counters.get(ROUTING[0]).is_some_and(|&sent| sent > 0).then_some((messages, bytes))
    }

    /// Data packets of all flows in the measured time.
    fn data_packets(&self) -> Packets {
        let mut sum = Packets::default();
        for flow in &self.world.recorder.flows {
            sum.sent += flow.sent();
            sum.in_time += flow.in_time;
            sum.arrived += flow.delay.count();
        }
        sum
    }

    fn flow_json(&mut self, scenario: &Resolved, index: usize) -> Value {
        let completion_s = self.completion_s(index);
        let (begin, end) = self.active(index);
        let seconds = (end - begin).as_secs_f64();
        let broken_bytes = self.broken_bytes(self.flows[index].id);
        let probe = std::mem::take(&mut self.world.recorder.flows[index]);
        let span = FlowSpan { probe, seconds, completion_s, broken_bytes };
        let (flow, probe) = (&self.flows[index], &span.probe);
        let name = |node: multihop_proto::units::NodeId| &scenario.nodes[node.index()].name;
        let windows: Vec<Value> = self
            .world
            .recorder
            .windows()
            .iter()
            .zip(&probe.windows)
            .map(|(window, &bytes)| {
                let length = (window.to - window.from).as_secs_f64();
                json!({
                    "name": window.name,
                    "from_s": window.from.as_secs_f64(),
                    "to_s": window.to.as_secs_f64(),
                    "goodput_bps": bytes as f64 * 8.0 / length,
                })
            })
            .collect();
        let mut document = object(json!({
            "id": flow.name,
            "from": name(flow.from),
            "to": name(flow.to),
            "kind": flow.config.kind,
            "transport": flow.transport,
        }));
        figures::write(&mut document, figures::FLOW, &span);
        document.extend(object(json!({
            "windows": windows,
            "ledger": ledger_json(self.packets.flow_ledger(flow.id)),
            "ledger_measured": span_json(&self.sampler.before.flows[index], &self.sampler.after.flows[index]),
            "losses": losses_json(probe),
        })));
        Value::Object(document)
    }

    /// Time from the start of a file's transfer to the acknowledgment of its last byte \[s\]; none if it was stopped
    /// before, and none of what has no end.
    pub(super) fn completion_s(&self, index: usize) -> Option<f64> {
        let flow = &self.flows[index];
        let size = flow.config.size.filter(|_| flow.config.kind == FlowKind::File)?;
        let whole = self.nodes[flow.from.index()]
            .endpoints()
            .iter()
            .any(|end| end.flow == flow.id && end.kind.settled() >= Some(u64::from(size.get())));
        let at = self.world.recorder.flows[index].completed.filter(|_| whole)?;
        Some(at.saturating_since(flow.start).as_secs_f64())
    }

    /// Packets lost in the measured time, counted by flow, node, kind and cause.
    fn drops_json(&self, scenario: &Resolved) -> Vec<Value> {
        let flow = |id: FlowId| self.flows.get(id.index()).map(|flow| flow.name.as_str());
        let node = |id: NodeId| scenario.nodes[id.index()].name.as_str();
        self.world.recorder.dropped.json(flow, node)
    }

    /// The series that kept only one row in so many.
    fn thinned(&self) -> Map<String, Value> {
        let recorder = &self.world.recorder;
        let series = [
            ("drops", recorder.drops.every(), recorder.drops.seen()),
            ("losses", recorder.losses.every(), recorder.losses.seen()),
        ];
        let mpdus = recorder.mpdus.as_ref().map(|mpdus| ("mpdus", mpdus.kept().0, mpdus.kept().1));
        let thinned = series.into_iter().chain(mpdus).filter(|&(_, every, _)| every > 1);
        thinned.map(|(name, every, of)| (name.to_owned(), json!({ "every": every, "of": of }))).collect()
    }

    /// The machines' counters, by which techniques say how often they acted, of the measured time.
    fn counters(&self) -> BTreeMap<&'static str, u64> {
        let before = &self.sampler.before.counters;
        let since =
            |(&name, after): (&&'static str, &u64)| (name, after - before.get(name).copied().unwrap_or(0));
        self.sampler.after.counters.iter().map(since).collect()
    }

    /// The series, and the names behind their indices of causes and truths.
    fn tables(self) -> (Series, Vec<String>, Vec<String>) {
        let recorder = &self.world.recorder;
        let why = |drop: &DropRecord| (drop.what.reason, drop.why);
        let causes =
            Names::of(recorder.drops.rows().iter().map(why), |(reason, why)| cause(reason, why).name());
        let truths = Names::of(recorder.losses.rows().iter().map(|loss| loss.truth), Truth::label);
        let mut drops = Rows::<1, 8>::default();
        for drop in recorder.drops.rows() {
            let what = &drop.what;
            let flow = if what.flow.is_none() { -1 } else { i64::from(what.flow.0) };
            let kind = i64::from(kind_number(what.kind));
            let seq = what.position.map_or(-1, |position| position as i64);
            let cause = causes.number(&why(drop));
            let by = drop.by.map_or(-1, |by| i64::from(by.node.0));
            let hidden = drop.by.map_or(-1, |by| i64::from(by.hidden));
            drops.push(
                [drop.at.as_secs_f64()],
                [i64::from(drop.node.0), flow, what.uid as i64, seq, kind, cause, by, hidden],
            );
        }
        let mut losses = Rows::<1, 4>::default();
        for loss in recorder.losses.rows() {
            let believed = i64::from(loss.belief == Belief::Timeout);
            let truth = truths.number(&loss.truth);
            losses.push([loss.at.as_secs_f64()], [i64::from(loss.flow.0), loss.seq as i64, believed, truth]);
        }
        let mut routes = Rows::<1, 2>::default();
        for route in recorder.routes.rows() {
            let ends = |flow: &&Flow| (flow.from, flow.to) == (route.node, route.destination);
            for flow in self.flows.iter().filter(ends) {
                routes.push([route.at.as_secs_f64()], [i64::from(flow.id.0), i64::from(route.found)]);
            }
        }
        let mpdus = recorder.mpdus.as_ref().map(|mpdus| ("mpdus", mpdus.table()));
        let events = self.events_of_tcp();
        let sampler = self.sampler;
        let mut series = vec![
            ("goodput", sampler.goodput.table(["time_s", "bps"], ["flow", "arrived"])),
            (
                "tcp",
                sampler.tcp.table(
                    ["time_s", "snd_cwnd", "snd_ssthresh", "srtt_s", "rto_s"],
                    ["flow", "una", "nxt", "peer_window"],
                ),
            ),
            ("rate", sampler.rate.table(["time_s", "rate_pps", "reported_pps"], ["flow", "acked", "sent"])),
            ("queue", sampler.queue.table(["time_s"], ["node", "length"])),
            (
                "drops",
                drops.table(["time_s"], ["node", "flow", "packet", "seq", "kind", "cause", "by", "hidden"]),
            ),
            ("losses", losses.table(["time_s"], ["flow", "seq", "believed", "truth"])),
            ("routes", routes.table(["time_s"], ["flow", "found"])),
        ];
        if !sampler.path.is_empty() {
            let floats = ["time_s", "send_bps", "delivery_bps", "min_rtt_s"];
            series.push(("path", sampler.path.table(floats, ["flow", "phase"])));
        }
        series.extend(mpdus);
        series.extend(events.map(|table| ("events", table)));
        (series, causes.sorted, truths.sorted)
    }

    /// What the TCP senders heard and did, flow by flow, as far as it was to be kept; none if nothing was.
    fn events_of_tcp(&self) -> Option<Table> {
        let mut rows = Rows::<3, 5>::default();
        let mut traces: Vec<(FlowId, &Trace)> = Vec::new();
        for endpoint in self.nodes.iter().flat_map(multihop_proto::node::Node::endpoints) {
            if let AnyTransport::TcpSender(end) = &endpoint.kind {
                traces.extend(end.trace.as_deref().map(|trace| (endpoint.flow, trace)));
            }
        }
        if traces.is_empty() {
            return None;
        }
        traces.sort_by_key(|(flow, _)| *flow);
        for (flow, trace) in traces {
            for event in trace.events() {
                let floats = [event.at.as_secs_f64(), event.cwnd, event.ssthresh];
                let (seq, end, window) = (event.seq as i64, event.end as i64, event.peer_window as i64);
                rows.push(floats, [i64::from(flow.0), event.kind as i64, seq, end, window]);
            }
        }
        let ints = ["flow", "kind", "seq", "end", "peer_window"];
        Some(rows.table(["time_s", "snd_cwnd", "snd_ssthresh"], ints))
    }
}

/// The fields of a JSON object.
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// How much was captured, and how far.
fn capture_json(traced: Traced) -> Value {
    let stopped = traced.stopped.map(SimTime::as_secs_f64);
    json!({ "bytes": traced.bytes, "limit": traced.limit, "stopped_s": stopped })
}

/// Loss events of a flow in the measured time, counted by belief and truth.
fn losses_json(probe: &FlowProbe) -> Vec<Value> {
    let mut sorted = BTreeMap::new();
    for ((belief, truth), n) in &probe.lost {
        *sorted.entry((belief.label(), truth.label())).or_insert(0) += n;
    }
    let row =
        |((believed, truth), n): ((_, String), u64)| json!({ "believed": believed, "truth": truth, "n": n });
    sorted.into_iter().map(row).collect()
}

/// Names of things, each once, in the order of the alphabet: that of what happens at one instant is the order of the nodes.
/// There are few, of many rows, so each is written out once.
struct Names<T> {
    sorted: Vec<String>,
    numbers: BTreeMap<T, i64>,
}

impl<T: Copy + Ord> Names<T> {
    fn of(things: impl Iterator<Item = T>, name: impl Fn(T) -> String) -> Self {
        let mut names = BTreeMap::new();
        for thing in things {
            names.entry(thing).or_insert_with(|| name(thing));
        }
        let sorted: Vec<String> = names.values().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        let number = |name: &String| sorted.partition_point(|known| known < name) as i64;
        let numbers = names.iter().map(|(&thing, name)| (thing, number(name))).collect();
        Self { sorted, numbers }
    }

    /// Place of a thing's name among the others.
    fn number(&self, thing: &T) -> i64 {
        self.numbers.get(thing).copied().unwrap_or(-1)
    }
}
