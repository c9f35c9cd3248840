//! The service of frames: what the MAC is offered, and how that ends. Of packets that were kept or given up routing has
//! a say.

use super::interfaces::IfIndex;
use super::layer::NetLayer;
use super::router::Requests;
use super::sinks::MacEvent;
use crate::contract::{Cause, Cx, Held, Notice, Offer, Outcome, Sink, Supply};
use crate::mac;
use crate::node::contract::Action;
use crate::queue;
use crate::routing::{Decision, Disposal, GivenUp, Provenance};
use crate::signals::Loss;
use crate::wire::PacketId;

/// Rounds over the classes in which frames that are held give route: with a small quantum a class may send only after
/// several.
const ROUNDS: u32 = 8;

/// What routing says of a kept packet whose turn has come.
enum KeptPacketRoute {
    /// It can be sent.
    Found,
    /// It stays in the queue, and gives route to others.
    Unknown,
    /// It has left the queue.
    Elsewhere,
}

impl NetLayer {
    /// Has each interface serve whose packets wait although its MAC would take one.
    pub(super) fn serve_blocked<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        for via in self.links.radios().indices() {
            if self.links.interface(via).is_blocked() {
                self.serve(cx, via, out);
            }
        }
    }

    /// Gives the MAC of the interface its next frame, if it wants one and there is one.
    #[inline(always)]
    pub(super) fn serve<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, out: &mut S) {
        if let Some(asked) = self.links.interface(via).link().asks() {
            self.serve_as(cx, via, asked, out);
        }
    }

    /// The same for a MAC that asks for it so.
    fn serve_as<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, asked: Supply, out: &mut S) {
        if self.links.interface_mut(via).set_serving(true) {
            return; // the loop below goes on
        }
        let (mut refused, mut rounds, mut next) = (None, 0, Some(asked));
        while let Some(asked) = next
            && rounds < ROUNDS
            && self.up
        {
            let (offer, flags) = self.links.interface_mut(via).offer(cx, asked, out);
            if flags != 0 {
                self.on_queue_flags(via, flags, out);
            }
            let Some(mut offer) = offer else { break };
            let route =
                if offer.kept { self.find_route(cx, via, &mut offer, out) } else { KeptPacketRoute::Found };
            let held = match route {
                KeptPacketRoute::Found => self.send(cx, via, offer, out),
                KeptPacketRoute::Unknown => true,
                KeptPacketRoute::Elsewhere => false,
            };
            if held {
                rounds += u32::from(refused == Some(offer.packet));
                refused.get_or_insert(offer.packet);
            }
            next = self.links.interface(via).link().asks();
        }
        self.links.interface_mut(via).set_serving(false);
    }

    /// Asks routing anew for the route of a kept packet that the queue offers again.
    #[cold]
    fn find_route<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        offer: &mut Offer,
        out: &mut S,
    ) -> KeptPacketRoute {
        let packet = offer.packet;
        let (decision, requests) = if cx.packets.kind(packet).is_below_routing() {
            (Decision::To(offer.to), Requests::new())
        } else {
            let before = self.links.radios().node_of(offer.to);
            self.router.route(cx, packet, Provenance::Kept(before))
        };
        let route = match decision {
            Decision::To(to) if !self.links.leads_at_once(cx.now, via, to) => {
                self.feed_queue_cold(cx, via, queue::Input::Release(packet), out);
                self.enter_stages(cx, packet, to, out);
                KeptPacketRoute::Elsewhere
            }
            Decision::To(to) => {
                let to = self.links.radios().hop(to).to;
                let size = cx.packets[packet].size + self.links.header(); // its routing header may be another one now
                (offer.to, offer.size) = (to, size);
                self.links.interface_mut(via).link_mut().readdress(cx.packets, packet, to, size);
                KeptPacketRoute::Found
            }
            Decision::Stays => {
                self.after_attempt(cx, via, packet, Outcome::Held(Held::NoRoute), out);
                KeptPacketRoute::Unknown
            }
            Decision::Waiting => {
                self.feed_queue_cold(cx, via, queue::Input::Release(packet), out);
                KeptPacketRoute::Elsewhere
            }
            Decision::Refused(reason) => {
                self.feed_queue_cold(cx, via, queue::Input::Release(packet), out);
                self.drop_unless_taken(cx, packet, reason, out);
                KeptPacketRoute::Elsewhere
            }
        };
        self.apply_routing_actions(cx, requests, out);
        route
    }

    /// Offers the MAC a frame; returns whether it has sent one back untried.
    #[inline(always)]
    fn send<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, offer: Offer, out: &mut S) -> bool {
        let interface = self.links.interface_mut(via);
        if !interface.handle(cx, || mac::Input::Send(offer), self.router.machine(), out) {
            return false;
        }
        interface.answers().event.is_some() && self.answered(cx, via, out)
    }

    /// The MAC has answered an offer at once.
    #[cold]
    fn answered<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, via: IfIndex, out: &mut S) -> bool {
        let mut held = false;
        let events = self.links.interface_mut(via).answers().take_events();
        for &event in &events {
            match event {
                MacEvent::Outcome(packet, outcome) => {
                    held |= matches!(outcome, Outcome::Held(_));
                    self.after_attempt(cx, via, packet, outcome, out);
                }
                // A frame is offered in the middle of other work.
                MacEvent::Deliver(packet, from) => {
                    self.inbox.deliver(via, packet, self.links.radios().node_of(from));
                }
                MacEvent::Hold => self.hold_back(cx, via, out),
                MacEvent::Release => self.await_release(via, out),
                MacEvent::Ready | MacEvent::HandedOver(..) | MacEvent::Ended | MacEvent::Room => {} // it is being offered what there is; packet links are not
            }
        }
        self.links.interface_mut(via).answers().take_back(events);
        held
    }

    /// A frame in service has come to an end: the queue settles it, routing hears of failures.
    pub(in crate::node) fn after_attempt<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        if let Outcome::Delivered { rts, attempts } | Outcome::GaveUp { rts, attempts, .. } = outcome {
            self.links.note_attempts(rts.max(attempts)); // each begins with an RTS, or none does
        }
        if self.links.turns().is_some() {
            self.note_service(cx, packet, outcome, out);
        }
        if let Outcome::GaveUp { cause, .. } = outcome {
            self.give_up(cx, via, packet, (outcome, cause), out);
        } else {
            self.feed_queue(cx, via, queue::Input::Outcome(packet, outcome), out);
        }
    }

    /// The MAC has given a packet up: routing hears of it before the queue disposes of it.
    #[cold]
    fn give_up<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        via: IfIndex,
        packet: PacketId,
        (outcome, cause): (Outcome, Cause),
        out: &mut S,
    ) {
        let interface = self.links.interface(via);
        out.put(Action::GaveUp(interface.station(), cause));
        let queue = interface.link().queue_of(cx.packets[packet].priority.category());
        let Some((to, kept)) = queue.in_service(packet) else { return };
        let to = self.links.radios().node_of(to);
        let loss = Loss::of(&cx.packets[packet], cause.reason());
        self.teller.note_give_up(loss, &mut self.inbox);
        let (disposal, requests) = if cx.packets.kind(packet).is_below_routing() {
            (Disposal::Leave, Requests::new())
        } else {
            self.router.given_up(cx, GivenUp { packet, to, reason: cause.reason() })
        };
        let input = match disposal {
            Disposal::Leave
                if !kept && self.up && self.teller.takes(cx, packet, cause.reason(), &mut self.inbox) =>
            {
                queue::Input::Release(packet)
            }
            Disposal::Leave => queue::Input::Outcome(packet, outcome),
            Disposal::Keep => queue::Input::Keep(packet),
            Disposal::Taken => queue::Input::Release(packet),
        };
        self.feed_queue_cold(cx, via, input, out);
        if matches!(input, queue::Input::Outcome(..)) && !kept {
            self.teller.note_loss(loss, &mut self.inbox);
        }
        self.apply_routing_actions(cx, requests, out);
        self.inbox.post(Notice::LinkFailed { neighbour: to });
    }
}
