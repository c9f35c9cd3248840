//! What is counted in a network at the ends of the measured time, and what that says of the time between.

use std::collections::BTreeMap;

use multihop_proto::mac::PeerCounters;
use multihop_proto::node::{Interface, Node};
use multihop_proto::phy::{MODES, Mode};
use multihop_proto::units::{Dur, NodeId};
use multihop_proto::wire::{Category, FlowLedger};

use super::Network;
use crate::air::StateTimes;
use crate::probe::NodeState;
use crate::probe::figures::dsss;

/// Counters of what routing sent: messages, and their bytes.
const ROUTING: [&str; 2] = ["routing.messages", "routing.message-bytes"];

/// What became of MPDUs from one station to another, by category.
type Peers = BTreeMap<(NodeId, NodeId, Category), PeerCounters>;

/// All that is counted, at one instant.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    pub(super) nodes: Vec<NodeState>,
    /// By station, where nodes have several radios.
    pub(super) radios: Vec<NodeState>,
    /// The ledger of each flow.
    pub(super) flows: Vec<FlowLedger>,
    /// The ledger of the network.
    pub(super) whole: FlowLedger,
    /// Transmissions begun.
    pub(super) frames: u64,
    /// What became of MPDUs from one station to another, by category.
    pub(super) peers: Peers,
    /// Data frames of each station in each mode, where a rule chooses it.
    modes: Vec<BTreeMap<Mode, u64>>,
    /// The machines' counters by name, over all nodes.
    pub(super) counters: BTreeMap<&'static str, u64>,
}

impl Reading {
    /// What is counted in a network now.
    pub(super) fn of(network: &Network) -> Self {
        let Network { world, nodes, packets, flows, agenda, .. } = network;
        let state = |(node, id): (&Node, NodeId)| {
            let radios = node.links().interfaces().map(|interface| Self::of_radio(network, interface));
            NodeState {
                queue: node.links().queue_counters(world.now),
                spent_at: agenda.spent_at(id),
                ..radios.reduce(|sum, radio| sum.and(&radio)).unwrap_or_default()
            }
        };
        let mut counters = BTreeMap::new();
        for node in nodes.iter() {
            node.each_counter(world.now, &mut |name, count| {
                let all = counters.entry(name).or_default();
                *all = if name.contains("longest") { count.max(*all) } else { count + *all };
            });
        }
        let several = nodes.stations() > nodes.len();
        let radios = nodes.all_stations().filter(|_| several);
        Self {
            radios: radios.map(|station| Self::of_radio(network, nodes.interface_of(station))).collect(),
            nodes: nodes.iter().zip((0..).map(NodeId)).map(state).collect(),
            flows: flows.iter().map(|flow| *packets.flow_ledger(flow.id)).collect(),
            whole: packets.ledger(),
            frames: world.recorder.frames,
            peers: Self::peers(network),
            modes: nodes.all_stations().map(|station| Self::modes(nodes.interface_of(station))).collect(),
            counters,
        }
    }

    /// What became of MPDUs on each link, where that is watched.
    fn peers(Network { world, nodes, .. }: &Network) -> Peers {
        let mut peers = Peers::new();
        if world.recorder.mpdus.is_none() {
            return peers;
        }
        for station in nodes.all_stations() {
            nodes.interface_of(station).link().each_peer(&mut |peer, counted| {
                let category = peer.priority.category();
                let mut add = |way: (NodeId, NodeId), part: PeerCounters| {
                    let sum: &mut PeerCounters = peers.entry((way.0, way.1, category)).or_default();
                    *sum = sum.and(&part);
                };
                let sent = PeerCounters { held: 0, held_for: Dur::ZERO, released: 0, ..counted };
                let waited = PeerCounters { delivered: 0, given_up: 0, delay: Dur::ZERO, ..counted };
                add((station, peer.node), sent);
                add((peer.node, station), waited);
            });
        }
        peers
    }

    /// Data frames of a station in each mode; none where no rule chooses it.
    fn modes(interface: &Interface) -> BTreeMap<Mode, u64> {
        let mut modes = BTreeMap::new();
        interface.link().each_rate(&mut |tx, frames| *modes.entry(tx.named()).or_default() += frames);
        modes
    }

    /// What one radio of a node has done.
    fn of_radio(network: &Network, interface: &Interface) -> NodeState {
        let Network { world, cut_off, meter, .. } = network;
        let (now, station, link) = (world.now, interface.station(), interface.link());
        let mut mac = link.counters().unwrap_or_default();
        mac.airtime = mac.airtime.saturating_sub(world.still_to_send(station) + cut_off.unsent(station));
        NodeState {
            mac,
            busy: link.busy_time(now),
            queue: link.queue_counters(now),
            failures: world.recorder.attempts.failures(station),
            radio: meter.read(station, now, mac.airtime),
            ..NodeState::default()
        }
    }
}

/// Readings at the start and the end of the measured time.
#[derive(Clone, Debug, Default)]
pub(super) struct Readings {
    pub(super) before: Reading,
    pub(super) after: Reading,
}

impl Readings {
    /// What became of MPDUs on each link in the measured time.
    pub(super) fn peers(&self) -> Peers {
        let before = |way| self.before.peers.get(way).copied().unwrap_or_default();
        self.after.peers.iter().map(|(way, after)| (*way, after.since(&before(way)))).collect()
    }

    /// Data frames of a station in each mode in the measured time, where a rule chooses it.
    pub(super) fn modes(&self, station: NodeId) -> Option<BTreeMap<Mode, u64>> {
        let after = self.after.modes.get(station.index()).filter(|modes| !modes.is_empty())?;
        let before = self.before.modes.get(station.index());
        let earlier = |mode| before.and_then(|modes| modes.get(&mode)).copied().unwrap_or(0);
        Some(after.iter().map(|(&mode, n)| (mode, n - earlier(mode))).collect())
    }

    /// What all radios did in the measured time, in whole nanoseconds: the order of the nodes does not matter.
    pub(super) fn radio_times(&self) -> StateTimes {
        let readings = self.before.nodes.iter().zip(&self.after.nodes);
        let times = readings.map(|(before, after)| after.radio.since(&before.radio));
        times.fold(StateTimes::default(), |sum, times| sum.and(&times))
    }

    /// Data frames of all nodes in each mode in the measured time, if any was sent at a rate of DSSS that was chosen.
    pub(super) fn data_by_mode(&self) -> Option<[u64; MODES.len()]> {
        let mut sum = [0; MODES.len()];
        let readings = self.before.nodes.iter().zip(&self.after.nodes);
        for (before, after) in readings {
            for (mode, count) in sum.iter_mut().enumerate() {
                *count += after.mac.by_mode[mode] - before.mac.by_mode[mode];
            }
        }
        self.after.nodes.iter().any(|node| dsss(&node.mac.by_mode)).then_some(sum)
    }

    /// Messages of routing in the measured time and their bytes, if it sent any in the whole run.
    pub(super) fn routing_sent(&self, measured: &BTreeMap<&'static str, u64>) -> Option<(u64, u64)> {
        let [messages, bytes] = ROUTING.map(|name| measured.get(name).copied().unwrap_or(0));
        self.after.counters.get(ROUTING[0]).is_some_and(|&sent| sent > 0).then_some((messages, bytes))
    }

    /// The machines' counters, by which techniques say how often they acted, of the measured time.
    pub(super) fn counters(&self) -> BTreeMap<&'static str, u64> {
        let before = &self.before.counters;
        let since =
            |(&name, after): (&&'static str, &u64)| (name, after - before.get(name).copied().unwrap_or(0));
        self.after.counters.iter().map(since).collect()
    }
}
