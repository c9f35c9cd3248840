//! Records of a capture that wait for the fate of what they carry.

use multihop_proto::units::SimTime;

use super::on_air::{Carried, Record};
use super::writer::{Direction, Reception};

/// A record that waits to be written.
pub(super) struct Waiting {
    pub(super) at: SimTime,
    pub(super) direction: Direction,
    pub(super) content: Content,
    pub(super) comment: Option<String>,
}

/// What it is of.
pub(super) enum Content {
    Frame {
        radiotap: Vec<u8>,
        part: Record,
    },
    /// The packet of the loss of this number in [`PacketStore::lost`].
    Lost(u64),
    /// A lost packet, encoded.
    Datagram(Vec<u8>),
    /// A packet on a wire, encoded.
    Wired {
        datagram: Vec<u8>,
        carries: Carried,
    },
}

impl Waiting {
    /// The packets in the frame.
    pub(super) fn carries(&self) -> &[Carried] {
        match &self.content {
            Content::Frame { part, .. } => &part.carries,
            Content::Wired { carries, .. } => std::slice::from_ref(carries),
            Content::Lost(_) | Content::Datagram(_) => &[],
        }
    }

    /// The packets in a frame that this node sends.
    pub(super) fn sends(&self) -> &[Carried] {
        if matches!(self.direction, Direction::Outbound(_)) { self.carries() } else { &[] }
    }

    /// Whether it brings this packet to its node.
    pub(super) fn brings(&self, uid: u64) -> bool {
        use Direction::{Inbound, WireInbound};
        let arrives =
            matches!(self.direction, WireInbound | Inbound(Reception::Unicast | Reception::Broadcast, _));
        arrives && self.carries().iter().any(|carried| carried.uid == uid)
    }
}
