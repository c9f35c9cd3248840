//! What the header of a slot's frame says about a packet.

use crate::wire::{LinkHeader, Packet};

/// It travels with the packet from node to node, in the bytes that a packet has for its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotHeader {
    /// Slots that were left of its life when it was sent; [`Self::NO_END`] if it has no end.
    pub life: u16,
    /// How often it has been sent again on its whole way.
    pub count: u8,
    /// How often it may be; its source sets it. [`Self::NO_LIMIT`] for as often as it likes.
    pub most: u8,
}

impl SlotHeader {
    /// A life without end.
    pub const NO_END: u16 = u16::MAX;
    /// Any number of retransmissions.
    pub const NO_LIMIT: u8 = u8::MAX;

    /// Of a packet that has not been sent.
    pub const NEW: Self = Self { life: Self::NO_END, count: 0, most: Self::NO_LIMIT };

    /// Reads it from a packet. Zeros are those of a new packet.
    #[inline]
    #[must_use]
    pub const fn of(packet: &Packet) -> Self {
        let LinkHeader([high, low, count, most]) = packet.link;
        Self { life: !u16::from_be_bytes([high, low]), count, most: !most }
    }

    /// Writes it into a packet.
    #[inline]
    pub const fn put(self, packet: &mut Packet) {
        let [high, low] = (!self.life).to_be_bytes();
        packet.link = LinkHeader([high, low, self.count, !self.most]);
    }

    /// Whether it has been sent again more often than it may be.
    #[must_use]
    pub const fn is_spent(self) -> bool {
        self.most != Self::NO_LIMIT && self.count > self.most
    }
}
