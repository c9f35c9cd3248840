//! ENIC, both ends.

use super::rig::{Answer, MSS, RTO, Rig, ack, arriving, s, signal, told};
use crate::contract::Control::{Freeze, Probe, Retransmit, SetCwnd, SetRto, Thaw, TimeOut};
use crate::contract::{Notice, Phase};
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::testing::timeline;
use crate::units::{NodeId, SimTime};
use crate::wire::{RangeSet, Segment, Signal, SignalKind};
use Answer::{Do, Wake};

const NEVER: SimTime = SimTime::MAX;
const LOST: Input<'_> = lost(4);
const FIRST: Answer = Do(Retransmit { seq: 5 * MSS });

const fn lost(node: u32) -> Input<'static> {
    Input::Notice(Notice::RouteLost { destination: NodeId(node) })
}

const fn found(node: u32, hops: u32) -> Input<'static> {
    Input::Notice(Notice::RouteFound { destination: NodeId(node), hops })
}

fn config() -> ShimConfig {
    ShimConfig { kind: ShimKind::Enic, ..ShimConfig::default() }
}

//  1 s: lost, asks once     3 s: found again, as long     5 s: lost again
#[test]
fn the_sender_freezes_with_its_route_and_goes_on_with_a_new_one() {
    let mut sender = Rig::sender(&config());
    timeline! { sender;
        at 0 s: found(4, 3) => [];
        at 1 s: LOST => [Do(Freeze), Wake(s(11)), Do(Probe)];
        at 2 s: LOST => [];
        at 3 s: found(4, 3) => [Wake(NEVER), FIRST, Do(Thaw)];
        at 4 s: found(4, 3) => [];
        at 5 s: LOST => [Do(Freeze), Wake(s(15)), Do(Probe)];
    }
    assert_eq!((sender.count("shim.freezes"), sender.count("shim.frozen-ms")), (2, 2000));
}

#[test]
fn routes_to_others_are_nothing_to_it() {
    let mut sender = Rig::sender(&config());
    timeline! { sender;
        at 1 s: lost(3) => [];
        at 2 s: LOST => [Do(Freeze), Wake(s(12)), Do(Probe)];
        at 3 s: found(3, 1) => [];
        at 4 s: found(4, 1) => [Wake(NEVER), FIRST, Do(Thaw)]; // how long it was is not known
    }
}

#[test]
fn a_longer_route_takes_longer_and_holds_no_more() {
    let mut sender = Rig::sender(&config());
    timeline! { sender;
        at 0 s: found(4, 2) => [];
        at 1 s: LOST => [Do(Freeze), Wake(s(11)), Do(Probe)];
        at 2 s: found(4, 4) =>
            [Wake(NEVER), Do(SetRto { rto: RTO * 2 }), Do(SetCwnd { segments: 5.0 }), FIRST, Do(Thaw)];
        at 3 s: LOST => [Do(Freeze), Wake(s(13)), Do(Probe)];
        at 4 s: found(4, 1) => [Wake(NEVER), Do(SetRto { rto: RTO / 4 }), FIRST, Do(Thaw)]; // the window is no larger
    }
}

#[test]
fn known_holes_go_first() {
    let mut sender = Rig::sender(&config());
    sender.sacked = {
        let mut held = RangeSet::default();
        held.insert(6 * MSS, 8 * MSS);
        held.insert(10 * MSS, 11 * MSS);
        held
    };
    let again = |segment: u64| Do(Retransmit { seq: segment * MSS });
    timeline! { sender;
        at 1 s: LOST => [Do(Freeze), Wake(s(11)), Do(Probe)];
        at 2 s: found(4, 3) => [Wake(NEVER), again(5), again(8), again(9), Do(Thaw)];
    }
    assert_eq!(sender.count("shim.retransmissions"), 3);
}

#[test]
fn the_guard_timer_is_a_timeout_of_tcps() {
    let mut sender = Rig::sender(&config());
    timeline! { sender;
        at 1 s: LOST => [Do(Freeze), Wake(s(11)), Do(Probe)];
        at 5 s: Input::Timer => [Wake(s(11))]; // early
        at 11 s: Input::Timer => [Wake(NEVER), Do(TimeOut), Do(Thaw)];
        at 12 s: Input::Timer => [];
        at 13 s: found(4, 3) => [];
    }
}

#[test]
fn a_random_loss_is_repaired_without_any_other_change() {
    let mut sender = Rig::sender(&config());
    let loss: Signal = signal(SignalKind::SegmentLost, 7 * MSS);
    let other: Signal = signal(SignalKind::LinkFailure, 7 * MSS);
    timeline! { sender;
        at 1 s: told(&loss) => [Do(Retransmit { seq: 7 * MSS })];
        at 1 s: told(&other) => [];
        at 2 s: LOST => [Do(Freeze), Wake(s(12)), Do(Probe)];
        at 3 s: told(&loss) => []; // there is no route
    }
    assert_eq!((sender.count("shim.retransmissions"), sender.count("shim.probes")), (1, 1));
}

/// A notice that comes late says nothing: what it is about has arrived, or was never sent.
#[test]
fn a_notice_about_what_is_not_outstanding_counts_no_retransmission() {
    let mut sender = Rig::sender(&config());
    let (old, unsent): (Signal, Signal) =
        (signal(SignalKind::SegmentLost, 4 * MSS), signal(SignalKind::SegmentLost, 15 * MSS));
    timeline! { sender;
        at 1 s: told(&old) => [];
        at 1 s: told(&unsent) => [];
    }
    assert_eq!(sender.count("shim.retransmissions"), 0);
}

#[test]
fn while_the_connection_opens_the_syn_asks() {
    let mut sender = Rig::sender(&config());
    sender.phase = Phase::Opening;
    timeline! { sender;
        at 1 s: LOST => [Do(Freeze), Wake(s(11)), Do(Probe)];
        at 2 s: found(4, 3) => [Wake(NEVER), Do(Thaw)];
    }
}

#[test]
fn a_connection_that_is_not_open_has_nothing_to_ask_with() {
    let mut sender = Rig::sender(&config());
    sender.phase = Phase::Closed;
    timeline! { sender;
        at 1 s: LOST => [Do(Freeze), Wake(s(11))];
        at 2 s: found(4, 3) => [Wake(NEVER), Do(Thaw)];
    }
    assert_eq!(sender.count("shim.probes"), 0);
}

#[test]
fn the_receiver_is_silent_and_acknowledges_at_once_when_there_is_a_way() {
    let mut receiver = Rig::receiver(&config());
    let data = Segment { len: MSS as u32, ..ack(0) };
    timeline! { receiver;
        at 1 s: lost(0) => [Do(Freeze)];
        at 2 s: lost(0) => [];
        at 3 s: found(0, 2) => [Do(Thaw)];
        at 4 s: lost(4) => []; // its own end of the flow
        at 5 s: lost(0) => [Do(Freeze)];
        at 6 s: arriving(&data) => [Do(Thaw)]; // what comes has found one
        at 7 s: arriving(&data) => [];
    }
}
