//! How packets pass between the network layer and the link, and what a MAC is offered: where routing has a say.

use super::outbox::Later;
use super::sinks::{FromMac, FromQueue, SPACE, Upward, WAKE};
use super::stack::{Action, Node};
use crate::mac;
use crate::port::{Cause, Cx, Held, Notice, Offer, Outcome, Sink};
use crate::queue;
use crate::routing::{Decision, Disposal, GivenUp, Provenance};
use crate::signals::Loss;
use crate::units::NodeId;
use crate::wire::{Frame, PacketId, PacketKind};

/// Rounds over the classes in which frames that are held give way: with a small quantum a class may send only after
/// several.
const ROUNDS: u32 = 8;

/// What routing says of a kept packet whose turn has come.
enum Way {
    /// It can be sent.
    Found,
    /// It stays in the queue, and gives way to others.
    Unknown,
    /// It has left the queue.
    Elsewhere,
}

impl Node {
    /// A frame that is not for this node alone was received whole. Returns whether it is dealt with: it says no more than
    /// for how long the medium is reserved, or brings what has come before. Otherwise nothing has happened yet, and
    /// [`super::Input::Receive`] is due.
    #[inline]
    #[must_use]
    pub fn passes_by(&mut self, cx: &mut Cx<'_>, frame: &Frame) -> bool {
        if frame.to == NodeId::BROADCAST {
            return self.knows(cx, frame);
        }
        !self.listens && self.link.passes_by(cx.now, frame)
    }

    /// Most of what a flood brings ends here: its reception is counted, and over.
    #[inline(never)]
    fn knows(&mut self, cx: &mut Cx<'_>, frame: &Frame) -> bool {
        let knows = !self.listens
            && self.link.only_delivers(cx.now)
            && !self.stands_still()
            && self.routing.knows(cx, frame.packet, frame.from);
        if knows {
            cx.packets.receive_in_vain(frame.packet);
        }
        knows
    }

    /// Lets the MAC act, then carries its answers through the stack.
    #[inline(always)]
    pub(super) fn feed_mac<'a, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: impl Fn() -> mac::Input<'a>,
        out: &mut S,
    ) {
        self.link.handle(cx, input, &self.routing, FromMac { out, answers: &mut self.answers });
        if !self.answers.any {
            return;
        }
        self.answers.any = false;
        self.hold(cx);
        if self.answers.upward.is_some() {
            self.hear_from_below(cx, out);
        }
    }

    /// The layers above the MAC hear what it had to tell them: mostly one thing, which is read part by part as it was
    /// written. To take it whole would wait until all its parts have reached the cache.
    #[inline(always)]
    fn hear_from_below<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        match self.answers.upward {
            _ if !self.answers.more_upward.is_empty() => self.pass_all_up(cx, out),
            Some(Upward::Deliver(packet, from)) => {
                self.answers.upward = None;
                self.climb(cx, packet, from, out);
            }
            Some(Upward::Outcome(packet, outcome)) => {
                self.answers.upward = None;
                self.conclude(cx, packet, outcome, out);
            }
            _ => self.pass_seldom_up(cx, out),
        }
        self.empty_inbox(cx, out);
    }

    #[cold]
    fn pass_all_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        // In the middle of this the MAC may have more to tell.
        let first = self.answers.upward.take();
        for upward in first.into_iter().chain(std::mem::take(&mut self.answers.more_upward)) {
            self.pass_up(cx, upward, out);
        }
    }

    /// What the DCF never says.
    #[cold]
    #[inline(never)]
    fn pass_seldom_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if let Some(Upward::HandedOver(packet, attempts)) = self.answers.upward {
            self.answers.upward = None;
            self.hand_on(cx, packet, attempts);
        } else if let Some(upward) = self.answers.upward.take() {
            self.pass_up(cx, upward, out);
        }
    }

    fn pass_up<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, upward: Upward, out: &mut S) {
        match upward {
            Upward::Outcome(packet, outcome) => self.conclude(cx, packet, outcome, out),
            Upward::Deliver(packet, from) => self.climb(cx, packet, from, out),
            Upward::Hold => self.hold_back(cx, out),
            Upward::Ready => self.serve(cx, out),
            Upward::HandedOver(packet, attempts) => self.hand_on(cx, packet, attempts),
            Upward::Ended => self.end_first(cx, out),
            Upward::Room => self.inbox.post(Notice::QueueSpace),
        }
    }

    /// A frame in service has come to an end, and the MAC may have the next one.
    #[inline(always)]
    fn conclude<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        self.after_attempt(cx, packet, outcome, out);
        self.serve(cx, out);
    }

    /// The MAC does not want to be offered something for a while.
    #[cold]
    fn hold_back<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let Some(hold) = self.answers.holds.pop_front() else { return };
        if !self.up {
            return;
        }
        self.link.queue.hold(hold);
        if hold.until() > cx.now {
            self.outbox.push(hold.until(), Later::HoldEnds);
            self.arm_upper(out);
        }
    }

    /// A transmission holds its packets while it is on the air.
    #[inline(always)]
    pub(super) fn hold(&mut self, cx: &mut Cx<'_>) {
        let sent = self.answers.sent;
        if sent != PacketId::NONE {
            self.answers.sent = PacketId::NONE;
            cx.packets.hold(sent);
            if !self.answers.more_sent.is_empty() {
                let more = self.answers.more_sent.drain(..);
                more.filter(|&id| id != PacketId::NONE).for_each(|id| cx.packets.hold(id));
            }
        }
    }

    /// Queues a packet; an idle MAC takes it at once.
    pub(super) fn enqueue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        if self.detour {
            return self.take_detour(cx, packet, to, out);
        }
        self.put_in_queue(cx, packet, to, out);
    }

    /// Queues a packet whose way to the link is clear.
    #[inline(always)]
    pub(super) fn put_in_queue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        out: &mut S,
    ) {
        self.feed_queue(cx, queue::Input::Enqueue { packet, to }, out);
        if self.link.wants_frame() {
            self.serve(cx, out);
        }
    }

    /// Gives the MAC its next frame, if it wants one and there is one.
    pub(super) fn serve<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if std::mem::replace(&mut self.serving, true) {
            return; // the loop below goes on
        }
        let (mut refused, mut rounds) = (None, 0);
        while rounds < ROUNDS && self.up && self.link.wants_frame() {
            let mut answers = FromQueue { out, news: 0 };
            let offer = self.link.queue.offer(cx, &mut answers);
            if answers.news != 0 {
                self.hear_queue(answers.news, out);
            }
            let Some(mut offer) = offer else { break };
            let way = if offer.kept { self.find_way(cx, &mut offer, out) } else { Way::Found };
            let held = match way {
                Way::Found => self.send(cx, offer, out),
                Way::Unknown => true,
                Way::Elsewhere => continue,
            };
            if held {
                rounds += u32::from(refused == Some(offer.packet));
                refused.get_or_insert(offer.packet);
            }
        }
        self.serving = false;
    }

    /// Asks routing anew for the way of a kept packet that the queue offers again.
    #[cold]
    fn find_way<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, offer: &mut Offer, out: &mut S) -> Way {
        let packet = offer.packet;
        let mut actions = std::mem::take(&mut self.spare);
        let its_own = cx.packets.kind(packet) == PacketKind::Arp; // routing knows nothing of it
        let decision = if its_own {
            Decision::To(offer.to)
        } else {
            self.routing.route(cx, packet, Provenance::Kept(offer.to), &mut actions)
        };
        let way = match decision {
            Decision::To(to) if !self.knows_address(cx, to) => {
                self.feed_queue_seldom(cx, queue::Input::Release(packet), out);
                self.take_detour(cx, packet, to, out);
                Way::Elsewhere
            }
            Decision::To(to) => {
                let size = cx.packets[packet].size + self.header; // its routing header may be another one now
                (offer.to, offer.size) = (to, size);
                self.link.queue.readdress(packet, to, size);
                Way::Found
            }
            Decision::Stays => {
                self.after_attempt(cx, packet, Outcome::Held(Held::NoRoute), out);
                Way::Unknown
            }
            Decision::Waiting => {
                self.feed_queue_seldom(cx, queue::Input::Release(packet), out);
                Way::Elsewhere
            }
            Decision::Refused(reason) => {
                self.feed_queue_seldom(cx, queue::Input::Release(packet), out);
                self.lose(cx, packet, reason, out);
                Way::Elsewhere
            }
        };
        self.obey(cx, actions, out);
        way
    }

    /// Offers the MAC a frame; returns whether it has sent one back untried.
    #[inline(always)]
    fn send<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, offer: Offer, out: &mut S) -> bool {
        let answers = &mut self.answers;
        self.link.handle(cx, || mac::Input::Send(offer), &self.routing, FromMac { out, answers });
        if !self.answers.any {
            return false;
        }
        self.answers.any = false;
        self.hold(cx);
        self.answers.upward.take().is_some_and(|upward| self.answered(cx, upward, out))
    }

    /// The MAC has answered an offer at once.
    #[cold]
    fn answered<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, first: Upward, out: &mut S) -> bool {
        let more = std::mem::take(&mut self.answers.more_upward);
        let mut held = false;
        for upward in std::iter::once(first).chain(more) {
            match upward {
                Upward::Outcome(packet, outcome) => {
                    held |= matches!(outcome, Outcome::Held(_));
                    self.after_attempt(cx, packet, outcome, out);
                }
                // A frame is offered in the middle of other work.
                Upward::Deliver(packet, from) => self.inbox.deliver(packet, from),
                Upward::Hold => self.hold_back(cx, out),
                Upward::Ready | Upward::HandedOver(..) | Upward::Ended | Upward::Room => {} // it is being offered what there is; whole links are not
            }
        }
        held
    }

    /// A frame in service has come to an end: the queue settles it, routing hears of failures.
    fn after_attempt<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        outcome: Outcome,
        out: &mut S,
    ) {
        if let Outcome::Delivered { rts, attempts } | Outcome::GaveUp { rts, attempts, .. } = outcome {
            self.average(rts.max(attempts)); // each begins with an RTS, or none does
        }
        if self.hop_rate.is_some() {
            self.note_service(cx, packet, outcome, out);
        }
        if let Outcome::GaveUp { cause, .. } = outcome {
            self.give_up(cx, packet, outcome, cause, out);
        } else {
            self.feed_queue(cx, queue::Input::Outcome(packet, outcome), out);
        }
    }

    /// A frame was served with so many attempts.
    #[inline(always)]
    pub(super) fn average(&mut self, attempts: u32) {
        self.facts.attempts_average += (f64::from(attempts) - self.facts.attempts_average) / 8.0;
    }

    /// The MAC has given a packet up: routing hears of it before the queue disposes of it.
    #[cold]
    fn give_up<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        outcome: Outcome,
        cause: Cause,
        out: &mut S,
    ) {
        out.put(Action::GaveUp(cause));
        let Some(to) = self.link.queue.next_hop(packet) else { return };
        let loss = Loss::of(&cx.packets[packet], cause.reason());
        self.note_give_up(loss);
        let mut actions = std::mem::take(&mut self.spare);
        let disposal = if cx.packets.kind(packet) == PacketKind::Arp {
            Disposal::Leave // routing knows nothing of it
        } else {
            self.routing.given_up(cx, GivenUp { packet, to, reason: cause.reason() }, &mut actions)
        };
        let input = match disposal {
            Disposal::Leave if self.saves(cx, packet, cause.reason()) => queue::Input::Release(packet),
            Disposal::Leave => queue::Input::Outcome(packet, outcome),
            Disposal::Keep => queue::Input::Keep(packet),
            Disposal::Taken => queue::Input::Release(packet),
        };
        self.feed_queue_seldom(cx, input, out);
        if matches!(input, queue::Input::Outcome(..)) && self.link.queue.next_hop(packet).is_none() {
            self.note_loss(loss);
        }
        self.obey(cx, actions, out);
        self.inbox.post(Notice::LinkFailed { neighbour: to });
    }

    /// Takes out of the queue what waits for a neighbour.
    pub(super) fn withdraw<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        neighbour: NodeId,
        out: &mut S,
    ) -> Vec<PacketId> {
        let mut answers = FromQueue { out, news: 0 };
        let mut packets = self.link.withdraw(cx, neighbour, &mut answers);
        if let Some(rates) = &mut self.hop_rate {
            packets.extend(rates.withdraw(neighbour));
        }
        if answers.news != 0 {
            self.hear_queue(answers.news, out);
        }
        packets
    }

    /// [`Self::feed_queue`], away from the usual path.
    #[cold]
    #[inline(never)]
    pub(super) fn feed_queue_seldom<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: queue::Input,
        out: &mut S,
    ) {
        self.feed_queue(cx, input, out);
    }

    #[inline(always)]
    pub(super) fn feed_queue<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: queue::Input, out: &mut S) {
        let mut answers = FromQueue { out, news: 0 };
        self.link.queue.handle(cx, input, &mut answers);
        if answers.news != 0 {
            self.hear_queue(answers.news, out);
        }
    }

    /// The queue has something to tell the node.
    #[cold]
    #[inline(never)]
    fn hear_queue<S: Sink<Action>>(&mut self, news: u8, out: &mut S) {
        if news & SPACE != 0 {
            self.inbox.post(Notice::QueueSpace);
        }
        if news & WAKE != 0 {
            self.outbox.push(self.link.queue.wake_at(), Later::QueueTimer);
            self.arm_upper(out);
        }
    }
}
