//! What a queue holds: the packets of its classes, routing messages that go ahead of them, and which of them the MAC
//! has.

use std::collections::VecDeque;

use super::classes::{ClassTable, Queued};
use super::config::{OnGiveUp, QueueConfig};
use crate::units::{Bytes, NodeId};
use crate::wire::{Packet, PacketId};

/// Where a packet waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Among the routing messages that go ahead.
    Express,
    /// In this class.
    Class(usize),
}

/// All packets of a queue.
#[derive(Debug)]
pub(super) struct Store {
    classes: ClassTable,
    /// Routing packets, served before all classes where the configuration says so.
    express: ClassTable,
    /// The packets that the MAC has, and where they came from: they are the heads there.
    in_service: Vec<(PacketId, Slot)>,
    /// The packets that the MAC has taken out of their classes, and where they came from.
    taken: VecDeque<(Queued, Slot)>,
    /// Whether a packet leaves its class when the MAC takes it; one that may be kept stays at its head.
    leaves: bool,
}

impl Store {
    pub(super) fn new(config: &QueueConfig) -> Self {
        Self {
            classes: ClassTable::new(config),
            express: ClassTable::default(),
            in_service: Vec::new(),
            taken: VecDeque::new(),
            leaves: matches!(config.on_give_up, OnGiveUp::Drop),
        }
    }

    #[inline(always)]
    pub(super) const fn classes(&self) -> &ClassTable {
        &self.classes
    }

    #[inline(always)]
    pub(super) const fn express(&self) -> &ClassTable {
        &self.express
    }

    #[inline(always)]
    const fn table(&self, slot: Slot) -> (&ClassTable, usize) {
        match slot {
            Slot::Express => (&self.express, 0),
            Slot::Class(class) => (&self.classes, class),
        }
    }

    #[inline(always)]
    const fn table_mut(&mut self, slot: Slot) -> (&mut ClassTable, usize) {
        match slot {
            Slot::Express => (&mut self.express, 0),
            Slot::Class(class) => (&mut self.classes, class),
        }
    }

    /// Whether nothing waits, but for packets that the MAC has taken.
    #[inline(always)]
    pub(super) const fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.express.is_empty()
    }

    /// Packets held, the ones in service included.
    #[inline(always)]
    pub(super) fn held(&self) -> usize {
        self.classes.len() + self.express.len() + self.taken.len()
    }

    /// Packets that wait, the ones in service not counted unless they stay in memory.
    #[inline(always)]
    pub(super) fn length(&self) -> u32 {
        let out = if self.leaves { self.in_service.len() + self.taken.len() } else { 0 };
        u32::try_from(self.held() - out).unwrap_or(u32::MAX)
    }

    /// Their bytes.
    pub(super) fn bytes(&self) -> u64 {
        let held = self.classes.bytes() + self.express.bytes();
        if !self.leaves {
            return held;
        }
        let out = self.in_service.iter().filter_map(|&(_, slot)| self.head(slot));
        held - out.map(|entry| u64::from(entry.size.0)).sum::<u64>()
    }

    /// Whether a packet leaves its class when the MAC takes it.
    #[inline(always)]
    pub(super) const fn leaves(&self) -> bool {
        self.leaves
    }

    /// Packets of a class that wait for their turn.
    #[inline(always)]
    pub(super) fn waiting(&self, class: usize) -> usize {
        self.classes.class_len(class) - usize::from(self.leaves && self.is_out(Slot::Class(class)))
    }

    /// Whether no packet of a class waits for its turn.
    #[inline(always)]
    pub(super) fn none_waits(&self, class: usize) -> bool {
        match self.classes.class_len(class) {
            0 => true,
            1 => self.leaves && self.is_out(Slot::Class(class)),
            _ => false, // of a class only the head is out
        }
    }

    /// Bytes of a class that wait for their turn.
    #[inline(always)]
    pub(super) fn class_bytes(&self, class: usize) -> u64 {
        let all = self.classes.class_bytes(class);
        if self.serves() && self.leaves && self.is_out(Slot::Class(class)) {
            return all - self.classes.head(class).map_or(0, |head| u64::from(head.size.0));
        }
        all
    }

    #[inline(always)]
    pub(super) fn head(&self, slot: Slot) -> Option<&Queued> {
        let (table, class) = self.table(slot);
        table.head(class)
    }

    /// All packets, those that go ahead first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Queued> {
        let taken = self.taken.iter().map(|(entry, _)| entry);
        self.express.iter().chain(self.classes.iter()).chain(taken)
    }

    /// The class of a packet; made on first use.
    #[inline(always)]
    pub(super) fn class(&mut self, packet: &Packet, to: NodeId) -> usize {
        self.classes.class(packet, to)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, class: usize, entry: Queued) {
        self.classes.push(class, entry);
    }

    /// A routing message goes ahead of all classes: behind the others, or to the head if that is not out.
    pub(super) fn push_ahead(&mut self, packet: &Packet, entry: Queued, to_head: bool) {
        let class = self.express.class(packet, entry.to);
        if to_head {
            let place = usize::from(self.is_out(Slot::Express));
            self.express.push_at(class, place, entry);
        } else {
            self.express.push(class, entry);
        }
    }

    #[inline(always)]
    pub(super) fn pop(&mut self, slot: Slot) -> Option<Queued> {
        let (table, class) = self.table_mut(slot);
        table.pop(class)
    }

    pub(super) fn pop_tail(&mut self, slot: Slot) -> Option<Queued> {
        let (table, class) = self.table_mut(slot);
        table.pop_tail(class)
    }

    /// Takes the first packet of a class that the MAC does not have.
    pub(super) fn pop_waiting(&mut self, class: usize) -> Option<Queued> {
        let place = usize::from(self.is_out(Slot::Class(class)));
        self.classes.take(class, place)
    }

    /// Takes out all that waits for a next hop, the packets in service excepted.
    pub(super) fn withdraw(&mut self, to: NodeId) -> Vec<PacketId> {
        let Self { in_service, express, classes, .. } = self;
        let busy = |slot: Slot| in_service.iter().any(|&(_, sent)| sent == slot);
        let mut taken = express.withdraw(to, |_| busy(Slot::Express));
        taken.extend(classes.withdraw(to, |class| busy(Slot::Class(class))));
        taken
    }

    /// The first of the routing messages goes behind the others.
    pub(super) fn rotate_ahead(&mut self) {
        self.express.rotate(0);
    }

    pub(super) fn keep_head(&mut self, slot: Slot) {
        let (table, class) = self.table_mut(slot);
        table.keep_head(class);
    }

    /// A packet in service goes to another next hop, and may have another length.
    pub(super) fn readdress(&mut self, packet: PacketId, to: NodeId, size: Bytes) {
        if let Some((entry, _)) = self.taken.iter_mut().find(|(entry, _)| entry.packet == packet) {
            (entry.to, entry.size) = (to, size);
        } else if let Some(slot) = self.lent_from(packet) {
            let (table, class) = self.table_mut(slot);
            table.readdress_head(class, to, size);
        }
    }

    /// Takes out everything.
    pub(super) fn drain(&mut self) -> Vec<Queued> {
        self.in_service.clear();
        let mut all = self.express.drain();
        all.extend(self.classes.drain());
        all.extend(self.taken.drain(..).map(|(entry, _)| entry));
        all
    }

    /// From now on the MAC takes packets out of their classes.
    pub(super) const fn let_take(&mut self) {
        self.leaves = true;
    }

    /// What waits from here, the first first.
    pub(super) fn waiting_from(&self, slot: Slot) -> impl Iterator<Item = &Queued> {
        let (table, class) = self.table(slot);
        table.of_class(class)
    }

    /// Takes out what waits at a place.
    #[inline(always)]
    pub(super) fn pop_at(&mut self, slot: Slot, place: usize) -> Option<Queued> {
        let (table, class) = self.table_mut(slot);
        table.take(class, place)
    }

    /// Puts back what was taken out, before what waits at a place.
    pub(super) fn push_at(&mut self, slot: Slot, place: usize, entry: Queued) {
        let (table, class) = self.table_mut(slot);
        table.push_at(class, place, entry);
    }

    /// The MAC takes what waits at a place.
    #[inline(always)]
    pub(super) fn take(&mut self, slot: Slot, place: usize) -> Option<Queued> {
        let entry = self.pop_at(slot, place)?;
        self.taken.push_back((entry, slot));
        Some(entry)
    }

    /// Bytes that the MAC has taken for a next hop.
    pub(super) fn bytes_taken(&self, to: NodeId) -> u64 {
        let of_hop = self.taken.iter().filter(|(entry, _)| entry.to == to);
        of_hop.map(|(entry, _)| u64::from(entry.size.0)).sum()
    }

    /// A packet that the MAC has taken, and where it came from.
    pub(super) fn taken(&self, packet: PacketId) -> Option<(Queued, Slot)> {
        self.taken.iter().find(|(entry, _)| entry.packet == packet).copied()
    }

    /// The MAC has come to an end with a packet that it has taken.
    #[inline(always)]
    pub(super) fn give_back(&mut self, packet: PacketId) -> Option<(Queued, Slot)> {
        if self.taken.front().is_some_and(|(entry, _)| entry.packet == packet) {
            return self.taken.pop_front();
        }
        let place = self.taken.iter().position(|(entry, _)| entry.packet == packet)?;
        self.taken.remove(place)
    }

    /// Whether the MAC has any packet.
    #[inline(always)]
    pub(super) const fn serves(&self) -> bool {
        !self.in_service.is_empty()
    }

    /// The MAC takes the head from here.
    #[inline(always)]
    pub(super) fn begin_service(&mut self, packet: PacketId, slot: Slot) {
        self.in_service.push((packet, slot));
    }

    /// The MAC has come to an end with a packet: where it came from.
    #[inline(always)]
    pub(super) fn end_service(&mut self, packet: PacketId) -> Option<Slot> {
        let place = self.in_service.iter().position(|(offered, _)| *offered == packet)?;
        Some(self.in_service.swap_remove(place).1)
    }

    /// Where a packet is the head that the MAC has been lent.
    fn lent_from(&self, packet: PacketId) -> Option<Slot> {
        self.in_service.iter().find(|(offered, _)| *offered == packet).map(|&(_, slot)| slot)
    }

    /// The entry of a packet in service.
    pub(super) fn in_service(&self, packet: PacketId) -> Option<&Queued> {
        let lent = self.lent_from(packet).and_then(|slot| self.head(slot));
        lent.or_else(|| self.taken.iter().map(|(entry, _)| entry).find(|entry| entry.packet == packet))
    }

    /// Whether the head from here is in the MAC's hands.
    pub(super) fn is_out(&self, from: Slot) -> bool {
        self.in_service.iter().any(|&(_, slot)| slot == from)
    }

    /// The class that has most packets, of those that could lose one.
    pub(super) fn longest(&self) -> Option<usize> {
        self.classes.longest(|class| self.is_out(Slot::Class(class)))
    }

    /// The class that has most bytes, of those that could lose a packet.
    pub(super) fn fattest(&self) -> Option<usize> {
        self.classes.fattest(|class| self.is_out(Slot::Class(class)))
    }
}
