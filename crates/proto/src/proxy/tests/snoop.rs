//! The snoop agent: QUIET, DOUBT, EXPECTING, its timer, and what it leaves to the source; with ELN, what it tells it.

use super::rig::{Did, Rig, ack, data};
use crate::proxy::Snoop;
use crate::proxy::SnoopConfig;
use crate::units::{Dur, SimTime};
use crate::wire::{Segment, flags};

fn snoop(tells: bool) -> Rig {
    let config = SnoopConfig { cache: 6, tries: 2, ..SnoopConfig::default() };
    Rig::new(Snoop::new(config, tells))
}

/// With five segments on their way. The first has arrived.
fn waiting(tells: bool) -> Rig {
    let mut it = snoop(tells);
    for number in 0..5 {
        assert_eq!(it.forth(10 + number, data(number)), [Did::Passed]);
    }
    assert_eq!(it.packets.live(), 5, "a copy of each");
    assert_eq!(it.back(30, ack(1)), [Did::Passed]);
    assert_eq!(it.packets.live(), 4);
    it
}

#[test]
fn the_second_duplicate_ack_brings_the_copy_and_the_others_end_here() {
    let mut it = waiting(false);
    assert_eq!(it.back(40, ack(1)), [Did::Passed], "QUIET to DOUBT");
    assert_eq!(it.back(41, ack(1)), [Did::Sent(1, 11)], "DOUBT to EXPECTING: as old as the original");
    // Three segments followed the hole, so that a third one is still to come.
    assert_eq!(it.back(42, ack(1)), [], "EXPECTING");
    assert_eq!((it.count("agent.dupacks-hidden"), it.count("agent.retransmissions")), (2, 1));
    // The copy was lost too.
    assert_eq!(it.back(60, ack(1)), [Did::Sent(1, 11)]);
    // It arrives: QUIET.
    assert_eq!(it.back(70, ack(5)), [Did::Passed]);
    assert_eq!(it.packets.live(), 0);
    it.forth(80, data(5));
    assert_eq!(it.back(81, ack(5)), [Did::Passed], "the first again");
}

/// With ELN the first duplicate ACK brings a copy, so that a copy that went in vain would bring the next.
#[test]
fn with_eln_a_duplicate_ack_that_a_copy_brings_asks_for_nothing() {
    let mut it = waiting(true);
    assert_eq!(it.back(40, ack(1)), [Did::Passed, Did::Sent(1, 11)]);
    assert_eq!(it.back(42, ack(3)), [Did::Passed], "it was late, not lost");
    assert_eq!(it.back(43, ack(3)), [], "so the copy came twice");
    assert_eq!((it.count("agent.retransmissions"), it.count("agent.acks-marked")), (1, 1));
    assert_eq!(it.back(44, ack(3)), [Did::Passed, Did::Sent(3, 13)], "this one is no copy's");
}

/// Nothing overtakes: with what passed after the copy, all that the copy brings has come.
#[test]
fn with_eln_a_copy_accounts_for_no_duplicate_ack_after_what_followed_it() {
    let mut it = waiting(true);
    it.back(40, ack(1));
    it.forth(42, data(5));
    it.forth(43, data(6));
    it.back(44, ack(6));
    assert_eq!(it.back(45, ack(6)), [Did::Passed, Did::Sent(6, 43)], "the copy was needed");
}

#[test]
fn an_older_ack_and_one_that_asks_for_nothing_pass() {
    let mut it = waiting(false);
    assert_eq!(it.back(40, ack(0)), [Did::Passed]);
    it.back(41, ack(5));
    for ms in 42..45 {
        assert_eq!(it.back(ms, ack(5)), [Did::Passed], "no segment is out");
    }
}

#[test]
fn what_the_source_has_sent_again_is_the_sources() {
    let mut it = waiting(false);
    assert_eq!(it.forth(40, data(1)), [Did::Passed]);
    for ms in 41..45 {
        assert_eq!(it.back(ms, ack(1)), [Did::Passed]);
    }
    // So is what comes late: its first time it was lost on the way here.
    let mut late = snoop(false);
    late.forth(1, data(0));
    late.forth(2, data(2));
    late.forth(3, data(1));
    late.back(4, ack(1));
    for ms in 5..9 {
        assert_eq!(late.back(ms, ack(1)), [Did::Passed]);
    }
}

#[test]
fn there_is_no_copy_if_the_queue_or_the_cache_is_full_or_it_has_arrived() {
    let mut it = snoop(false);
    it.node_state.queue_free = 1;
    it.forth(1, data(0));
    assert_eq!(it.packets.live(), 0, "congestion is the source's");
    it.node_state.queue_free = 2;
    for number in 1..9 {
        it.forth(2, data(number));
    }
    assert_eq!(it.packets.live(), 6);
    it.back(3, ack(9));
    it.forth(4, data(3));
    assert_eq!(it.packets.live(), 0);
}

#[test]
fn the_oldest_copy_goes_again_after_a_while_so_often_and_no_more() {
    let mut it = snoop(false);
    it.forth(100, data(0));
    it.forth(120, data(1));
    // As ns-2 begins: 100 ms and four times 250 ms.
    assert_eq!(it.timer, SimTime::from_ms(1200));
    assert_eq!(it.fire(), [Did::Sent(0, 100)]);
    assert_eq!(it.timer, SimTime::from_ms(2300));
    assert_eq!(it.fire(), [Did::Sent(0, 100)]);
    assert_eq!(it.timer, SimTime::MAX, "twice: the source must see to it");
    // A new ACK measures, unless what it covers was sent twice.
    assert_eq!(it.back(2310, ack(1)), [Did::Passed], "the next one has waited for it: its time begins now");
    assert_eq!(it.timer, it.after(Dur::from_ms(1100)));
    assert_eq!(it.fire(), [Did::Sent(1, 120)]);
    let mut quick = snoop(false);
    for number in 0..60 {
        quick.forth(100 + 20 * number, data(number));
        quick.back(110 + 20 * number, ack(number + 1));
    }
    quick.forth(2000, data(60));
    assert_eq!(quick.timer, quick.after(Dur::from_ms(100)), "the floor, with round trips of 10 ms");
}

#[test]
fn copies_that_wait_in_line_are_not_sent_again_while_acks_come() {
    let mut it = snoop(false);
    for number in 0..6 {
        it.forth(100, data(number));
    }
    // The line moves on every 500 ms: the last one waits for 3 s, and the estimate of 1.1 s is never exceeded.
    for number in 0..6 {
        assert_eq!(it.back(600 + 500 * number, ack(number + 1)), [Did::Passed], "{number}");
    }
    assert_eq!(it.timer, SimTime::MAX);
}

#[test]
fn what_follows_a_segment_that_never_came_here_is_not_sent_again() {
    let mut it = snoop(false);
    it.forth(10, data(0));
    assert_eq!(it.back(20, ack(1)), [Did::Passed]);
    for number in 2..5 {
        it.forth(10 + 10 * number, data(number));
    }
    assert_eq!(it.timer, SimTime::MAX, "the destination waits for what the source must send again");
    it.forth(900, data(1));
    // One round trip of 10 ms beside the first estimates: 88.75 ms and four times 210 ms.
    assert_eq!(it.timer, it.after(Dur::from_us(928_750)), "now there is a copy");
    assert_eq!(it.fire(), [Did::Sent(1, 900)]);
    assert_eq!(it.back(2500, ack(5)), [Did::Passed]);
    assert_eq!((it.packets.live(), it.timer), (0, SimTime::MAX));
}

#[test]
fn with_its_node_go_copies_only() {
    let mut it = waiting(false);
    assert_eq!((it.down(), it.count("agent.lost-bytes")), (0, 0));
    assert_eq!(it.back(40, ack(1)), [Did::Passed]);
    assert_eq!(it.back(41, ack(1)), [Did::Passed], "it has no copy");
}

#[test]
fn with_eln_the_first_duplicate_ack_tells_the_source_that_it_is_seen_to() {
    let mut it = waiting(true);
    assert_eq!(it.back(40, ack(1)), [Did::Passed, Did::Sent(1, 11)]);
    assert_eq!((it.marks(), it.count("agent.acks-marked")), (flags::ELN, 1));
    assert_eq!(it.back(41, ack(1)), [], "one for each loss");
    assert_eq!(it.back(42, ack(1)), []);
    assert_eq!(it.back(60, ack(1)), [Did::Sent(1, 11)], "the copy was lost: the source has been told");
    assert_eq!(it.back(61, ack(1)), []);
    // It has been sent twice from here: now the source has to.
    assert_eq!(it.back(80, ack(1)), [Did::Passed]);
    assert_eq!(it.marks(), flags::ELN_LOST);
}

#[test]
fn with_eln_the_source_is_told_of_what_never_came() {
    let mut it = snoop(true);
    it.forth(1, data(0));
    it.forth(2, data(2));
    it.back(3, ack(1));
    assert_eq!(it.marks(), 0, "a new ACK");
    assert_eq!(it.back(4, ack(1)), [Did::Passed]);
    assert_eq!(it.marks(), flags::ELN_LOST);
    it.forth(5, data(1));
    it.back(6, ack(1));
    assert_eq!(it.marks(), 0, "the source has sent it again");
}

#[test]
fn a_segment_that_comes_late_is_the_sources_after_one_that_it_repeats_as_well() {
    let mut it = snoop(false);
    for number in [0, 2, 0, 1] {
        it.forth(1 + number, data(number));
    }
    it.back(10, ack(1));
    for ms in 11..15 {
        assert_eq!(it.back(ms, ack(1)), [Did::Passed]);
    }
}

#[test]
fn the_answer_to_a_syn_acknowledges_nothing_here() {
    let mut it = waiting(false);
    let answer = Segment { flags: flags::SYN | flags::ACK, ..ack(5) };
    assert_eq!(it.back(40, answer), [Did::Passed]);
    assert_eq!(it.packets.live(), 4, "the copies are still there");
}

#[test]
fn what_the_source_has_sent_twice_measures_nothing() {
    let mut it = snoop(false);
    it.forth(100, data(0));
    it.forth(110, data(0));
    it.back(115, ack(1));
    it.forth(200, data(1));
    assert_eq!(it.timer, it.after(Dur::from_ms(1100)), "as it began");
}

#[test]
fn with_eln_an_older_ack_tells_the_source_nothing() {
    let mut it = snoop(true);
    it.forth(1, data(0));
    it.forth(2, data(3));
    it.back(3, ack(2));
    assert_eq!(it.back(4, ack(1)), [Did::Passed]);
    assert_eq!(it.marks(), 0, "half of the gap has been filled by another way");
}
