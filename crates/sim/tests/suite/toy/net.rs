//! Networks of toys: places, flows, and a tap that hashes what is on the air.

use multihop_proto::routing::AnyRouting;
use std::sync::{Arc, Mutex};

use multihop_proto::contract::Dropped;

use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::{Frame, GiveUp, PacketKind, PacketStore};
use multihop_sim::network::Network;
use multihop_sim::probe::{Fingerprint, Tap, Traced};
use multihop_sim::scenario::Resolved;

use super::{Shared, Toy};
use crate::common::walls::placed;

/// A scenario of nodes at these places \[m\], named by their numbers, with these flows and settings.
pub(crate) fn scenario(places: &[(u32, u32)], flows: &str, sets: &[&str]) -> Resolved {
    placed("rfc", places.iter().enumerate(), flows, sets)
}

/// Datagrams of 400 bytes from one node to another.
pub(crate) fn cbr(from: u32, to: u32, rate: u32, stop: &str) -> String {
    format!(
        "[[flow]]\nkind = \"cbr\"\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate} kbps\"\n\
         packet = \"400 B\"\nstop = \"{stop}\"\n"
    )
}

/// A bulk TCP transfer from one node to another.
pub(crate) fn bulk(from: u32, to: u32) -> String {
    format!("[[flow]]\nkind = \"bulk\"\nfrom = \"{from}\"\nto = \"{to}\"\n")
}

/// A network in which every node has a toy.
pub(crate) fn toys(scenario: &Resolved, counts: &Shared) -> Network {
    let mut network = Network::new(scenario, 1);
    for index in 0..scenario.nodes.len() {
        let me = NodeId(index as u32);
        let toy = Toy::new(me, Arc::clone(counts));
        network.set_routing(me, AnyRouting::Custom(Box::new(toy)));
    }
    network
}

/// Hashes all frames, and counts the drops of each kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Arc<Mutex<Watched>>);

#[derive(Debug, Default)]
struct Watched {
    frames: Fingerprint,
    drops: Vec<PacketKind>,
}

impl Watch {
    pub(crate) fn fingerprint(&self) -> u64 {
        self.0.lock().expect("one thread").frames.value()
    }

    pub(crate) fn dropped(&self, kind: PacketKind) -> usize {
        self.0.lock().expect("one thread").drops.iter().filter(|&&of| of == kind).count()
    }
}

impl Tap for Watch {
    fn sent(&mut self, now: SimTime, frame: &Frame, _: &PacketStore) {
        self.0.lock().expect("one thread").frames.transmission(now, frame);
    }
    fn received(&mut self, _: SimTime, _: NodeId, _: f64, _: &Frame, _: &PacketStore) {}
    fn dropped(&mut self, _: SimTime, _: NodeId, dropped: &Dropped, _: Option<GiveUp>) {
        self.0.lock().expect("one thread").drops.push(dropped.kind);
    }
    fn pause(&mut self, _: SimTime, _: &PacketStore) {}
    fn finish(self: Box<Self>, _: &PacketStore) -> Result<Option<Traced>, String> {
        Ok(None)
    }
}

/// Lets the network run until then, and checks its books.
#[track_caller]
pub(crate) fn advance(network: &mut Network, until: SimTime) {
    network.advance(until);
    network.check_ledger().unwrap_or_else(|unbalanced| panic!("at {until}: {unbalanced}"));
}

/// Lets nodes of a network of five go down, or come back, each after a gap \[ms\], and then lets `rest` pass.
pub(crate) fn power_on_and_off(network: &mut Network, power: &[(u64, u32)], rest: Dur) {
    let (mut up, mut now) = ([true; 5], SimTime::ZERO);
    for &(gap, node) in power {
        now += Dur::from_ms(gap);
        advance(network, now);
        up[node as usize] = !up[node as usize];
        network.power(NodeId(node), up[node as usize]);
        advance(network, now);
    }
    advance(network, now + rest);
}
