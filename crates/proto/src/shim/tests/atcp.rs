//! ATCP: every row of its states, then its modifications.

use super::rig::{Answer, MSS, RTO, Rig, ack, arriving, s, signal, told};
use crate::contract::Control::{
    Freeze, GoBack, Probe, Retransmit as Again, RetransmitAll, SetCwnd, Thaw, TimeOut,
};
use crate::contract::Phase;
use crate::shim::{AtcpConfig, BackOff, Reconnect, Retransmit};
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::testing::timeline;
use crate::units::SimTime;
use crate::wire::{Segment, Signal, SignalKind, flags};
use Answer::{Deliver, Do, Swallowed, Wake};

const NEVER: SimTime = SimTime::MAX;
const UNREACHABLE: Signal = signal(SignalKind::Unreachable, 5 * MSS);

fn atcp(atcp: AtcpConfig) -> Rig {
    Rig::sender(&ShimConfig { kind: ShimKind::Atcp, atcp, ..ShimConfig::default() })
}

pub(super) fn modified(threshold: u32, retransmit: Retransmit) -> Rig {
    atcp(AtcpConfig {
        timeout_threshold: Some(threshold),
        retransmit,
        probe_back_off: BackOff::Linear,
        ..AtcpConfig::default()
    })
}

pub(super) fn echo(number: u64) -> Segment {
    Segment { flags: flags::ACK | flags::ECE, ..ack(number) }
}

pub(super) fn leaving(seq: u64) -> Segment {
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
    let after = ack(16 * MSS);
    (layer.una, layer.max_sent) = (16 * MSS, 20 * MSS);
    timeline! { layer;
        at 4 s: arriving(&after) => []; // the count begins anew
        at 4 s: arriving(&after) => [];
        at 5 s: Input::Timer   => [];
    }
    assert_eq!((layer.count("shim.dupacks-hidden"), layer.count("shim.freezes")), (2, 1));
    assert_eq!(layer.count("shim.retransmissions"), 1);
}

/// RFC 6582 §3.2: what it sends again arrives twice. The receiver's answers to that are no loss.
#[test]
fn duplicates_of_what_was_sent_again_are_no_loss() {
    let mut layer = atcp(AtcpConfig::default());
    let (all, beyond) = (ack(15 * MSS), ack(16 * MSS));
    layer.feed(s(1), Input::Timeout);
    layer.feed(s(2), arriving(&all));
    (layer.una, layer.max_sent) = (15 * MSS, 20 * MSS);
    for count in 1..10 {
        let answer: &[Answer] = if count < 3 { &[] } else { &[Swallowed] };
        assert_eq!(layer.feed(s(2), arriving(&all)), answer, "two reach TCP, as ever");
    }
    layer.feed(s(3), arriving(&beyond)); // new
    layer.una = 16 * MSS;
    layer.feed(s(3), arriving(&beyond));
    layer.feed(s(3), arriving(&beyond));
    let loss = [Swallowed, Do(Freeze), Do(RetransmitAll), Wake(s(4))];
    assert_eq!(layer.feed(s(3), arriving(&beyond)), loss, "beyond it they are");
    // So it is of what TCP goes back to on a new path.
    (layer.una, layer.max_sent) = (21 * MSS, 25 * MSS);
    let there = ack(21 * MSS);
    layer.feed(s(4), told(&UNREACHABLE));
    layer.feed(s(5), Input::Timer);
    layer.feed(s(5), arriving(&there));
    layer.feed(s(6), arriving(&there));
    layer.feed(s(6), arriving(&there));
    assert_eq!(layer.feed(s(6), arriving(&there)), [Swallowed]);
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
        at 2 s: arriving(&echo) => [Swallowed, Deliver(echo), Wake(NEVER), Do(Thaw)];
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

/// What was under way when the route broke does not end a disconnection; an answer to a probe does.
#[test]
fn only_what_comes_after_a_probe_ends_a_disconnection() {
    let under_way = ack(7 * MSS);
    let mut layer = atcp(AtcpConfig::default());
    timeline! { layer;
        at 1 s: told(&UNREACHABLE) => [Do(Freeze), Wake(s(2))];
        at 1 s: arriving(&under_way) => []; // TCP takes note of it
        at 1 s: arriving(&echo(7 * MSS)) => [];
        at 2 s: Input::Timer => [Do(Probe), Wake(s(4))];
        at 3 s: arriving(&under_way) =>
            [Do(SetCwnd { segments: 1.0 }), Do(GoBack), Wake(NEVER), Do(Thaw)];
    }
    let mut layer = atcp(AtcpConfig { reconnect: Reconnect::Anything, ..AtcpConfig::default() });
    timeline! { layer;
        at 1 s: told(&UNREACHABLE) => [Do(Freeze), Wake(s(2))];
        at 1 s: arriving(&under_way) =>
            [Do(SetCwnd { segments: 1.0 }), Do(GoBack), Wake(NEVER), Do(Thaw)];
    }
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
        at 3 s: Input::Timer => [Do(Probe), Wake(s(5))];
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
    layer.feed(s(6), Input::Timer);
    layer.feed(s(6), arriving(&answer));
    assert!(hidden(&mut layer, 7), "a new path");
}

/// After an echo in a loss the count of duplicates begins anew.
#[test]
fn after_an_echo_one_more_duplicate_is_no_loss() {
    let mut layer = atcp(AtcpConfig::default());
    let beyond = ack(16 * MSS);
    (layer.una, layer.max_sent) = (16 * MSS, 20 * MSS);
    for _ in 0..3 {
        layer.feed(s(1), arriving(&beyond));
    }
    layer.feed(s(2), arriving(&echo(16 * MSS)));
    layer.feed(s(2), Input::Leaving(&leaving(30 * MSS)));
    (layer.una, layer.max_sent) = (21 * MSS, 31 * MSS);
    assert_eq!(layer.feed(s(3), arriving(&ack(21 * MSS))), []);
}

/// What it counts and waits for is at most a minute, as TCP's own timer (RFC 6298 §2.5).
#[test]
fn repairs_and_first_probes_wait_for_a_minute_at_most() {
    let mut layer = atcp(AtcpConfig::default());
    layer.rto = RTO * 40;
    timeline! { layer;
        at 0 s:  Input::Timeout => [Swallowed, Do(Freeze), Do(RetransmitAll), Wake(s(60))];
        at 60 s: Input::Timer   => [Do(RetransmitAll), Wake(s(120))];
    }
    let mut layer = atcp(AtcpConfig::default());
    layer.rto = RTO * 90;
    assert_eq!(layer.feed(s(1), told(&UNREACHABLE)), [Do(Freeze), Wake(s(61))]);
}

/// A closed window is TCP's affair: its own probes go on.
#[test]
fn a_timeout_at_a_closed_window_is_tcps() {
    let mut layer = atcp(AtcpConfig::default());
    layer.peer_window = 0;
    assert_eq!(layer.feed(s(1), Input::Timeout), []);
}

/// A new path: duplicates counted on the old one, and what was outstanding there, say nothing of it.
#[test]
fn a_new_path_begins_without_duplicates_and_holes() {
    let mut layer = modified(3, Retransmit::FirstLost);
    (layer.una, layer.max_sent) = (15 * MSS, 20 * MSS);
    for _ in 0..2 {
        layer.feed(s(1), arriving(&ack(15 * MSS)));
    }
    layer.feed(s(2), told(&UNREACHABLE));
    layer.feed(s(3), Input::Timer);
    layer.feed(s(3), arriving(&ack(15 * MSS)));
    (layer.una, layer.max_sent) = (21 * MSS, 30 * MSS);
    assert_eq!(layer.feed(s(4), arriving(&ack(21 * MSS))), [], "the first, not the third");

    let mut layer = modified(3, Retransmit::FirstLost);
    layer.feed(s(1), Input::Timeout);
    layer.feed(s(2), told(&UNREACHABLE));
    layer.feed(s(3), Input::Timer);
    layer.feed(s(3), arriving(&ack(5 * MSS)));
    assert_eq!(layer.feed(s(4), arriving(&ack(8 * MSS))), [], "TCP sends it all again, and names no hole");
}

/// After TCP's own timeout it sends all again itself: ACKs that stop short name no hole.
#[test]
fn after_tcps_own_timeout_there_are_no_holes_to_name() {
    let mut layer = modified(1, Retransmit::FirstLost);
    layer.feed(s(1), Input::Timeout);
    assert!(layer.feed(s(3), Input::Timer).contains(&Do(TimeOut)));
    assert_eq!(layer.feed(s(4), arriving(&ack(8 * MSS))), []);

    let mut layer = modified(1, Retransmit::FirstLost);
    layer.feed(s(1), Input::Timeout);
    layer.feed(s(2), arriving(&echo(5 * MSS)));
    layer.feed(s(2), Input::Leaving(&leaving(16 * MSS)));
    assert_eq!(layer.feed(s(3), Input::Timeout), [], "TCP's own");
    assert_eq!(layer.feed(s(4), arriving(&ack(8 * MSS))), []);
}

/// Only data say that TCP has reacted, and only new ones.
#[test]
fn an_ack_of_its_own_does_not_end_congestion() {
    let mut layer = atcp(AtcpConfig::default());
    layer.feed(s(1), arriving(&echo(5 * MSS)));
    layer.feed(s(1), Input::Leaving(&Segment { len: 0, ..leaving(20 * MSS) }));
    assert_eq!(layer.feed(s(2), Input::Timeout), [], "still TCP's");
}

/// In a loss duplicates are hidden. An ACK that only opens the window is none, and TCP hears of it.
#[test]
fn a_window_update_reaches_tcp_in_a_loss() {
    let mut layer = atcp(AtcpConfig::default());
    layer.feed(s(1), Input::Timeout);
    assert_eq!(layer.feed(s(2), arriving(&Segment { window: 7000, ..ack(5 * MSS) })), []);
    assert_eq!(layer.feed(s(2), arriving(&ack(5 * MSS))), [Swallowed]);
}

/// The third duplicate is counted from the last echo or the last new path on.
#[test]
fn two_duplicates_after_an_echo_or_on_a_new_path_are_no_loss() {
    let twice = |layer: &mut Rig| [2, 2].map(|at| layer.feed(s(at), arriving(&ack(5 * MSS))));
    // In the normal state, and in a loss.
    for timeouts in [0, 1] {
        let mut layer = atcp(AtcpConfig::default());
        (0..timeouts).for_each(|_| drop(layer.feed(s(1), Input::Timeout)));
        layer.feed(s(1), arriving(&echo(5 * MSS)));
        layer.feed(s(1), Input::Leaving(&leaving(20 * MSS)));
        assert_eq!(twice(&mut layer), [[], []]);
        assert_eq!(layer.feed(s(2), arriving(&ack(5 * MSS)))[0], Swallowed, "the third");
    }
    let mut layer = atcp(AtcpConfig::default());
    layer.feed(s(1), told(&UNREACHABLE));
    layer.feed(s(2), Input::Timer);
    layer.feed(s(2), arriving(&ack(5 * MSS)));
    assert_eq!(twice(&mut layer), [[], []]);
}
