//! What floods bring again ends at its receivers the short way, and nothing else comes of it than the long way would
//! have had.

use super::rig::{Rig, link};
use crate::mac::Sensed;
use crate::node::IfIndex;
use crate::node::{App, Input, Node};
use crate::queue::{OnGiveUp, QueueConfig};
use crate::routing::{AnyRouting, Routing};

use crate::routing::aodv::{Aodv, AodvConfig, LinkDetection, Message, Request, emit};
use crate::testing::{control_frame, cx, routing_message};
use crate::units::{Bytes, Dur, Entity, NodeId, Purpose, Rng, SimTime};
use crate::wire::{FlowLedger, Frame, FrameKind, PacketStore, Protocol};

/// AODV to which messages tell nothing of those that have sent them.
fn quiet() -> AodvConfig {
    AodvConfig { neighbour_routes: false, ..AodvConfig::default() }
}

fn node(id: u32, config: &AodvConfig, queue: &QueueConfig) -> Node {
    let rng = Rng::stream(1, 1, Entity::Node(&id.to_string()), Purpose::Jitter);
    let aodv = Aodv::new(config.clone(), NodeId(id), rng);
    Node::new(NodeId(id), link(id, queue.clone()), AnyRouting::Aodv(Box::new(aodv)), Bytes::ZERO)
}

/// A chain over AODV, on which datagrams run both ways and the middle fails for a while; the short way is taken or not.
fn flood(config: &AodvConfig, queue: &QueueConfig, short: bool) -> Rig {
    let mut world = Rig::new((0..6).map(|id| node(id, config, queue)).collect());
    world.passed_by = short.then_some(0);
    for (flow, from, to) in [(0, 0, 5), (1, 4, 1)] {
        world.udp(flow, from, to);
    }
    for second in 0..20_u64 {
        let broken = (6..9).contains(&second);
        world.lost = Box::new(move |_, frame, node| broken && frame.from == NodeId(3) && node == NodeId(2));
        for (node, flow) in [(0, 0), (4, 1)] {
            world.app(node, flow, App::Datagram(300));
        }
        world.run(SimTime::from_secs(second + 1));
    }
    world.check_ledger();
    world
}

#[test]
fn the_short_way_changes_nothing() {
    let quiet = quiet();
    let acknowledged = AodvConfig { rrep_ack: true, ..quiet.clone() };
    let greeting = AodvConfig { link_detection: LinkDetection::Both, ..quiet.clone() };
    // Where any message tells something of its sender, none is passed by.
    for (config, taken) in
        [(quiet, true), (acknowledged, true), (greeting, false), (AodvConfig::default(), false)]
    {
        for on_give_up in [OnGiveUp::Drop, OnGiveUp::Keep] {
            let queue = QueueConfig { on_give_up, ..QueueConfig::default() };
            let (long, short) = (flood(&config, &queue, false), flood(&config, &queue, true));
            assert_eq!(short.record, long.record);
            assert_eq!(short.packets.ledger(), long.packets.ledger());
            let counters = |world: &Rig| {
                let mut all = Vec::new();
                for node in &world.nodes {
                    node.routing().each_counter(&mut |name, value| all.push((name, value)));
                    node.links().link().each_counter(world.now, &mut |name, value| all.push((name, value)));
                }
                all
            };
            assert_eq!(counters(&short), counters(&long));
            assert_eq!(short.passed_by.unwrap_or(0) > 20, taken, "{:?}", short.passed_by);
        }
    }
}

const ME: u32 = 1;

/// A request of node 7 that node 0 has sent to all, for the first time or again.
fn request(packets: &mut PacketStore, bytes: &[u8]) -> Frame {
    let packet = routing_message(packets, Protocol::Aodv, bytes);
    Frame { kind: FrameKind::Data, packet, airtime: Dur::from_us(992), ..control_frame(NodeId::BROADCAST) }
}

fn known_request(packets: &mut PacketStore) -> (Node, Frame) {
    let request_of_7 = emit(&Message::Request(Request {
        gratuitous: false,
        destination_only: false,
        hops: 2,
        id: 4,
        destination: NodeId(9),
        destination_sequence: None,
        originator: NodeId(7),
        originator_sequence: 8,
    }));
    let mut node = node(ME, &quiet(), &QueueConfig::default());
    let frame = request(packets, &request_of_7);
    assert!(!node.try_receive_fast(&mut cx(SimTime::ZERO, packets), IfIndex::FIRST, &frame), "it is new");
    node.handle(
        &mut cx(SimTime::ZERO, packets),
        Input::Receive(IfIndex::FIRST, &frame, 1e-9),
        &mut Vec::new(),
    );
    (node, frame)
}

#[test]
fn a_request_that_comes_again_is_counted_and_nothing_else() {
    let mut packets = PacketStore::new(0);
    let (mut node, frame) = known_request(&mut packets);
    let (live, before) = (packets.live(), packets.ledger());
    assert!(node.try_receive_fast(&mut cx(SimTime::ZERO, &mut packets), IfIndex::FIRST, &frame));
    assert_eq!(packets.live(), live);
    let counted = FlowLedger { received: before.received + 1, delivered: before.delivered + 1, ..before };
    assert_eq!(packets.ledger(), counted);
    let body = packets.message(frame.packet).expect("a message").to_vec();
    for (place, byte) in [(0, 2), (7, 5), (8, 11), (19, 9)] {
        let mut other = body.clone();
        other[place] = byte; // a reply, another request, one for no node, another's
        let frame = request(&mut packets, &other);
        assert!(
            !node.try_receive_fast(&mut cx(SimTime::ZERO, &mut packets), IfIndex::FIRST, &frame),
            "{place}"
        );
    }
}

/// A frame that is received whole ends EIFS (IEEE 802.11-2020 §10.3.2.3.7), whatever it brings.
#[test]
fn a_request_that_comes_again_is_received_where_it_ends_eifs() {
    let mut packets = PacketStore::new(0);
    let (mut node, frame) = known_request(&mut packets);
    let (now, later) = (SimTime::from_us(1000), SimTime::from_us(1992));
    node.links_mut().interface_mut(IfIndex::FIRST).sense(SimTime::ZERO, Sensed::Carrier(now), |_| {});
    node.links_mut().interface_mut(IfIndex::FIRST).sense(SimTime::ZERO, Sensed::Undecodable(now), |_| {});
    node.links_mut().interface_mut(IfIndex::FIRST).sense(now, Sensed::Carrier(later), |_| {});
    assert!(!node.try_receive_fast(&mut cx(now, &mut packets), IfIndex::FIRST, &frame));
    assert!(node.try_receive_fast(&mut cx(later, &mut packets), IfIndex::FIRST, &frame), "EIFS is over");
}
