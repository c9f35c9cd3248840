//! Sampling: series at fixed intervals, readings at the ends of the measured time.

use std::collections::BTreeMap;

use multihop_proto::endpoint::{AnyTransport, Transport};
use multihop_proto::mac::PeerCounters;
use multihop_proto::node::Interface;
use multihop_proto::units::{Bitrate, Dur, NodeId, SimTime};
use multihop_proto::wire::{Category, FlowLedger};

use super::Network;
use super::world::{Transmission, World};
use crate::probe::{NodeState, Rows, SenderState};

/// Series in the making.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    interval: Dur,
    /// time, rate | flow, packets that arrived for the first time
    pub(super) goodput: Rows<2, 2>,
    /// time, cwnd, ssthresh, srtt, rto | flow, una, nxt, the receiver's window
    pub(super) tcp: Rows<5, 4>,
    /// time, sending rate, delivery rate, least round trip | flow, phase; of senders that measure the path
    pub(super) path: Rows<4, 2>,
    /// time, rate, reported rate | flow, acknowledged, sent
    pub(super) rate: Rows<3, 3>,
    /// time | node, length
    pub(super) queue: Rows<1, 2>,
    /// Readings at the start and the end of the measured time.
    pub(super) before: Reading,
    pub(super) after: Reading,
}

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
    pub(super) peers: BTreeMap<(NodeId, NodeId, Category), PeerCounters>,
    /// The machines' counters by name, over all nodes.
    pub(super) counters: BTreeMap<&'static str, u64>,
}

impl Sampler {
    /// A sampler with this interval (zero = no series).
    #[must_use]
    pub(super) fn new(interval: Dur) -> Self {
        Self {
            interval,
            goodput: Rows::default(),
            tcp: Rows::default(),
            path: Rows::default(),
            rate: Rows::default(),
            queue: Rows::default(),
            before: Reading::default(),
            after: Reading::default(),
        }
    }

    /// What became of MPDUs on each link in the measured time.
    pub(super) fn peers(&self) -> BTreeMap<(NodeId, NodeId, Category), PeerCounters> {
        let before = |way| self.before.peers.get(way).copied().unwrap_or_default();
        self.after.peers.iter().map(|(way, after)| (*way, after.since(&before(way)))).collect()
    }

    /// Whether there are series.
    #[must_use]
    pub(super) const fn is_on(&self) -> bool {
        self.interval.as_ns() > 0
    }

    /// The first sample.
    #[must_use]
    pub(super) fn first(&self) -> SimTime {
        SimTime::ZERO + self.interval
    }
}

impl Network {
    /// A probe is due: a sample, or an end of the measured time.
    pub(super) fn run_probe(&mut self, probe: usize) {
        match probe {
            0 => self.sample(),
            1 => self.begin_measuring(),
            _ => {
                self.sampler.after = self.reading();
                for (probe, state) in self.sender_states().into_iter().enumerate() {
                    self.world.recorder.flows[probe].after = state;
                }
            }
        }
    }

    /// Readings at the beginning of the measured time.
    pub(super) fn begin_measuring(&mut self) {
        self.sampler.before = self.reading();
        for (probe, state) in self.sender_states().into_iter().enumerate() {
            self.world.recorder.flows[probe].before = state;
        }
    }

    fn sample(&mut self) {
        let now = self.world.now.as_secs_f64();
        let interval = self.sampler.interval;
        for (probe, index) in self.world.recorder.flows.iter_mut().zip(0..) {
            let bits = std::mem::take(&mut probe.since_sample) as f64 * 8.0;
            let arrived = std::mem::take(&mut probe.arrived_since_sample) as i64;
            self.sampler.goodput.push([now, bits / interval.as_secs_f64()], [index, arrived]);
        }
        let mut senders = vec![None; self.flows.len()];
        for endpoint in self.nodes.iter().flat_map(multihop_proto::node::Node::endpoints) {
            if let (Some(view), Some(sender)) = (endpoint.kind.view(), senders.get_mut(endpoint.flow.index()))
            {
                *sender = Some(view);
            }
        }
        for (view, index) in senders.into_iter().zip(0..) {
            let Some(view) = view else { continue };
            let srtt = view.srtt.map_or(f64::NAN, |srtt| srtt.as_secs_f64());
            let row = [now, view.cwnd, view.ssthresh, srtt, view.rto.as_secs_f64()];
            self.sampler.tcp.push(row, [index, view.una as i64, view.nxt as i64, view.peer_window as i64]);
        }
        for endpoint in self.nodes.iter().flat_map(multihop_proto::node::Node::endpoints) {
            if let AnyTransport::TcpSender(end) = &endpoint.kind
                && let Some(path) = end.sender.path_view()
            {
                let bps = |rate: Option<Bitrate>| rate.map_or(f64::NAN, |rate| rate.as_bps() as f64);
                let rtt = path.min_rtt.map_or(f64::NAN, |rtt| rtt.as_secs_f64());
                let row = [now, bps(path.send_rate), bps(path.delivery_rate), rtt];
                self.sampler.path.push(row, [i64::from(endpoint.flow.0), i64::from(path.phase)]);
            }
            let AnyTransport::AtpSource(end) = &endpoint.kind else { continue };
            let rate = end.source.rate();
            let row = [now, rate.sending, rate.reported.unwrap_or(f64::NAN)];
            let flow = i64::from(endpoint.flow.0);
            self.sampler.rate.push(row, [flow, rate.below as i64, rate.next as i64]);
        }
        for (node, index) in self.nodes.iter().zip(0..) {
            self.sampler.queue.push([now], [index, node.queued() as i64]);
        }
        self.world.timers.arm_probe(0, self.world.now + interval);
    }

    /// What one radio of a node has done.
    fn read_radio(&self, interface: &Interface) -> NodeState {
        let (now, station, link) = (self.world.now, interface.station(), interface.link());
        let mut mac = link.counters().unwrap_or_default();
        let unsent = self.still_to_send(station) + self.unsent[station.index()];
        mac.airtime = mac.airtime.saturating_sub(unsent);
        NodeState {
            mac,
            busy: link.busy_time(now),
            queue: link.queue_counters(now),
            failures: self.world.recorder.attempts.failures(station),
            radio: self.meter.read(station, now, mac.airtime),
            ..NodeState::default()
        }
    }

    fn reading(&self) -> Reading {
        let now = self.world.now;
        let state = |(node, id): (&multihop_proto::node::Node, NodeId)| {
            let radios = node.interfaces().map(|interface| self.read_radio(interface));
            NodeState {
                queue: node.queue_counters(now),
                spent_at: self.spent_at(id),
                ..radios.reduce(|sum, radio| sum.and(&radio)).unwrap_or_default()
            }
        };
        let mut counters = BTreeMap::new();
        for node in self.nodes.iter() {
            node.each_counter(now, &mut |name, count| {
                let all = counters.entry(name).or_default();
                *all = if name.contains("longest") { count.max(*all) } else { count + *all };
            });
        }
        let several = self.nodes.stations() > self.nodes.len();
        let radios = self.nodes.all_stations().filter(|_| several);
        Reading {
            radios: radios.map(|station| self.read_radio(self.nodes.interface_of(station))).collect(),
            nodes: self.nodes.iter().zip((0..).map(NodeId)).map(state).collect(),
            flows: self.flows.iter().map(|flow| *self.packets.flow_ledger(flow.id)).collect(),
            whole: self.packets.ledger(),
            frames: self.world.recorder.frames,
            peers: self.peers(),
            counters,
        }
    }

    /// What became of MPDUs on each link, where that is watched.
    fn peers(&self) -> BTreeMap<(NodeId, NodeId, Category), PeerCounters> {
        let mut peers = BTreeMap::new();
        if self.world.recorder.mpdus.is_none() {
            return peers;
        }
        for station in self.nodes.all_stations() {
            self.nodes.interface_of(station).link().each_peer(&mut |peer, counted| {
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

    /// What a station has yet to send of the frame that is on the air.
    pub(super) fn still_to_send(&self, station: NodeId) -> Dur {
        let World { now, timers, delay, on_air, .. } = &self.world;
        let airtime = match on_air[station.index()] {
            Transmission::None | Transmission::Dozing => return Dur::ZERO,
            Transmission::Leaving(frame) => frame.airtime,
            Transmission::Beginning(_) | Transmission::Arriving(_) | Transmission::Mute(_) => Dur::ZERO,
        };
        let end = timers.end_of(station).map(|event| event + airtime);
        end.map_or(Dur::ZERO, |end| end.saturating_since(*now).saturating_sub(*delay))
    }

    /// What all senders have counted, and how many packets of each flow reached either of its ends after a later
    /// one. All endpoints are visited once, so that it takes as long as there are flows.
    fn sender_states(&self) -> Vec<SenderState> {
        let mut states = vec![SenderState::default(); self.flows.len()];
        for endpoint in self.nodes.iter().flat_map(multihop_proto::node::Node::endpoints) {
            let Some(state) = states.get_mut(endpoint.flow.index()) else { continue }; // of no flow
            state.reordered += endpoint.order.reordered;
            match endpoint.kind.counters() {
                Some(counted) => (state.tcp, state.rtt) = counted,
                None => state.tcp.sent += endpoint.kind.sent(),
            }
        }
        states
    }
}
