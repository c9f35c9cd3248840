//! What waits in a queue, and what of it the MAC gets next. The classes and the order of service know each other here
//! alone.

use super::classes::Queued;
use super::config::{QueueConfig, RoutingOrder, Service};
use super::order::Order;
use super::store::{Slot, Store};
use crate::contract::{Cx, Hold};
use crate::units::{Bytes, NodeId};
use crate::wire::{Packet, PacketId, PacketKind, PacketStore, UserPriority};

/// The packets of a queue and their order of service.
#[derive(Debug)]
pub(super) struct Waiting {
    store: Store,
    order: Order,
    /// How routing messages go ahead of all classes, if they do.
    ahead: Option<RoutingOrder>,
}

/// Which packet of a class is taken out unsent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Victim {
    /// The first that the MAC does not have.
    First,
    /// The last.
    Last,
    /// That at this place.
    At(usize),
}

impl Waiting {
    /// Nothing waits.
    pub(super) fn new(config: &QueueConfig) -> Self {
        let goes_ahead = config.routing_priority && config.service != Service::Priority;
        Self {
            store: Store::new(config),
            order: Order::new(config),
            ahead: goes_ahead.then_some(config.routing_order),
        }
    }

    /// The packets, to count and to read them.
    #[inline(always)]
    pub(super) const fn store(&self) -> &Store {
        &self.store
    }

    /// The order of service.
    #[inline(always)]
    pub(super) const fn order(&self) -> &Order {
        &self.order
    }

    /// The same, to hear what became of packets.
    #[inline(always)]
    pub(super) const fn order_mut(&mut self) -> &mut Order {
        &mut self.order
    }

    /// From now on the MAC takes packets out of their classes.
    pub(super) const fn let_take(&mut self) {
        self.store.let_take();
    }

    /// A packet in service goes to another next hop, and may have another length.
    pub(super) fn readdress(&mut self, packet: PacketId, to: NodeId, size: Bytes) {
        self.store.readdress(packet, to, size);
    }

    /// Whether a packet would join ahead of all classes.
    #[inline(always)]
    pub(super) fn goes_ahead(&self, packet: &Packet) -> bool {
        self.ahead.is_some() && packet.kind() == PacketKind::Routing
    }

    /// A packet joins those that wait.
    #[inline(always)]
    pub(super) fn join(&mut self, packet: &Packet, entry: Queued) -> Slot {
        if let Some(order) = self.ahead
            && packet.kind() == PacketKind::Routing
        {
            self.store.push_ahead(packet, entry, order == RoutingOrder::Lifo);
            return Slot::Express;
        }
        let class = self.store.class(packet, entry.to);
        self.order.joins(&self.store, class, entry.to);
        self.store.push(class, entry);
        Slot::Class(class)
    }

    /// Where the next packet waits, while the MAC has none and nothing is held.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Slot> {
        self.order.next(&self.store)
    }

    /// Where the next packet waits that is neither in service nor held, of a priority for a next hop or of any.
    #[inline]
    pub(super) fn next_free(
        &mut self,
        cx: &Cx<'_>,
        to: Option<(NodeId, UserPriority)>,
    ) -> Option<(Slot, usize)> {
        match to {
            None => self.order.next_free(cx.now, &mut self.store).map(|slot| (slot, 0)),
            Some(to) => self.order.next_for(cx, &self.store, to),
        }
    }

    /// Whether the MAC may have what waits at a place beside what it has for the same next hop.
    pub(super) fn has_room(&self, slot: Slot, place: usize) -> bool {
        self.order.has_room(&self.store, slot, place)
    }

    /// The MAC is lent the head from here.
    #[inline(always)]
    pub(super) fn lend(&mut self, slot: Slot) -> Option<Queued> {
        let entry = *self.store.head(slot)?;
        self.store.begin_service(entry.packet, slot);
        if self.store.leaves() {
            self.order.charge(&self.store, slot, entry.size);
        }
        Some(entry)
    }

    /// The MAC takes what waits at a place.
    pub(super) fn take(&mut self, slot: Slot, place: usize) -> Option<Queued> {
        let entry = self.store.take(slot, place)?;
        self.order.charge(&self.store, slot, entry.size);
        Some(entry)
    }

    /// The MAC has come to an end with a packet that it was lent: it is the head from here.
    #[inline(always)]
    pub(super) fn end_service(&mut self, packet: PacketId) -> Option<Slot> {
        self.store.end_service(packet)
    }

    /// That head leaves.
    #[inline(always)]
    pub(super) fn leave(&mut self, slot: Slot) -> Option<Queued> {
        let entry = self.store.pop(slot)?;
        if !self.store.leaves() {
            self.order.charge(&self.store, slot, entry.size);
        }
        Some(entry)
    }

    /// It waits again, and its turn is over; `kept`: it was given up.
    pub(super) fn stay(&mut self, slot: Slot, kept: bool) {
        if kept {
            self.store.keep_head(slot);
        }
        self.order.end_turn(&mut self.store, slot);
    }

    /// A packet that the MAC has taken leaves.
    pub(super) fn give_up(&mut self, packet: PacketId) -> Option<(Queued, Slot)> {
        self.store.give_back(packet)
    }

    /// A packet that the MAC has taken waits again, before all that were queued later; `kept`: it was given up.
    pub(super) fn put_back(&mut self, packets: &PacketStore, packet: PacketId, kept: bool) {
        let Some((mut entry, slot)) = self.store.give_back(packet) else { return };
        entry.kept += u32::from(kept);
        let order = |packet| (packets[packet].enqueued, packets[packet].uid);
        let earlier = self.store.waiting_from(slot).take_while(|it| order(it.packet) < order(packet)).count();
        self.store.push_at(slot, earlier, entry);
        self.order.refund(slot, entry.size);
    }

    /// Takes out a packet that is lost.
    pub(super) fn lose(&mut self, slot: Slot, victim: Victim) -> Option<Queued> {
        let entry = match (victim, slot) {
            (Victim::First, Slot::Class(class)) => self.store.pop_waiting(class),
            (Victim::First | Victim::Last, _) => self.store.pop_tail(slot),
            (Victim::At(place), _) => self.store.pop_at(slot, place),
        };
        self.order.note_emptied(&self.store, slot);
        self.forget(entry.map(|entry| entry.packet));
        entry
    }

    /// Takes out all that waits for a next hop, the packets in service excepted.
    pub(super) fn withdraw(&mut self, to: NodeId) -> Vec<PacketId> {
        let taken = self.store.withdraw(to);
        for slot in (0..self.store.classes().classes()).map(Slot::Class) {
            self.order.note_emptied(&self.store, slot);
        }
        taken.iter().for_each(|&packet| self.forget(Some(packet)));
        taken
    }

    /// Something is not to be offered for a while.
    pub(super) fn hold(&mut self, hold: Hold) {
        self.order.holds_mut().put(hold);
    }

    /// A packet leaves the queue: its number may come to mean another one.
    pub(super) fn forget(&mut self, gone: Option<PacketId>) {
        self.order.holds_mut().forget(gone);
    }

    /// Takes out everything.
    pub(super) fn drain(&mut self) -> Vec<Queued> {
        self.order.clear();
        self.store.drain()
    }
}
