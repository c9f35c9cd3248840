//! The link of a node: a queue and what serves it.

use super::contract::{Action, CustomLink, Input};
use crate::mac::dcf::Dcf;
use crate::mac::{self, Counters, CustomMac, Sensed};
use crate::port::{Cx, Sink, Ways};
use crate::queue::{self, Queue, QueueConfig};
use crate::units::{Bitrate, Bytes, Dur, NodeId, SimTime};
use crate::wire::PacketId;

/// What takes packets to the medium.
#[allow(
    clippy::large_enum_variant,
    reason = "one a node, and the DCF is what nodes run: no pointer on the hot path"
)]
#[derive(Debug)]
enum Access {
    /// IEEE 802.11 distributed coordination function, which takes its frames from the queue.
    Dcf(Dcf),
    /// Another MAC, which takes its frames from the queue.
    Mac(Box<dyn CustomMac>),
    /// A link that keeps its packets itself: the queue beside it stays empty.
    Whole(Box<dyn CustomLink>),
}

/// All that a node has below its network layer.
#[derive(Debug)]
pub struct Link {
    access: Access,
    pub(crate) queue: Queue,
}

impl Link {
    /// An interface queue with the DCF behind it.
    #[must_use]
    pub const fn dcf(queue: Queue, dcf: Dcf) -> Self {
        Self { access: Access::Dcf(dcf), queue }
    }

    /// An interface queue with a MAC from outside behind it.
    #[must_use]
    pub fn mac(queue: Queue, mac: Box<dyn CustomMac>) -> Self {
        Self { access: Access::Mac(mac), queue }
    }

    /// A link that keeps its packets itself.
    #[must_use]
    pub fn custom(link: Box<dyn CustomLink>) -> Self {
        Self { access: Access::Whole(link), queue: Queue::new(QueueConfig::default()) }
    }

    /// Puts another MAC behind the queue, before anything is sent.
    pub fn set_mac(&mut self, mac: Box<dyn CustomMac>) {
        self.access = Access::Mac(mac);
    }

    /// Sets what the routing layer adds to every packet.
    pub(crate) const fn set_header(&mut self, header: Bytes) {
        self.queue.set_header(header);
    }

    /// Whether it keeps its packets itself.
    #[inline(always)]
    pub(crate) const fn is_whole(&self) -> bool {
        matches!(self.access, Access::Whole(_))
    }

    /// Lets the MAC, or the whole link, take one input. What is not the DCF has it made anew: then the DCF's is made of
    /// registers alone.
    #[inline(always)]
    pub(crate) fn handle<'a, S: Sink<mac::Action> + Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: impl Fn() -> mac::Input<'a>,
        ways: &dyn Ways,
        mut out: S,
    ) {
        match &mut self.access {
            Access::Dcf(dcf) => dcf.handle(cx, input(), &self.queue, &mut out),
            _ => self.handle_custom(cx, input(), ways, out),
        }
    }

    /// [`Self::handle`] of what is not the DCF.
    #[cold]
    #[inline(never)]
    fn handle_custom<S: Sink<mac::Action> + Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: mac::Input<'_>,
        ways: &dyn Ways,
        mut out: S,
    ) {
        let out = &mut out;
        match &mut self.access {
            Access::Dcf(_) => {} // has been handled
            Access::Mac(mac) => mac.handle(cx, input, &self.queue, out),
            Access::Whole(link) => match input {
                mac::Input::Receive(frame) => link.handle(cx, Input::Receive(frame), ways, out),
                mac::Input::Timer(timer) => link.handle(cx, Input::Timer(timer), ways, out),
                mac::Input::Power(up) => link.handle(cx, Input::Power(up), ways, out),
                mac::Input::Send(_) => {} // its queue offers nothing
            },
        }
    }

    /// Hands a packet to a link that keeps its packets itself.
    #[cold]
    pub(crate) fn hand_over(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        to: NodeId,
        ways: &dyn Ways,
        out: &mut impl Sink<Action>,
    ) {
        if let Access::Whole(link) = &mut self.access {
            let size = cx.packets[packet].size + self.queue.header();
            link.handle(cx, Input::Packet { packet, to, size }, ways, out);
        }
    }

    /// Hears what the medium does; returns when the access timer shall fire instead.
    #[inline]
    #[must_use]
    pub(crate) fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        match &mut self.access {
            Access::Dcf(dcf) => dcf.sense(now, sensed),
            _ => self.sense_custom(now, sensed),
        }
    }

    /// [`Self::sense`] of what is not the DCF.
    #[cold]
    #[inline(never)]
    fn sense_custom(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        match &mut self.access {
            Access::Dcf(_) => None, // has been asked
            Access::Mac(mac) => mac.sense(now, sensed),
            Access::Whole(link) => link.sense(now, sensed),
        }
    }

    /// Whether the MAC may be offered a frame now.
    #[inline]
    #[must_use]
    pub(crate) fn wants_frame(&self) -> bool {
        match &self.access {
            Access::Dcf(dcf) => dcf.wants_frame(),
            Access::Mac(mac) => mac.wants_frame(),
            Access::Whole(_) => false,
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
            Access::Whole(link) => link.withdraw(cx, neighbour),
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

    /// The interface queue, to give it an active queue management.
    pub const fn queue_mut(&mut self) -> &mut Queue {
        &mut self.queue
    }

    /// The packets in the link's custody.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        let whole = match &self.access {
            Access::Whole(link) => link.packets(),
            _ => Vec::new(),
        };
        self.queue.packets().chain(whole)
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
            Access::Whole(link) => u32::try_from(link.packets().len()).unwrap_or(u32::MAX),
            _ => self.queue.length(),
        }
    }

    /// Packets that it could still take.
    #[inline]
    #[must_use]
    pub fn free(&self) -> u32 {
        match &self.access {
            Access::Whole(link) => link.free(),
            _ => self.queue.free(),
        }
    }

    /// The DCF's counters so far; zero for others.
    #[must_use]
    pub fn counters(&self) -> Counters {
        match &self.access {
            Access::Dcf(dcf) => dcf.counters(),
            _ => Counters::default(),
        }
    }

    /// Tells every counter by its public name, as it stands at `now`.
    pub fn each_counter(&self, now: SimTime, tell: &mut impl FnMut(&'static str, u64)) {
        match &self.access {
            Access::Dcf(dcf) => dcf.each_counter(tell),
            Access::Mac(mac) => mac.each_counter(tell),
            Access::Whole(link) => link.each_counter(tell),
        }
        self.queue.counters(now).each(tell);
    }

    /// Time for which the medium was busy with signals until `now`; zero for machines that do not say.
    #[must_use]
    pub fn busy_time(&self, now: SimTime) -> Dur {
        match &self.access {
            Access::Dcf(dcf) => dcf.busy_time(now),
            _ => Dur::ZERO,
        }
    }
}
