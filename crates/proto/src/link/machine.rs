//! The link of a node: a queue and what serves it.

use super::air_meter::AirMeter;
use super::categories::Categories;
use super::contract::{Action, Input, PacketLink};
use super::custom::CustomPacketLink;
use super::set::AnyPacketLink;
use crate::contract::{Cx, NextHops, Offer, Sink, Supply};
use crate::mac::aggregate::{Peer, PeerCounters};
use crate::mac::dcf::Dcf;
use crate::mac::rate::LeastRatio;
use crate::mac::{self, AnyMac, Counters, Mac, MacConfig, Older, Sensed};
use crate::phy::TxVector;
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
    /// A MAC, which takes its frames from the queue.
    Mac(AnyMac),
    /// A link that keeps its packets itself: the queue beside it stays empty.
    Packets(AnyPacketLink),
}

/// All that a node has below its network layer.
#[derive(Debug)]
pub struct Link {
    pub(super) access: Access,
    /// The interface queue; of a station with access categories that of best effort.
    pub(crate) queue: Queue,
    /// The queues of the other categories.
    pub(super) categories: Option<Box<Categories>>,
    /// Where queues mind the air that frames take.
    pub(super) air: Option<Box<AirMeter>>,
}

impl Link {
    /// An interface queue with the DCF behind it.
    #[must_use]
    pub fn dcf(queue: Queue, dcf: Dcf) -> Self {
        Self::behind(queue, AnyMac::Dcf(dcf))
    }

    /// An interface queue with a MAC from outside behind it.
    #[must_use]
    pub fn mac(queue: Queue, mac: impl Mac + 'static) -> Self {
        Self::behind(queue, AnyMac::custom(mac))
    }

    /// An interface queue with the MAC that `mac` configures; `draws` are its back-offs.
    #[must_use]
    pub fn queued(queue: Queue, mac: &MacConfig, address: NodeId, draws: Rng) -> Self {
        Self::behind(queue, AnyMac::new(mac, address, draws))
    }

    fn behind(queue: Queue, mac: AnyMac) -> Self {
        let mac = if queue.minds_airtime() { mac.apart() } else { mac };
        let mut link = Self { access: Access::Mac(mac), queue, categories: None, air: None };
        link.settle_supply();
        link
    }

    /// A link from outside that keeps its packets itself.
    #[must_use]
    pub fn custom(link: impl PacketLink + 'static) -> Self {
        Self::keeping(AnyPacketLink::Custom(CustomPacketLink::new(link)))
    }

    /// A link of the set that keep their packets themselves.
    #[must_use]
    pub fn keeping(link: AnyPacketLink) -> Self {
        let queue = Queue::new(QueueConfig::default());
        Self { access: Access::Packets(link), queue, categories: None, air: None }
    }

    /// Puts another MAC behind the queue, before anything is sent.
    pub fn set_mac(&mut self, mac: impl Mac + 'static) {
        self.access = Access::Mac(AnyMac::custom(mac));
        self.settle_supply();
    }

    /// Lets the queue take one input.
    #[inline(always)]
    pub(crate) fn feed_queue(
        &mut self,
        cx: &mut Cx<'_>,
        input: queue::Input,
        out: &mut impl Sink<queue::Action>,
    ) {
        match &mut self.categories {
            None => self.queue.handle(cx, input, out),
            Some(categories) => categories.handle(&mut self.queue, cx, input, out),
        }
    }

    /// How the MAC is given packets.
    pub(crate) fn supply(&self) -> Supply {
        self.as_mac().map_or(Supply::Head, Mac::supply)
    }

    /// What the MAC is given next that asks for it so, if anything waits for it.
    #[inline(always)]
    pub(crate) fn offer(
        &mut self,
        cx: &mut Cx<'_>,
        asked: Supply,
        out: &mut impl Sink<queue::Action>,
    ) -> Option<Offer> {
        match asked {
            Supply::Head => self.queue.offer(cx, out),
            Supply::Next => self.queue.take(cx, None, out),
            Supply::NextFor(to, priority) => self.queue.take(cx, Some((to, priority)), out),
            Supply::ByCategory => self.offer_by_category(cx, out),
        }
    }

    /// Sets what the routing layer adds to every packet.
    pub(crate) fn set_header(&mut self, header: Bytes) {
        self.queue.set_header(header);
        self.others_mut().iter_mut().for_each(|queue| queue.set_header(header));
    }

    /// Whether it keeps its packets itself.
    #[inline(always)]
    pub(crate) const fn owns_packets(&self) -> bool {
        matches!(self.access, Access::Packets(_))
    }

    pub(super) const fn as_mac(&self) -> Option<&AnyMac> {
        match &self.access {
            Access::Mac(mac) => Some(mac),
            Access::Packets(_) => None,
        }
    }

    const fn as_mac_mut(&mut self) -> Option<&mut AnyMac> {
        match &mut self.access {
            Access::Mac(mac) => Some(mac),
            Access::Packets(_) => None,
        }
    }

    /// Lets the MAC, or the packet link, take one input. Each makes the input anew: then the DCF's is made of registers
    /// alone.
    #[inline(always)]
    pub(crate) fn handle<'a, S: Sink<mac::Action> + Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: impl Fn() -> mac::Input<'a>,
        next_hops: &impl NextHops,
        out: S,
    ) {
        match &mut self.access {
            Access::Mac(AnyMac::Dcf(mac)) => mac.handle(cx, input(), &self.queue, out),
            Access::Mac(AnyMac::Other(_)) => self.handle_other(cx, input(), out),
            Access::Packets(link) => {
                if let Some(input) = packet_link_input(input()) {
                    link.handle(cx, input, next_hops, out);
                }
            }
        }
    }

    /// Hands a packet to a link that keeps its packets itself. Packets of a MAC come through the queue.
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
        if let Access::Packets(link) = &mut self.access {
            link.handle(cx, input, next_hops, out);
        }
    }

    /// Hears what the medium does; returns when the access timer shall fire instead.
    #[inline(always)]
    pub(crate) fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        match &mut self.access {
            Access::Mac(mac) => mac.sense(now, sensed),
            Access::Packets(link) => link.sense(now, sensed),
        }
    }

    /// A frame between others was received whole; whether that is dealt with.
    #[inline]
    #[must_use]
    pub(crate) fn try_update_nav(&mut self, now: SimTime, frame: &Frame) -> bool {
        self.as_mac_mut().is_some_and(|mac| mac.try_update_nav(now, frame))
    }

    /// Whether a frame to all that was received whole means nothing to the link beside the packet in it.
    #[inline]
    #[must_use]
    pub(crate) fn only_broadcast_payload(&self, now: SimTime) -> bool {
        self.as_mac().is_some_and(|mac| mac.only_broadcast_payload(now))
    }

    /// Whether the MAC sends as its access timer fires now.
    pub(crate) fn sends_at(&self, now: SimTime) -> bool {
        self.as_mac().is_some_and(|mac| mac.sends_at(now))
    }

    /// The MAC's back-off takes a slot more; returns when it ends now.
    pub(crate) fn lose_slot(&mut self) -> Option<SimTime> {
        self.as_mac_mut().and_then(Mac::lose_slot)
    }

    /// Whether the MAC wants to know of a frame that is being received when a sequence timer fires.
    pub(crate) fn minds_reception(&self) -> bool {
        self.as_mac().is_some_and(Mac::minds_reception)
    }

    /// Whether the MAC counts its slots in seconds.
    pub(crate) fn counts_in_seconds(&self) -> bool {
        self.as_mac().is_some_and(Mac::counts_in_seconds)
    }

    /// The station that was heard last is about to begin to send.
    #[inline]
    pub(crate) fn cut_slot(&mut self, now: SimTime) {
        if let Some(mac) = self.as_mac_mut() {
            mac.cut_slot(now);
        }
    }

    /// How the MAC asks for a frame now, if it does and anything waits.
    #[inline(always)]
    #[must_use]
    pub(crate) fn asks(&self) -> Option<Supply> {
        if self.queue.is_empty() && self.categories.is_none() {
            return None;
        }
        self.mac_asks()
    }

    /// How the MAC asks for a frame now, if it does.
    #[inline(always)]
    pub(super) fn mac_asks(&self) -> Option<Supply> {
        self.as_mac().and_then(Mac::asks)
    }

    /// Takes out all that waits for a neighbour, what is in service or under way excepted.
    pub(crate) fn withdraw(
        &mut self,
        cx: &mut Cx<'_>,
        neighbour: NodeId,
        out: &mut impl Sink<queue::Action>,
    ) -> Vec<PacketId> {
        match &mut self.access {
            Access::Mac(_) => {
                let mut packets = self.queue.withdraw(cx, neighbour, out);
                for queue in self.others_mut() {
                    packets.extend(queue.withdraw(cx, neighbour, out));
                }
                packets
            }
            Access::Packets(link) => {
                let (packets, room) = link.withdraw(cx, neighbour);
                if room {
                    out.put(queue::Action::Space);
                }
                packets
            }
        }
    }

    /// The interface queue; empty where the link keeps its packets itself.
    #[must_use]
    pub const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Data go to a neighbour, or to all, at this rate from the next frame on. Links that keep their packets themselves
    /// choose their own.
    pub fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        if let Some(mac) = self.as_mac_mut() {
            mac.set_rate(to, rate);
        }
    }

    /// Says the noise power of the receiver, and what rates need over it: a MAC may choose rates by them. `older` are
    /// neighbours of older amendments.
    pub fn set_surroundings(&mut self, noise: Power, least: &LeastRatio<'_>, older: &[Older]) {
        if let Some(mac) = self.as_mac_mut() {
            older.iter().for_each(|it| mac.add_older(it));
            mac.set_noise(noise);
            mac.set_least(least);
        }
    }

    /// What is expected of the way to a neighbour \[bit/s\], if its MAC keeps statistics of it.
    #[must_use]
    pub fn expected_throughput(&self, to: NodeId) -> Option<f64> {
        self.as_mac().and_then(|mac| mac.expected_throughput(to))
    }

    /// Whether the MAC wants to know at what power frames are received.
    pub(crate) fn minds_power(&self) -> bool {
        self.as_mac().is_some_and(Mac::minds_power)
    }

    /// A frame was received by node `me` at this power \[W\].
    #[cold]
    pub(crate) fn note_power(&mut self, frame: &Frame, me: NodeId, power: f64) {
        if let Some(mac) = self.as_mac_mut() {
            mac.note_power(frame, me, power);
        }
    }

    /// The packets in the link's custody.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        let owned = match &self.access {
            Access::Mac(mac) => mac.kept(),
            Access::Packets(link) => link.packets(),
        };
        let others = self.others().iter().flat_map(Queue::held);
        self.queue.held().chain(others).map(|entry| entry.packet).chain(owned)
    }

    /// How many packets are in the link's custody.
    #[must_use]
    pub fn held(&self) -> usize {
        self.packets().count()
    }

    /// What the MAC has sent, or the link as a MAC counts it; none if it does not count that.
    #[must_use]
    pub fn counters(&self) -> Option<Counters> {
        match &self.access {
            Access::Mac(mac) => mac.counters(),
            Access::Packets(link) => link.mac_counters(),
        }
    }

    /// Tells what became of the MPDUs to and from each neighbour, if it has a MAC that counts that.
    pub fn each_peer(&self, tell: &mut dyn FnMut(Peer, PeerCounters)) {
        if let Access::Mac(mac) = &self.access {
            mac.each_peer(tell);
        }
    }

    /// Tells what data frames may be sent with and how many were, if it has a MAC that chooses that frame by frame.
    pub fn each_rate(&self, tell: &mut dyn FnMut(TxVector, u64)) {
        if let Access::Mac(mac) = &self.access {
            mac.each_rate(tell);
        }
    }

    /// Tells every counter by its public name, as it stands at `now`.
    pub fn each_counter(&self, now: SimTime, tell: &mut impl FnMut(&'static str, u64)) {
        match &self.access {
            Access::Mac(mac) => mac.each_counter(tell),
            Access::Packets(link) => link.each_counter(tell),
        }
        self.queue_counters(now).each(tell);
    }

    /// How long signals have kept the medium busy until `now`. Zero if the MAC or link does not measure it.
    #[must_use]
    pub fn busy_time(&self, now: SimTime) -> Dur {
        match &self.access {
            Access::Mac(mac) => mac.busy_time(now),
            Access::Packets(link) => link.busy_time(now),
        }
    }

    /// What its queue has counted until `now`; the packets of a link that keeps them itself count as one.
    #[must_use]
    pub fn queue_counters(&self, now: SimTime) -> queue::Counters {
        match &self.access {
            Access::Mac(_) => {
                self.others().iter().fold(self.queue.counters(now), |sum, it| sum + it.counters(now))
            }
            Access::Packets(link) => link.queue_counters(now),
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
