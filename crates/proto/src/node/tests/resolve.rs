//! Nodes that have to ask for their neighbours' addresses.

use super::rig::{Rig, quick_tcp};
use crate::arp::{ArpConfig, ArpKind};
use crate::node::{Action, App};
use crate::queue::{OnGiveUp, QueueConfig};
use crate::shim::AnyShim;

use crate::tcp::AnyGate;
use crate::units::{NodeId, SimTime};
use crate::wire::{DropReason, FrameKind, PacketKind};

fn chain(count: u32, queue: &QueueConfig) -> Rig {
    let mut world = Rig::chain(count, queue);
    for node in &mut world.nodes {
        let config = ArpConfig { kind: ArpKind::Hold, ..ArpConfig::default() };
        node.links_mut().change_interfaces(|interface| interface.set_arp(&config));
    }
    world
}

fn counter(world: &Rig, node: usize, wanted: &str) -> u64 {
    let mut found = 0;
    world.nodes[node]
        .each_counter(world.now, &mut |name, value| found += if name == wanted { value } else { 0 });
    found
}

#[test]
fn each_node_of_a_chain_asks_once_for_the_next_and_everything_arrives() {
    for on_give_up in [OnGiveUp::Drop, OnGiveUp::Keep] {
        let mut world = chain(3, &QueueConfig { on_give_up, ..QueueConfig::default() });
        world.tcp(0, 0, 2, &quick_tcp(), AnyShim::NONE, AnyGate::OPEN);
        world.app(0, 0, App::Open);
        world.app(0, 0, App::Write(60_000));
        world.run(SimTime::from_secs(20));
        assert!(world.is_complete(0));
        assert_eq!(world.arrived(0), 60_000);
        // The way back is known from the requests.
        let asked: Vec<u64> = (0..3).map(|node| counter(&world, node, "arp.requests")).collect();
        let answered: Vec<u64> = (0..3).map(|node| counter(&world, node, "arp.replies")).collect();
        assert_eq!((asked, answered), (vec![1, 1, 0], vec![0, 1, 1]));
        assert_eq!(world.dropped(DropReason::AddressUnresolved), 0);
        world.check_ledger();
    }
}

#[test]
fn of_packets_that_come_at_once_the_last_waits_and_the_others_are_lost() {
    let mut world = chain(2, &QueueConfig::default());
    world.udp(0, 0, 1);
    for _ in 0..3 {
        world.app(0, 0, App::Datagram(100));
    }
    assert_eq!(world.nodes[0].held(), 1);
    assert_eq!(world.dropped(DropReason::AddressUnresolved), 2);
    world.check_ledger();
    world.run(SimTime::from_secs(1));
    assert_eq!((world.arrived(0), world.nodes[0].held()), (100, 0));
    world.check_ledger();
}

#[test]
fn a_neighbour_that_never_answers_is_given_up_as_a_broken_link() {
    let mut world = chain(2, &QueueConfig::default());
    world.udp(0, 0, 1);
    world.lost = Box::new(|_, frame, to| to == NodeId(1) && frame.kind == FrameKind::Data);
    for second in 0..4 {
        world.app(0, 0, App::Datagram(100));
        world.run(SimTime::from_secs(second + 1));
    }
    // Two were displaced, then the third and the fourth were given up together.
    assert_eq!(world.dropped(DropReason::AddressUnresolved), 4);
    assert_eq!(counter(&world, 0, "arp.gave-up"), 1);
    assert!(
        !world.record.iter().any(|(_, _, action)| matches!(action, Action::GaveUp(..))),
        "no attempt was made"
    );
    let kinds = world.record.iter().filter_map(|(_, _, action)| match action {
        Action::Dropped(dropped) => Some(dropped.kind),
        _ => None,
    });
    assert!(kinds.clone().count() == 4 && kinds.into_iter().all(|kind| kind == PacketKind::Udp));
    world.check_ledger();
}

#[test]
fn a_node_that_goes_down_forgets_its_neighbours() {
    let mut world = chain(2, &QueueConfig::default());
    world.udp(0, 0, 1);
    world.app(0, 0, App::Datagram(100));
    world.run(SimTime::from_secs(1));
    assert_eq!((world.arrived(0), counter(&world, 0, "arp.requests")), (100, 1));
    world.power(0, false);
    world.power(0, true);
    world.app(0, 0, App::Datagram(100));
    world.run(SimTime::from_secs(2));
    assert_eq!((world.arrived(0), counter(&world, 0, "arp.requests")), (200, 2));
    world.app(0, 0, App::Datagram(100));
    world.power(0, false);
    assert_eq!(world.nodes[0].held(), 0);
    world.check_ledger();
}
