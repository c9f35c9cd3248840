//! From a network at its end to the output of the run.

use std::collections::BTreeMap;

use multihop_proto::wire::PacketKind;
use serde_json::{Value, json};

use super::Network;
use crate::probe::{Belief, FlowProbe, Rows, RunOutput, Series, cause, ledger_json, node_json};
use crate::scenario::Resolved;

impl Network {
    /// Closes the books.
    pub(super) fn into_output(mut self, scenario: &Resolved, run: u64) -> Result<RunOutput, String> {
        if let Some(tap) = self.world.tap.take() {
            tap.finish(&self.packets)?;
        }
        let (from, to) = self.world.recorder.measured();
        let seconds = (to - from).as_secs_f64();
        let counters = self.counters();
        let flows: Vec<Value> =
            (0..self.flows.len()).map(|index| self.flow_json(scenario, index, seconds)).collect();
        let nodes: Vec<Value> = scenario
            .nodes
            .iter()
            .zip(self.sampler.before.iter().zip(&self.sampler.after))
            .map(|(place, (before, after))| {
                node_json(&place.name, place.x.get(), place.y.get(), before, after, seconds)
            })
            .collect();
        let techniques: Vec<Value> = scenario
            .techniques
            .iter()
            .map(|technique| {
                let acted = technique.counter.as_ref().map(|name| counters.get(name).copied().unwrap_or(0));
                json!({ "name": technique.name, "acted": acted })
            })
            .collect();
        let ledger = ledger_json(&self.packets.ledger());
        let (events, frames, fingerprint) =
            (self.events, self.world.recorder.frames, self.world.recorder.fingerprint.value());
        let (series, causes, truths) = self.tables();
        let json = json!({
            "run": run,
            "seed": scenario.config.run.seed,
            "fingerprint": format!("{fingerprint:016x}"),
            "events": events,
            "frames": frames,
            "sim_s": scenario.config.run.duration.as_secs_f64(),
            "flows": flows,
            "ledger": ledger,
            "nodes": nodes,
            "counters": counters,
            "techniques": techniques,
            "causes": causes,
            "truths": truths,
        });
        Ok(RunOutput { json: json.to_string(), series })
    }

    fn flow_json(&self, scenario: &Resolved, index: usize, seconds: f64) -> Value {
        let (flow, probe) = (&self.flows[index], &self.world.recorder.flows[index]);
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
        let FlowProbe { before, after, .. } = probe;
        json!({
            "id": flow.name,
            "from": name(flow.from),
            "to": name(flow.to),
            "kind": flow.config.kind,
            "transport": flow.transport,
            "goodput_bps": probe.delivered as f64 * 8.0 / seconds,
            "delivered_bytes": probe.delivered,
            "sent_packets": after.tcp.sent - before.tcp.sent,
            "retransmissions": after.tcp.retransmissions - before.tcp.retransmissions,
            "timeouts": after.tcp.timeouts - before.tcp.timeouts,
            "fast_retransmits": after.tcp.fast_retransmits - before.tcp.fast_retransmits,
            "reordered": after.reordered - before.reordered,
            "rtt_mean_s": probe.rtt_mean(),
            "delay_mean_s": probe.delay.mean(),
            "delay_p50_s": probe.delay.quantile(0.5),
            "delay_p95_s": probe.delay.quantile(0.95),
            "completion_s": probe.completed.map(|at| at.saturating_since(flow.start).as_secs_f64()),
            "windows": windows,
            "ledger": ledger_json(self.packets.flow_ledger(flow.id)),
            "losses": self.losses_json(index),
        })
    }

    /// Loss events of a flow, counted by belief and truth.
    fn losses_json(&self, flow: usize) -> Vec<Value> {
        let mut counts: BTreeMap<(&str, String), u64> = BTreeMap::new();
        for loss in self.world.recorder.losses.iter().filter(|loss| loss.flow.index() == flow) {
            *counts.entry((belief(loss.belief), loss.truth.label())).or_default() += 1;
        }
        let row = |((believed, truth), n)| json!({ "believed": believed, "truth": truth, "n": n });
        counts.into_iter().map(row).collect()
    }

    /// Counters by which techniques say how often they acted.
    fn counters(&self) -> BTreeMap<String, u64> {
        let queues = self.nodes.iter().map(|node| node.queue().counters(self.world.now));
        let (kept, turns) =
            queues.fold((0, 0), |(kept, turns), queue| (kept + queue.kept, turns + queue.turns));
        let lost = self.nodes.iter().map(|node| node.routing().routes_lost()).sum();
        let senders = self.world.recorder.flows.iter().map(|probe| probe.after.tcp);
        let (fast, limited) =
            senders.fold((0, 0), |sum, tcp| (sum.0 + tcp.fast_retransmits, sum.1 + tcp.limited));
        BTreeMap::from([
            ("queue.kept".to_owned(), kept),
            ("queue.turns".to_owned(), turns),
            ("routing.routes-lost".to_owned(), lost),
            ("tcp.fast-retransmits".to_owned(), fast),
            ("tcp.limited-transmits".to_owned(), limited),
        ])
    }

    /// The series, and the names behind their indices of causes and truths.
    fn tables(self) -> (Series, Vec<String>, Vec<String>) {
        let (mut causes, mut truths) = (Vec::new(), Vec::new());
        let mut drops = Rows::<1, 6>::default();
        for drop in &self.world.recorder.drops {
            let what = &drop.what;
            let flow = if what.flow.is_none() { -1 } else { i64::from(what.flow.0) };
            let kind = match what.kind {
                PacketKind::TcpData => 0,
                PacketKind::TcpAck => 1,
                PacketKind::Udp => 2,
                PacketKind::Routing => 3,
            };
            let seq = what.position.map_or(-1, |position| position as i64);
            let cause = number(&mut causes, cause(what.reason, drop.why));
            drops.push(
                [drop.at.as_secs_f64()],
                [i64::from(drop.node.0), flow, what.uid as i64, seq, kind, cause],
            );
        }
        let mut losses = Rows::<1, 4>::default();
        for loss in &self.world.recorder.losses {
            let believed = i64::from(loss.belief == Belief::Timeout);
            let truth = number(&mut truths, loss.truth.label());
            losses.push([loss.at.as_secs_f64()], [i64::from(loss.flow.0), loss.seq as i64, believed, truth]);
        }
        let sampler = self.sampler;
        let series = vec![
            ("goodput", sampler.goodput.table(["time_s", "bps"], ["flow"])),
            (
                "tcp",
                sampler
                    .tcp
                    .table(["time_s", "snd_cwnd", "snd_ssthresh", "srtt_s", "rto_s"], ["flow", "una", "nxt"]),
            ),
            ("queue", sampler.queue.table(["time_s"], ["node", "length"])),
            ("drops", drops.table(["time_s"], ["node", "flow", "packet", "seq", "kind", "cause"])),
            ("losses", losses.table(["time_s"], ["flow", "seq", "believed", "truth"])),
        ];
        (series, causes, truths)
    }
}

const fn belief(belief: Belief) -> &'static str {
    match belief {
        Belief::DupAcks => "dup-acks",
        Belief::Timeout => "timeout",
    }
}

/// Index of a name in a list, appended if new.
fn number(names: &mut Vec<String>, name: String) -> i64 {
    let at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    });
    at as i64
}
