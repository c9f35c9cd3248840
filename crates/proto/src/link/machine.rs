//! The link of a node: a queue and what serves it.

use super::contract::{Action, CustomLink, Input};
use super::frn::Frn;
use crate::contract::{Cx, NextHops, Offer, Sink, Supply};
use crate::mac::dcf::Dcf;
use crate::mac::rate::RateControl;
use crate::mac::{self, Counters, CustomMac, MacConfig, Sensed};
use crate::queue::{self, Queue, QueueConfig};
use crate::units::{Bitrate, Bytes, Dur, NodeId, Power, Rng, SimTime};
use crate::wire::{Frame, PacketId};

/// What takes packets to the medium.
#[allow(
    clippy::large_enum_variant,
    reason = "one a node, and the DCF is what nodes run: no pointer on the hot path"
)]
#[derive(Debug)]
pub(super) enum Access {
    /// IEEE 802.11 distributed coordination function, which takes its frames from the queue.
    Dcf(Dcf),
    /// Another MAC, which takes its frames from the queue.
    Mac(Box<dyn CustomMac>),
    /// The Flexible Radio Network, which keeps its packets itself: the queue beside it stays empty.
    Frn(Box<Frn>),
    /// Another link that keeps its packets itself.
    PacketLink(Box<dyn CustomLink>),
}

/// All that a node has below its network layer.
#[derive(Debug)]
pub struct Link {
    pub(super) access: Access,
    pub(crate) queue: Queue,
}

impl Link {
    /// An interface queue with the DCF behind it.
    #[must_use]
    pub fn dcf(queue: Queue, dcf: Dcf) -> Self {
        Self { access: Access::Dcf(dcf), queue }
    }

    /// An interface queue with a MAC from outside behind it.
    #[must_use]
    pub fn mac(queue: Queue, mac: Box<dyn CustomMac>) -> Self {
        let mut link = Self { access: Access::Mac(mac), queue };
        link.settle_supply();
        link
    }

    /// An interface queue with the MAC that `mac` configures; `draws` are its back-offs.
    #[must_use]
    pub fn queued(queue: Queue, mac: &MacConfig, address: NodeId, draws: Rng) -> Self {
        match mac {
            MacConfig::Dcf(dcf) => Self::dcf(queue, Dcf::new(dcf.clone(), address, draws)),
        }
    }

    /// The data link of the Flexible Radio Network.
    #[must_use]
    pub fn frn(frn: Frn) -> Self {
        Self { access: Access::Frn(Box::new(frn)), queue: Queue::new(QueueConfig::default()) }
    }

    /// A link that keeps its packets itself.
    #[must_use]
    pub fn custom(link: Box<dyn CustomLink>) -> Self {
        Self { access: Access::PacketLink(link), queue: Queue::new(QueueConfig::default()) }
    }

    /// Puts another MAC behind the queue, before anything is sent.
    pub fn set_mac(&mut self, mac: Box<dyn CustomMac>) {
        self.access = Access::Mac(mac);
        self.settle_supply();
    }

    /// The queue learns whether its MAC takes packets out.
    fn settle_supply(&mut self) {
        if self.supply() != Supply::Head {
            self.queue.let_take();
        }
    }

    /// How the MAC is given packets.
    #[inline(always)]
    fn supply(&self) -> Supply {
        match &self.access {
            Access::Mac(mac) => mac.supply(),
            _ => Supply::Head,
        }
    }

    /// What the MAC is given next, if anything waits for it.
    #[inline(always)]
    pub(crate) fn offer(&mut self, cx: &mut Cx<'_>, out: &mut impl Sink<queue::Action>) -> Option<Offer> {
        match self.supply() {
            Supply::Head => self.queue.offer(cx, out),
            Supply::Next => self.queue.take(cx, None, out),
            Supply::NextFor(to) => self.queue.take(cx, Some(to), out),
        }
    }

    /// Sets what the routing layer adds to every packet.
    pub(crate) const fn set_header(&mut self, header: Bytes) {
        self.queue.set_header(header);
    }

    /// Whether it keeps its packets itself.
    #[inline(always)]
    pub(crate) const fn owns_packets(&self) -> bool {
        matches!(self.access, Access::Frn(_) | Access::PacketLink(_))
    }

    /// Lets the MAC, or the packet link, take one input. What is not the DCF has it made anew: then the DCF's is made of
    /// registers alone.
    #[inline(always)]
    pub(crate) fn handle<'a, S: Sink<mac::Action> + Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: impl Fn() -> mac::Input<'a>,
        next_hops: &impl NextHops,
        mut out: S,
    ) {
        match &mut self.access {
            Access::Dcf(dcf) => dcf.handle(cx, input(), &self.queue, &mut out),
            Access::Frn(frn) => {
                if let Some(input) = packet_link_input(input()) {
                    frn.handle(cx, input, next_hops, &mut out);
                }
            }
            _ => self.handle_custom(cx, input(), next_hops, out),
        }
    }

    /// [`Self::handle`] of what is not the DCF.
    #[cold]
    #[inline(never)]
    fn handle_custom<S: Sink<mac::Action> + Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: mac::Input<'_>,
        next_hops: &dyn NextHops,
        mut out: S,
    ) {
        let out = &mut out;
        match &mut self.access {
            Access::Dcf(_) | Access::Frn(_) => {} // has been handled
            Access::Mac(mac) => mac.handle(cx, input, &self.queue, out),
            Access::PacketLink(link) => {
                if let Some(input) = packet_link_input(input) {
                    link.handle(cx, input, next_hops, out);
                }
            }
        }
    }

    /// Hands a packet to a link that keeps its packets itself.
    #[cold]
    pub(crate) fn hand_over(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        next_hops: &impl NextHops,
        out: &mut impl Sink<Action>,
    ) {
        let input = Input::Packet { packet, to, size: cx.packets[packet].size + self.queue.header() };
        match &mut self.access {
            Access::Frn(frn) => frn.handle(cx, input, next_hops, out),
            Access::PacketLink(link) => link.handle(cx, input, next_hops, out),
            Access::Dcf(_) | Access::Mac(_) => {} // their packets come through the queue
        }
    }

    /// Hears what the medium does; `arm` is told when the access timer shall fire instead.
    #[inline(always)]
    pub(crate) fn sense(&mut self, now: SimTime, sensed: Sensed, arm: impl FnOnce(SimTime)) {
        match &mut self.access {
            Access::Dcf(dcf) => dcf.sense(now, sensed, arm),
            Access::Frn(frn) => frn.sense(now, sensed),
            _ => self.sense_otherwise(now, sensed).map_or((), arm),
        }
    }

    /// A frame between others was received whole; whether that is dealt with.
    #[inline]
    #[must_use]
    pub(crate) fn try_update_nav(&mut self, now: SimTime, frame: &Frame) -> bool {
        match &mut self.access {
            Access::Dcf(dcf) => dcf.try_update_nav(now, frame),
            _ => false,
        }
    }

    /// Whether a frame to all that was received whole means nothing to the link beside the packet in it.
    #[inline]
    #[must_use]
    pub(crate) fn only_broadcast_payload(&self, now: SimTime) -> bool {
        matches!(&self.access, Access::Dcf(dcf) if dcf.only_broadcast_payload(now))
    }

    /// Whether the DCF sends as its access timer fires now.
    pub(crate) fn sends_at(&self, now: SimTime) -> bool {
        matches!(&self.access, Access::Dcf(dcf) if dcf.sends_at(now))
    }

    /// The DCF's back-off takes a slot more; returns when it ends now.
    pub(crate) fn lose_slot(&mut self) -> Option<SimTime> {
        match &mut self.access {
            Access::Dcf(dcf) => Some(dcf.lose_slot()),
            _ => None,
        }
    }

    /// Whether the DCF counts its slots in seconds.
    pub(crate) fn counts_in_seconds(&self) -> bool {
        matches!(&self.access, Access::Dcf(dcf) if dcf.counts_in_seconds())
    }

    /// The station that was heard last is about to begin to send.
    #[inline]
    pub(crate) fn cut_slot(&mut self, now: SimTime) {
        if let Access::Dcf(dcf) = &mut self.access {
            dcf.cut_slot(now);
        }
    }

    /// [`Self::sense`] of what comes from outside.
    #[cold]
    #[inline(never)]
    fn sense_otherwise(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        match &mut self.access {
            Access::Dcf(_) | Access::Frn(_) => None, // have been asked
            Access::Mac(mac) => mac.sense(now, sensed),
            Access::PacketLink(link) => link.sense(now, sensed),
        }
    }

    /// Whether the MAC may be offered a frame now.
    #[inline]
    #[must_use]
    pub(crate) fn wants_frame(&self) -> bool {
        match &self.access {
            Access::Dcf(dcf) => dcf.wants_frame(),
            Access::Mac(mac) => mac.wants_frame(),
            Access::Frn(_) | Access::PacketLink(_) => false,
        }
    }

    /// Takes out all that waits for a neighbour, what is in service or under way excepted.
    pub(crate) fn withdraw(
        &mut self,
        cx: &mut Cx<'_>,
        neighbour: NodeId,
        out: &mut impl Sink<queue::Action>,
    ) -> Vec<PacketId> {
        match &mut self.access {
            Access::Frn(frn) => {
                let (packets, room) = frn.withdraw(cx.now, neighbour);
                if room {
                    out.put(queue::Action::Space);
                }
                packets
            }
            Access::PacketLink(link) => link.withdraw(cx, neighbour),
            _ => self.queue.withdraw(cx, neighbour, out),
        }
    }

    /// The interface queue; empty where the link keeps its packets itself.
    #[must_use]
    pub const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Data go to a neighbour, or to all, at this rate from the next frame on. Other links than the DCF's choose their own.
    pub fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        if let Access::Dcf(dcf) = &mut self.access {
            dcf.set_rate(to, rate);
        }
    }

    /// Sets the noise power of the receiver, which a MAC may compare signals with.
    pub fn set_noise(&mut self, noise: Power) {
        if let Access::Dcf(dcf) = &mut self.access
            && let Some(rates) = dcf.rate_control_mut()
        {
            rates.set_noise(noise);
        }
    }

    /// Whether the MAC wants to know at what power frames are received.
    pub(crate) fn minds_power(&self) -> bool {
        matches!(&self.access, Access::Dcf(dcf) if dcf.rate_control().is_some_and(RateControl::minds_power))
    }

    /// A frame was received by node `me` at this power \[W\].
    #[cold]
    pub(crate) fn note_power(&mut self, frame: &Frame, me: NodeId, power: f64) {
        if let Access::Dcf(dcf) = &mut self.access
            && let Some(rates) = dcf.rate_control_mut()
        {
            rates.heard(frame, me, power);
        }
    }

    /// The packets in the link's custody.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        let owned = match &self.access {
            Access::Frn(frn) => frn.packets().collect(),
            Access::PacketLink(link) => link.packets(),
            _ => Vec::new(),
        };
        self.queue.packets().chain(owned)
    }

    /// How many packets are in the link's custody.
    #[must_use]
    pub fn held(&self) -> usize {
        self.packets().count()
    }

    /// Packets that wait, see [`Queue::length`].
    #[inline]
    #[must_use]
    pub fn length(&self) -> u32 {
        match &self.access {
            Access::Frn(frn) => frn.length(),
            Access::PacketLink(link) => u32::try_from(link.packets().len()).unwrap_or(u32::MAX),
            _ => self.queue.length(),
        }
    }

    /// Packets that it could still take.
    #[inline]
    #[must_use]
    pub fn free(&self) -> u32 {
        match &self.access {
            Access::Frn(frn) => frn.free(),
            Access::PacketLink(link) => link.free(),
            _ => self.queue.free(),
        }
    }

    /// The DCF's counters so far, and what the Flexible Radio Network has of them; zero of links from outside.
    #[must_use]
    pub fn counters(&self) -> Counters {
        match &self.access {
            Access::Dcf(dcf) => dcf.counters(),
            Access::Frn(frn) => frn.mac_counters(),
            _ => Counters::default(),
        }
    }

    /// Whether its counters tell for how long it has sent.
    #[must_use]
    pub const fn tells_airtime(&self) -> bool {
        matches!(self.access, Access::Dcf(_) | Access::Frn(_))
    }

    /// Tells every counter by its public name, as it stands at `now`.
    pub fn each_counter(&self, now: SimTime, tell: &mut impl FnMut(&'static str, u64)) {
        match &self.access {
            Access::Dcf(dcf) => dcf.each_counter(tell),
            Access::Mac(mac) => mac.each_counter(tell),
            Access::Frn(frn) => frn.counters().each(tell),
            Access::PacketLink(link) => link.each_counter(tell),
        }
        self.queue_counters(now).each(tell);
    }

    /// Time for which the medium was busy with signals until `now`; zero for machines that do not say.
    #[must_use]
    pub fn busy_time(&self, now: SimTime) -> Dur {
        match &self.access {
            Access::Dcf(dcf) => dcf.busy_time(now),
            Access::Frn(frn) => frn.busy_time(now),
            _ => Dur::ZERO,
        }
    }

    /// What its queue has counted until `now`; the Flexible Radio Network's packets count as one.
    #[must_use]
    pub fn queue_counters(&self, now: SimTime) -> queue::Counters {
        match &self.access {
            Access::Frn(frn) => frn.queue_counters(now),
            _ => self.queue.counters(now),
        }
    }
}

/// What a link that keeps its packets itself is told; its queue offers nothing.
#[inline(always)]
const fn packet_link_input(input: mac::Input<'_>) -> Option<Input<'_>> {
    match input {
        mac::Input::Receive(frame) => Some(Input::Receive(frame)),
        mac::Input::Timer(timer) => Some(Input::Timer(timer)),
        mac::Input::Power(up) => Some(Input::Power(up)),
        mac::Input::Send(_) => None,
    }
}
