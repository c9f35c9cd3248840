//! The way of each flow as a run begins: its path, which hops share the air, which stations disturb it unheard, and the
//! goodput that frame times leave it.

use std::collections::{HashMap, HashSet, VecDeque};

use super::ceiling::{self, Exchanges};
use super::hops::{Hop, Hops};
use super::paths::Costs;
use super::slots::{self, Choice};
use crate::air::{Link, Links};
use crate::scenario::{Resolved, WiredLink};
use crate::traffic::Flow;
use multihop_proto::routing::config::Metric;
use multihop_proto::units::NodeId;
use serde_json::{Value, json};

/// What is known of all links as a run begins.
pub(super) struct Ways<'a> {
    it: &'a Resolved,
    links: &'a Links,
    /// Best paths by the metric of the scenario, and by the other one.
    costs: [Costs<'a>; 2],
    /// The nodes that decode what each node sends, first names first.
    neighbours: Vec<Vec<NodeId>>,
    /// Sender and listener, where the listener senses or decodes what is sent.
    sensed: HashSet<Hop>,
}

impl<'a> Ways<'a> {
    pub(super) fn new(it: &'a Resolved, links: &'a Links, ranks: &'a [u32]) -> Self {
        let metric = it.config.routing.metric();
        let nodes = (0..it.nodes.len() as u32).map(NodeId);
        let mut neighbours = Vec::with_capacity(it.nodes.len());
        let mut sensed = HashSet::new();
        for from in nodes {
            let listeners: Vec<Link> = links.radio_links(from).collect();
            let by_radio = listeners.iter().filter(|link| link.decodable).map(|link| link.to);
            let mut decode: Vec<NodeId> = by_radio.chain(links.wired(from)).collect();
            decode.sort_unstable_by_key(|node| ranks[node.index()]);
            decode.dedup();
            neighbours.push(decode);
            let heard = listeners.iter().filter(|link| link.sensed || link.decodable);
            sensed.extend(heard.map(|link| (from, link.to)));
        }
        let costs = [metric, other(metric)].map(|metric| Costs::by(metric, links, ranks));
        Self { it, links, costs, neighbours, sensed }
    }

    /// The connected parts of the network, the largest first: of each the names of its nodes.
    pub(super) fn parts(&self) -> Vec<Vec<&str>> {
        let mut found: Vec<Vec<&str>> = Vec::new();
        let mut taken = vec![false; self.neighbours.len()];
        for first in (0..self.neighbours.len() as u32).map(NodeId) {
            if taken[first.index()] {
                continue;
            }
            let mut part = Vec::new();
            for node in reached(&self.neighbours, first, None).0 {
                if !std::mem::replace(&mut taken[node.index()], true) {
                    part.push(self.name(node));
                }
            }
            found.push(part);
        }
        found.sort_by_key(|part| std::cmp::Reverse(part.len()));
        found
    }

    /// What is known of the way of a flow: `path`: its nodes, none if the destination cannot be reached; `etx`: how
    /// many transmissions its links need on average for one frame; `wired`: its hops over wires; `other`: `metric`,
    /// `path` and `etx` of the best path by the other metric of static routes, if that is another path; `exchanges`:
    /// what one packet, and of TCP its share of an acknowledgement, takes of each hop by radio, see
    /// [`Exchange::to_json`](super::hops::Exchange::to_json), nothing over a slotted link; `shared`: the run of hops of
    /// one channel that share the air, so that one sends at a time, and that a packet takes longest; `ceiling_bps`: the
    /// payload over the time that a packet takes of the shared hops, or over a slotted link of the busiest node
    /// \[bit/s\]; `hidden`: hops with a station of the path that disturbs the receiver and that the sender does not
    /// sense; `slots`: what a packet takes over a slotted link; `hasty`: hops whose sender has a CoDel with a target
    /// below the time that one packet takes, see [`Ways::hasty`].
    pub(super) fn of(&self, flow: &Flow, times: &Exchanges) -> Value {
        let path = self.costs[0].path(flow.from, flow.to);
        let hops: Vec<Hop> = path.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let air = Hops::new(self.it, self.links);
        let by_slots = times.slots.is_some();
        let by_air = |hops: &[Hop]| if by_slots { Vec::new() } else { times.over(hops, &air) };
        let shared = self.shared(&hops, |run| ceiling::cycle(&by_air(run)));
        let slots = times.slots.as_ref().map(|link| {
            let relays = self.relays(&path, link.choice);
            slots::least(link, times.answers, &path, &relays)
        });
        let cycle = slots.as_ref().map_or_else(|| ceiling::cycle(&by_air(&shared)), |slots| slots.seconds());
        let by_radio = if shared.is_empty() { f64::INFINITY } else { 8.0 * f64::from(times.payload) / cycle };
        let wired: Vec<Hop> = hops.iter().copied().filter(|&hop| self.is_wired(hop)).collect();
        let by_wires = wired.iter().map(|&hop| self.wire_ceiling(hop, times)).fold(f64::INFINITY, f64::min);
        let ceiling = if hops.is_empty() { 0.0 } else { by_radio.min(by_wires) };
        let named = |&(from, to): &Hop| [self.name(from), self.name(to)];
        let radio: Vec<Hop> = hops.iter().copied().filter(|&hop| !self.is_wired(hop)).collect();
        let exchanges = by_air(&radio).into_iter().map(|it| it.to_json(|node| self.name(node).into()));
        json!({
            "path": self.names(&path),
            "etx": self.costs[0].etx(&path),
            "other": self.other(flow, &path),
            "wired": wired.iter().map(named).collect::<Vec<_>>(),
            "exchanges": exchanges.collect::<Vec<_>>(),
            "shared": shared.iter().map(named).collect::<Vec<_>>(),
            "ceiling_bps": ceiling,
            "hidden": self.hidden(&path, &hops),
            "slots": slots.map(|slots| slots.to_json()),
            "hasty": hops.iter().filter_map(|&hop| self.hasty(hop, times, &air)).collect::<Vec<_>>(),
        })
    }

    /// `from`, `to`; `s`, what one packet takes of a hop, the mean back-off among it; `target_s` of the sender's CoDel:
    /// if that is less. It is then exceeded by every packet that waits for another (RFC 8289 §4.4).
    fn hasty(&self, hop: Hop, times: &Exchanges, air: &Hops<'_>) -> Option<Value> {
        let queue = self.it.config.parts_of(self.it.nodes[hop.0.index()].group).queue;
        let target = queue.accepted_wait().filter(|_| times.slots.is_none())?.as_secs_f64();
        let takes = if self.is_wired(hop) {
            8.0 * f64::from(times.payload) / self.wire_ceiling(hop, times)
        } else {
            let [exchange] = times.over(&[hop], air)[..1] else { return None };
            exchange.time + exchange.backoff
        };
        let said =
            json!({ "from": self.name(hop.0), "to": self.name(hop.1), "s": takes, "target_s": target });
        (target < takes).then_some(said)
    }

    fn name(&self, node: NodeId) -> &str {
        &self.it.nodes[node.index()].name
    }

    fn names(&self, path: &[NodeId]) -> Vec<&str> {
        path.iter().map(|&node| self.name(node)).collect()
    }

    fn senses(&self, listener: NodeId, sender: NodeId) -> bool {
        self.sensed.contains(&(sender, listener))
    }

    fn is_wired(&self, (from, to): Hop) -> bool {
        self.links.is_wired(from, to)
    }

    /// Payload that a wire carries at most \[bit/s\].
    fn wire_ceiling(&self, (from, to): Hop, times: &Exchanges) -> f64 {
        let joins = |wire: &&WiredLink| wire.ends == [from, to] || wire.ends == [to, from];
        self.it.wires.iter().find(joins).map_or(f64::INFINITY, |wire| {
            // What routing adds to every packet on the air is not on wires.
            let packet = times.packet.saturating_sub(self.it.config.routing.header.get());
            let sent = f64::from(packet + wire.direction.overhead.get());
            wire.direction.rate.as_bps() as f64 * f64::from(times.payload) / sent
        })
    }

    /// The path by the other metric, if routes are static and it is another one.
    fn other(&self, flow: &Flow, path: &[NodeId]) -> Value {
        let routing = &self.it.config.routing;
        let [mine, its] = &self.costs;
        if path.is_empty() || !routing.is_static() || !(mine.is_lossy() || its.is_lossy()) {
            return Value::Null;
        }
        let found = its.path(flow.from, flow.to);
        if found.is_empty() || found == path {
            return Value::Null;
        }
        json!({ "metric": other(routing.metric()), "path": self.names(&found), "etx": its.etx(&found) })
    }

    /// The run of hops on one channel in which no two can succeed at a time, of those the one that a packet takes
    /// longest; of equal ones the one of most hops.
    fn shared(&self, hops: &[Hop], takes: impl Fn(&[Hop]) -> f64) -> Vec<Hop> {
        let (mut worst, mut most) = (Vec::new(), (0.0, 0));
        let mut channels: Vec<Option<u16>> = hops.iter().map(|&hop| self.channel(hop)).collect();
        channels.sort_unstable();
        channels.dedup();
        for channel in channels {
            let own: Vec<Hop> = hops.iter().copied().filter(|&hop| self.channel(hop) == channel).collect();
            for begin in 0..own.len() {
                let run = self.run(&own[begin..]);
                let cost = (takes(run), run.len());
                if cost > most {
                    (worst, most) = (run.to_vec(), cost);
                }
            }
        }
        worst
    }

    fn channel(&self, (from, to): Hop) -> Option<u16> {
        self.links.channel(from, to)
    }

    /// The first of these hops, and those after it, as far as no two can succeed at a time; none over a wire.
    fn run<'h>(&self, hops: &'h [Hop]) -> &'h [Hop] {
        if hops.first().is_none_or(|&first| self.is_wired(first)) {
            return &[];
        }
        let mut end = 1;
        while end < hops.len() && hops[..end].iter().all(|&hop| self.excludes(hop, hops[end])) {
            end += 1;
        }
        &hops[..end]
    }

    /// Whether two hops on one channel share a node, or the sender of one keeps the other's from sending: not if one
    /// has a wire.
    fn excludes(&self, one: Hop, two: Hop) -> bool {
        if self.is_wired(one) || self.is_wired(two) {
            return false;
        }
        let common = one.0 == two.0 || one.0 == two.1 || one.1 == two.0 || one.1 == two.1;
        common || self.senses(one.0, two.0) || self.senses(two.0, one.0)
    }

    /// Hops, each with a station of the path that disturbs the receiver and that the sender does not sense.
    fn hidden(&self, path: &[NodeId], hops: &[Hop]) -> Vec<[&str; 3]> {
        let disturbs = |hop: Hop, station: NodeId| {
            station != hop.0
                && station != hop.1
                && self.senses(hop.1, station)
                && !self.senses(hop.0, station)
                && self.links.is_on(station, self.channel(hop))
        };
        let stations = hops.iter().flat_map(|&hop| path.iter().map(move |&station| (hop, station)));
        stations
            .filter(|&(hop, station)| !self.is_wired(hop) && disturbs(hop, station))
            .map(|((from, to), station)| [self.name(from), self.name(to), self.name(station)])
            .collect()
    }

    /// The relays of a path that no packet can go around.
    fn relays(&self, path: &[NodeId], choice: Choice) -> Vec<NodeId> {
        let (Some(&begin), Some(&end), true) = (path.first(), path.last(), path.len() > 2) else {
            return Vec::new();
        };
        let relays = path[1..path.len() - 1].iter().copied();
        match choice {
            Choice::One => relays.collect(),
            Choice::Any => relays
                .filter(|&relay| !reached(&self.neighbours, begin, Some(relay)).1.contains_key(&end))
                .collect(),
            Choice::Shortest => {
                let there = reached(&self.neighbours, begin, None).1;
                let back = reached(&self.backwards(), end, None).1;
                let most = there[&end];
                let mut by_distance: HashMap<u32, u32> = HashMap::new();
                for (node, distance) in &there {
                    if back.get(node).is_some_and(|back| distance + back == most) {
                        *by_distance.entry(*distance).or_default() += 1;
                    }
                }
                relays.filter(|relay| by_distance[&there[relay]] == 1).collect()
            }
        }
    }

    /// The nodes whose frames each node decodes.
    fn backwards(&self) -> Vec<Vec<NodeId>> {
        let mut found = vec![Vec::new(); self.neighbours.len()];
        for (from, receivers) in (0..).map(NodeId).zip(&self.neighbours) {
            receivers.iter().for_each(|to| found[to.index()].push(from));
        }
        found
    }
}

/// The other metric of static routes.
const fn other(metric: Metric) -> Metric {
    match metric {
        Metric::Hops => Metric::Etx,
        Metric::Etx => Metric::Hops,
    }
}

/// The nodes that are reached from one, the nearest first, around another one; and the hops to each.
fn reached(
    neighbours: &[Vec<NodeId>],
    from: NodeId,
    without: Option<NodeId>,
) -> (Vec<NodeId>, HashMap<NodeId, u32>) {
    let (mut order, mut hops) = (vec![from], HashMap::from([(from, 0)]));
    let mut open = VecDeque::from([from]);
    while let Some(here) = open.pop_front() {
        for &there in &neighbours[here.index()] {
            if Some(there) != without && !hops.contains_key(&there) {
                hops.insert(there, hops[&here] + 1);
                order.push(there);
                open.push_back(there);
            }
        }
    }
    (order, hops)
}
