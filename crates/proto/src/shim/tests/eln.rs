//! ELN's source.

use super::rig::{Answer, MSS, Rig, ack, arriving, s};
use crate::contract::Control::{RestartTimer, Retransmit};
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::wire::{Segment, flags};
use Answer::{Do, Replaced, Swallowed};

fn source() -> Rig {
    Rig::sender(&ShimConfig { kind: ShimKind::Eln, ..ShimConfig::default() })
}

fn marked(segment: Segment, bits: u8) -> Segment {
    Segment { flags: segment.flags | bits, ..segment }
}

#[test]
fn a_duplicate_ack_with_both_marks_sends_the_hole_again_once_and_tcp_does_not_count_it() {
    let mut it = source();
    assert_eq!(it.feed(s(1), arriving(&ack(5 * MSS))), [], "without a mark it is TCP's");
    let lost = marked(ack(5 * MSS), flags::ELN_LOST);
    let again = [Swallowed, Do(Retransmit { seq: 5 * MSS }), Do(RestartTimer)];
    assert_eq!(it.feed(s(2), arriving(&lost)), again);
    assert_eq!(it.feed(s(3), arriving(&lost)), [Swallowed], "once");
    assert_eq!(it.feed(s(4), Input::Timeout), [], "a timeout is TCP's");
    assert_eq!((it.count("shim.retransmissions"), it.count("shim.dupacks-hidden")), (1, 2));
}

#[test]
fn a_new_ack_that_stops_before_a_hole_reaches_tcp_and_the_hole_goes_again() {
    let mut it = source();
    let again = [Replaced(ack(7 * MSS)), Do(Retransmit { seq: 7 * MSS }), Do(RestartTimer)];
    assert_eq!(it.feed(s(1), arriving(&marked(ack(7 * MSS), flags::ELN_LOST))), again);
    let all = ack(15 * MSS);
    assert_eq!(it.feed(s(2), arriving(&marked(all, flags::ELN_LOST))), [Replaced(all)], "nothing is out");
    let old = ack(4 * MSS);
    assert_eq!(it.feed(s(3), arriving(&marked(old, flags::ELN_LOST))), [Replaced(old)]);
}

#[test]
fn what_an_agent_sees_to_only_starts_the_timer_afresh() {
    let mut it = source();
    let seen_to = marked(ack(5 * MSS), flags::ELN);
    assert_eq!(it.feed(s(1), arriving(&seen_to)), [Swallowed, Do(RestartTimer)]);
    let new = ack(6 * MSS);
    assert_eq!(it.feed(s(2), arriving(&marked(new, flags::ELN))), [Replaced(new)]);
    assert_eq!((it.count("shim.retransmissions"), it.count("shim.restarts")), (0, 1));
}
