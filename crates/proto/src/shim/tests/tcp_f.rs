//! TCP-F's source.

use super::rig::{Answer, MSS, Rig, ack, arriving, s, signal, told};
use crate::contract::Control::{Freeze, GoBack, Probe, RetransmitAll, SetCwnd, SetSsthresh, Thaw};
use crate::shim::TcpFConfig;
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::testing::timeline;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{Signal, SignalKind};
use Answer::{Do, Wake};

const RFN: Signal = signal(SignalKind::RouteFailure { failed: NodeId(4) }, 5 * MSS);
const RRN: Signal = signal(SignalKind::RouteRestored, 5 * MSS);
const NEVER: SimTime = SimTime::MAX;

fn source(tcp_f: TcpFConfig) -> Rig {
    Rig::sender(&ShimConfig { kind: ShimKind::TcpF, tcp_f, ..ShimConfig::default() })
}

//  1 s        4 s                        20 s
//  | RFN      | RRN: all again, go on    | RFN: the same once more
#[test]
fn a_failure_freezes_and_the_notification_thaws_with_everything_unacknowledged() {
    let mut source = source(TcpFConfig::default());
    timeline! { source;
        at 0 s: told(&RRN) => [];
        at 1 s: told(&RFN) => [Do(Freeze), Wake(s(11))];
        at 4 s: told(&RRN) => [Wake(NEVER), Do(RetransmitAll), Do(Thaw)];
        at 5 s: told(&RRN) => [];
        at 20 s: told(&RFN) => [Do(Freeze), Wake(s(30))];
    }
    assert_eq!((source.count("shim.freezes"), source.count("shim.frozen-ms")), (2, 3000));
    assert_eq!(source.count("shim.retransmissions"), 1);
}

#[test]
fn the_route_failure_timer_ends_the_snooze_too() {
    let mut source = source(TcpFConfig { route_failure_timer: Dur::from_secs(5), ..TcpFConfig::default() });
    timeline! { source;
        at 1 s: told(&RFN) => [Do(Freeze), Wake(s(6))];
        at 2 s: Input::Timer => [Wake(s(6))]; // early
        at 6 s: Input::Timer => [Wake(NEVER), Do(RetransmitAll), Do(Thaw)];
        at 7 s: Input::Timer => [];
    }
}

#[test]
fn snoozing_it_ignores_failures_and_takes_late_acks_as_they_come() {
    let mut source = source(TcpFConfig::default());
    let late = ack(7 * MSS);
    timeline! { source;
        at 1 s: told(&RFN) => [Do(Freeze), Wake(s(11))];
        at 2 s: told(&RFN) => [];
        at 3 s: arriving(&late) => [];
        at 11 s: Input::Timer => [Wake(NEVER), Do(RetransmitAll), Do(Thaw)];
    }
}

#[test]
fn with_nothing_outstanding_nothing_is_sent_again() {
    let mut source = source(TcpFConfig::default());
    source.una = source.max_sent;
    timeline! { source;
        at 1 s: told(&RFN) => [Do(Freeze), Wake(s(11))];
        at 2 s: told(&RRN) => [Wake(NEVER), Do(Thaw)];
    }
}

#[test]
fn instead_of_waiting_it_may_probe_until_an_ack_comes() {
    let probe = TcpFConfig { probe: true, ..TcpFConfig::default() };
    let mut source = source(probe);
    let answer = ack(5 * MSS);
    timeline! { source;
        at 0 s: arriving(&answer) => [];
        at 1 s: told(&RFN) => [Do(Freeze), Wake(s(3))];
        at 3 s: Input::Timer => [Do(Probe), Wake(s(5))];
        at 4 s: Input::Timer => [Wake(s(5))]; // early
        at 5 s: Input::Timer => [Do(Probe), Wake(s(7))];
        at 30 s: arriving(&answer) => [Wake(NEVER), Do(RetransmitAll), Do(Thaw)];
    }
    assert_eq!(source.count("shim.probes"), 2);
}

#[test]
fn window_and_threshold_may_begin_anew() {
    let mut source = source(TcpFConfig { reset_on_resume: true, ..TcpFConfig::default() });
    timeline! { source;
        at 1 s: told(&RFN) => [Do(Freeze), Wake(s(11))];
        at 2 s: told(&RRN) => [
            Wake(NEVER), Do(SetCwnd { segments: 1.0 }), Do(SetSsthresh { segments: 40.0 }), Do(GoBack), Do(Thaw),
        ];
    }
}

#[test]
fn other_signals_are_nothing_to_it() {
    let mut source = source(TcpFConfig::default());
    for kind in [SignalKind::Unreachable, SignalKind::LinkFailure, SignalKind::BadState] {
        assert_eq!(source.feed(s(1), told(&signal(kind, 0))), []);
    }
}

#[test]
fn a_segment_that_acknowledges_nothing_answers_no_probe() {
    let mut source = source(TcpFConfig { probe: true, ..TcpFConfig::default() });
    let silent = crate::wire::Segment { flags: 0, ..ack(5 * MSS) };
    timeline! { source;
        at 1 s: told(&RFN) => [Do(Freeze), Wake(s(3))];
        at 2 s: arriving(&silent) => [];
    }
}
