//! A slot's frame on the wire. The thesis names what the header says, and leaves the layout open; this one is ours.
//!
//! ```text
//!  byte  0      1      2           6
//!        type   flags  transmitter parts or, of an FRN ACK, addressee (4) and number (2)      zeros up to its length
//!
//!  part  0         4       12     14     15    16      18
//!        addressee number  life   count  most  length  packet
//! ```
//!
//! Integers are big-endian, addresses those of IPv4. After it stands the frame check sequence, [`FCS`] bytes, which is
//! the business of the sender of bytes.

use super::slot_header::SlotHeader;
use crate::units::{Bytes, NodeId};
use crate::wire::{Malformed, address};

/// Type of a frame, by the number of its packets.
const ONE: u8 = 1;
const TWO: u8 = 2;
const ACK: u8 = 3;
/// Flag: its sender has sent the first packet before.
const RETRY: u8 = 1;
/// Bytes before the parts.
const HEAD: usize = 6;
/// Bytes of a part before its packet.
const PART: usize = 18;
/// Bytes of an FRN ACK after the head.
const ANSWER: usize = 6;
/// Bytes of the frame check sequence.
pub const FCS: usize = 4;
/// What a packet counts beside its own length, at least.
pub const LEAST_OVERHEAD: Bytes = Bytes((HEAD + PART + FCS) as u32);

/// A packet in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramedPacket<'a> {
    /// The node that shall have it.
    pub to: NodeId,
    /// Its number.
    pub number: u64,
    /// What travels with it.
    pub header: SlotHeader,
    /// Its bytes.
    pub packet: &'a [u8],
}

/// What a frame brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// One packet, or data and a TCP ACK.
    Packets(FramedPacket<'a>, Option<FramedPacket<'a>>),
    /// An FRN ACK.
    Ack {
        /// Whose packet has arrived.
        to: NodeId,
        /// The last 12 bits of its number.
        sequence: u16,
    },
}

/// A slot's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotFrame<'a> {
    /// The node that sends it.
    pub from: NodeId,
    /// Whether it has sent the first packet before.
    pub retry: bool,
    /// What it brings.
    pub content: Content<'a>,
}

impl<'a> SlotFrame<'a> {
    fn parts(&self) -> impl Iterator<Item = FramedPacket<'a>> {
        let (first, second) = match self.content {
            Content::Packets(first, second) => (Some(first), second),
            Content::Ack { .. } => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Its length without padding and frame check sequence.
    #[must_use]
    pub fn length(&self) -> usize {
        match self.content {
            Content::Ack { .. } => HEAD + ANSWER,
            Content::Packets(..) => HEAD + self.parts().map(|part| PART + part.packet.len()).sum::<usize>(),
        }
    }

    /// Its bytes without the frame check sequence, with zeros behind them up to `length`.
    #[must_use]
    pub fn emit(&self, length: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(length.max(self.length()));
        let kind = match self.content {
            Content::Packets(_, None) => ONE,
            Content::Packets(_, Some(_)) => TWO,
            Content::Ack { .. } => ACK,
        };
        out.extend([kind, if self.retry { RETRY } else { 0 }]);
        out.extend(address::ipv4(self.from));
        if let Content::Ack { to, sequence } = self.content {
            out.extend(address::ipv4(to));
            out.extend(sequence.to_be_bytes());
        }
        for FramedPacket { to, number, header, packet } in self.parts() {
            out.extend(address::ipv4(to));
            out.extend(number.to_be_bytes());
            out.extend(header.life.to_be_bytes());
            out.extend([header.count, header.most]);
            out.extend(u16::try_from(packet.len()).unwrap_or(u16::MAX).to_be_bytes());
            out.extend(packet);
        }
        out.resize(length.max(out.len()), 0);
        out
    }

    /// The frame that these bytes are, without frame check sequence.
    ///
    /// # Errors
    /// If they end too early, or their type, flags or padding mean nothing, or an address is no node's.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        let [kind, flags] = reader.take()?;
        if flags & !RETRY != 0 {
            return Err(Malformed("a flag that means nothing"));
        }
        let from = reader.node()?;
        let content = match kind {
            ONE => Content::Packets(reader.part()?, None),
            TWO => Content::Packets(reader.part()?, Some(reader.part()?)),
            ACK => Content::Ack { to: reader.node()?, sequence: u16::from_be_bytes(reader.take()?) },
            _ => return Err(Malformed("a type of frame that there is not")),
        };
        if reader.0.iter().any(|&byte| byte != 0) {
            return Err(Malformed("something stands in the padding"));
        }
        Ok(Self { from, retry: flags & RETRY != 0, content })
    }
}

/// What has not been read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Malformed("the frame ends too early"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn node(&mut self) -> Result<NodeId, Malformed> {
        address::node(self.take()?).ok_or(Malformed("no node has this address"))
    }

    fn part(&mut self) -> Result<FramedPacket<'a>, Malformed> {
        let (to, number) = (self.node()?, u64::from_be_bytes(self.take()?));
        let (life, [count, most]) = (u16::from_be_bytes(self.take()?), self.take()?);
        let length = usize::from(u16::from_be_bytes(self.take()?));
        let (packet, rest) = self.0.split_at_checked(length).ok_or(Malformed("the frame ends too early"))?;
        self.0 = rest;
        Ok(FramedPacket { to, number, header: SlotHeader { life, count, most }, packet })
    }
}
