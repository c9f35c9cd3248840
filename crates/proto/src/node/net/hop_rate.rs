//! Hop-by-hop rate control of a node: between its network layer and its interface queue. Without it nothing of this
//! runs.

use super::layer::NetLayer;
use super::outbox::Later;
use crate::contract::{Cx, Notice, Outcome, Sink};
use crate::hop_rate;
use crate::node::contract::Action;
use crate::units::NodeId;
use crate::wire::{PacketId, PacketKind};

impl NetLayer {
    /// Whether a packet on its way to the link waits for its turn first; then it does from now on.
    pub(super) fn takes_turn<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) -> bool {
        let takes = self.links.turns().is_some_and(|rates| rates.takes(cx, packet));
        if takes {
            self.tell_hop_rate(cx, hop_rate::Input::Segment { packet, to }, out);
        }
        takes
    }

    /// The MAC is done with a packet: how long it took, if it was a segment with payload.
    #[cold]
    pub(super) fn note_service<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        if !matches!(outcome, Outcome::Held(_)) && cx.packets.kind(packet) == PacketKind::TcpData {
            let flow = cx.packets[packet].flow;
            let took = cx.now.saturating_since(cx.packets.stay(packet).offered);
            self.tell_hop_rate(cx, hop_rate::Input::Served { flow, took }, out);
        }
    }

    pub(super) fn tell_hop_rate<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: hop_rate::Input,
        out: &mut S,
    ) {
        let node_state = self.links.state();
        let Some(rates) = self.links.turns_mut() else { return };
        let mut actions = Vec::new();
        rates.handle(cx, &node_state, input, &mut actions);
        for action in actions {
            match action {
                hop_rate::Action::Forward { packet, to } => {
                    self.leave_stages(cx, packet, to, out);
                    self.inbox.post(Notice::QueueSpace); // a source may send on
                }
                hop_rate::Action::Dropped(dropped) => {
                    self.tell_of_drop(dropped, out);
                }
                hop_rate::Action::Arm(at) => {
                    self.outbox.arm(at, Later::HopRate);
                    self.arm(out);
                }
            }
        }
    }
}
