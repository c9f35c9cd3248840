//! Where hop-by-hop rate control meets the node: sources, neighbours, the MAC, and what becomes of packets that wait.

use super::rig::{Rig, chain_node, quick_tcp};
use crate::hop_rate::HopRateConfig;
use crate::node::App;
use crate::queue::QueueConfig;
use crate::routing::Provenance;
use crate::shim::AnyShim;

use crate::tcp::{AnyGate, GateKind, TcpConfig};
use crate::testing::{cx, packet};
use crate::units::{FlowId, NodeId, SimTime};
use crate::wire::{DropReason, PacketStore, Payload, Segment};

fn on() -> HopRateConfig {
    HopRateConfig { on: true, ..HopRateConfig::default() }
}

/// A transfer from end to end of a chain whose nodes control rates, begun.
fn transfer(nodes: u32, bytes: u64) -> Rig {
    let mut world = Rig::chain(nodes, &QueueConfig::default());
    world.nodes.iter_mut().for_each(|node| node.links_mut().set_hop_rate(&on()));
    let config = TcpConfig { initial_window: 16, ..quick_tcp() };
    world.tcp(0, 0, nodes - 1, &config, AnyShim::NONE, AnyGate::new(GateKind::InterfaceQueue));
    world.app(0, 0, App::Open);
    world.app(0, 0, App::Write(bytes));
    world
}

fn count(world: &Rig, node: usize, wanted: &str) -> u64 {
    let mut counted = 0;
    world.nodes[node].each_counter(world.now, &mut |name, count| {
        counted += if name == wanted { count } else { 0 };
    });
    counted
}

/// A timer for each segment would stay for ever, and each tick would go through all of them.
#[test]
fn it_has_one_timer_however_many_segments_have_passed() {
    let mut world = transfer(3, 200_000);
    for tenth in 1..=100 {
        world.run(SimTime::from_ms(100 * tenth));
        let waiting: Vec<usize> = world.nodes.iter().map(|node| node.net.delayed()).collect();
        assert!(waiting.iter().all(|&entries| entries <= 1), "{waiting:?} at {} ms", 100 * tenth);
    }
    assert!(count(&world, 0, "hop-rate.waited") > 50);
}

/// Two wait for a token, two go at once: the window of 16 stays in the socket. A source that was not told of tokens
/// would wait for its timer.
#[test]
fn a_source_sends_as_its_bucket_has_room() {
    let mut world = transfer(2, 200_000);
    assert!(world.nodes[0].held() <= 5, "{}", world.nodes[0].held());
    for tenth in 1..=100 {
        world.run(SimTime::from_ms(20 * tenth));
        assert!(world.nodes[0].held() <= 5, "{}", world.nodes[0].held());
    }
    world.run(SimTime::from_secs(20));
    assert!(world.is_complete(0));
    assert!(count(&world, 0, "gate.closed") > 10);
    assert_eq!((world.sender(0).counters().timeouts, world.dropped(DropReason::QueueFull)), (0, 0));
    world.check_ledger();
}

#[test]
fn a_node_hears_the_next_one_send_on() {
    let mut world = transfer(4, 50_000);
    world.run(SimTime::from_secs(20));
    assert!(world.is_complete(0));
    let heard = [0, 1, 2, 3].map(|node| count(&world, node, "hop-rate.heard"));
    assert!(heard[0] >= 40 && heard[1] >= 40, "{heard:?}");
    assert_eq!(heard[2..], [0, 0], "the sink sends nothing on");
}

/// The time that the MAC takes for a frame which it gives up counts as for any other.
#[test]
fn the_mac_tells_how_long_it_was_at_a_segment() {
    let mut world = transfer(2, 50_000);
    world.run(SimTime::from_ms(5));
    world.lost = Box::new(|_, frame, _| frame.from == NodeId(0));
    let rate = |world: &Rig| world.nodes[0].links().turns().and_then(|rates| rates.rate(FlowId(0)));
    assert!(rate(&world) >= Some(100.0), "{:?}", rate(&world));
    world.run(SimTime::from_ms(450));
    assert!(rate(&world) < Some(60.0), "{:?}", rate(&world));
}

#[test]
fn a_node_that_goes_down_loses_what_waits() {
    let mut world = transfer(2, 50_000);
    world.run(SimTime::from_ms(5));
    let held = world.nodes[0].held() as u64;
    assert!(held > 2, "{held}");
    world.power(0, false);
    assert_eq!((world.dropped(DropReason::NodeDown), world.nodes[0].held()), (held, 0));
    world.check_ledger();
}

/// Two have gone to the queue, the first of them into service; the other and the three that have no token can be taken
/// back.
#[test]
fn what_waits_for_a_lost_neighbour_is_taken_back() {
    let mut node = chain_node(0, 2, QueueConfig::default());
    node.links_mut().set_hop_rate(&on());
    let (mut packets, mut out) = (PacketStore::new(1), Vec::new());
    let segment = Payload::Tcp(Segment { len: 1000, ..Segment::default() });
    let sent = [(); 5].map(|()| packets.create(packet(FlowId(0), NodeId(1), 1040, segment)));
    for packet in sent {
        node.net.route(&mut cx(SimTime::ZERO, &mut packets), packet, Provenance::Here, &mut out);
    }
    let back = node.net.withdraw(&mut cx(SimTime::ZERO, &mut packets), NodeId(1), &mut out);
    assert_eq!(back, sent[1..]);
}
