//! What a frame is too small to carry itself: the MPDUs of an A-MPDU (IEEE 802.11-2020 §9.7), the packets of an A-MSDU
//! (§9.3.2.2), and the map of a block ack.
//!
//! The store keeps it beside the packets, from the call that sends the frame until the frame has ended everywhere.

use super::{Bitmap, PacketId};
use crate::units::Bytes;

/// Names a batch of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BatchId(u32);

impl BatchId {
    /// None: the frame carries one packet, or two parts.
    pub const NONE: Self = Self(u32::MAX);

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One MPDU of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mpdu {
    /// Its packet; of an A-MSDU the first.
    pub packet: PacketId,
    /// Its sequence number (0…4095).
    pub number: u16,
    /// Its retry bit.
    pub retry: bool,
    /// Its length, header and FCS included.
    pub size: Bytes,
    /// What it takes of the A-MPDU, its delimiter and the padding after it included.
    pub room: Bytes,
}

/// A packet of an A-MSDU after its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The place of its MPDU in the frame.
    pub place: u16,
    /// The packet.
    pub packet: PacketId,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    pub(super) mpdus: Vec<Mpdu>,
    /// In the order of their places.
    pub(super) packed: Vec<Packed>,
    map: Bitmap,
}

/// The batches of all frames on the air.
#[derive(Debug, Default)]
pub(super) struct Batches {
    slots: Vec<Batch>,
    free: Vec<BatchId>,
}

impl Batches {
    /// Keeps the MPDUs of a frame and what they carry beside their first packets, or the map of a block ack.
    pub(super) fn put(&mut self, mpdus: &[Mpdu], packed: &[Packed], map: Bitmap) -> BatchId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Batch::default());
            BatchId(u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 frames on the air"))
        });
        let batch = &mut self.slots[id.index()];
        batch.mpdus.clear();
        batch.mpdus.extend_from_slice(mpdus);
        batch.packed.clear();
        batch.packed.extend_from_slice(packed);
        batch.map = map;
        id
    }

    pub(super) fn mpdus(&self, id: BatchId) -> &[Mpdu] {
        self.slots.get(id.index()).map_or(&[], |batch| &batch.mpdus)
    }

    pub(super) fn packed(&self, id: BatchId) -> &[Packed] {
        self.slots.get(id.index()).map_or(&[], |batch| &batch.packed)
    }

    pub(super) fn map(&self, id: BatchId) -> Bitmap {
        self.slots.get(id.index()).map_or(Bitmap::ALL, |batch| batch.map)
    }

    pub(super) fn set_map(&mut self, id: BatchId, map: Bitmap) {
        if let Some(batch) = self.slots.get_mut(id.index()) {
            batch.map = map;
        }
    }

    /// The frame is over: what it carried, for the last time.
    pub(super) fn remove(&mut self, id: BatchId) -> Batch {
        self.free.push(id);
        std::mem::take(&mut self.slots[id.index()])
    }

    /// Gives back the memory of what was removed.
    pub(super) fn reuse(&mut self, id: BatchId, batch: Batch) {
        self.slots[id.index()] = batch;
    }
}
