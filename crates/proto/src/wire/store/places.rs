//! The places of a store: one for each copy. A place is taken anew when no node has its copy and no transmission
//! carries it.

use crate::units::SimTime;
use crate::wire::{Packet, PacketId};

/// How a copy stays with its holder. A receiver's copy begins afresh: the receiver knows nothing of the sender's
/// offers.
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

#[derive(Debug)]
struct Place {
    packet: Packet,
    stay: Stay,
}

/// All places.
#[derive(Debug, Default)]
pub(super) struct Places {
    all: Vec<Place>,
    free: Vec<PacketId>,
}

impl Places {
    /// A copy.
    #[inline(always)]
    pub(super) fn packet(&self, id: PacketId) -> &Packet {
        &self.all[id.index()].packet
    }

    /// A copy, to change it.
    #[inline(always)]
    pub(super) fn packet_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.all[id.index()].packet
    }

    /// How a copy stays with its holder.
    #[inline(always)]
    pub(super) fn stay(&self, id: PacketId) -> &Stay {
        &self.all[id.index()].stay
    }

    /// The same, to note offers.
    #[inline(always)]
    pub(super) fn stay_mut(&mut self, id: PacketId) -> &mut Stay {
        &mut self.all[id.index()].stay
    }

    /// A copy that a node has or a transmission carries: otherwise the place may be that of another packet by now.
    #[inline(always)]
    pub(super) fn on_the_air(&self, id: PacketId) -> &Packet {
        let Place { packet, stay } = &self.all[id.index()];
        assert!(stay.custody || stay.holds > 0, "a packet that is received is on the air");
        packet
    }

    /// Takes in a packet, in the custody of a node.
    #[inline(always)]
    pub(super) fn put(&mut self, packet: Packet) -> PacketId {
        let Some(id) = self.free.pop() else { return self.add(packet) };
        let place = &mut self.all[id.index()];
        place.packet = packet;
        place.stay = Stay::NEW;
        id
    }

    /// Takes in another copy. It goes from place to place: by way of the stack it would be written and read once more.
    #[inline(always)]
    pub(super) fn copy(&mut self, of: PacketId) -> PacketId {
        let Some(id) = self.free.pop() else { return self.add(*self.packet(of)) };
        if let Ok([of, place]) = self.all.get_disjoint_mut([of.index(), id.index()]) {
            place.packet = of.packet;
            place.stay = Stay::NEW;
        }
        id
    }

    #[cold]
    fn add(&mut self, packet: Packet) -> PacketId {
        self.all.push(Place { packet, stay: Stay::NEW });
        PacketId(u32::try_from(self.all.len() - 1).expect("fewer than 2^32 packets in flight"))
    }

    /// No node has this copy any more. Returns it, and whether a transmission still carries it.
    #[inline(always)]
    pub(super) fn end_custody(&mut self, id: PacketId) -> (&Packet, bool) {
        let Place { packet, stay } = &mut self.all[id.index()];
        assert!(stay.custody, "a copy's custody ends once");
        stay.custody = false;
        (packet, stay.holds > 0)
    }

    /// One more transmission carries it.
    #[inline(always)]
    pub(super) fn hold(&mut self, id: PacketId) {
        self.all[id.index()].stay.holds += 1;
    }

    /// A transmission carries it no more; returns whether nothing else has it.
    #[inline(always)]
    pub(super) fn let_go(&mut self, id: PacketId) -> bool {
        let stay = &mut self.all[id.index()].stay;
        stay.holds -= 1;
        stay.holds == 0 && !stay.custody
    }

    /// Nothing has this copy: its place may be taken anew.
    #[inline(always)]
    pub(super) fn free(&mut self, id: PacketId) {
        self.free.push(id);
    }

    /// Whether some node has this copy.
    #[inline(always)]
    pub(super) fn in_custody(&self, id: PacketId) -> bool {
        self.all[id.index()].stay.custody
    }

    /// How often transmissions carry packets now, all together.
    pub(super) fn holds(&self) -> usize {
        self.all.iter().map(|place| usize::from(place.stay.holds)).sum()
    }

    /// All copies in the custody of nodes, in the order of their places.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.all.iter().filter(|place| place.stay.custody).map(|place| &place.packet)
    }
}
