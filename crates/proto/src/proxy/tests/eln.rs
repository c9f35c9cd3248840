//! Explicit loss notification: WHOLE and GAP.

use super::rig::{Did, Rig, ack, data};
use crate::proxy::Eln;
use crate::wire::flags;

fn marked(it: &mut Rig, segments: u64) -> bool {
    assert_eq!(it.back(50, ack(segments)), [Did::Passed], "everything passes");
    assert!([0, flags::ELN_LOST].contains(&it.marks()));
    it.marks() != 0
}

#[test]
fn acks_that_ask_for_what_never_came_are_marked_until_it_comes() {
    let mut it = Rig::new(Eln::default());
    it.forth(1, data(0));
    assert!(!marked(&mut it, 1), "WHOLE");
    it.forth(2, data(3));
    assert!(!marked(&mut it, 0), "an old one");
    assert!(marked(&mut it, 1), "GAP");
    assert!(marked(&mut it, 1), "a duplicate too");
    it.forth(3, data(1));
    assert!(!marked(&mut it, 1), "half of it has come");
    assert!(marked(&mut it, 2), "not the rest: a new ACK that stops before it");
    it.forth(4, data(2));
    assert!(!marked(&mut it, 2), "WHOLE");
    it.forth(5, data(7));
    assert!(!marked(&mut it, 8), "it came by another way");
    assert_eq!(it.count("agent.acks-marked"), 3);
}

#[test]
fn a_gap_is_none_while_the_queue_is_full_and_of_many_eight_are_kept() {
    let mut it = Rig::new(Eln::default());
    it.forth(1, data(0));
    it.node_state.queue_free = 1;
    it.forth(2, data(2));
    assert!(!marked(&mut it, 1), "it may be congestion");
    it.node_state.queue_free = 2;
    for number in 2..12 {
        it.forth(3, data(2 * number));
    }
    let found: Vec<u64> = (1..24).filter(|&segments| marked(&mut it, segments)).collect();
    assert_eq!(found, [3, 5, 7, 9, 11, 13, 15, 17]);
}

#[test]
fn with_its_node_goes_what_it_noted() {
    let mut it = Rig::new(Eln::default());
    it.forth(1, data(0));
    it.forth(2, data(2));
    assert_eq!(it.down(), 0);
    assert!(!marked(&mut it, 1));
    it.forth(3, data(5));
    assert!(!marked(&mut it, 3), "what passes first is no gap's end");
}

#[test]
fn a_segment_that_is_sent_again_opens_no_gap_behind_it() {
    let mut it = Rig::new(Eln::default());
    for number in [0, 1, 2, 3, 1, 4] {
        it.forth(1, data(number));
    }
    it.back(2, ack(2));
    assert_eq!((it.marks(), it.count("agent.acks-marked")), (0, 0));
}
