//! A wall of the architecture: routing sees packets. A toy of source routing lives on it, with routes in the packets, a
//! buffer, salvaging and overhearing.

use multihop_proto::node::AnyTransport;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::PacketKind;
use multihop_sim::network::Network;
use proptest::prelude::*;

use crate::toy::net::{Watch, advance, bulk, cbr, scenario, toys};
use crate::toy::wire::{Message, SourceRoute};
use crate::toy::{Counts, Shared};

/// Two rows of three: 0 – 1 – 2 above 3 – 4 – 5, all neighbours and diagonals within reach.
const ROWS: [(u32, u32); 6] = [(0, 0), (200, 0), (400, 0), (0, 100), (200, 100), (400, 100)];

fn counts(shared: &Shared) -> Counts {
    *shared.lock().expect("one thread")
}

/// Datagrams of a flow that have arrived.
fn arrived(network: &Network, node: usize, flow: u32) -> usize {
    let sink = network.nodes()[node].hosts().all().iter().find_map(|end| match &end.kind {
        AnyTransport::UdpSink(sink) if end.flow == FlowId(flow) => Some(sink),
        _ => None,
    });
    let sink = sink.expect("a sink");
    (0..100_000).filter(|&number| sink.has(number)).count()
}

#[test]
fn what_is_said_is_understood() {
    let path = vec![NodeId(0), NodeId(4), NodeId(2)];
    let messages = [
        Message::Request { id: 7, target: NodeId(9), path: path.clone() },
        Message::Reply { path: path.clone() },
        Message::Error { link: (NodeId(4), NodeId(2)), path: path.clone() },
    ];
    for message in messages {
        assert_eq!(Message::parse(&message.emit()), Some(message));
    }
    let route = SourceRoute { salvaged: 2, path };
    assert_eq!(SourceRoute::parse(&route.emit()), Some(route));
}

#[test]
fn packets_wait_for_the_answer_to_a_flood_and_carry_their_route() {
    let shared = Shared::default();
    let scenario = scenario(&ROWS, &cbr(0, 2, 100, "2 s"), &[]);
    let mut network = toys(&scenario, &shared);
    advance(&mut network, SimTime::from_ms(3));
    assert!(counts(&shared).waited > 0, "the first packet waits");
    advance(&mut network, SimTime::from_secs(3));
    let counts = counts(&shared);
    // The first ring reaches the neighbours only.
    assert!(counts.searches >= 2 && counts.replies >= 1, "{counts:?}");
    assert_eq!(arrived(&network, 2, 0), 63, "100 kbit/s of 400 bytes for 2 s");
}

#[test]
fn a_give_up_is_salvaged_over_a_route_that_was_overheard() {
    let shared = Shared::default();
    let watch = Watch::default();
    let flows = cbr(0, 2, 100, "20 s") + &cbr(3, 5, 100, "20 s");
    let mut network = toys(&scenario(&ROWS, &flows, &[]), &shared);
    network.set_tap(Box::new(watch.clone()));
    advance(&mut network, SimTime::from_secs(5));
    assert!(counts(&shared).learnt > 0, "{:?}", counts(&shared));
    let before = [arrived(&network, 2, 0), arrived(&network, 5, 1)];
    assert!(before.iter().all(|&count| count > 100), "{before:?}");
    // One of the two relays goes: its packets find their way over the other.
    network.power(NodeId(1), false);
    advance(&mut network, SimTime::from_secs(10));
    network.power(NodeId(1), true);
    network.power(NodeId(4), false);
    advance(&mut network, SimTime::from_secs(15));
    network.power(NodeId(4), true);
    advance(&mut network, SimTime::from_secs(22));
    let after = [arrived(&network, 2, 0), arrived(&network, 5, 1)];
    assert!(after.iter().all(|&count| count >= 615), "{after:?} of 625");
    let counts = counts(&shared);
    assert!(counts.salvaged > 0, "{counts:?}");
    assert_eq!(watch.dropped(PacketKind::Signal), 0);
}

/// A queue full of packets for a neighbour that is gone: routing gets them all back.
#[test]
fn what_waits_for_a_dead_neighbour_is_withdrawn_from_the_queue() {
    let shared = Shared::default();
    let flows = cbr(0, 2, 1500, "4 s");
    let mut network = toys(&scenario(&ROWS, &flows, &[]), &shared);
    advance(&mut network, SimTime::from_secs(2));
    network.power(NodeId(1), false);
    network.power(NodeId(4), false);
    advance(&mut network, SimTime::from_secs(6));
    let counts = counts(&shared);
    assert!(counts.withdrawn > 10, "{counts:?}");
    assert_eq!(network.nodes()[0].links().link().held(), 0, "nothing waits for the dead");
}

/// A queue that keeps what the MAC gives up asks the toy for the way each time.
#[test]
fn kept_packets_take_the_new_route() {
    let shared = Shared::default();
    let sets = ["queue.service=drr", "queue.on-give-up=keep"];
    let mut network = toys(&scenario(&ROWS, &cbr(0, 2, 100, "10 s"), &sets), &shared);
    advance(&mut network, SimTime::from_secs(2));
    network.power(NodeId(1), false);
    advance(&mut network, SimTime::from_secs(4));
    network.power(NodeId(4), false);
    network.power(NodeId(1), true);
    advance(&mut network, SimTime::from_secs(12));
    assert!(arrived(&network, 2, 0) > 290, "{} of 313", arrived(&network, 2, 0));
}

/// What happens in a random network.
#[derive(Clone, Debug)]
struct Story {
    places: Vec<(u32, u32)>,
    flows: Vec<(usize, usize, u32, bool)>,
    power: Vec<(u64, usize)>,
    keep: bool,
    delayed: bool,
}

fn story() -> impl Strategy<Value = Story> {
    let places = prop::collection::vec((0u32..600, 0u32..300), 3..9);
    let flows = prop::collection::vec((0usize..9, 0usize..9, 20u32..800, any::<bool>()), 1..4);
    let power = prop::collection::vec((1u64..400, 0usize..9), 0..16);
    (places, flows, power, any::<bool>(), any::<bool>())
        .prop_map(|(places, flows, power, keep, delayed)| Story { places, flows, power, keep, delayed })
}

/// Tells the story once; returns the fingerprint and what the toys did.
fn tell(story: &Story) -> (u64, Counts) {
    let count = story.places.len();
    let flows: String = story
        .flows
        .iter()
        .map(|&(from, to, rate, tcp)| {
            let (from, to) = (from % count, to % count);
            let to = if from == to { (to + 1) % count } else { to };
            let (from, to) = (from as u32, to as u32);
            if tcp { bulk(from, to) } else { cbr(from, to, rate, "3 s") }
        })
        .collect();
    let mut sets = vec!["queue.limit=8"];
    if story.keep {
        sets.extend(["queue.service=drr", "queue.on-give-up=keep"]);
    }
    if story.delayed {
        sets.push("air.propagation-delay=2 us");
    }
    let (shared, watch) = (Shared::default(), Watch::default());
    let mut network = toys(&scenario(&story.places, &flows, &sets), &shared);
    network.set_tap(Box::new(watch.clone()));
    let mut up = vec![true; count];
    let mut now = SimTime::ZERO;
    for &(gap, node) in &story.power {
        now += Dur::from_ms(gap);
        advance(&mut network, now);
        let node = node % count;
        up[node] = !up[node];
        network.power(NodeId(node as u32), up[node]);
        network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
    }
    advance(&mut network, now + Dur::from_secs(3));
    let counts = counts(&shared);
    (watch.fingerprint(), counts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_network_with_any_failures_balances_and_repeats_itself(story in story()) {
        let once = tell(&story);
        prop_assert_eq!(tell(&story), once);
    }
}

/// The same on every machine and in every build.
#[test]
fn a_story_has_one_fingerprint() {
    let story = Story {
        places: ROWS.to_vec(),
        flows: vec![(0, 2, 200, false), (3, 5, 0, true), (5, 0, 100, false)],
        power: vec![(300, 1), (200, 4), (350, 1), (100, 2), (90, 4), (300, 2)],
        keep: false,
        delayed: true,
    };
    let (fingerprint, counts) = tell(&story);
    assert!(counts.salvaged > 0 && counts.errors > 0 && counts.learnt > 0, "{counts:?}");
    insta::assert_snapshot!("story", format!("{fingerprint:016x} {counts:?}"));
}
