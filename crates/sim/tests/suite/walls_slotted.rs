//! A wall of the architecture: a link that keeps its packets itself. A slotted toy with relay echo lives on it: frames
//! of two parts that end differently, three packets under way at once, slots that it wakes for, and neighbours that get
//! nothing for a while.

use std::sync::{Arc, Mutex};

use multihop_proto::contract::Dropped;
use multihop_proto::endpoint::AnyTransport;
use multihop_proto::link::Link;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{Frame, GiveUp, PacketStore};
use multihop_sim::network::Network;
use multihop_sim::probe::{Fingerprint, Tap, Traced};
use multihop_sim::scenario::Resolved;
use proptest::prelude::*;

use crate::common::walls::placed;
use crate::toy::net::{advance, bulk, cbr};
use crate::toy::slotted::{Counts, LIMIT, SLOT, Shared, Slotted};

/// A cross: node 0 in the middle, a neighbour on each side, and one behind the first.
const CROSS: [(u32, u32); 6] = [(400, 400), (200, 400), (600, 400), (400, 200), (400, 600), (0, 400)];

/// A scenario of nodes at these places \[m\], named by their numbers and listed in this order.
fn scenario(places: &[(u32, u32)], order: &[usize], flows: &str, sets: &[&str]) -> Resolved {
    placed("ns2", order.iter().map(|&name| (name, &places[name])), flows, sets)
}

/// A network in which every node has a slotted link.
fn slotted(scenario: &Resolved, counts: &Shared) -> Network {
    let mut network = Network::new(scenario, 1);
    for (place, me) in scenario.nodes.iter().zip((0..).map(NodeId)) {
        let link = Slotted::new(me, &place.name, Arc::clone(counts));
        network.node_mut(me).links_mut().set_link(Link::custom(link));
    }
    network
}

/// Datagrams of a flow that have arrived at the node of this name.
fn arrived(network: &Network, node: usize, flow: u32) -> usize {
    let sink = network.nodes()[node].hosts().all().iter().find_map(|end| match &end.kind {
        AnyTransport::UdpSink(sink) if end.flow == FlowId(flow) => Some(sink),
        _ => None,
    });
    let sink = sink.expect("a sink");
    (0..10_000).filter(|&number| sink.has(number)).count()
}

/// Adds up the hashes of all frames, their ends by name, so that neither numbers nor the order within an instant
/// matter.
#[derive(Clone, Debug, Default)]
struct Watch {
    names: Vec<u32>,
    sum: Arc<Mutex<u64>>,
}

impl Tap for Watch {
    fn sent(&mut self, now: SimTime, frame: &Frame, _: &PacketStore) {
        let name = |node: NodeId| self.names.get(node.index()).map_or(node, |&name| NodeId(name));
        let mut one = Fingerprint::new();
        one.transmission(now, &Frame { from: name(frame.from), to: name(frame.to), ..*frame });
        let mut sum = self.sum.lock().expect("one thread");
        *sum = sum.wrapping_add(one.value());
    }
    fn received(&mut self, _: SimTime, _: NodeId, _: f64, _: &Frame, _: &PacketStore) {}
    fn dropped(&mut self, _: SimTime, _: NodeId, _: &Dropped, _: Option<GiveUp>) {}
    fn pause(&mut self, _: SimTime, _: &PacketStore) {}
    fn finish(self: Box<Self>, _: &PacketStore) -> Result<Option<Traced>, String> {
        Ok(None)
    }
}

#[test]
fn one_packet_is_echoed_hop_by_hop_and_acknowledged_at_its_end() {
    let shared = Shared::default();
    let flow = cbr(5, 2, 16, "150 ms"); // the one at 0 s
    let mut network = slotted(&scenario(&CROSS, &[0, 1, 2, 3, 4, 5], &flow, &[]), &shared);
    // Three hops, each in the slot after the last.
    network.advance(SimTime::ZERO + SLOT * 3);
    assert_eq!(arrived(&network, 2, 0), 0);
    advance(&mut network, SimTime::ZERO + SLOT * 4);
    assert_eq!(arrived(&network, 2, 0), 1);
    advance(&mut network, SimTime::ZERO + SLOT * 6);
    let counts = *shared.lock().expect("one thread");
    assert_eq!((counts.echoes, counts.acks, counts.given_up), (3, 1, 0), "{counts:?}");
    assert_eq!(network.nodes().iter().map(|node| node.held()).sum::<usize>(), 0);
}

#[test]
fn parts_of_a_frame_end_differently_and_three_packets_are_under_way() {
    let shared = Shared::default();
    let flows: String = [1, 2, 3, 4].map(|to| cbr(0, to, 60, "20 s")).concat();
    let mut network = slotted(&scenario(&CROSS, &[0, 1, 2, 3, 4, 5], &flows, &[]), &shared);
    for step in 1..=20 {
        advance(&mut network, SimTime::from_secs(step));
        // One of the receivers is away for a while: the other parts get through.
        network.power(NodeId(2), step % 4 != 1);
    }
    advance(&mut network, SimTime::from_secs(30));
    let counts = *shared.lock().expect("one thread");
    assert!(counts.pairs > 100 && counts.split > 20, "{counts:?}");
    assert_eq!(counts.most_outstanding, 3, "{counts:?}");
    assert!(counts.held > 0 && counts.given_up > 0, "{counts:?}");
    let counts_of = [1, 2, 3, 4].map(|node| arrived(&network, node, node as u32 - 1));
    assert!(counts_of.iter().all(|&count| count > 50), "{counts_of:?}");
    assert_eq!(network.nodes()[0].held(), 0, "nothing stays behind");
}

#[test]
fn tcp_runs_over_it_and_sees_its_room() {
    let shared = Shared::default();
    let mut network = slotted(&scenario(&CROSS, &[0, 1, 2, 3, 4, 5], &bulk(5, 2), &[]), &shared);
    advance(&mut network, SimTime::from_secs(60));
    let bytes = network.nodes()[2].hosts().all().iter().find_map(|end| match &end.kind {
        AnyTransport::TcpReceiver(end) => Some(end.receiver.expected()),
        _ => None,
    });
    assert!(bytes.expect("a receiver") > 200_000, "{bytes:?} {:?}", shared.lock());
}

/// What happens in a random network.
#[derive(Clone, Debug)]
struct Story {
    places: Vec<(u32, u32)>,
    order: Vec<usize>,
    flows: Vec<(usize, usize, u32, bool)>,
    power: Vec<(u64, usize)>,
    lossy: bool,
}

fn story() -> impl Strategy<Value = Story> {
    let places = prop::collection::vec((0u32..600, 0u32..300), 3..8);
    let flows = prop::collection::vec((0usize..8, 0usize..8, 20u32..300, any::<bool>()), 1..5);
    let power = prop::collection::vec((1u64..400, 0usize..8), 0..12);
    (places, flows, power, any::<bool>()).prop_flat_map(|(places, flows, power, lossy)| {
        let order = Just((0..places.len()).collect::<Vec<_>>()).prop_shuffle();
        order.prop_map(move |order| Story {
            places: places.clone(),
            order,
            flows: flows.clone(),
            power: power.clone(),
            lossy,
        })
    })
}

/// Tells the story once, with the nodes listed in this order; returns the fingerprint and what the toys did.
fn tell(story: &Story, order: &[usize]) -> (u64, Counts) {
    let count = story.places.len();
    let ends = |&(from, to, rate, tcp): &(usize, usize, u32, bool)| {
        let (from, to) = (from % count, to % count);
        let to = if from == to { (to + 1) % count } else { to };
        let (from, to) = (from as u32, to as u32);
        if tcp { bulk(from, to) } else { cbr(from, to, rate, "2 s") }
    };
    let flows: String = story.flows.iter().map(ends).collect();
    let sets: &[&str] = if story.lossy { &["air.packet-error-rate=0.2"] } else { &[] };
    let scenario = scenario(&story.places, order, &flows, sets);
    let (shared, watch) = (Shared::default(), Watch::default());
    let names = order.iter().map(|&name| name as u32).collect();
    let watch = Watch { names, ..watch };
    let mut network = slotted(&scenario, &shared);
    network.set_tap(Box::new(watch.clone()));
    let mut up = vec![true; count];
    let mut now = SimTime::ZERO;
    for &(gap, name) in &story.power {
        now += Dur::from_us(1000 * gap + 77);
        advance(&mut network, now);
        let name = name % count;
        up[name] = !up[name];
        let node = order.iter().position(|&other| other == name).expect("it is listed");
        network.power(NodeId(node as u32), up[name]);
        network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
        assert!(network.nodes().iter().all(|node| node.links().link().held() <= LIMIT));
    }
    advance(&mut network, now + Dur::from_secs(2));
    let counts = *shared.lock().expect("one thread");
    let sum = *watch.sum.lock().expect("one thread");
    (sum, counts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_network_balances_and_is_the_same_in_whatever_order_its_nodes_are_listed(story in story()) {
        let plain: Vec<usize> = (0..story.places.len()).collect();
        prop_assert_eq!(tell(&story, &story.order), tell(&story, &plain));
    }
}

/// The same on every machine and in every build.
#[test]
fn a_story_has_one_fingerprint() {
    let story = Story {
        places: CROSS.to_vec(),
        order: Vec::new(),
        flows: vec![(5, 2, 60, false), (3, 4, 0, true), (0, 1, 50, false), (0, 3, 50, false)],
        power: vec![(300, 1), (200, 4), (350, 1), (100, 2), (90, 4), (300, 2)],
        lossy: true,
    };
    let (fingerprint, counts) = tell(&story, &[0, 1, 2, 3, 4, 5]);
    assert!(counts.split > 0 && counts.given_up > 0, "{counts:?}");
    insta::assert_snapshot!("slots", format!("{fingerprint:016x} {counts:?}"));
}
