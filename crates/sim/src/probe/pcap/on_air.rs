//! A transmission as bytes: one record of a control frame, one for each MPDU of a data frame of 802.11, one of a
//! slot's frame with all that it carries.

use std::sync::Arc;

use multihop_proto::routing::RoutingKind;
use multihop_proto::units::{Bytes, NodeId};
use multihop_proto::wire::{Frame, FrameKind, Mpdu, PacketId, PacketStore};
use pcap_file::DataLink;

use super::datagram::{Datagrams, simulated_length};
use super::frame::{a_msdu, control, data};
use crate::scenario::Resolved;

/// A transmission, encoded.
pub(super) struct OnAir {
    pub(super) frame: Frame,
    pub(super) parts: Vec<Record>,
}

/// One record of it.
#[derive(Clone)]
pub(super) struct Record {
    pub(super) to: NodeId,
    /// Which other node it is for.
    pub(super) second: Option<NodeId>,
    pub(super) mpdu: Arc<[u8]>,
    pub(super) carries: Arc<[Carried]>,
    /// What the bytes do not say.
    pub(super) note: Option<Arc<str>>,
}

/// The packet in a data frame: its number in the run, and the sender's copy of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Carried {
    pub(super) uid: u64,
    pub(super) copy: PacketId,
}

/// Makes bytes of frames.
pub(super) struct Encoder {
    pub(super) datagrams: Datagrams,
    /// What every node adds to the messages of its routing.
    routing_header: Bytes,
    /// Whether frames are not those of 802.11, but those of a link that keeps its packets itself.
    own_frames: bool,
}

impl Encoder {
    pub(super) fn new(scenario: &Resolved) -> Self {
        Self {
            datagrams: Datagrams::new(&scenario.flows),
            routing_header: match scenario.config.routing.kind {
                RoutingKind::Dsr => scenario.config.routing.header, // its messages are made shorter by it
                _ => Bytes::ZERO,
            },
            own_frames: !scenario.config.has_queues(),
        }
    }

    /// Whether frames are not those of 802.11, but those of a link that keeps its packets itself.
    pub(super) const fn has_own_frames(&self) -> bool {
        self.own_frames
    }

    /// What the bytes of a frame are called in captures.
    pub(super) const fn link_type(&self) -> DataLink {
        if self.own_frames { DataLink::USER0 } else { DataLink::IEEE802_11_RADIOTAP }
    }

    /// Encodes a transmission.
    pub(super) fn encode(&self, frame: &Frame, packets: &PacketStore) -> OnAir {
        let carried = |copy: PacketId| Carried { copy, uid: packets[copy].uid };
        let note =
            |copy: PacketId| simulated_length(&packets.carried(copy), self.routing_header).map(Into::into);
        let with_packets = frame.kind == FrameKind::Data && frame.packet != PacketId::NONE;
        let second = frame.second.filter(|_| with_packets);
        let part = |frame: &Frame, to: NodeId, copy: PacketId| {
            let mpdu = data(&self.datagrams, frame, to, &packets.carried(copy)).into();
            Record { to, second: None, mpdu, carries: [carried(copy)].into(), note: note(copy) }
        };
        let several = |frame: &Frame, copies: Vec<PacketId>| {
            let inside: Vec<_> = copies.iter().map(|&copy| packets.carried(copy)).collect();
            let mpdu = a_msdu(&self.datagrams, frame, &inside).into();
            let carries = copies.iter().map(|&copy| carried(copy)).collect();
            Record { to: frame.to, second: None, mpdu, carries, note: copies.into_iter().find_map(note) }
        };
        let parts = if self.own_frames {
            let first = with_packets.then_some(frame.packet);
            let mpdu = self.own_frame(frame, first, packets).into();
            let carries = first.into_iter().chain(second.map(|it| it.packet)).map(carried).collect();
            let second = second.map(|second| second.to);
            vec![Record { to: frame.to, second, mpdu, carries, note: first.and_then(note) }]
        } else if with_packets {
            let mpdus = packets.mpdus(frame.batch);
            let each = (0..).zip(mpdus).map(|(place, mpdu)| {
                let Mpdu { packet, number, retry, .. } = *mpdu;
                let frame = Frame { sequence: number, retry, ..*frame };
                let mut copies = vec![packet];
                copies.extend(packets.packed(frame.batch, place));
                if copies.len() > 1 { several(&frame, copies) } else { part(&frame, frame.to, packet) }
            });
            let single = mpdus.is_empty().then(|| part(frame, frame.to, frame.packet));
            let second = second.map(|second| part(frame, second.to, second.packet));
            single.into_iter().chain(second).chain(each).collect()
        } else {
            let mpdu = control(frame, packets.map(frame.batch)).into();
            vec![Record { to: frame.to, second: None, mpdu, carries: [].into(), note: None }]
        };
        OnAir { frame: *frame, parts }
    }
}
