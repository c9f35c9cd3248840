//! Slot frames of the Flexible Radio Network, with the frame check sequence of IEEE 802.11.

use multihop_proto::link::frn::SlotHeader;
use multihop_proto::link::frn::wire::{self, Content, SlotFrame};
use multihop_proto::wire::{Frame, PacketId, PacketStore};

use super::frame::seal;
use super::on_air::Encoder;

impl Encoder {
    /// A slot's frame of the Flexible Radio Network, FCS included: `first` is the packet of its first part. As long as
    /// the simulated one, unless its packets have more bytes than they count.
    pub(super) fn own_frame(&self, frame: &Frame, first: Option<PacketId>, packets: &PacketStore) -> Vec<u8> {
        let bytes = |packet: PacketId| {
            let mut out = Vec::new();
            self.datagrams.append(&mut out, &packets.carried(packet));
            out
        };
        let second = frame.second.map(|second| (second, bytes(second.packet)));
        let first = first.map(|packet| (packet, bytes(packet)));
        let part = |to, packet: PacketId, bytes| {
            let copy = &packets[packet];
            wire::FramedPacket { to, number: copy.uid, header: SlotHeader::of(copy), packet: bytes }
        };
        let content = match &first {
            None => Content::Ack { to: frame.to, sequence: frame.sequence },
            Some((packet, bytes)) => Content::Packets(
                part(frame.to, *packet, bytes),
                second.as_ref().map(|(second, bytes)| part(second.to, second.packet, bytes)),
            ),
        };
        let slot = SlotFrame { from: frame.from, retry: frame.retry, content };
        seal(slot.emit((frame.size.0 as usize).saturating_sub(wire::FCS)))
    }
}
