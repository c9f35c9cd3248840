//! Which packets wait for a route, and whether a route is being asked for: what tests hold protocols to.

use super::set::AnyRouting;
use crate::units::{NodeId, SimTime};
use crate::wire::PacketId;

/// A packet that waits for a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// The packet.
    pub packet: PacketId,
    /// Where it shall go.
    pub destination: NodeId,
    /// Since when.
    pub since: SimTime,
    /// Whether a request for its destination is out, or waits until it may be sent.
    pub asked: bool,
}

impl AnyRouting {
    /// The packets that wait for a route in a protocol that asks for routes, AODV and DSR, oldest first.
    #[must_use]
    pub fn awaited(&self) -> Vec<Awaited> {
        let of = |(packet, destination, since)| Awaited {
            packet,
            destination,
            since,
            asked: self.asks_for(destination),
        };
        match self {
            Self::Aodv(aodv) => aodv.waiting().map(of).collect(),
            Self::Dsr(dsr) => dsr.waiting().map(of).collect(),
            Self::Fixed(_) | Self::Multipath(_) | Self::Dsdv(_) | Self::Frn(_) | Self::Custom(_) => {
                Vec::new()
            }
        }
    }

    /// Whether a request for a destination is out, or waits until it may be sent.
    #[must_use]
    pub fn asks_for(&self, destination: NodeId) -> bool {
        match self {
            Self::Aodv(aodv) => aodv.asks_for(destination),
            Self::Dsr(dsr) => dsr.asks_for(destination),
            Self::Fixed(_) | Self::Multipath(_) | Self::Dsdv(_) | Self::Frn(_) | Self::Custom(_) => false,
        }
    }
}
