//! The packet store: owns every copy of every packet, and keeps the ledger as copies begin and end.
//!
//! A copy is one node's custody. A reception makes a new copy; the sender's ends as handed over when the MAC
//! Ack arrives. A transmission holds the packets that it carries: their headers can be read until it has ended
//! everywhere, whatever their sender has done with its copy meanwhile. Nothing is allocated once the free list has
//! grown to the network's working set.

mod bytes;
mod lost;
mod places;

pub use lost::LostPacket;
pub use places::Stay;

use self::places::Places;
use super::batch::Batches;
use super::bodies::Bodies;
use super::kin::Kin;
use super::{
    Absorbed, BatchId, Bitmap, Dscp, Fate, FlowLedger, Frame, Ledger, Mpdu, Packed, Packet, PacketId,
    PacketKind,
};
use crate::units::FlowId;

/// Owns packets by [`PacketId`].
#[derive(Debug, Default)]
pub struct PacketStore {
    places: Places,
    bodies: Bodies,
    batches: Batches,
    ledger: Ledger,
    /// The codepoints of routing messages (`FlowId::NONE`) and of flows, at their number plus one; the default where
    /// nothing is.
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

    /// A receiver's copy of `id`.
    ///
    /// # Panics
    /// If no node has or holds `id`: it may be another packet by now.
    #[inline(always)]
    pub fn receive(&mut self, id: PacketId) -> PacketId {
        let packet = self.places.on_the_air(id);
        self.ledger.entry(packet.flow).received += 1;
        hold_bodies(&mut self.bodies, packet);
        if let Some(kin) = &mut self.kin {
            kin.come(packet.uid);
        }
        self.places.copy(id)
    }

    /// Another copy for the same node, as a cache keeps one: a second custody, like that of a reception.
    #[inline(never)]
    pub fn copy(&mut self, id: PacketId) -> PacketId {
        self.receive(id)
    }

    /// Counts a reception that a MAC duplicate filter swallowed.
    #[inline]
    pub fn receive_duplicate(&mut self, id: PacketId) {
        let entry = self.ledger.entry(self.places.packet(id).flow);
        entry.received += 1;
        entry.absorbed[Absorbed::MacDuplicate as usize] += 1;
    }

    /// Counts a reception that ends at once with the packet delivered: what a copy would have come to.
    #[inline]
    pub fn receive_in_vain(&mut self, id: PacketId) {
        let entry = self.ledger.entry(self.places.packet(id).flow);
        entry.received += 1;
        entry.delivered += 1;
    }

    /// Ends the custody of this copy. A transmission that holds it keeps its headers.
    ///
    /// # Panics
    /// If the copy has ended before: custody ends once.
    #[inline(always)]
    pub fn end(&mut self, id: PacketId, mut fate: Fate) {
        let (packet, carried) = self.places.end_custody(id);
        if let Some(kin) = &mut self.kin
            && kin.go(packet.uid, fate.is_arrival())
            && fate == Fate::Delivered
            && !packet.destination.is_broadcast()
        {
            fate = Fate::Absorbed(Absorbed::SecondArrival); // its user cannot tell: an ACK, a message
        }
        self.ledger.end(packet.flow, fate);
        if !carried {
            self.free(id);
        }
    }

    /// A transmission that carries this packet begins: it holds it until it is [over](Self::release).
    #[inline]
    pub fn hold(&mut self, id: PacketId) {
        self.places.hold(id);
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
        let batch = self.batches.remove(id);
        batch.mpdus.iter().for_each(|mpdu| self.let_go(mpdu.packet));
        batch.packed.iter().for_each(|it| self.let_go(it.packet));
        self.batches.reuse(id, batch);
    }

    /// The MPDUs of a frame that is sent in this call, and what they carry beside their first packets, in the order of
    /// their places: the frame holds these packets until it is over. All MPDUs have come through until
    /// [`Self::set_map`] says otherwise.
    pub fn batch(&mut self, mpdus: &[Mpdu], packed: &[Packed]) -> BatchId {
        mpdus.iter().for_each(|mpdu| self.hold(mpdu.packet));
        packed.iter().for_each(|it| self.hold(it.packet));
        self.batches.put(mpdus, packed, Bitmap::ALL)
    }

    /// The map of a block ack that is sent in this call.
    pub fn block_ack(&mut self, map: Bitmap) -> BatchId {
        self.batches.put(&[], &[], map)
    }

    /// The MPDUs of a frame; none of one without a batch.
    #[must_use]
    pub fn mpdus(&self, id: BatchId) -> &[Mpdu] {
        self.batches.mpdus(id)
    }

    /// What an MPDU of a frame carries beside its first packet, in order.
    pub fn packed(&self, id: BatchId, place: u16) -> impl Iterator<Item = PacketId> + '_ {
        let packed = self.batches.packed(id);
        let begin = packed.partition_point(|it| it.place < place);
        packed[begin..].iter().take_while(move |it| it.place == place).map(|it| it.packet)
    }

    /// Whether an MPDU of a frame carries more than one packet.
    #[must_use]
    pub fn packs(&self, id: BatchId) -> bool {
        !self.batches.packed(id).is_empty()
    }

    /// The map of a block ack by number from its first; of an A-MPDU by place, which MPDUs have come through at the
    /// node that hears it now.
    #[must_use]
    pub fn map(&self, id: BatchId) -> Bitmap {
        self.batches.map(id)
    }

    /// Says which MPDUs of a frame have come through at the node that hears it next.
    pub fn set_map(&mut self, id: BatchId, map: Bitmap) {
        self.batches.set_map(id, map);
    }

    /// How many packets a frame carries, in all its MPDUs.
    #[must_use]
    pub fn packets_in(&self, frame: &Frame) -> usize {
        let others = self.mpdus(frame.batch).len().saturating_sub(1) + self.batches.packed(frame.batch).len();
        frame.packets() + others
    }

    /// How many holds of packets are a frame's: one with a batch has each packet, and once more the first.
    #[must_use]
    pub fn held_by(&self, frame: &Frame) -> usize {
        self.packets_in(frame) + usize::from(!self.mpdus(frame.batch).is_empty())
    }

    /// Ends one [hold](Self::hold) of a packet.
    #[inline(always)]
    pub fn let_go(&mut self, id: PacketId) {
        if self.places.let_go(id) {
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
        self.places.iter().count()
    }

    /// How this copy stays with its holder.
    #[inline]
    #[must_use]
    pub fn stay(&self, id: PacketId) -> &Stay {
        self.places.stay(id)
    }

    /// The same, for queue and MAC, which note their offers.
    #[inline]
    pub fn stay_mut(&mut self, id: PacketId) -> &mut Stay {
        self.places.stay_mut(id)
    }

    /// Whether some node has this copy.
    #[inline]
    #[must_use]
    pub fn in_custody(&self, id: PacketId) -> bool {
        self.places.in_custody(id)
    }

    /// How often transmissions hold packets now, all together.
    #[must_use]
    pub fn holds(&self) -> usize {
        self.places.holds()
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
        self.places.iter()
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
        self.places.put(packet)
    }

    /// No node has or holds this copy any more.
    #[inline(always)]
    fn free(&mut self, id: PacketId) {
        let packet = self.places.packet(id);
        if let Some(body) = packet.payload.body() {
            self.bodies.release(body);
        }
        if let Some(header) = packet.header {
            self.bodies.release(header.body);
        }
        self.places.free(id);
    }
}

impl std::ops::Index<PacketId> for PacketStore {
    type Output = Packet;

    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        self.places.packet(id)
    }
}

impl std::ops::IndexMut<PacketId> for PacketStore {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        self.places.packet_mut(id)
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
