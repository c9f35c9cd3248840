//! The packet store: owns every copy of every packet, and keeps the ledger as copies begin and end.
//!
//! A copy is one node's custody. A reception makes a new copy; the sender's ends as handed over when the MAC
//! Ack arrives. Nothing is allocated once the free list has grown to the network's working set.

use std::sync::Arc;

use super::{Absorbed, Fate, FlowLedger, Ledger, Packet, PacketId, PacketKind, Payload};
use crate::units::{FlowId, NodeId};

/// One line of a distance-vector routing message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteAdvert {
    /// Destination.
    pub destination: NodeId,
    /// Hops to it; `u32::MAX` for unreachable.
    pub metric: u32,
    /// Destination sequence number.
    pub sequence: u32,
}

/// A packet as it was when it was lost.
#[derive(Clone, Debug)]
pub struct LostPacket {
    /// Its headers.
    pub packet: Packet,
    /// Its lines, if it was a routing message.
    pub adverts: Option<Arc<[RouteAdvert]>>,
}

/// Owns packets by [`PacketId`].
#[derive(Debug, Default)]
pub struct PacketStore {
    slots: Vec<Packet>,
    free: Vec<PacketId>,
    bodies: Vec<Option<(u32, Arc<[RouteAdvert]>)>>,
    free_bodies: Vec<u32>,
    ledger: Ledger,
    /// What was lost, if a trace asked for it.
    lost: Option<Vec<LostPacket>>,
    last_uid: u64,
}

impl PacketStore {
    /// A store for a network of `flows` flows.
    #[must_use]
    pub fn new(flows: usize) -> Self {
        Self { ledger: Ledger::new(flows), ..Self::default() }
    }

    /// Takes in a new packet; its `uid` is set here.
    #[inline]
    pub fn create(&mut self, mut packet: Packet) -> PacketId {
        self.last_uid += 1;
        packet.uid = self.last_uid;
        self.ledger.entry(packet.flow).created += 1;
        self.put(packet)
    }

    /// Registers a routing body and returns the payload that names it. The first packet made with it owns it.
    pub fn body(&mut self, adverts: Arc<[RouteAdvert]>) -> Payload {
        let entry = Some((0, adverts));
        let index = if let Some(index) = self.free_bodies.pop() {
            self.bodies[index as usize] = entry;
            index
        } else {
            self.bodies.push(entry);
            u32::try_from(self.bodies.len() - 1).expect("fewer than 2^32 routing messages in flight")
        };
        Payload::Routing(index)
    }

    /// The routing lines that a packet carries; none for other packets.
    #[must_use]
    pub fn adverts(&self, id: PacketId) -> Option<Arc<[RouteAdvert]>> {
        match self[id].payload {
            Payload::Routing(index) => self.bodies[index as usize].as_ref().map(|(_, body)| Arc::clone(body)),
            _ => None,
        }
    }

    /// A receiver's copy of `id`. The receiver's queue and MAC know nothing of the sender's offers.
    #[inline]
    pub fn receive(&mut self, id: PacketId) -> PacketId {
        let mut packet = self.slots[id.index()];
        packet.mac_sequence = 0;
        self.ledger.entry(packet.flow).received += 1;
        self.put(packet)
    }

    /// Counts a reception that a MAC duplicate filter swallowed.
    #[inline]
    pub fn receive_duplicate(&mut self, id: PacketId) {
        let entry = self.ledger.entry(self.slots[id.index()].flow);
        entry.received += 1;
        entry.absorbed[Absorbed::MacDuplicate as usize] += 1;
    }

    /// Ends the custody of this copy.
    ///
    /// # Panics
    /// If the copy has ended before: custody ends once.
    #[inline]
    pub fn end(&mut self, id: PacketId, fate: Fate) {
        let packet = &mut self.slots[id.index()];
        assert!(packet.uid != 0, "a copy's custody ends once");
        packet.uid = 0;
        let (flow, payload) = (packet.flow, packet.payload);
        self.ledger.end(flow, fate);
        if let Payload::Routing(body) = payload {
            self.release_body(body);
        }
        self.free.push(id);
    }

    /// Keeps every packet that is lost from now on, for traces.
    pub fn keep_lost(&mut self) {
        self.lost.get_or_insert_default();
    }

    /// What was lost since [`Self::keep_lost`], in the order of the losses.
    #[must_use]
    pub fn lost(&self) -> &[LostPacket] {
        self.lost.as_deref().unwrap_or_default()
    }

    /// This copy is about to be lost.
    pub(crate) fn note_loss(&mut self, id: PacketId) {
        if self.lost.is_none() {
            return;
        }
        let lost = LostPacket { packet: self[id], adverts: self.adverts(id) };
        self.lost.get_or_insert_default().push(lost);
    }

    /// Copies in the store now.
    #[must_use]
    pub fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The ledger of one flow.
    #[must_use]
    pub fn flow_ledger(&self, flow: FlowId) -> &FlowLedger {
        self.ledger.flow(flow)
    }

    /// The ledger of the whole network.
    #[must_use]
    pub fn ledger(&self) -> FlowLedger {
        self.ledger.total()
    }

    /// All copies that live now, in store order.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.slots.iter().filter(|packet| packet.uid != 0)
    }

    /// Coarse class of a packet.
    #[inline]
    #[must_use]
    pub fn kind(&self, id: PacketId) -> PacketKind {
        self[id].kind()
    }

    #[inline]
    fn put(&mut self, packet: Packet) -> PacketId {
        if let Payload::Routing(body) = packet.payload
            && let Some((holders, _)) = &mut self.bodies[body as usize]
        {
            *holders += 1;
        }
        if let Some(id) = self.free.pop() {
            self.slots[id.index()] = packet;
            id
        } else {
            self.slots.push(packet);
            PacketId(u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 packets in flight"))
        }
    }

    fn release_body(&mut self, index: u32) {
        let slot = &mut self.bodies[index as usize];
        if let Some((holders, _)) = slot {
            *holders -= 1;
            if *holders == 0 {
                *slot = None;
                self.free_bodies.push(index);
            }
        }
    }
}

impl std::ops::Index<PacketId> for PacketStore {
    type Output = Packet;

    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        &self.slots[id.index()]
    }
}

impl std::ops::IndexMut<PacketId> for PacketStore {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slots[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, SimTime};
    use crate::wire::{DropReason, UdpDatagram};

    fn packet(flow: FlowId, payload: Payload) -> Packet {
        Packet {
            uid: 0,
            flow,
            source: NodeId(0),
            destination: NodeId(1),
            size: Bytes(100),
            ttl: 64,
            mac_sequence: 0,
            payload,
            created: SimTime::ZERO,
            enqueued: SimTime::ZERO,
            head_of_line: SimTime::ZERO,
        }
    }

    #[test]
    fn every_custody_is_accounted_for() {
        let mut store = PacketStore::new(1);
        let udp = Payload::Udp(UdpDatagram { number: 0, len: 72 });
        let first = store.create(packet(FlowId(0), udp));
        let relay = store.receive(first);
        store.receive_duplicate(first); // the MAC Ack was lost once
        store.end(first, Fate::HandedOver);
        store.end(relay, Fate::Dropped(DropReason::QueueFull));
        let second = store.create(packet(FlowId(0), udp));
        let ledger = store.ledger();
        assert_eq!((ledger.created, ledger.copied(), ledger.inside()), (2, 1, 1));
        assert_eq!(ledger.inside(), store.live() as u64);
        assert_eq!(store[second].uid, 2);
    }

    #[test]
    fn lost_packets_are_kept_when_a_trace_asks() {
        let mut store = PacketStore::new(1);
        let udp = Payload::Udp(UdpDatagram { number: 0, len: 72 });
        let (first, second) = (store.create(packet(FlowId(0), udp)), store.create(packet(FlowId(0), udp)));
        for id in [first, second] {
            store.note_loss(id);
            store.end(id, Fate::Dropped(DropReason::QueueFull));
            store.keep_lost();
        }
        assert_eq!(store.lost().iter().map(|lost| lost.packet.uid).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_routing_body_lives_as_long_as_its_last_copy() {
        let mut store = PacketStore::new(0);
        let lines: Arc<[RouteAdvert]> =
            Arc::from(vec![RouteAdvert { destination: NodeId(3), metric: 1, sequence: 2 }]);
        let payload = store.body(lines);
        let sent = store.create(packet(FlowId::NONE, payload));
        let heard = store.receive(sent);
        store.end(sent, Fate::Absorbed(Absorbed::Broadcast));
        assert_eq!(store.adverts(heard).expect("still held").len(), 1);
        store.end(heard, Fate::Delivered);
        assert!(store.bodies.iter().all(Option::is_none));
    }
}
