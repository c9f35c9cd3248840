//! What the parts of a node say of themselves.

use super::rig::{chain_node, link};
use crate::arp::{ArpConfig, ArpKind};
use crate::atp::{AtpConfig, Meter};
use crate::hop_rate::HopRateConfig;
use crate::node::net::Links;
use crate::queue::QueueConfig;
use crate::routing::AnyRouting;
use crate::routing::dsr::{Dsr, DsrConfig};
use crate::units::{Bytes, Entity, FlowId, NodeId, Purpose, Rng};

fn links() -> Links {
    Links::new(NodeId(0), link(0, QueueConfig::default()), Bytes::ZERO)
}

#[test]
fn packets_pass_no_stages_until_something_stands_before_the_queue() {
    let mut links = links();
    assert!(!links.have_stages());
    let hold = ArpConfig { kind: ArpKind::Hold, ..ArpConfig::default() };
    links.change_interfaces(|interface| interface.set_arp(&hold));
    assert!(links.have_stages(), "addresses are resolved");
    links.change_interfaces(|interface| interface.set_arp(&ArpConfig { kind: ArpKind::Off, ..hold.clone() }));
    assert!(!links.have_stages());
    links.set_hop_rate(&HopRateConfig { on: true, ..HopRateConfig::default() });
    assert!(links.have_stages() && links.listen(), "rates are controlled, by what others are heard to say");
}

#[test]
fn rate_control_leaves_a_flow_less_room_than_the_queue() {
    let mut links = links();
    let queue = links.state().queue_free;
    assert_eq!(links.state_for(FlowId(0)).queue_free, queue);
    links.set_hop_rate(&HopRateConfig { on: true, ..HopRateConfig::default() });
    assert!(links.state_for(FlowId(0)).queue_free < queue);
    assert_eq!(links.state().queue_free, queue, "the queue has it still");
}

#[test]
fn attempts_are_averaged_with_a_weight_of_an_eighth() {
    let mut links = links();
    let before = links.state().attempts_average;
    links.note_attempts(9);
    let after = links.state().attempts_average;
    assert!((after - (before + (9.0 - before) / 8.0)).abs() < 1e-12);
}

#[test]
fn a_node_hears_frames_for_others_as_its_routing_wants() {
    let mut node = chain_node(0, 2, QueueConfig::default());
    assert!(!node.overhears());
    let jitter = Rng::stream(1, 1, Entity::Whole, Purpose::Jitter);
    node.set_routing(AnyRouting::Dsr(Box::new(Dsr::new(
        DsrConfig::default(),
        NodeId(0),
        Bytes::ZERO,
        jitter,
    ))));
    assert_eq!(node.overhears(), crate::routing::Routing::overhears(node.routing()));
    assert!(node.overhears());
}

#[test]
fn a_relay_watches_what_passes_only_where_something_looks_at_it() {
    let mut node = chain_node(0, 2, QueueConfig::default());
    assert!(!node.relays().watch());
    node.relays_mut().set_meter(Meter::new(&AtpConfig::default()));
    assert!(node.relays().watch() && !node.relays().serve(FlowId(0)));
}
