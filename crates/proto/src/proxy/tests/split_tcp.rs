//! A proxy of Split TCP: STRANGER, PROXY.

use super::rig::{Did, MSS, Rig, ack, data, tcp};
use crate::proxy::SplitTcp;
use crate::proxy::SplitTcpConfig;
use crate::tcp::TcpConfig;
use crate::units::FlowId;
use crate::wire::{DropReason, Segment, flags};

fn proxy(buffer: u32) -> Rig {
    let config = TcpConfig { ack_every: 2, ..tcp() };
    Rig::new(SplitTcp::new(SplitTcpConfig { buffer }, &config, FlowId(0)))
}

fn marked(segment: Segment) -> Segment {
    Segment { flags: segment.flags | flags::END_TO_END, ..segment }
}

#[test]
fn the_first_segment_that_it_meets_makes_it_a_proxy_wherever_the_stream_stands() {
    let mut it = proxy(8);
    assert_eq!(it.back(3, ack(4)), [Did::Passed], "a stranger to the flow");
    assert_eq!(it.forth(4, Segment { seq: 6999, flags: flags::ACK, ..Segment::default() }), [Did::Passed]);
    assert_eq!(it.forth(5, data(7)), [Did::Kept, Did::Acked(8, 8), Did::Sent(7, 5)]);
    assert_eq!(it.forth(6, data(8)), [Did::Kept, Did::Acked(9, 8), Did::Sent(8, 6)], "each at once");
    assert_eq!(it.forth(7, data(9)), [Did::Kept, Did::Acked(10, 8)], "its own window is two");
    assert_eq!(it.back(8, ack(8)), [Did::Sent(9, 7)], "the next one has the first: it is free");
    assert_eq!(it.packets.live(), 2);
    assert_eq!(
        it.forth(9, Segment { seq: 9999, flags: flags::ACK, ..Segment::default() }),
        [Did::Acked(10, 8)]
    );
}

#[test]
fn one_that_the_connection_was_opened_through_takes_the_stream_from_its_first_byte() {
    let mut it = proxy(8);
    assert_eq!(it.forth(1, Segment { flags: flags::SYN, ..Segment::default() }), [Did::Passed]);
    assert_eq!(it.back(2, Segment { flags: flags::SYN | flags::ACK, ..ack(0) }), [Did::Passed]);
    assert_eq!(it.forth(3, data(1)), [Did::Kept, Did::Acked(0, 8)], "the one before has lost its way");
    let both = [Did::Kept, Did::Acked(2, 8), Did::Sent(0, 4), Did::Sent(1, 3)];
    assert_eq!(it.forth(4, data(0)), both);
}

#[test]
fn what_runs_from_end_to_end_it_does_not_touch() {
    let mut it = proxy(8);
    it.forth(1, data(0));
    assert_eq!(it.forth(2, marked(data(0))), [Did::Passed]);
    assert_eq!(it.back(3, marked(ack(0))), [Did::Passed]);
    assert_eq!(it.forth(4, data(0)), [Did::Acked(1, 8)], "without the mark its local ACK was lost");
}

/// Else it would wait for ever for what was repaired past it.
#[test]
fn from_acks_that_run_from_end_to_end_it_learns_what_needs_no_care_any_more() {
    let mut it = proxy(8);
    it.forth(1, data(0));
    it.forth(2, data(2));
    assert_eq!(it.back(3, marked(ack(0))), [Did::Passed], "nothing new: no duplicate ACK either");
    assert_eq!(it.back(4, marked(ack(1))), [Did::Passed]);
    assert_eq!(it.packets.live(), 1);
    assert_eq!(it.back(5, marked(ack(2))), [Did::Passed, Did::Sent(2, 2)], "the gap was filled past it");
    assert_eq!(it.forth(6, data(3)), [Did::Kept, Did::Acked(4, 8), Did::Sent(3, 6)]);
}

#[test]
fn one_that_does_not_fit_is_lost_without_a_word() {
    let mut it = proxy(2);
    it.forth(1, data(0));
    it.forth(2, data(1));
    assert_eq!(it.forth(3, data(2)), [Did::Lost(DropReason::ProxyOverflow)]);
    assert_eq!(it.back(4, ack(1)), [], "its window is the buffer, full or not: there is nothing to tell");
    assert_eq!(it.forth(5, data(2)), [Did::Kept, Did::Acked(3, 2), Did::Sent(2, 5)]);
}

/// A route changes, or what a proxy before this one had is sent again from end to end.
#[test]
fn if_the_next_one_has_more_it_goes_on_behind_that() {
    let mut it = proxy(8);
    it.forth(1, data(0));
    it.forth(2, data(1));
    it.forth(3, data(2));
    assert_eq!(it.back(4, ack(3)), [], "it had sent two of the three");
    assert_eq!(it.packets.live(), 0);
    assert_eq!(it.forth(5, data(3)), [Did::Kept, Did::Acked(4, 8), Did::Sent(3, 5)]);
    assert_eq!(it.back(6, ack(9)), [], "and what it never saw");
    assert_eq!(it.forth(7, data(8)), [Did::Acked(9, 8)]);
    assert_eq!(it.forth(8, data(9)), [Did::Kept, Did::Acked(10, 8), Did::Sent(9, 8)]);
}

#[test]
fn what_it_sent_again_stays_counted_when_it_goes_on() {
    let mut it = proxy(8);
    for number in 0..3 {
        it.forth(1 + number, data(number));
    }
    assert_eq!(it.fire(), [Did::Sent(0, 1)]);
    it.back(5000, ack(3));
    assert_eq!(it.count("agent.retransmissions"), 1);
}

#[test]
fn with_its_node_goes_what_it_had_and_it_begins_again() {
    let mut it = proxy(8);
    it.forth(1, data(0));
    it.forth(2, data(1));
    assert_eq!((it.down(), it.count("agent.lost-bytes")), (2, 2 * u64::from(MSS)));
    assert_eq!(it.back(3, ack(0)), [Did::Passed]);
    assert_eq!(it.forth(4, data(5)), [Did::Kept, Did::Acked(6, 8), Did::Sent(5, 4)]);
    assert_eq!(it.fire(), [Did::Sent(5, 4)]);
    assert_eq!(it.count("agent.retransmissions"), 1);
}
