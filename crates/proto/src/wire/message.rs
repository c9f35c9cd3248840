//! What routing and address resolution send: whose messages and headers they are, and what carries them.

use std::fmt;
use std::sync::Arc;

use super::Packet;

/// Whose message, or whose header between IP and transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Destination-sequenced distance vector.
    Dsdv,
    /// Dynamic Source Routing.
    Dsr,
    /// Ad hoc on-demand distance vector, RFC 3561.
    Aodv,
    /// Flexible Radio Network: it has no number of its own, RFC 3692's second for experiments stands for it.
    Frn,
    /// Hop-by-hop rate control: notes between IP and TCP, under the same number as [`Self::Experimental`].
    HopRate,
    /// Address resolution, RFC 826.
    Arp,
    /// ATP, a transport: it has no number of its own, RFC 3692's first for experiments stands for it.
    Atp,
    /// Machines from outside this crate: RFC 3692's first number for experiments.
    Experimental,
}

/// What carries the messages of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carriage {
    /// UDP from this port to this port.
    Udp(u16),
    /// IP itself, under this protocol number.
    Ip(u8),
    /// The link layer itself, under this EtherType.
    Link(u16),
}

impl Protocol {
    /// What carries its messages. A header between IP and transport needs [`Carriage::Ip`].
    #[must_use]
    pub const fn carriage(self) -> Carriage {
        match self {
            Self::Dsdv => Carriage::Udp(65_535), // no flow has this port
            Self::Dsr => Carriage::Ip(48),       // RFC 4728 §10
            Self::Aodv => Carriage::Udp(654),    // RFC 3561 §1
            Self::Frn => Carriage::Ip(254),
            Self::Arp => Carriage::Link(0x0806), // RFC 826
            Self::HopRate | Self::Atp | Self::Experimental => Carriage::Ip(253),
        }
    }
}

/// Bytes that are no message of the protocol whose they claim to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

/// Place of a body in [`Bodies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub(super) u32);

/// Bytes that packets carry and their copies share. A body lives as long as a packet holds it.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    slots: Vec<Option<(u32, Arc<[u8]>)>>,
    free: Vec<u32>,
}

impl Bodies {
    /// Takes in a body that nobody holds yet.
    pub(super) fn add(&mut self, bytes: Arc<[u8]>) -> BodyId {
        let entry = Some((0, bytes));
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = entry;
            return BodyId(index);
        }
        self.slots.push(entry);
        BodyId(u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 bodies in flight"))
    }

    /// The bytes; none after the last holder has let go.
    pub(super) fn get(&self, body: BodyId) -> Option<&Arc<[u8]>> {
        self.slots.get(body.0 as usize)?.as_ref().map(|(_, bytes)| bytes)
    }

    /// One more packet holds the bodies that this one does.
    #[inline]
    pub(super) fn hold_those_of(&mut self, packet: &Packet) {
        if let Some(body) = packet.payload.body() {
            self.hold(body);
        }
        if let Some(header) = packet.header {
            self.hold(header.body);
        }
    }

    /// One more packet holds the body.
    pub(super) fn hold(&mut self, body: BodyId) {
        if let Some(Some((holders, _))) = self.slots.get_mut(body.0 as usize) {
            *holders += 1;
        }
    }

    /// One packet fewer holds the body.
    pub(super) fn release(&mut self, body: BodyId) {
        let Some(slot) = self.slots.get_mut(body.0 as usize) else { return };
        if let Some((holders, _)) = slot {
            *holders -= 1;
            if *holders == 0 {
                *slot = None;
                self.free.push(body.0);
            }
        }
    }

    /// Bodies that are held or wait for their first holder.
    #[cfg(test)]
    pub(super) fn live(&self) -> usize {
        self.slots.iter().flatten().count()
    }
}
