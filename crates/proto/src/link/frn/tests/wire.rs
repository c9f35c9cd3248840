//! Frames as bytes.

use proptest::prelude::*;

use crate::link::frn::SlotHeader;
use crate::link::frn::wire::{Content, FCS, FramedPacket, LEAST_OVERHEAD, SlotFrame};
use crate::units::NodeId;

const HEADER: SlotHeader = SlotHeader { life: 31, count: 2, most: 4 };

fn part(to: u32, number: u64, packet: &[u8]) -> FramedPacket<'_> {
    FramedPacket { to: NodeId(to), number, header: HEADER, packet }
}

fn frame(content: Content<'_>) -> SlotFrame<'_> {
    SlotFrame { from: NodeId(2), retry: true, content }
}

#[test]
fn figure_4_as_bytes() {
    let (data, ack) = (part(3, 258, &[0x45, 1, 2]), part(1, 7, &[0x46]));
    let bytes = frame(Content::Packets(data, Some(ack))).emit(50);
    let expected = [
        &[2, 1, 10, 0, 0, 3][..], // two packets, again, node 2
        &[10, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 2, 0, 31, 2, 4, 0, 3, 0x45, 1, 2], // to node 3
        &[10, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 31, 2, 4, 0, 1, 0x46], // to node 1
        &[0; 4],                  // up to the length
    ];
    assert_eq!(bytes, expected.concat());
    assert_eq!(SlotFrame::parse(&bytes), Ok(frame(Content::Packets(data, Some(ack)))));
}

#[test]
fn an_frn_ack_names_its_packet() {
    let ack = SlotFrame { retry: false, ..frame(Content::Ack { to: NodeId(0), sequence: 0xabc }) };
    let bytes = ack.emit(0);
    assert_eq!(bytes, [3, 0, 10, 0, 0, 3, 10, 0, 0, 1, 0x0a, 0xbc]);
    assert_eq!((bytes.len(), SlotFrame::parse(&bytes)), (ack.length(), Ok(ack)));
}

#[test]
fn the_least_overhead_holds_the_headers_of_every_frame() {
    let least = LEAST_OVERHEAD.0 as usize;
    let one = frame(Content::Packets(part(3, 1, b"123"), None));
    assert_eq!(one.length() + FCS, least + 3);
    let two = frame(Content::Packets(part(3, 1, b"123"), Some(part(1, 2, b"45"))));
    assert!(two.length() + FCS <= 2 * least + 5);
    assert!(frame(Content::Ack { to: NodeId(0), sequence: 0 }).length() + FCS <= least);
}

#[test]
fn what_is_no_frame_is_refused() {
    let good = frame(Content::Packets(part(3, 1, b"1234"), None)).emit(40);
    assert!(SlotFrame::parse(&good).is_ok());
    let changed = |place: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[place] = byte;
        bytes
    };
    let wrong = [
        good[..27].to_vec(), // half a packet
        good[..5].to_vec(),  // half an address
        changed(0, 0),       // a type that there is not
        changed(0, 2),       // a second part that is padding
        changed(1, 2),       // a flag
        changed(2, 192),     // a node's address
        changed(22, 1),      // a length beyond the end
        changed(39, 1),      // in the padding
    ];
    for bytes in wrong {
        assert!(SlotFrame::parse(&bytes).is_err(), "{bytes:?}");
    }
}

type Piece = (u32, u64, SlotHeader, Vec<u8>);

fn of((to, number, header, packet): &Piece) -> FramedPacket<'_> {
    FramedPacket { to: NodeId(*to), number: *number, header: *header, packet }
}

fn any_part() -> impl Strategy<Value = Piece> {
    let header = (any::<u16>(), any::<u8>(), any::<u8>());
    let header = header.prop_map(|(life, count, most)| SlotHeader { life, count, most });
    let to = prop_oneof![0_u32..60_000, Just(NodeId::BROADCAST.0)];
    (to, any::<u64>(), header, prop::collection::vec(any::<u8>(), 0..80))
}

proptest! {
    #[test]
    fn any_frame_is_read_as_it_was_written(
        from in 0_u32..60_000, retry in any::<bool>(), first in any_part(), second in prop::option::of(any_part()),
        padding in 0_usize..20,
    ) {
        let content = Content::Packets(of(&first), second.as_ref().map(of));
        let frame = SlotFrame { from: NodeId(from), retry, content };
        let bytes = frame.emit(frame.length() + padding);
        prop_assert_eq!(bytes.len(), frame.length() + padding);
        prop_assert_eq!(SlotFrame::parse(&bytes), Ok(frame));
    }

    #[test]
    fn any_bytes_are_a_frame_that_is_written_so_or_are_refused(
        kind in 0_u8..5, flags in 0_u8..3, from in any::<u8>(), rest in prop::collection::vec(0_u8..12, 0..90),
    ) {
        let bytes = [&[kind, flags, 10, 0, 0, from][..], &rest].concat();
        if let Ok(frame) = SlotFrame::parse(&bytes) {
            prop_assert_eq!(frame.emit(bytes.len()), bytes);
        }
    }
}
