//! ATCP: every row of its states, then its modifications.

use super::rig::{Answer, MSS, RTO, Rig, ack, arriving, s, signal, told};
use crate::port::Control::{
    Freeze, GoBack, Probe, Retransmit as Again, RetransmitAll, SetCwnd, Thaw, TimeOut,
};
use crate::port::Phase;
use crate::shim::config::{AtcpConfig, BackOff, Retransmit};
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::testing::timeline;
use crate::units::{Dur, SimTime};
use crate::wire::{Segment, Signal, SignalKind, flags};
use Answer::{Deliver, Do, Swallowed, Wake};

const NEVER: SimTime = SimTime::MAX;
const UNREACHABLE: Signal = signal(SignalKind::Unreachable, 5 * MSS);

fn atcp(atcp: AtcpConfig) -> Rig {
    Rig::sender(&ShimConfig { kind: ShimKind::Atcp, atcp, ..ShimConfig::default() })
}

fn modified(threshold: u32, retransmit: Retransmit) -> Rig {
    atcp(AtcpConfig { timeout_threshold: Some(threshold), retransmit, probe_back_off: BackOff::Linear })
}

fn echo(number: u64) -> Segment {
    Segment { flags: flags::ACK | flags::ECE, ..ack(number) }
}

fn leaving(seq: u64) -> Segment {
    Segment { seq, len: MSS as u32, flags: flags::ACK, ..Segment::default() }
}

/// NORMAL → LOSS by duplicate ACKs, and back by a new ACK.
#[test]
fn the_third_duplicate_ack_is_a_loss_that_tcp_never_hears_of() {
    let mut layer = atcp(AtcpConfig::default());
    let (old, new) = (ack(5 * MSS), ack(9 * MSS));
    timeline! { layer;
        at 1 s: arriving(&old) => [];
        at 1 s: arriving(&old) => [];
        at 2 s: arriving(&old) => [Swallowed, Do(Freeze), Do(RetransmitAll), Wake(s(3))];
        at 2 s: arriving(&old) => [Swallowed];
        at 2 s: Input::Timer   => [Wake(s(3))]; // early
        at 2 s: arriving(&new) => [Swallowed, Wake(NEVER), Do(Thaw), Deliver(new)];
    }
    layer.una = 9 * MSS;
    timeline! { layer;
        at 4 s: arriving(&new) => []; // the count begins anew
        at 4 s: arriving(&new) => [];
        at 5 s: Input::Timer   => [];
    }
    assert_eq!((layer.count("shim.dupacks-hidden"), layer.count("shim.freezes")), (2, 1));
    assert_eq!(layer.count("shim.retransmissions"), 1);
}

#[test]
fn a_changed_window_or_data_or_nothing_outstanding_makes_no_duplicate() {
    let mut layer = atcp(AtcpConfig::default());
    let update = Segment { window: 7000, ..ack(5 * MSS) };
    let data = Segment { len: 10, ..ack(5 * MSS) };
    for _ in 0..4 {
        assert_eq!(layer.feed(s(1), arriving(&update)), []);
        assert_eq!(layer.feed(s(1), arriving(&data)), []);
    }
    layer.una = layer.max_sent;
    for _ in 0..4 {
        assert_eq!(layer.feed(s(1), arriving(&ack(15 * MSS))), []);
    }
}

/// NORMAL → LOSS by the timer, LOSS → LOSS by the layer's own, which backs off as TCP's would.
#[test]
fn timeouts_are_suppressed_and_everything_is_sent_again_each_time() {
    let mut layer = atcp(AtcpConfig::default());
    let new = ack(6 * MSS);
    timeline! { layer;
        at 1 s:  Input::Timeout => [Swallowed, Do(Freeze), Do(RetransmitAll), Wake(s(3))];
        at 3 s:  Input::Timer   => [Do(RetransmitAll), Wake(s(7))];
        at 7 s:  Input::Timer   => [Do(RetransmitAll), Wake(s(15))];
        at 8 s:  arriving(&new) => [Swallowed, Wake(NEVER), Do(Thaw), Deliver(new)];
        at 20 s: Input::Timeout => [Swallowed, Do(Freeze), Do(RetransmitAll), Wake(s(22))];
    }
    assert_eq!((layer.count("shim.timeouts-hidden"), layer.count("shim.frozen-ms")), (4, 7000));
}

/// NORMAL → CONGESTED → NORMAL.
#[test]
fn congestion_is_left_to_tcp_until_it_sends_something_new() {
    let mut layer = atcp(AtcpConfig::default());
    let (echo, old) = (echo(5 * MSS), ack(5 * MSS));
    let (high, again, next) = (leaving(14 * MSS), leaving(5 * MSS), leaving(15 * MSS));
    timeline! { layer;
        at 1 s: Input::Leaving(&high) => [];
        at 1 s: arriving(&echo)  => []; // TCP reacts
        at 2 s: arriving(&old)   => [];
        at 2 s: arriving(&old)   => [];
        at 2 s: arriving(&old)   => []; // and recovers itself
        at 2 s: Input::Timeout   => [];
        at 2 s: Input::Leaving(&again) => [];
        at 3 s: Input::Timeout   => [];
        at 3 s: Input::Leaving(&next)  => [];
        at 3 s: arriving(&echo)  => [];
        at 3 s: arriving(&echo)  => []; // still the same
        at 3 s: Input::Leaving(&leaving(16 * MSS)) => [];
        at 4 s: Input::Timeout   => [Swallowed, Do(Freeze), Do(RetransmitAll), Wake(s(6))];
    }
    assert_eq!((layer.count("shim.congested"), layer.count("shim.congested-ended")), (2, 2));
}

/// LOSS → CONGESTED.
#[test]
fn an_echo_in_a_loss_wakes_tcp_to_react() {
    let mut layer = atcp(AtcpConfig::default());
    let echo = echo(5 * MSS);
    timeline! { layer;
        at 1 s: Input::Timeout  => [Swallowed, Do(Freeze), Do(RetransmitAll), Wake(s(3))];
        at 2 s: arriving(&echo) => [Swallowed, Wake(NEVER), Do(Thaw), Deliver(echo)];
        at 3 s: Input::Timeout  => [];
    }
    assert_eq!((layer.count("shim.congested"), layer.count("shim.congested-ended")), (1, 0));
}

/// Any state → DISCONNECTED → NORMAL: probes at doubling intervals, then a window of one.
#[test]
fn without_a_route_it_probes_and_begins_with_one_segment() {
    let mut layer = atcp(AtcpConfig::default());
    let answer = ack(5 * MSS);
    timeline! { layer;
        at 1 s:  told(&UNREACHABLE) => [Do(Freeze), Wake(s(2))];
        at 1 s:  told(&UNREACHABLE) => [];
        at 2 s:  Input::Timer => [Do(Probe), Wake(s(4))];
        at 3 s:  Input::Timer => [Wake(s(4))]; // early
        at 4 s:  Input::Timer => [Do(Probe), Wake(s(8))];
        at 8 s:  Input::Timer => [Do(Probe), Wake(s(16))];
        at 16 s: Input::Timer => [Do(Probe), Wake(s(32))];
        at 32 s: Input::Timer => [Do(Probe), Wake(s(64))];
        at 64 s: Input::Timer => [Do(Probe), Wake(s(124))]; // at most a minute
        at 65 s: arriving(&answer) =>
            [Do(SetCwnd { segments: 1.0 }), Do(GoBack), Wake(NEVER), Do(Thaw)];
        at 66 s: Input::Timeout => [Swallowed, Do(Freeze), Do(RetransmitAll), Wake(s(68))];
    }
    assert_eq!(layer.count("shim.probes"), 6);
    assert_eq!(
        layer.count("shim.longest-probe-gap-ms"),
        32_000,
        "from 32 s to 64 s; no probe ended the last"
    );
}

#[test]
fn a_loss_or_congestion_may_turn_into_a_disconnection() {
    let mut layer = atcp(AtcpConfig::default());
    timeline! { layer;
        at 1 s: Input::Timeout => [Swallowed, Do(Freeze), Do(RetransmitAll), Wake(s(3))];
        at 2 s: told(&UNREACHABLE) => [Wake(s(3))];
        at 3 s: Input::Timer => [Do(Probe), Wake(s(5))];
    }
    let mut layer = atcp(AtcpConfig::default());
    let echo = echo(5 * MSS);
    timeline! { layer;
        at 1 s: arriving(&echo) => [];
        at 2 s: told(&UNREACHABLE) => [Do(Freeze), Wake(s(3))];
        // The first that comes says that the network is congested: TCP is left alone until something new goes out.
        at 4 s: arriving(&echo) =>
            [Do(SetCwnd { segments: 1.0 }), Do(GoBack), Wake(NEVER), Do(Thaw)];
        at 5 s: Input::Timeout => [];
    }
}

#[test]
fn before_there_is_a_connection_it_does_nothing() {
    let mut layer = atcp(AtcpConfig::default());
    layer.phase = Phase::Opening;
    timeline! { layer;
        at 1 s: Input::Timeout => [];
        at 1 s: told(&UNREACHABLE) => [];
    }
    layer.phase = Phase::Open;
    layer.una = layer.max_sent;
    assert_eq!(layer.feed(s(2), Input::Timeout), [], "nothing is outstanding");
}

/// First modification: the timeout after the third is TCP's, wherever it comes.
#[test]
fn one_timeout_too_many_is_tcps_own() {
    let mut layer = modified(3, Retransmit::FirstLost);
    let first = Do(Again { seq: 5 * MSS });
    timeline! { layer;
        at 1 s:  Input::Timeout => [Swallowed, Do(Freeze), first, Wake(s(3))];
        at 3 s:  Input::Timer   => [first, Wake(s(7))];
        at 7 s:  Input::Timer   => [first, Wake(s(15))];
        at 15 s: Input::Timer   => [Do(TimeOut), Wake(NEVER), Do(Thaw)];
        at 17 s: Input::Timeout => [Swallowed, Do(Freeze), first, Wake(s(19))]; // counted anew
    }
    let mut none = modified(0, Retransmit::FirstLost);
    assert_eq!(none.feed(s(1), Input::Timeout), [], "with a threshold of none all are TCP's");
    let mut reset = modified(1, Retransmit::FirstLost);
    let new = ack(6 * MSS);
    timeline! { reset;
        at 1 s: Input::Timeout => [Swallowed, Do(Freeze), first, Wake(s(3))];
        at 2 s: arriving(&new) => [Swallowed, Do(Again { seq: 6 * MSS }), Wake(NEVER), Do(Thaw), Deliver(new)];
        at 4 s: Input::Timeout => [Swallowed, Do(Freeze), first, Wake(s(6))]; // a new ACK has come between
    }
}

/// Second modification: one segment, and the next hole when an ACK stops short of what was outstanding.
#[test]
fn only_the_first_lost_segment_is_sent_again() {
    let mut layer = modified(3, Retransmit::FirstLost);
    let (old, partial, more, all) = (ack(5 * MSS), ack(8 * MSS), ack(9 * MSS), ack(15 * MSS));
    layer.feed(s(1), arriving(&old));
    layer.feed(s(1), arriving(&old));
    timeline! { layer;
        at 1 s: arriving(&old) => [Swallowed, Do(Freeze), Do(Again { seq: 5 * MSS }), Wake(s(2))];
        at 2 s: arriving(&partial) => [Swallowed, Do(Again { seq: 8 * MSS }), Wake(NEVER), Do(Thaw), Deliver(partial)];
        at 3 s: arriving(&more) => [Do(Again { seq: 9 * MSS })];
        at 4 s: arriving(&all) => [];
    }
}

/// Third modification: the time between probes grows by one timeout each.
#[test]
fn probes_may_back_off_gently() {
    let mut layer = modified(3, Retransmit::FirstLost);
    timeline! { layer;
        at 0 s:  told(&UNREACHABLE) => [Do(Freeze), Wake(s(1))];
        at 1 s:  Input::Timer => [Do(Probe), Wake(s(3))];
        at 3 s:  Input::Timer => [Do(Probe), Wake(s(6))];
        at 6 s:  Input::Timer => [Do(Probe), Wake(s(10))];
        at 10 s: Input::Timer => [Do(Probe), Wake(s(15))];
    }
    assert_eq!(layer.count("shim.longest-probe-gap-ms"), 4000, "one step of a second for each probe");
    let mut slow = modified(3, Retransmit::FirstLost);
    slow.rto = RTO * 40;
    timeline! { slow;
        at 0 s:  told(&UNREACHABLE) => [Do(Freeze), Wake(s(40))];
        at 40 s: Input::Timer => [Do(Probe), Wake(s(100))]; // at most a minute
    }
}

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

/// Segments that acknowledge nothing, or open a connection, and signals that say something else.
#[test]
fn what_says_nothing_of_losses_or_routes_changes_nothing() {
    let mut layer = atcp(AtcpConfig::default());
    for other in [flags::SYN | flags::ACK, 0] {
        for _ in 0..4 {
            assert_eq!(layer.feed(s(1), arriving(&Segment { flags: other, ..ack(5 * MSS) })), []);
        }
    }
    for kind in [SignalKind::LinkFailure, SignalKind::RouteRestored, SignalKind::BadState] {
        assert_eq!(layer.feed(s(2), told(&signal(kind, 5 * MSS))), [], "{kind:?}");
    }
}

/// Holes are named by ACKs that move on, not by one that only opens the window.
#[test]
fn a_window_update_names_no_hole() {
    let mut layer = modified(3, Retransmit::FirstLost);
    let partial = ack(6 * MSS);
    layer.feed(s(1), Input::Timeout);
    assert_eq!(layer.feed(s(2), arriving(&partial))[1], Do(Again { seq: 6 * MSS }));
    layer.una = 6 * MSS;
    assert_eq!(layer.feed(s(2), arriving(&Segment { window: 7000, ..partial })), []);
}

/// What TCP takes or a new path brings ends the count of timeouts, and what was outstanding before.
#[test]
fn the_count_of_timeouts_begins_anew_after_tcps_own_and_on_a_new_path() {
    let (echo, next, answer) = (echo(5 * MSS), leaving(20 * MSS), ack(5 * MSS));
    let mut layer = modified(1, Retransmit::FirstLost);
    let hidden = |layer: &mut Rig, at| layer.feed(s(at), Input::Timeout).first() == Some(&Swallowed);
    assert!(hidden(&mut layer, 1));
    layer.feed(s(2), arriving(&echo)); // TCP reacts, and goes on
    layer.feed(s(2), Input::Leaving(&next));
    assert!(!hidden(&mut layer, 3), "one has been hidden since the last new ACK");
    assert!(hidden(&mut layer, 4), "after TCP's own there may be one again");
    layer.feed(s(5), told(&UNREACHABLE));
    layer.feed(s(6), arriving(&answer));
    assert!(hidden(&mut layer, 7), "a new path");
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
