//! Wired links of a network: their ends at the nodes, and packets that pass from one end to the other.

use multihop_proto::link::wire::{Wire, WireConfig};
use multihop_proto::node::{Input, Node};
use multihop_proto::queue::{AnyAqm, Queue};
use multihop_proto::units::{Entity, NodeId, Purpose, Rng};
use multihop_proto::wire::PacketId;

use super::Network;
use super::world::World;
use crate::scenario::Resolved;

/// Gives the nodes their ends of wires.
pub(super) fn add_wires(nodes: &mut [Node], scenario: &Resolved, seed: u64, run: u64) {
    let name = |node: NodeId| scenario.nodes[node.index()].name.as_str();
    for wire in &scenario.wires {
        let [one, other] = wire.ends;
        for (here, there) in [(one, other), (other, one)] {
            let config = scenario.config.parts_of(scenario.nodes[here.index()].group).queue;
            let config = WireConfig::queue(config, wire.queue);
            let mut queue = Queue::new(config.clone());
            let draws =
                |from, to, purpose| Rng::stream(seed, run, Entity::Link(name(from), name(to)), purpose);
            queue.set_aqm(AnyAqm::new(&config, || draws(here, there, Purpose::Aqm)));
            let losses = draws(there, here, Purpose::FrameError);
            nodes[here.index()].links_mut().add_wire(Wire::new(there, wire.direction, queue, losses));
        }
    }
}

impl Network {
    /// A packet passes from one end of a wire to the other: the receiver has its copy, and the sender's is let go.
    pub(super) fn pass_wire(&mut self, from: NodeId, to: NodeId, packet: PacketId) {
        let World { now, recorder, tap, .. } = &mut self.world;
        recorder.fingerprint.wire(*now, from, to, self.packets[packet].size);
        if let Some(tap) = tap {
            tap.over_wire(*now, (from, to), true, packet, &self.packets);
        }
        self.tell(to, Input::Wire(from, packet));
        self.packets.let_go(packet);
    }

    /// A packet has arrived over a wire.
    pub(super) fn show_arrival(&mut self, node: NodeId, from: NodeId, packet: PacketId) {
        if let Some(tap) = &mut self.world.tap {
            tap.over_wire(self.world.now, (from, node), false, packet, &self.packets);
        }
        self.packets.let_go(packet);
    }

    /// The wire from one node to another is cut, or whole again.
    pub(super) fn cut_wire(&mut self, from: NodeId, to: NodeId, cut: bool) {
        self.tell(to, Input::WireCut(from, cut));
    }

    /// What the wire from one node to another loses; nothing changes where there is none.
    pub(super) fn set_wire_loss(&mut self, from: NodeId, to: NodeId, loss: f64) {
        if let Some(wire) = self.nodes[to.index()].links_mut().wire_mut(from) {
            wire.set_loss(loss);
        }
    }

    /// The next packets with data over the wire from one node to another are lost.
    pub(super) fn lose_over_wire(&mut self, from: NodeId, to: NodeId, packets: u32) {
        if let Some(wire) = self.nodes[to.index()].links_mut().wire_mut(from) {
            wire.lose_next(packets);
        }
    }
}
