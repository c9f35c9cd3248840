//! An interface of a node: its queue and MAC, its address resolution, and what they have answered in the call under
//! way.

use super::sinks::{FromMac, FromQueue, MacAnswers};
use crate::arp::{Arp, ArpConfig, ArpKind};
use crate::contract::{Cx, NextHops, Offer, Sink, Supply};
use crate::link::Link;
use crate::mac;
use crate::node::contract::Action;
use crate::queue;
use crate::units::{NodeId, SimTime};
use crate::wire::PacketId;

/// One interface. It is a station of the air, which has an address of its own.
#[derive(Debug)]
pub struct Interface {
    link: Link,
    answers: MacAnswers,
    /// The MAC is being offered frames.
    serving: bool,
    arp: Option<Box<Arp>>,
}

impl Interface {
    /// One that has done nothing yet.
    pub(super) fn new(station: NodeId, mut link: Link) -> Self {
        link.mind_airtime(station);
        Self { link, answers: MacAnswers::new(station), serving: false, arp: None }
    }

    /// Replaces the link, before anything is sent.
    pub(super) fn set_link(&mut self, mut link: Link) {
        link.mind_airtime(self.station());
        self.link = link;
    }

    /// One more of the same node, which looks addresses up as this one does.
    pub(super) fn another(&self, station: NodeId, link: Link) -> Self {
        let arp = self.arp.as_ref().map(|arp| Box::new(arp.alike(station)));
        Self { arp, ..Self::new(station, link) }
    }

    /// Its address.
    #[inline(always)]
    #[must_use]
    pub const fn station(&self) -> NodeId {
        self.answers.station
    }

    /// Its queue and MAC, or its link of another kind.
    #[inline(always)]
    #[must_use]
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// The same, to change it before the run.
    #[inline(always)]
    pub const fn link_mut(&mut self) -> &mut Link {
        &mut self.link
    }

    /// Hears what the medium does; `arm` is called with the instant at which [`crate::node::Timer::Access`] shall fire
    /// instead.
    #[inline(always)]
    pub fn sense(&mut self, now: SimTime, sensed: mac::Sensed, arm: impl FnOnce(SimTime)) {
        if let Some(at) = self.link.sense(now, sensed) {
            arm(at);
        }
    }

    /// Whether the MAC sends as its access timer fires now.
    #[must_use]
    pub fn sends_at(&self, now: SimTime) -> bool {
        self.link.sends_at(now)
    }

    /// The MAC's back-off takes a slot more; returns when it ends now.
    pub fn lose_slot(&mut self) -> Option<SimTime> {
        self.link.lose_slot()
    }

    /// Whether the MAC counts its slots in seconds: then it wants to know which station interrupts it.
    #[must_use]
    pub fn counts_in_seconds(&self) -> bool {
        self.link.counts_in_seconds()
    }

    /// Whether its MAC wants to know of a frame that is being received when a sequence timer fires.
    #[must_use]
    pub fn minds_reception(&self) -> bool {
        self.link.minds_reception()
    }

    /// The station that this one heard last is about to begin to send.
    #[inline(never)]
    pub fn cut_slot(&mut self, now: SimTime) {
        self.link.cut_slot(now);
    }

    /// Lets the MAC take one input, and holds what it begins to send. Returns whether it has answered: then more may
    /// stand in [`Interface::answers`].
    #[inline(always)]
    pub(super) fn handle<'a, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: impl Fn() -> mac::Input<'a>,
        next_hops: &impl NextHops,
        out: &mut S,
    ) -> bool {
        let answers = FromMac { out, answers: &mut self.answers };
        self.link.handle(cx, input, next_hops, answers);
        self.has_answered(cx)
    }

    /// Hands a packet to a link that keeps its packets itself; returns what [`Interface::handle`] does.
    #[cold]
    pub(super) fn hand_over<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        (packet, to): (PacketId, NodeId),
        next_hops: &impl NextHops,
        out: &mut S,
    ) -> bool {
        let mut answers = FromMac { out, answers: &mut self.answers };
        self.link.hand_over(cx, packet, to, next_hops, &mut answers);
        self.has_answered(cx)
    }

    /// What MAC or link have answered in the call under way.
    #[inline(always)]
    pub(in crate::node) const fn answers(&mut self) -> &mut MacAnswers {
        &mut self.answers
    }

    /// Tells the counters of its machines.
    pub(super) fn each_counter(&self, now: SimTime, tell: &mut impl FnMut(&'static str, u64)) {
        self.link.each_counter(now, tell);
        if let Some(arp) = &self.arp {
            arp.counters().each(tell);
        }
    }

    /// Whether it looks addresses up before it sends.
    pub(super) const fn resolves(&self) -> bool {
        self.arp.is_some()
    }

    /// Whether the MAC was being offered frames before; from now on it is, or is not.
    #[inline(always)]
    pub(super) const fn set_serving(&mut self, serving: bool) -> bool {
        std::mem::replace(&mut self.serving, serving)
    }

    /// Whether packets wait although the MAC would take one.
    pub(super) fn is_blocked(&self) -> bool {
        self.link.is_blocked()
    }

    /// What the MAC is given next that asks for it so, if anything waits for it, and what the queue has for the node,
    /// see [`FromQueue::flags`].
    #[inline(always)]
    pub(super) fn offer<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        asked: Supply,
        out: &mut S,
    ) -> (Option<Offer>, u8) {
        let mut from_queue = FromQueue { out, flags: 0 };
        (self.link.offer(cx, asked, &mut from_queue), from_queue.flags)
    }

    /// Lets the queue take one input; returns what it has for the node, see [`FromQueue::flags`].
    #[inline(always)]
    pub(super) fn feed_queue<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: queue::Input,
        out: &mut S,
    ) -> u8 {
        let mut from_queue = FromQueue { out, flags: 0 };
        self.link.feed_queue(cx, input, &mut from_queue);
        from_queue.flags
    }

    /// Takes out what waits for another station, and returns beside it what the queue has for the node.
    pub(super) fn withdraw<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        to: NodeId,
        out: &mut S,
    ) -> (Vec<PacketId>, u8) {
        let mut from_queue = FromQueue { out, flags: 0 };
        (self.link.withdraw(cx, to, &mut from_queue), from_queue.flags)
    }

    /// Has it resolve addresses, or not.
    pub fn set_arp(&mut self, config: &ArpConfig) {
        let asks = config.kind != ArpKind::Off;
        self.arp = asks.then(|| Box::new(Arp::new(config.clone(), self.station())));
    }

    /// Its address resolution, if it has any.
    #[inline(always)]
    pub(super) fn arp(&self) -> Option<&Arp> {
        self.arp.as_deref()
    }

    /// The same, to let it act.
    pub(super) fn arp_mut(&mut self) -> Option<&mut Arp> {
        self.arp.as_deref_mut()
    }

    /// Whether packets for a station can go to the link at once.
    pub(super) fn knows_address(&self, now: SimTime, to: NodeId) -> bool {
        self.arp.as_ref().is_none_or(|arp| to.is_broadcast() || arp.knows(now, to))
    }

    /// The packets in its custody.
    pub(super) fn custody(&self) -> impl Iterator<Item = PacketId> {
        self.link.packets().chain(self.arp.iter().flat_map(|arp| arp.packets()))
    }

    /// A transmission holds its packets while it is on the air.
    #[inline(always)]
    fn has_answered(&mut self, cx: &mut Cx<'_>) -> bool {
        if !self.answers.any {
            return false;
        }
        self.answers.any = false;
        let sent = self.answers.sent;
        if sent != PacketId::NONE {
            self.answers.sent = PacketId::NONE;
            cx.packets.hold(sent);
            if !self.answers.more_sent.is_empty() {
                let more = self.answers.more_sent.drain(..);
                more.filter(|&id| id != PacketId::NONE).for_each(|id| cx.packets.hold(id));
            }
        }
        true
    }
}
