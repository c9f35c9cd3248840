//! What a MAC may read of the queue it serves.

use crate::units::{Bytes, NodeId};
use crate::wire::PacketId;

/// The first packet of a class that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The packet; it may be read, and is in the queue's custody.
    pub packet: PacketId,
    /// Its next hop, or `NodeId::BROADCAST`.
    pub to: NodeId,
    /// Its length without MAC header.
    pub size: Bytes,
    /// How many packets its class has, this one included.
    pub class_length: usize,
    /// Whether the MAC has it already.
    pub in_service: bool,
}

/// Nothing behind it, and room for all.
impl Backlog for () {
    fn length(&self) -> u32 {
        0
    }

    fn free(&self) -> u32 {
        u32::MAX
    }

    fn each_head(&self, _tell: &mut dyn FnMut(Head)) {}
}

impl<B: Backlog + ?Sized> Backlog for &B {
    fn length(&self) -> u32 {
        (**self).length()
    }

    fn free(&self) -> u32 {
        (**self).free()
    }

    fn each_head(&self, tell: &mut dyn FnMut(Head)) {
        (**self).each_head(tell);
    }
}

/// What waits behind a MAC. It is read where it lies: a caller that does not ask pays nothing.
pub trait Backlog {
    /// Packets that wait, the ones in service not counted unless the queue keeps them in memory.
    fn length(&self) -> u32;
    /// Packets that could still be taken.
    fn free(&self) -> u32;
    /// Tells the head of each class that has packets, in the order of the classes' first use; what goes before all
    /// classes first.
    fn each_head(&self, tell: &mut dyn FnMut(Head));
}
