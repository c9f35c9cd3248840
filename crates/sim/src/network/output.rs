//! From a network at its end to the output of the run.

use std::collections::BTreeMap;

use multihop_proto::contract::Stations;
use multihop_proto::endpoint::Transport;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use serde_json::{Map, Value, json};

use super::Network;
use super::readings::Reading;
use super::tables::tables;
use crate::air::EnergyConfig;
use crate::probe::figures::{self, FlowSpan, NodeSpan, Packets, RunSpan};
use crate::probe::{FlowProbe, NodeState, RunOutput, Traced, ledger_json, modes_json, span_json};
use crate::scenario::Resolved;
use crate::traffic::FlowKind;

impl Network {
    /// Closes the books.
    ///
    /// # Errors
    /// If the trace of the run cannot be written.
    pub fn into_output(self, scenario: &Resolved, run: u64) -> Result<RunOutput, String> {
        Books { network: self, scenario }.close(run)
    }
}

/// What each technique has done, by the counter that tells it.
fn techniques_json(scenario: &Resolved, counters: &BTreeMap<&'static str, u64>) -> Vec<Value> {
    let acted = |name: &String| counters.get(name.as_str()).copied();
    let told = scenario
        .techniques
        .iter()
        .map(|technique| json!({ "name": technique.name, "acted": technique.counter.as_ref().map(acted) }));
    told.collect()
}

/// A network at its end, whose figures are written down.
struct Books<'a> {
    network: Network,
    scenario: &'a Resolved,
}

impl Books<'_> {
    fn close(mut self, run: u64) -> Result<RunOutput, String> {
        let scenario = self.scenario;
        let traced = match self.network.world.tap.take() {
            Some(tap) => tap.finish(&self.network.packets)?,
            None => None,
        };
        self.network.world.recorder.file_losses();
        let (from, to) = self.network.world.recorder.measured();
        let seconds = (to - from).as_secs_f64();
        let counters = self.network.sampler.readings.counters();
        let delivered_bits = self.network.world.recorder.flows.iter().map(|flow| flow.delivered * 8).sum();
        let (in_use_s, packets) = (self.in_use().as_secs_f64(), self.data_packets());
        let flows: Vec<Value> = (0..self.network.flows.len()).map(|index| self.flow_json(index)).collect();
        let (energy, metered) = (self.drawn(), scenario.config.energy.is_some());
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
        let techniques = techniques_json(scenario, &counters);
        let (ledger, end) = (ledger_json(&self.network.packets.ledger()), self.network.end);
        let Reading { whole, frames, .. } = &self.network.sampler.readings.before;
        let measured = span_json(whole, &self.network.sampler.readings.after.whole);
        let (drops, thinned) = (self.drops_json(), self.thinned());
        let name = |node: NodeId| scenario.nodes[node.index()].name.as_str();
        let interference =
            self.network.sampler.is_on().then(|| self.network.world.recorder.interference.json(name));
        let recorder = &self.network.world.recorder;
        let mpdus = recorder.mpdus.as_ref();
        let expected =
            |from: NodeId, to| self.network.nodes.interface_of(from).link().expected_throughput(to);
        let mpdus = mpdus.map(|mpdus| mpdus.json(&self.network.sampler.readings.peers(), expected, name));
        let whole = RunSpan {
            events: self.network.events,
            frames: self.network.sampler.readings.after.frames - frames,
            frames_whole_run: recorder.frames,
            energy,
            radio: self.network.sampler.readings.radio_times(),
            spent_at: self.network.sampler.readings.after.nodes.iter().filter_map(|node| node.spent_at).min(),
            delivered_bits,
            in_use_s,
            packets,
            routing: self.network.sampler.readings.routing_sent(&counters),
            by_mode: self.network.sampler.readings.data_by_mode(),
        };
        let mut document = object(json!({
            "run": run,
            "seed": scenario.config.run.seed,
            "fingerprint": format!("{:016x}", recorder.fingerprint.value()),
        }));
        figures::write(&mut document, figures::RUN, &whole);
        let (series, causes, truths) = tables(self.network);
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

    /// The figures of a node, and of each of its radios if there are several; `common` is what all nodes have in
    /// common.
    fn write_node(&self, node: &mut Map<String, Value>, id: NodeId, stations: &Stations, common: &NodeSpan) {
        let [from, to] = [&self.network.sampler.readings.before, &self.network.sampler.readings.after];
        let whole =
            NodeSpan { before: from.nodes[id.index()], after: to.nodes[id.index()], ..common.clone() };
        figures::write(node, figures::NODE, &whole);
        node.insert("data_by_mode".to_owned(), self.modes(stations.of(id)));
        if stations.of(id).nth(1).is_none() {
            return;
        }
        // The battery is that of the node.
        let energy = common.energy.clone().map(|energy| EnergyConfig { battery: None, ..energy });
        let common = NodeSpan { energy, ..common.clone() };
        let radio = |station: NodeId| {
            let [before, after] = [from, to].map(|reading| reading.radios[station.index()]);
            let mut radio = object(json!({ "channel": stations.channel(station) }));
            figures::write(&mut radio, figures::NODE, &NodeSpan { before, after, ..common.clone() });
            radio.insert("data_by_mode".to_owned(), self.modes(std::iter::once(station)));
            Value::Object(radio)
        };
        node.insert("radios".to_owned(), stations.of(id).map(radio).collect());
    }

    /// Data frames of some radios by mode in the measured time: those whose fate is known where a rule chooses rates,
    /// else those that have ended at their receiver where MPDUs are counted; null where neither is so.
    fn modes(&self, radios: impl Iterator<Item = NodeId>) -> Value {
        let ended = self.network.world.recorder.mpdus.as_ref();
        let mut sum = None;
        for radio in radios {
            let chosen = self.network.sampler.readings.modes(radio);
            let Some(counts) = chosen.or_else(|| ended.map(|mpdus| mpdus.modes(radio))) else { continue };
            let sum = sum.get_or_insert_with(BTreeMap::new);
            counts.into_iter().for_each(|(mode, n)| *sum.entry(mode).or_insert(0) += n);
        }
        sum.map_or(Value::Null, |sum| modes_json(&sum))
    }

    /// What radios draw: without `[energy]`, what the default card does. Nothing is known where a link of another kind
    /// does not say for how long it has sent, and frames are not metered.
    fn drawn(&self) -> Option<EnergyConfig> {
        let told = self
            .network
            .nodes
            .iter()
            .flat_map(|node| node.links().interfaces())
            .all(|it| it.link().counters().is_some());
        self.scenario.config.energy.clone().or_else(|| told.then(EnergyConfig::default))
    }

    /// Data packets of all flows in the measured time.
    fn data_packets(&self) -> Packets {
        let mut sum = Packets::default();
        for flow in &self.network.world.recorder.flows {
            sum.sent += flow.sent();
            sum.in_time += flow.in_time;
            sum.arrived += flow.delay.count();
        }
        sum
    }

    fn flow_json(&mut self, index: usize) -> Value {
        let completion_s = self.completion_s(index);
        let (begin, end) = self.active(index);
        let seconds = (end - begin).as_secs_f64();
        let broken_bytes = self.network.broken_bytes(self.network.flows[index].id);
        let probe = std::mem::take(&mut self.network.world.recorder.flows[index]);
        let span = FlowSpan { probe, seconds, completion_s, broken_bytes };
        let (flow, probe) = (&self.network.flows[index], &span.probe);
        let name = |node: NodeId| &self.scenario.nodes[node.index()].name;
        let windows: Vec<Value> = self
            .network
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
            "ledger": ledger_json(self.network.packets.flow_ledger(flow.id)),
            "ledger_measured": span_json(&self.network.sampler.readings.before.flows[index], &self.network.sampler.readings.after.flows[index]),
            "losses": losses_json(probe),
        })));
        Value::Object(document)
    }

    /// The part of the measured time in which a flow had begun, and had neither stopped nor completed; the end does not
    /// lie before the beginning.
    fn active(&self, index: usize) -> (SimTime, SimTime) {
        let (from, to) = self.network.world.recorder.measured();
        let flow = &self.network.flows[index];
        let whole = self.completion_s(index).and(self.network.world.recorder.flows[index].completed);
        let begin = flow.start.max(from);
        let end = whole.unwrap_or(flow.stop).min(to);
        (begin, end.max(begin))
    }

    /// The part of the measured time in which any flow was active.
    fn in_use(&self) -> Dur {
        let mut spans: Vec<_> = (0..self.network.flows.len()).map(|index| self.active(index)).collect();
        spans.sort_unstable();
        let mut until = SimTime::ZERO;
        let mut sum = Dur::ZERO;
        for (begin, end) in spans {
            sum += end.saturating_since(begin.max(until));
            until = until.max(end);
        }
        sum
    }

    /// Time from the start of a file's transfer to the acknowledgment of its last byte \[s\]; none if it was stopped
    /// before, and none of what has no end.
    fn completion_s(&self, index: usize) -> Option<f64> {
        let flow = &self.network.flows[index];
        let size = flow.config.size.filter(|_| flow.config.kind == FlowKind::File)?;
        let whole = self.network.nodes[flow.from.index()]
            .hosts()
            .all()
            .iter()
            .any(|end| end.flow == flow.id && end.kind.settled() >= Some(u64::from(size.get())));
        let at = self.network.world.recorder.flows[index].completed.filter(|_| whole)?;
        Some(at.saturating_since(flow.start).as_secs_f64())
    }

    /// Packets lost in the measured time, counted by flow, node, kind and cause.
    fn drops_json(&self) -> Vec<Value> {
        let flow = |id: FlowId| self.network.flows.get(id.index()).map(|flow| flow.name.as_str());
        let node = |id: NodeId| self.scenario.nodes[id.index()].name.as_str();
        self.network.world.recorder.dropped.json(flow, node)
    }

    /// The series that kept only one row in so many.
    fn thinned(&self) -> Map<String, Value> {
        let recorder = &self.network.world.recorder;
        let series = [
            ("drops", recorder.drops.every(), recorder.drops.seen()),
            ("losses", recorder.losses.every(), recorder.losses.seen()),
        ];
        let mpdus = recorder.mpdus.as_ref().map(|mpdus| ("mpdus", mpdus.kept().0, mpdus.kept().1));
        let thinned = series.into_iter().chain(mpdus).filter(|&(_, every, _)| every > 1);
        thinned.map(|(name, every, of)| (name.to_owned(), json!({ "every": every, "of": of }))).collect()
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
