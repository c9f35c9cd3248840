//! The series of a run at its end, and the names behind their indices.

use std::collections::{BTreeMap, BTreeSet};

use multihop_proto::endpoint::{AnyTransport, Trace};
use multihop_proto::units::FlowId;
use multihop_proto::wire::causes::cause;

use super::Network;
use super::stations::Nodes;
use crate::probe::{Belief, DropRecord, Rows, Series, Table, Truth, kind_number};
use crate::scenario::Flow;

/// The series, and the names behind their indices of causes and truths.
pub(super) fn tables(network: Network) -> (Series, Vec<String>, Vec<String>) {
    let recorder = &network.world.recorder;
    let why = |drop: &DropRecord| (drop.what.reason, drop.why);
    let causes = Names::of(recorder.drops.rows().iter().map(why), |(reason, why)| cause(reason, why).name());
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
        for flow in network.flows.iter().filter(ends) {
            routes.push([route.at.as_secs_f64()], [i64::from(flow.id.0), i64::from(route.found)]);
        }
    }
    let mpdus = recorder.mpdus.as_ref().map(|mpdus| ("mpdus", mpdus.table()));
    let events = events_of_tcp(&network.nodes);
    let sampler = network.sampler;
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
    if !sampler.radios.is_empty() {
        series.push(("radios", sampler.radios.table(["time_s"], ["node", "channel", "length"])));
    }
    series.extend(mpdus);
    series.extend(events.map(|table| ("events", table)));
    (series, causes.sorted, truths.sorted)
}

/// What the TCP senders heard and did, flow by flow, as far as it was to be kept; none if nothing was.
fn events_of_tcp(nodes: &Nodes) -> Option<Table> {
    let mut rows = Rows::<3, 5>::default();
    let mut traces: Vec<(FlowId, &Trace)> = Vec::new();
    for endpoint in nodes.iter().flat_map(|node| node.hosts().all()) {
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

/// Names of things, each once, in the order of the alphabet: that of what happens at one instant is the order of the
/// nodes. There are few, of many rows, so each is written out once.
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
