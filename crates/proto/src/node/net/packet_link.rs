//! A link that keeps its packets itself: what the node does with those that leave it.

use super::interfaces::{Hop, IfIndex};
use super::layer::NetLayer;
use super::outbox::Later;
use super::sinks::MacEvent;
use crate::contract::{Cx, Notice, Sink};
use crate::link::End;
use crate::node::contract::Action;
use crate::routing::{Disposal, GivenUp};
use crate::signals::Loss;
use crate::units::NodeId;
use crate::wire::{Absorbed, DropReason, Fate, PacketId};

impl NetLayer {
    /// Hands a packet to the link. What it answers waits until the call under way has done its work.
    #[cold]
    pub(super) fn hand_over<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        Hop { via, to }: Hop,
        out: &mut S,
    ) {
        let interface = self.links.interface_mut(via);
        if interface.hand_over(cx, (packet, to), self.router.machine(), out) {
            let events = interface.answers().take_events();
            for &event in &events {
                match event {
                    MacEvent::Deliver(packet, from) => {
                        self.inbox.deliver(via, packet, self.links.radios().node_of(from));
                    }
                    MacEvent::HandedOver(packet, attempts) => {
                        self.inbox.end(packet, End::Delivered { attempts });
                    }
                    MacEvent::Ended => {
                        if let Some((packet, end)) = self.links.interface_mut(via).answers().ends.pop_front()
                        {
                            self.inbox.end(packet, end);
                        }
                    }
                    MacEvent::Room => self.inbox.post(Notice::QueueSpace),
                    MacEvent::Outcome(..) | MacEvent::Hold | MacEvent::Ready | MacEvent::Release => {} // what a MAC says
                }
            }
            self.links.interface_mut(via).answers().take_back(events);
        }
    }

    /// The first of the packets that the link has told of.
    #[cold]
    pub(super) fn end_first<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, out: &mut S) {
        if let Some((packet, end)) = self.links.interface_mut(via).answers().ends.pop_front() {
            self.leave_link(cx, packet, end, out);
        }
    }

    /// The next hop has a packet; or has had it, and it went no further.
    #[inline]
    pub(super) fn hand_on<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        attempts: u32,
        out: &mut S,
    ) {
        self.links.note_attempts(attempts);
        if cx.packets.is_last(packet) {
            return out.put(Action::lost(cx, packet, DropReason::LifetimeOver));
        }
        cx.packets.end(packet, Fate::HandedOver);
    }

    /// A packet has left the link.
    pub(in crate::node) fn leave_link<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        end: End,
        out: &mut S,
    ) {
        match end {
            End::Delivered { attempts } => self.hand_on(cx, packet, attempts, out),
            End::Broadcast => cx.packets.end(packet, Fate::Absorbed(Absorbed::Broadcast)),
            End::GaveUp { to, cause, attempts } => {
                self.links.note_attempts(attempts);
                out.put(Action::GaveUp(self.id, cause));
                let loss = Loss::of(&cx.packets[packet], cause.reason());
                self.teller.note_give_up(loss, &mut self.inbox);
                let to = self.links.radios().node_of(to);
                self.given_back(cx, packet, to, cause.reason(), out);
            }
            End::Held { to, until } => {
                self.outbox.push(until, Later::Packet { packet, to });
                self.arm(out);
            }
        }
    }

    /// The link, or address resolution, has given a packet up: routing takes it, or it is kept for the same neighbour,
    /// or lost.
    pub(super) fn given_back<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        reason: DropReason,
        out: &mut S,
    ) {
        let (disposal, requests) = self.router.given_up(cx, GivenUp { packet, to, reason });
        match disposal {
            Disposal::Leave => self.drop_unless_taken(cx, packet, reason, out),
            Disposal::Keep => self.enqueue(cx, packet, to, out),
            Disposal::Taken => {}
        }
        self.apply_routing_actions(cx, requests, out);
        self.inbox.post(Notice::LinkFailed { neighbour: to });
    }
}
