//! The queues of a link: one, or one for each access category. What a node asks of all of them.

use super::air_meter::{AirMeter, Metered, Used};
use super::categories::Categories;
use super::contract::PacketLink;
use super::machine::{Access, Link};
use crate::contract::{Backlog, Cx, Hold, Offer, Sink, Supply};
use crate::mac::edca::DscpMap;
use crate::mac::{self, AnyMac, Mac};
use crate::queue::{self, Queue, Sojourn};
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{Category, PacketId, PacketStore};

impl Link {
    /// Gives the access categories queues of their own beside this link's, which is that of best effort.
    pub fn set_categories(&mut self, map: DscpMap, make: impl FnMut() -> Queue) {
        self.categories = Some(Box::new(Categories::new(map, make)));
        self.settle_supply();
    }

    /// The queues learn whether their MAC takes packets out.
    pub(super) fn settle_supply(&mut self) {
        if self.supply() != Supply::Head {
            self.queue.let_take();
            self.others_mut().iter_mut().for_each(Queue::let_take);
        }
    }

    pub(super) fn others(&self) -> &[Queue] {
        self.categories.as_ref().map_or(&[], |it| it.all())
    }

    pub(super) fn others_mut(&mut self) -> &mut [Queue] {
        self.categories.as_mut().map_or(&mut [], |it| it.all_mut())
    }

    /// Where categories have packets of their own: how the MAC is given the next of this one, if it may be given any.
    pub(crate) fn supply_for(&self, category: Category) -> Option<Supply> {
        self.as_mac().and_then(|mac| mac.supply_for(category))
    }

    #[cold]
    pub(super) fn offer_by_category(
        &mut self,
        cx: &mut Cx<'_>,
        out: &mut impl Sink<queue::Action>,
    ) -> Option<Offer> {
        let (Access::Mac(mac), Some(categories)) = (&self.access, &mut self.categories) else { return None };
        categories.offer(&mut self.queue, mac, cx, out)
    }

    /// Whether packets wait although the MAC would take one.
    #[must_use]
    pub(crate) fn is_blocked(&self) -> bool {
        if self.categories.is_none() {
            return self.asks().is_some();
        }
        let waits = |category| !self.queue_of(category).is_empty() && self.supply_for(category).is_some();
        Category::ALL.into_iter().any(waits)
    }

    /// Packets that wait, see [`Backlog::length`].
    #[inline]
    #[must_use]
    pub fn length(&self) -> u32 {
        match &self.access {
            Access::Mac(_) => self.others().iter().fold(self.queue.length(), |sum, it| sum + it.length()),
            Access::Packets(link) => link.length(),
        }
    }

    /// Packets that it could still take; where categories have queues of their own, each of them.
    #[inline]
    #[must_use]
    pub fn free(&self) -> u32 {
        match &self.access {
            Access::Mac(_) => self.others().iter().fold(self.queue.free(), |least, it| least.min(it.free())),
            Access::Packets(link) => link.free(),
        }
    }

    /// The queue of a category.
    #[must_use]
    pub fn queue_of(&self, category: Category) -> &Queue {
        self.categories.as_ref().and_then(|it| it.of(category)).unwrap_or(&self.queue)
    }

    fn queue_of_mut(&mut self, category: Category) -> &mut Queue {
        self.categories.as_mut().and_then(|it| it.of_mut(category)).unwrap_or(&mut self.queue)
    }

    fn each_queue(&mut self, act: impl FnMut(&mut Queue)) {
        std::iter::once(&mut self.queue)
            .chain(self.categories.iter_mut().flat_map(|it| it.all_mut()))
            .for_each(act);
    }

    fn earliest(&self, of: impl Fn(&Queue) -> SimTime) -> SimTime {
        let others = self.categories.iter().flat_map(|it| it.all());
        others.map(&of).fold(of(&self.queue), SimTime::min)
    }

    /// From now on its queues hear what frames of the station `me` take of the air, if they mind it.
    pub(crate) fn mind_airtime(&mut self, me: NodeId) {
        let sifs = self.sifs().filter(|_| self.queue.minds_airtime());
        self.air = sifs.map(|sifs| Box::new(AirMeter::new(me, sifs)));
    }

    /// Lets a MAC that is not the plain DCF take one input. Its queues hear before what the frames so far have taken,
    /// as it may ask for more.
    #[inline(never)]
    pub(super) fn handle_other(
        &mut self,
        cx: &mut Cx<'_>,
        input: mac::Input<'_>,
        out: impl Sink<mac::Action>,
    ) {
        if let Some(mut air) = self.air.take() {
            if let mac::Input::Receive(frame) = input {
                air.received(frame);
            }
            for Used { to, airtime, own, category } in air.drain() {
                self.used(category, to, airtime, own);
            }
            self.air = Some(air);
        }
        if let Access::Mac(AnyMac::Other(mac)) = &mut self.access {
            mac.handle(cx, input, &self.queue, Metered { out, air: self.air.as_deref_mut() });
        }
    }

    /// A frame of a category, to or from a next hop, has taken so long; `own`: of an exchange that this station began.
    fn used(&mut self, category: Category, to: NodeId, airtime: Dur, own: bool) {
        self.queue_of_mut(category).used(to, airtime, own);
    }

    /// The pause between a frame and its answer; none where the link has no MAC.
    fn sifs(&self) -> Option<Dur> {
        self.as_mac().map(Mac::sifs)
    }

    /// A packet in service goes to another next hop than it was queued for, and may have another length.
    pub(crate) fn readdress(&mut self, packets: &PacketStore, packet: PacketId, to: NodeId, size: Bytes) {
        self.queue_of_mut(packets[packet].priority.category()).readdress(packet, to, size);
    }

    /// Something is not to be offered for a while.
    pub(crate) fn hold(&mut self, hold: Hold) {
        self.each_queue(|queue| queue.hold(hold));
    }

    /// When the first of the holds that still last ends; `SimTime::MAX` if none does.
    pub(crate) fn hold_ends(&self, now: SimTime) -> SimTime {
        self.earliest(|queue| queue.hold_ends(now))
    }

    /// When the first timer of a queue management shall fire; `SimTime::MAX`: never.
    pub(crate) fn wake_at(&self) -> SimTime {
        self.earliest(Queue::wake_at)
    }

    /// Measures how long packets wait, before anything is sent.
    pub fn measure(&mut self, sojourn: &Sojourn) {
        self.each_queue(|queue| queue.measure(sojourn.clone()));
    }

    /// How long packets wait on average \[us\], in the queue where they wait longest; none while all are idle.
    pub(crate) fn sojourn(&self, now: SimTime) -> Option<f64> {
        let others = self.categories.iter().flat_map(|it| it.all());
        let all = std::iter::once(&self.queue).chain(others);
        all.filter_map(|queue| queue.sojourn(now)).max_by(f64::total_cmp)
    }
}
