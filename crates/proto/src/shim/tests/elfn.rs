//! Stand-by of ELFN.

use super::rig::{Answer, MSS, Rig, ack, arriving, s, signal, told};
use crate::contract::Control::{self, Freeze, Retransmit, SetCwnd, SetRto, Thaw};
use crate::contract::Phase;
use crate::shim::{ElfnConfig, Probe, Restore};
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::testing::timeline;
use crate::units::{Dur, SimTime};
use crate::wire::{Segment, Signal, SignalKind};
use Answer::{Do, Wake};

const NEVER: SimTime = SimTime::MAX;
const FIRST: Answer = Do(Retransmit { seq: 5 * MSS });

const fn elfn(sequence: u64) -> Signal {
    signal(SignalKind::LinkFailure, sequence)
}

fn source(elfn: ElfnConfig) -> Rig {
    Rig::sender(&ShimConfig { kind: ShimKind::Elfn, elfn, ..ShimConfig::default() })
}

//  1 s            3 s, 5 s      6 s            9 s
//  | ELFN: stop,  | probes      | any ACK:     | a late ELFN: stop again
//  | probe        |             | go on        |
#[test]
fn a_failure_freezes_probes_and_any_ack_thaws() {
    let mut source = source(ElfnConfig::default());
    let (failure, old) = (elfn(9 * MSS), ack(5 * MSS));
    timeline! { source;
        at 0 s: arriving(&old) => [];
        at 1 s: told(&failure) => [Do(Freeze), FIRST, Wake(s(3))];
        at 2 s: Input::Timer => [Wake(s(3))]; // early
        at 3 s: Input::Timer => [FIRST, Wake(s(5))];
        at 5 s: Input::Timer => [FIRST, Wake(s(7))];
        at 6 s: arriving(&old) => [Wake(NEVER), Do(Thaw)];
        at 8 s: Input::Timer => [];
        at 9 s: told(&failure) => [Do(Freeze), FIRST, Wake(s(11))];
    }
    assert_eq!((source.count("shim.freezes"), source.count("shim.probes")), (2, 4));
    assert_eq!(source.count("shim.frozen-ms"), 5000);
}

#[test]
fn standing_by_it_remembers_the_lowest_segment_reported() {
    let mut source = source(ElfnConfig { probe: Probe::LowestReported, ..ElfnConfig::default() });
    let (high, low, higher, below) = (elfn(12 * MSS), elfn(8 * MSS), elfn(10 * MSS), elfn(2 * MSS));
    let probe = |seq| Do(Retransmit { seq });
    timeline! { source;
        at 1 s: told(&high) => [Do(Freeze), probe(12 * MSS), Wake(s(3))];
        at 2 s: told(&low) => [];
        at 2 s: told(&higher) => [];
        at 3 s: Input::Timer => [probe(8 * MSS), Wake(s(5))];
        at 4 s: told(&below) => []; // acknowledged already
        at 5 s: Input::Timer => [probe(5 * MSS), Wake(s(7))];
    }
    // Nor can what has not been sent, as far as TCP knows by now, be sent again.
    let mut source = self::source(ElfnConfig { probe: Probe::LowestReported, ..ElfnConfig::default() });
    let (last, beyond) = (elfn(14 * MSS), elfn(15 * MSS));
    timeline! { source; at 1 s: told(&beyond) => [Do(Freeze), probe(5 * MSS), Wake(s(3))]; }
    timeline! { source;
        at 2 s: told(&last) => [];
        at 3 s: Input::Timer => [probe(14 * MSS), Wake(s(5))];
    }
}

#[test]
fn a_header_alone_may_probe_and_the_first_segment_follows_the_answer() {
    let mut source = source(ElfnConfig { probe: Probe::Header, ..ElfnConfig::default() });
    let (failure, answer) = (elfn(5 * MSS), ack(5 * MSS));
    timeline! { source;
        at 1 s: told(&failure) => [Do(Freeze), Do(Control::Probe), Wake(s(3))];
        at 3 s: Input::Timer => [Do(Control::Probe), Wake(s(5))];
        at 4 s: arriving(&answer) => [Wake(NEVER), FIRST, Do(Thaw)];
    }
    assert_eq!(source.count("shim.retransmissions"), 1);
}

/// Other signals, and segments that acknowledge nothing.
#[test]
fn what_is_no_failure_and_no_ack_changes_nothing() {
    let mut source = source(ElfnConfig { probe: Probe::LowestReported, ..ElfnConfig::default() });
    let (failure, other) = (elfn(9 * MSS), signal(SignalKind::Unreachable, 7 * MSS));
    let silent = Segment { flags: 0, ..ack(5 * MSS) };
    timeline! { source;
        at 0 s: told(&other) => [];
        at 1 s: told(&failure) => [Do(Freeze), Do(Retransmit { seq: 9 * MSS }), Wake(s(3))];
        at 2 s: told(&other) => [];
        at 2 s: arriving(&silent) => [];
        at 3 s: Input::Timer => [Do(Retransmit { seq: 9 * MSS }), Wake(s(5))];
    }
}

#[test]
fn the_interval_may_follow_the_round_trip() {
    let mut source = source(ElfnConfig { probe_rtts: 5.0, ..ElfnConfig::default() });
    let failure = elfn(5 * MSS);
    timeline! { source;
        at 1 s: told(&failure) => [Do(Freeze), FIRST, Wake(s(2))]; // 5 times 200 ms
    }
    source.srtt = None;
    timeline! { source;
        at 2 s: Input::Timer => [FIRST, Wake(s(4))];
    }
}

#[test]
fn window_and_timeout_afterwards_are_chosen() {
    let config = ElfnConfig { cwnd: Restore::Initial, rto: Restore::Initial, ..ElfnConfig::default() };
    let mut source = source(config);
    let (failure, answer) = (elfn(5 * MSS), ack(6 * MSS));
    timeline! { source;
        at 1 s: told(&failure) => [Do(Freeze), FIRST, Wake(s(3))];
        at 2 s: arriving(&answer) => [
            Wake(NEVER), Do(SetCwnd { segments: 1.0 }), Do(SetRto { rto: Dur::from_secs(3) }), Do(Thaw),
        ];
    }
}

#[test]
fn without_anything_outstanding_or_a_connection_a_header_or_a_syn_probes() {
    let failure = elfn(0);
    let mut idle = source(ElfnConfig::default());
    idle.una = idle.max_sent;
    let mut opening = source(ElfnConfig::default());
    opening.phase = Phase::Opening;
    for source in [&mut idle, &mut opening] {
        let answer = source.feed(s(1), told(&failure));
        assert_eq!(answer, [Do(Freeze), Do(Control::Probe), Wake(s(3))]);
    }
}

/// However short the round trip, probes leave a millisecond between them.
#[test]
fn probes_are_a_millisecond_apart_at_least() {
    let mut source = source(ElfnConfig { probe_rtts: 1.0, ..ElfnConfig::default() });
    source.srtt = Some(Dur::from_ns(10));
    assert_eq!(source.feed(s(1), told(&elfn(5 * MSS)))[2], Wake(SimTime::from_ms(1001)));
}
