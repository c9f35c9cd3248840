//! Slot frames of the Flexible Radio Network: what is written is what was simulated, byte for byte.

use multihop_proto::link::frn::wire::{Content, FCS, FramedPacket, SlotFrame};
use multihop_proto::units::NodeId;

use super::decode::crc32;
use super::runs::limited;
use super::{Read, Shared, check_datagram, scenario};
use crate::scenario::{Kind, shipped};

/// What each packet of a frame counts beside its own length in the shipped scenario.
const OVERHEAD: usize = 44;

/// The frame in a record, after a check of its FCS.
fn frame(record: &Read) -> SlotFrame<'_> {
    let (body, fcs) = record.data.split_at(record.data.len() - FCS);
    assert_eq!(fcs, crc32(body).to_le_bytes(), "FCS");
    SlotFrame::parse(body).expect("a slot's frame")
}

fn parts<'a>(frame: &SlotFrame<'a>) -> Vec<FramedPacket<'a>> {
    match frame.content {
        Content::Packets(first, second) => std::iter::once(first).chain(second).collect(),
        Content::Ack { .. } => Vec::new(),
    }
}

#[test]
fn a_slots_frame_has_the_simulated_length_and_all_that_it_carries() {
    let (_, text) =
        shipped(Kind::Scenarios).into_iter().find(|(name, _)| *name == "frn-chain").expect("shipped");
    let sets = ["run.duration=60 s", "measure.warm-up=0 s", "frn.combine=true", "frn.max-retransmissions=4"];
    let (json, files) = limited(&scenario(text, &sets), u64::MAX);
    let nodes: Vec<Vec<Read>> = files.iter().map(Shared::records).collect();
    let on_air = |record: &&Read| record.interface == 0;
    let (mut sent, mut combined, mut acks) = (0, 0, 0);
    for (node, records) in (0..).map(NodeId).zip(&nodes) {
        let mut before = None;
        for record in records.iter().filter(on_air) {
            let frame = frame(record);
            let parts = parts(&frame);
            let packets: usize = parts.iter().map(|part| OVERHEAD + part.packet.len()).sum();
            assert_eq!(record.data.len(), if parts.is_empty() { OVERHEAD } else { packets });
            for part in &parts {
                check_datagram(part.packet);
                assert!((1..=32).contains(&part.header.life), "slots that are left: {}", part.header.life);
                assert!(part.header.count <= 4 && part.header.most == 4, "{:?}", part.header);
            }
            let mine = parts.iter().any(|part| part.to == node);
            assert_eq!(record.flags >> 2 & 7 == 1, !record.is_outbound() && (mine || answers(&frame, node)));
            if record.is_outbound() {
                assert_eq!(frame.from, node);
                (sent, combined) = (sent + 1, combined + u64::from(parts.len() == 2));
                acks += u64::from(parts.is_empty());
                // What it has just been sent goes on with less of its life left.
                if let Some((number, life)) = before.take()
                    && let Some(part) = parts.iter().find(|part| part.number == number)
                {
                    assert!(part.header.life < life, "{} after {life}", part.header.life);
                }
            } else if let Some(part) = parts.iter().find(|part| part.to == node) {
                before = Some((part.number, part.header.life));
            }
        }
    }
    let counted = |name: &str| json["counters"][name].as_u64();
    assert_eq!(json["frames_whole_run"].as_u64(), Some(sent));
    assert_eq!((counted("frn.combined"), counted("frn.acks")), (Some(combined), Some(acks)));
    assert!(combined > 10 && acks > 10, "{combined} {acks}");
    let lost: u64 = json["ledger"]["dropped"]
        .as_object()
        .map_or(0, |dropped| dropped.values().filter_map(serde_json::Value::as_u64).sum());
    let comments = nodes.iter().flatten().filter_map(|record| record.comment.as_deref());
    let told: usize = comments.map(|text| text.matches(": ").count()).sum();
    assert_eq!(told as u64, lost, "each loss stands on the frame that carried its packet last");
}

fn answers(frame: &SlotFrame<'_>, node: NodeId) -> bool {
    matches!(frame.content, Content::Ack { to, .. } if to == node)
}
