//! ATCP with SACK: which holes are sent again, and what TCP does not hear of them.

use super::atcp::{echo, leaving, modified};
use super::rig::{Answer, MSS, Rig, ack, arriving, s};
use crate::contract::Control::{Freeze, Retransmit as Again, Thaw};
use crate::shim::Input;
use crate::shim::Retransmit;
use crate::testing::timeline;
use crate::units::{Dur, SimTime};
use crate::wire::Segment;
use Answer::{Deliver, Do, Swallowed, Wake};

const NEVER: SimTime = SimTime::MAX;

/// An ACK that also says what has arrived beyond it.
fn selective(number: u64, held: &[(u64, u64)]) -> Segment {
    let mut segment = ack(number);
    for &(start, end) in held {
        segment.sack.push(start * MSS, ((end - start) * MSS) as u32);
    }
    segment
}

/// The variant: every hole that is known, each once a round trip.
#[test]
fn with_sack_all_known_holes_are_sent_again() {
    let mut layer = modified(3, Retransmit::Holes);
    let again = |segment: u64| Do(Again { seq: segment * MSS });
    let dup = selective(5 * MSS, &[(6, 8), (10, 12)]);
    let more = selective(5 * MSS, &[(13, 14), (6, 8), (10, 12)]);
    timeline! { layer;
        // Four segments beyond the hole: it is lost, whatever the count.
        at 1 s: arriving(&dup) =>
            [Swallowed, Do(Freeze), Deliver(dup), again(5), again(8), again(9), Wake(s(2))];
        at 1 s: arriving(&more) => [again(12)]; // passes to a frozen TCP, which notes it
    }
    layer.sacked = [(6, 8), (10, 12), (13, 14)].into_iter().fold(
        Default::default(),
        |mut held: crate::wire::RangeSet, (start, end)| {
            held.insert(start * MSS, end * MSS);
            held
        },
    );
    let partial = selective(8 * MSS, &[(13, 14), (10, 12)]);
    assert_eq!(
        layer.feed(SimTime::from_ms(1100), arriving(&partial)),
        [Swallowed, Wake(NEVER), Do(Thaw), Deliver(partial)],
        "the others are under way, for less than a round trip"
    );
    let late = layer.feed(s(3), Input::Timeout);
    assert_eq!(late[..2], [Swallowed, Do(Freeze)]);
    assert!(
        late.contains(&again(8)) || late.contains(&again(5)),
        "after a timeout all may go again: {late:?}"
    );
}

#[test]
fn holes_go_no_faster_than_the_window_lets_them() {
    let mut layer = modified(3, Retransmit::Holes);
    layer.cwnd = 3.0;
    let dup = selective(5 * MSS, &[(12, 15)]); // seven lost, none beyond
    let sent = layer.feed(s(1), arriving(&dup));
    assert_eq!(sent.iter().filter(|answer| matches!(answer, Do(Again { .. }))).count(), 3);
    let later = layer.feed(SimTime::from_ms(1300), arriving(&selective(5 * MSS, &[(12, 15)])));
    assert_eq!(later.len(), 3, "after a round trip three more: {later:?}");
    assert!(Dur::from_ms(300) > layer.srtt.expect("measured"));
}

/// What has been sent again and arrived makes room for other holes.
#[test]
fn holes_that_are_filled_make_room() {
    let mut layer = modified(3, Retransmit::Holes);
    layer.cwnd = 3.0;
    let sent = |layer: &mut Rig, ms, number| {
        let out = layer.feed(SimTime::from_ms(ms), arriving(&selective(number * MSS, &[(12, 15)])));
        let again = |answer: &Answer| if let Do(Again { seq }) = answer { Some(seq / MSS) } else { None };
        out.iter().filter_map(again).collect::<Vec<_>>()
    };
    assert_eq!(sent(&mut layer, 1000, 5), [5, 6, 7]);
    assert_eq!(sent(&mut layer, 1100, 8), [8, 9, 10], "within a round trip");
}

/// SACK: an ACK that stops short names the next hole also when TCP runs again.
#[test]
fn with_sack_a_partial_ack_names_the_next_hole_in_the_normal_state() {
    let mut layer = modified(3, Retransmit::Holes);
    let (dup, partial) = (selective(5 * MSS, &[(6, 9)]), selective(9 * MSS, &[(10, 12)]));
    layer.feed(s(1), arriving(&dup));
    assert!(layer.feed(s(2), arriving(&partial)).contains(&Do(Again { seq: 9 * MSS })), "in a loss");
    layer.una = 9 * MSS;
    let more = selective(12 * MSS, &[(13, 14)]);
    assert_eq!(layer.feed(s(3), arriving(&more)), [Do(Again { seq: 12 * MSS })], "and after it");
}

/// RFC 6675 §4, `IsLost`: three pieces beyond the hole, or more than two segments' bytes.
#[test]
fn with_sack_three_short_pieces_tell_of_a_loss_as_three_segments_do() {
    let pieces = |count: u64, length: u32| {
        let mut segment = ack(5 * MSS);
        (0..count).for_each(|piece| segment.sack.push((6 + 2 * piece) * MSS, length));
        let mut layer = modified(3, Retransmit::Holes);
        layer.feed(s(1), arriving(&segment)).first() == Some(&Swallowed)
    };
    assert!(pieces(3, 100), "three");
    assert!(!pieces(2, 1000), "two whole segments");
    assert!(pieces(2, 1001), "two longer ones");
}

/// What has left beyond all that the receiver holds is under way, and fills the window as holes do.
#[test]
fn with_sack_what_is_under_way_leaves_less_room_for_holes() {
    let sent = |cwnd| {
        let mut layer = modified(3, Retransmit::Holes);
        layer.cwnd = cwnd;
        let out = layer.feed(s(1), arriving(&selective(5 * MSS, &[(8, 11)]))); // three holes, four beyond
        out.iter().filter(|answer| matches!(answer, Do(Again { .. }))).count()
    };
    assert_eq!((sent(10.0), sent(6.0), sent(4.0)), (3, 2, 1));
}

/// RFC 6675 §2: with blocks it is a duplicate whatever the window, which a receiver shrinks as it holds more.
#[test]
fn with_sack_a_duplicate_may_change_the_window() {
    let smaller = Segment { window: 7000, ..selective(5 * MSS, &[(6, 9)]) };
    let mut layer = modified(3, Retransmit::Holes);
    assert_eq!(layer.feed(s(1), arriving(&smaller))[..3], [Swallowed, Do(Freeze), Deliver(smaller)]);
    let mut layer = modified(3, Retransmit::FirstLost);
    assert_eq!(layer.feed(s(1), arriving(&smaller)), [], "without it that is a window update");
}

/// A new ACK whose blocks tell of a loss is not TCP's either: it would halve its window.
#[test]
fn with_sack_a_new_ack_that_tells_of_a_loss_is_hidden() {
    let mut layer = modified(3, Retransmit::Holes);
    let new = selective(6 * MSS, &[(7, 10)]);
    let out = layer.feed(s(1), arriving(&new));
    assert_eq!(out, [Swallowed, Do(Freeze), Deliver(new), Do(Again { seq: 6 * MSS }), Wake(s(2))]);
    assert_eq!(layer.feed(s(2), arriving(&ack(15 * MSS)))[..3], [Swallowed, Wake(NEVER), Do(Thaw)]);
}

/// After a timeout what was sent again may have been lost as well: every hole may go at once, in its first repair and
/// in each that follows.
#[test]
fn with_sack_a_timeout_forgets_what_was_sent_again() {
    let mut layer = modified(3, Retransmit::Holes);
    layer.srtt = Some(Dur::from_secs(20));
    let first = Do(Again { seq: 5 * MSS });
    let repaired = |layer: &mut Rig, at, input: Input<'_>| layer.feed(s(at), input).contains(&first);
    let (dup, more) = (selective(5 * MSS, &[(6, 9)]), selective(5 * MSS, &[(6, 10)]));
    assert!(repaired(&mut layer, 1, arriving(&dup)));
    assert!(!repaired(&mut layer, 1, arriving(&more)), "not twice in a round trip");
    assert!(repaired(&mut layer, 2, Input::Timer), "its own timer");
    layer.feed(s(3), arriving(&echo(5 * MSS)));
    layer.feed(s(3), Input::Leaving(&leaving(16 * MSS)));
    assert!(repaired(&mut layer, 4, Input::Timeout), "TCP's");
}

/// Once all of a loss is acknowledged, what was sent again for it says nothing of the next one.
#[test]
fn with_sack_each_loss_begins_without_what_was_sent_again() {
    let mut layer = modified(3, Retransmit::Holes);
    layer.srtt = Some(Dur::from_secs(20));
    layer.feed(s(1), arriving(&selective(5 * MSS, &[(6, 9)])));
    layer.feed(s(2), arriving(&ack(15 * MSS)));
    // Bytes that are the same again, as after a new connection, are another loss.
    let again = layer.feed(s(3), arriving(&selective(5 * MSS, &[(6, 9)])));
    assert!(again.contains(&Do(Again { seq: 5 * MSS })), "{again:?}");
}

/// A hole goes once in a round trip, not before, and again when one has passed.
#[test]
fn with_sack_a_hole_goes_again_after_a_round_trip() {
    let sent = |later: u64| {
        let mut layer = modified(3, Retransmit::Holes);
        layer.feed(s(1), arriving(&selective(5 * MSS, &[(6, 9)])));
        let again = layer.feed(SimTime::from_ms(1000 + later), arriving(&selective(5 * MSS, &[(6, 10)])));
        again.contains(&Do(Again { seq: 5 * MSS }))
    };
    assert_eq!((sent(199), sent(200)), (false, true), "the round trip is 200 ms");
}
