//! What the notifier of a node is told, and what becomes of its answers. Without one nothing of this runs.

use super::layer::NetLayer;
use super::outbox::Later;
use crate::contract::{Cx, Dropped, Sink, drop_packet};
use crate::node::contract::Action;
use crate::routing::{self, Provenance, Routing};
use crate::signals::{self, Loss, Verdict};
use crate::units::NodeId;
use crate::wire::{Absorbed, DropReason, Fate, PacketId, Payload, Towards};

impl NetLayer {
    /// A packet is lost here for this reason.
    #[cold]
    pub(super) fn drop_unless_taken<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        reason: DropReason,
        out: &mut S,
    ) {
        if !(self.up && self.teller.takes(cx, id, reason, &mut self.inbox)) {
            let dropped = drop_packet(cx, id, reason);
            self.tell_of_drop(dropped, out);
        }
    }

    /// A packet was lost here: the notifier and the record hear of it.
    pub(super) fn tell_of_drop<S: Sink<Action>>(&mut self, dropped: Dropped, out: &mut S) {
        self.teller.note_loss(Loss::said(&dropped), &mut self.inbox);
        out.put(Action::Dropped(dropped));
    }

    /// Shows the notifier what is about to be forwarded; returns whether it goes on.
    pub(in crate::node) fn pass_notifier<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        from: NodeId,
        out: &mut S,
    ) -> bool {
        if self.teller.is_absent() {
            return true;
        }
        let next = match cx.packets[packet].payload {
            Payload::Signal(signal) => self.router.machine().next_hop(cx.now, signal.destination),
            _ => None, // matters to nothing, and may be a search through a cache
        };
        match self.ask_notifier(cx, signals::Input::Passing { packet, from, next }, out) {
            Verdict::Pass => return true,
            Verdict::Keep => {}
            Verdict::Absorb => cx.packets.end(packet, Fate::Absorbed(Absorbed::Proxy)),
            Verdict::Block => self.drop_unless_taken(cx, packet, DropReason::NoRoute, out),
        }
        false
    }

    /// Lets the notifier act on something that needs no verdict.
    pub(in crate::node) fn tell_notifier<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: signals::Input,
        out: &mut S,
    ) {
        let towards = self.teller.asks_for(input);
        self.ask_notifier(cx, input, out);
        if let (signals::Input::Lost(loss), Some(towards)) = (input, towards)
            && self.router.machine().next_hop(cx.now, towards).is_some()
        {
            self.ask_notifier(cx, signals::Input::LostOnTheAir(loss), out);
        }
    }

    /// Lets the notifier act.
    fn ask_notifier<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: signals::Input,
        out: &mut S,
    ) -> Verdict {
        let (verdict, actions) = self.teller.handle(cx, input);
        for action in actions {
            match action {
                signals::Action::Signal { flow, to, signal } => self.send_signal(cx, flow, to, signal, out),
                signals::Action::Forward(packet) => self.route(cx, packet, Provenance::Here, out),
                signals::Action::Send { flow, from, to, segment } => {
                    self.send_as(cx, flow, (from, to), Towards::Destination, (segment, cx.now), out);
                }
                signals::Action::Seek(destination) => {
                    self.feed_routing(cx, routing::Input::Wanted(destination), out);
                }
                signals::Action::Arm(at) => {
                    self.outbox.arm(at, Later::Notifier);
                    self.arm(out);
                }
            }
        }
        verdict
    }
}
