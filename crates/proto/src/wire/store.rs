//! The packet store: owns every copy of every packet, and keeps the ledger as copies begin and end.
//!
//! A copy is one node's custody. A reception makes a new copy; the sender's ends as handed over when the MAC
//! Ack arrives. A transmission holds the packets that it carries: their headers can be read until it has ended
//! everywhere, whatever their sender has done with its copy meanwhile. Nothing is allocated once the free list has
//! grown to the network's working set.

mod lost;

use std::sync::Arc;

pub use lost::LostPacket;

use super::batch::Batches;
use super::bodies::Bodies;
use super::kin::Kin;
use super::{
    Absorbed, BatchId, Bitmap, BodyId, Carriage, Carried, Datagram, Dscp, Fate, FlowLedger, Frame, Ledger,
    Mpdu, Opaque, Packet, PacketId, PacketKind, Payload, Protocol, RoutingHeader,
};
use crate::units::{Bytes, FlowId, SimTime};

/// Length of an IPv4 header without options (RFC 791 §3.1).
const IPV4: u32 = 20;

/// Where the codepoint of a flow stands; of no flow, at the beginning.
const fn place_of(flow: FlowId) -> usize {
    flow.0.wrapping_add(1) as usize
}

/// One place of the store.
#[derive(Debug)]
struct Slot {
    packet: Packet,
    stay: Stay,
}

/// How a copy stays with its holder. A receiver's copy begins afresh: the receiver knows nothing of the sender's offers.
#[derive(Clone, Copy, Debug)]
pub struct Stay {
    /// When the queue offered it to the MAC last.
    pub offered: SimTime,
    /// 802.11: sequence number under which its holder has offered it, kept over give-ups (plus one; 0 = none yet).
    pub mac_sequence: u16,
    /// Transmissions that carry it.
    holds: u16,
    /// Whether some node has this copy.
    custody: bool,
}

impl Stay {
    /// In custody, not offered yet.
    const NEW: Self = Self { offered: SimTime::ZERO, mac_sequence: 0, holds: 0, custody: true };
}

/// Owns packets by [`PacketId`].
#[derive(Debug, Default)]
pub struct PacketStore {
    slots: Vec<Slot>,
    free: Vec<PacketId>,
    bodies: Bodies,
    batches: Batches,
    ledger: Ledger,
    /// The codepoints of routing messages (`FlowId::NONE`) and of flows, at their number plus one; the default where nothing is.
    dscps: Vec<Dscp>,
    /// What was lost, if a trace asked for it.
    lost: Option<Vec<LostPacket>>,
    /// The copies of each packet, if they are to be told apart.
    kin: Option<Box<Kin>>,
    losses: u64,
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
        if let Some(kin) = &mut self.kin {
            kin.make();
        }
        self.ledger.entry(packet.flow).created += 1;
        self.put(packet)
    }

    /// A payload with these bytes, for one [`Self::create`]: they live as long as a copy of that packet.
    pub fn payload(&mut self, protocol: Protocol, message: Arc<[u8]>) -> Payload {
        Payload::Message { protocol, body: self.bodies.add(message) }
    }

    /// A packet of another transport than TCP and UDP with this header and `len` bytes of payload, for one
    /// [`Self::create`].
    pub fn transport(&mut self, protocol: Protocol, number: u64, len: u32, header: Arc<[u8]>) -> Payload {
        Payload::Transport(Datagram { protocol, number, len, body: self.bodies.add(header) })
    }

    /// A datagram of another IP stack with these bytes, IP header included, for one [`Self::create`]. `seen` says what
    /// is to be known of it, given the place of its bytes.
    pub fn opaque(&mut self, bytes: Arc<[u8]>, seen: impl FnOnce(BodyId) -> Opaque) -> Payload {
        Payload::Opaque(seen(self.bodies.add(bytes)))
    }

    /// Gives this copy other bytes in the place of its message, transport header or datagram, as long as those: what a
    /// node on the way notes there. Other copies keep theirs.
    ///
    /// # Panics
    /// If it has none, or of another length.
    pub fn rewrite(&mut self, id: PacketId, bytes: Arc<[u8]>) {
        let old = self.slots[id.index()].packet.payload.body().expect("a packet with bytes in the store");
        assert_eq!(self.bodies.get(old).map(|old| old.len()), Some(bytes.len()), "sizes are settled");
        let new = self.bodies.add(bytes);
        self.bodies.hold(new);
        self.bodies.release(old);
        match &mut self.slots[id.index()].packet.payload {
            Payload::Message { body, .. }
            | Payload::Transport(Datagram { body, .. })
            | Payload::Opaque(Opaque { body, .. }) => *body = new,
            Payload::Tcp(_) | Payload::Udp(_) | Payload::Signal(_) => {}
        }
    }

    /// Gives this copy of a routing message another body and size, as a relay does that adds to it. Other copies keep
    /// theirs.
    ///
    /// # Panics
    /// If it is no routing message.
    pub fn set_message(&mut self, id: PacketId, bytes: Arc<[u8]>, size: Bytes) {
        let new = self.bodies.add(bytes);
        self.bodies.hold(new);
        let packet = &mut self.slots[id.index()].packet;
        let Payload::Message { body, .. } = &mut packet.payload else { panic!("a routing message") };
        self.bodies.release(std::mem::replace(body, new));
        packet.size = size;
    }

    /// The bytes of a routing message, of the header of another transport than TCP and UDP, or of a whole datagram of
    /// another stack; none for other packets.
    #[must_use]
    pub fn message(&self, id: PacketId) -> Option<&Arc<[u8]>> {
        self[id].payload.body().and_then(|body| self.bodies.get(body))
    }

    /// Length of a packet with this payload after its IP header, but for TCP.
    #[must_use]
    pub(crate) fn length(&self, payload: &Payload) -> u32 {
        let body = payload.body().and_then(|body| self.bodies.get(body));
        let bytes = body.map_or(0, |bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        match payload {
            Payload::Udp(datagram) => 8 + datagram.len,
            Payload::Transport(datagram) => bytes.saturating_add(datagram.len),
            Payload::Opaque(datagram) => bytes.saturating_sub(IPV4 + u32::from(datagram.head)),
            Payload::Tcp(_) | Payload::Signal(_) | Payload::Message { .. } => bytes,
        }
    }

    /// The bytes of a packet's routing header, if it has one.
    #[must_use]
    pub fn header(&self, id: PacketId) -> Option<&Arc<[u8]>> {
        self[id].header.and_then(|header| self.bodies.get(header.body))
    }

    /// Gives this copy another routing header, or none; its length changes by the difference. Other copies keep
    /// theirs.
    pub fn set_header(&mut self, id: PacketId, header: Option<(Protocol, Arc<[u8]>)>) {
        let length = |bytes: &[u8]| Bytes(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        let packet = &mut self.slots[id.index()].packet;
        if let Some(old) = packet.header.take() {
            packet.size -= self.bodies.get(old.body).map_or(Bytes::ZERO, |bytes| length(bytes));
            self.bodies.release(old.body);
        }
        if let Some((protocol, bytes)) = header {
            packet.size += length(&bytes);
            let body = self.bodies.add(bytes);
            self.bodies.hold(body);
            packet.header = Some(RoutingHeader { protocol, cursor: 0, body });
        }
    }

    /// Packets of a flow, or (`FlowId::NONE`) routing messages, carry this codepoint, in both directions.
    pub fn set_dscp(&mut self, flow: FlowId, dscp: Dscp) {
        let place = place_of(flow);
        if self.dscps.len() <= place {
            self.dscps.resize(place + 1, Dscp::DEFAULT);
        }
        self.dscps[place] = dscp;
    }

    /// The codepoint that a packet carries: that of its flow; of a datagram of another IP stack the one in its header.
    #[must_use]
    pub fn dscp(&self, id: PacketId) -> Dscp {
        let packet = &self[id];
        match &packet.payload {
            Payload::Opaque(datagram) => {
                let place = usize::from(datagram.head) + 1;
                let byte = self.bodies.get(datagram.body).and_then(|bytes| bytes.get(place));
                byte.map_or(Dscp::DEFAULT, |&byte| Dscp::of_byte(byte))
            }
            // What IP does not carry has none.
            Payload::Message { protocol, .. }
                if matches!(protocol.carriage(), Carriage::Link(_) | Carriage::Frame) =>
            {
                Dscp::DEFAULT
            }
            _ => self.dscps.get(place_of(packet.flow)).copied().unwrap_or_default(),
        }
    }

    /// A packet with its bytes.
    #[must_use]
    pub fn carried(&self, id: PacketId) -> Carried<'_> {
        Carried {
            packet: &self[id],
            message: self.message(id).map_or(&[], |bytes| bytes),
            header: self.header(id).map_or(&[], |bytes| bytes),
            dscp: self.dscp(id),
        }
    }

    /// A receiver's copy of `id`.
    ///
    /// # Panics
    /// If no node has or holds `id`: it may be another packet by now.
    #[inline(always)]
    pub fn receive(&mut self, id: PacketId) -> PacketId {
        let slot = &self.slots[id.index()];
        assert!(slot.stay.custody || slot.stay.holds > 0, "a packet that is received is on the air");
        self.ledger.entry(slot.packet.flow).received += 1;
        hold_bodies(&mut self.bodies, &slot.packet);
        if let Some(kin) = &mut self.kin {
            kin.come(slot.packet.uid);
        }
        let Some(copy) = self.free.pop() else {
            return self.put_in_new_place(slot.packet);
        };
        // From place to place: by way of the stack it would be written and read once more.
        if let Ok([of, slot]) = self.slots.get_disjoint_mut([id.index(), copy.index()]) {
            slot.packet = of.packet;
            slot.stay = Stay::NEW;
        }
        copy
    }

    /// Another copy for the same node, as a cache keeps one: a second custody, like that of a reception.
    #[inline(never)]
    pub fn copy(&mut self, id: PacketId) -> PacketId {
        self.receive(id)
    }

    /// Counts a reception that a MAC duplicate filter swallowed.
    #[inline]
    pub fn receive_duplicate(&mut self, id: PacketId) {
        let entry = self.ledger.entry(self.slots[id.index()].packet.flow);
        entry.received += 1;
        entry.absorbed[Absorbed::MacDuplicate as usize] += 1;
    }

    /// Counts a reception that ends at once with the packet delivered: what a copy would have come to.
    #[inline]
    pub fn receive_in_vain(&mut self, id: PacketId) {
        let entry = self.ledger.entry(self.slots[id.index()].packet.flow);
        entry.received += 1;
        entry.delivered += 1;
    }

    /// Ends the custody of this copy. A transmission that holds it keeps its headers.
    ///
    /// # Panics
    /// If the copy has ended before: custody ends once.
    #[inline(always)]
    pub fn end(&mut self, id: PacketId, mut fate: Fate) {
        let slot = &mut self.slots[id.index()];
        assert!(slot.stay.custody, "a copy's custody ends once");
        slot.stay.custody = false;
        if let Some(kin) = &mut self.kin
            && kin.go(slot.packet.uid, fate.is_arrival())
            && fate == Fate::Delivered
            && !slot.packet.destination.is_broadcast()
        {
            fate = Fate::Absorbed(Absorbed::SecondArrival); // its user cannot tell: an ACK, a message
        }
        self.ledger.end(slot.packet.flow, fate);
        if slot.stay.holds == 0 {
            self.free(id);
        }
    }

    /// A transmission that carries this packet begins: it holds it until it is [over](Self::release).
    #[inline]
    pub fn hold(&mut self, id: PacketId) {
        self.slots[id.index()].stay.holds += 1;
    }

    /// A transmission is over everywhere: it lets go of the packets of all its parts.
    #[inline(always)]
    pub fn release(&mut self, frame: &Frame) {
        if frame.packet != PacketId::NONE {
            self.let_go(frame.packet);
            if let Some(part) = frame.second {
                self.let_go(part.packet);
            }
        }
        if frame.batch != BatchId::NONE {
            self.release_batch(frame.batch);
        }
    }

    #[cold]
    fn release_batch(&mut self, id: BatchId) {
        let mpdus = self.batches.remove(id);
        mpdus.iter().for_each(|mpdu| self.let_go(mpdu.packet));
        self.batches.reuse(id, mpdus);
    }

    /// The MPDUs of a frame that is sent in this call: it holds their packets until it is over. All of them have come
    /// through until [`Self::set_map`] says otherwise.
    pub fn batch(&mut self, mpdus: impl Iterator<Item = Mpdu>) -> BatchId {
        let id = self.batches.put(mpdus, Bitmap::ALL);
        for place in 0..self.batches.mpdus(id).len() {
            let packet = self.batches.mpdus(id)[place].packet;
            self.hold(packet);
        }
        id
    }

    /// The map of a block ack that is sent in this call.
    pub fn block_ack(&mut self, map: Bitmap) -> BatchId {
        self.batches.put(std::iter::empty(), map)
    }

    /// The MPDUs of a frame; none of one without a batch.
    #[must_use]
    pub fn mpdus(&self, id: BatchId) -> &[Mpdu] {
        self.batches.mpdus(id)
    }

    /// The map of a block ack by number from its first; of an A-MPDU by place, which MPDUs have come through at the node
    /// that hears it now.
    #[must_use]
    pub fn map(&self, id: BatchId) -> Bitmap {
        self.batches.map(id)
    }

    /// Says which MPDUs of a frame have come through at the node that hears it next.
    pub fn set_map(&mut self, id: BatchId, map: Bitmap) {
        self.batches.set_map(id, map);
    }

    /// How many holds of packets are a frame's: that of an A-MPDU has each packet, and once more the first.
    #[must_use]
    pub fn held_by(&self, frame: &Frame) -> usize {
        frame.packets() + self.mpdus(frame.batch).len()
    }

    /// Ends one [hold](Self::hold) of a packet.
    #[inline]
    pub fn let_go(&mut self, id: PacketId) {
        let slot = &mut self.slots[id.index()];
        slot.stay.holds -= 1;
        if slot.stay.holds == 0 && !slot.stay.custody {
            self.free(id);
        }
    }

    /// From now on a copy that is lost counts as a packet lost only if it is the last one and none has arrived.
    /// Otherwise, as with 802.11, the node that gives a copy up has lost it, also where only an acknowledgement was
    /// missing.
    ///
    /// # Panics
    /// If packets have been made already.
    pub fn tell_copies(&mut self) {
        assert!(self.last_uid == 0, "before any packet is made");
        self.kin.get_or_insert_with(|| Box::new(Kin::new()));
    }

    /// Whether no other copy of this packet is anywhere, and none has arrived; not known unless copies are told apart.
    #[inline]
    pub(crate) fn is_last(&self, id: PacketId) -> bool {
        self.kin.as_ref().is_some_and(|kin| kin.alone(self[id].uid))
    }

    /// Whether another copy of this packet has arrived or is still somewhere; not known unless copies are told apart.
    pub(crate) fn is_spare(&self, id: PacketId) -> bool {
        self.kin.as_ref().is_some_and(|kin| kin.others(self[id].uid))
    }

    /// Copies in the custody of nodes now.
    #[must_use]
    pub fn live(&self) -> usize {
        self.slots.iter().filter(|slot| slot.stay.custody).count()
    }

    /// How this copy stays with its holder.
    #[inline]
    #[must_use]
    pub fn stay(&self, id: PacketId) -> &Stay {
        &self.slots[id.index()].stay
    }

    /// The same, for queue and MAC, which note their offers.
    #[inline]
    pub fn stay_mut(&mut self, id: PacketId) -> &mut Stay {
        &mut self.slots[id.index()].stay
    }

    /// Whether some node has this copy.
    #[inline]
    #[must_use]
    pub fn in_custody(&self, id: PacketId) -> bool {
        self.slots[id.index()].stay.custody
    }

    /// How often transmissions hold packets now, all together.
    #[must_use]
    pub fn holds(&self) -> usize {
        self.slots.iter().map(|slot| usize::from(slot.stay.holds)).sum()
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

    /// All copies in the custody of nodes now, in store order.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.slots.iter().filter(|slot| slot.stay.custody).map(|slot| &slot.packet)
    }

    /// Coarse class of a packet.
    #[inline]
    #[must_use]
    pub fn kind(&self, id: PacketId) -> PacketKind {
        self[id].kind()
    }

    #[inline]
    fn put(&mut self, packet: Packet) -> PacketId {
        hold_bodies(&mut self.bodies, &packet);
        let Some(id) = self.free.pop() else { return self.put_in_new_place(packet) };
        let slot = &mut self.slots[id.index()]; // no node holds it
        slot.packet = packet;
        slot.stay = Stay::NEW;
        id
    }

    #[cold]
    fn put_in_new_place(&mut self, packet: Packet) -> PacketId {
        self.slots.push(Slot { packet, stay: Stay::NEW });
        PacketId(u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 packets in flight"))
    }

    /// No node has or holds this copy any more.
    #[inline(always)]
    fn free(&mut self, id: PacketId) {
        let packet = &self.slots[id.index()].packet;
        if let Some(body) = packet.payload.body() {
            self.bodies.release(body);
        }
        if let Some(header) = packet.header {
            self.bodies.release(header.body);
        }
        self.free.push(id);
    }
}

impl std::ops::Index<PacketId> for PacketStore {
    type Output = Packet;

    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        &self.slots[id.index()].packet
    }
}

impl std::ops::IndexMut<PacketId> for PacketStore {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slots[id.index()].packet
    }
}

#[cfg(test)]
mod tests;

/// One more packet holds the bodies that this one does.
#[inline]
fn hold_bodies(bodies: &mut Bodies, packet: &Packet) {
    if let Some(body) = packet.payload.body() {
        bodies.hold(body);
    }
    if let Some(header) = packet.header {
        bodies.hold(header.body);
    }
}
