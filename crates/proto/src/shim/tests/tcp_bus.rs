//! TCP-BuS's source.

use super::rig::{Answer, MSS, RTO, Rig, ack, arriving, s, signal, told};
use crate::contract::Control::{Freeze, Probe, Retransmit, SetRto, Thaw};
use crate::contract::Phase;
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::testing::timeline;
use crate::units::{NodeId, SimTime};
use crate::wire::{Segment, Signal, SignalKind};
use Answer::{Do, Swallowed, Wake};

const NEVER: SimTime = SimTime::MAX;
/// The break keeps everything from the ninth segment on.
const ERDN: Signal = signal(SignalKind::Disconnected, 8 * MSS);
/// The receiver expects the seventh.
const ERSN: Signal = signal(SignalKind::Reconnected { hops: 2 }, 6 * MSS);
const SLOWER: Answer = Do(SetRto { rto: crate::units::Dur::from_secs(2) });

fn source() -> Rig {
    Rig::sender(&ShimConfig { kind: ShimKind::TcpBus, ..ShimConfig::default() })
}

const fn again(segment: u64) -> Answer {
    Do(Retransmit { seq: segment * MSS })
}

//  1 s: stop       4 s: what was lost between receiver and break, and on        6 s: stop again
#[test]
fn only_what_was_lost_beyond_the_break_is_sent_again() {
    assert_eq!(RTO * 2, crate::units::Dur::from_secs(2));
    let mut source = source();
    timeline! { source;
        at 0 s: told(&ERSN) => [];
        at 1 s: told(&ERDN) => [Do(Freeze), Wake(s(11))];
        at 2 s: told(&ERDN) => [];
        at 4 s: told(&ERSN) => [Wake(NEVER), SLOWER, again(6), again(7), Do(Thaw)];
        at 5 s: told(&ERSN) => [];
        at 6 s: told(&ERDN) => [Do(Freeze), Wake(s(16))];
    }
    assert_eq!((source.count("shim.freezes"), source.count("shim.frozen-ms")), (2, 3000));
    assert_eq!(source.count("shim.retransmissions"), 2);
}

#[test]
fn duplicate_acks_of_the_gap_are_swallowed_until_it_is_repaired() {
    let mut source = source();
    let old = ack(5 * MSS);
    assert_eq!(source.feed(s(0), arriving(&old)), [], "of no break");
    source.feed(s(1), told(&ERDN));
    source.feed(s(2), told(&ERSN));
    assert_eq!(source.feed(s(3), arriving(&old)), [Swallowed]);
    assert_eq!(source.count("shim.dupacks-hidden"), 1);
    assert_eq!(source.feed(s(3), arriving(&ack(7 * MSS))), [], "new");
    source.una = 8 * MSS;
    assert_eq!(source.feed(s(4), arriving(&ack(8 * MSS))), [], "repaired: it tells of something else");
}

#[test]
fn without_word_it_probes_and_an_answer_is_as_good() {
    let mut source = source();
    let answer = ack(5 * MSS);
    timeline! { source;
        at 1 s: told(&ERDN) => [Do(Freeze), Wake(s(11))];
        at 2 s: arriving(&answer) => []; // was on its way already
        at 9 s: Input::Timer => [Wake(s(11))]; // early
        at 11 s: Input::Timer => [Do(Probe), Wake(s(21))];
        at 21 s: Input::Timer => [Do(Probe), Wake(s(31))];
        at 22 s: arriving(&Segment { flags: 0, ..answer }) => []; // acknowledges nothing
    }
    // It has not passed the break, or that would have said so: what waits there may stay there.
    let all = source.feed(s(22), arriving(&answer));
    assert_eq!((&all[..3], all.last()), (&[Wake(NEVER), SLOWER, again(5)][..], Some(&Do(Thaw))));
    assert_eq!(all[2..all.len() - 1], (5..source.max_sent / MSS).map(again).collect::<Vec<_>>());
    assert_eq!(source.feed(s(23), Input::Timer), []);
    assert_eq!(source.count("shim.probes"), 2);
}

/// The new route leads past the node at the break: its query is answered to the source alone.
#[test]
fn an_ack_a_querys_time_after_the_break_is_an_answer_too() {
    let mut source = source();
    source.feed(s(1), told(&ERDN));
    assert_eq!(source.feed(s(2), arriving(&ack(5 * MSS))), [], "was on its way already");
    let all = source.feed(s(3), arriving(&ack(5 * MSS)));
    assert_eq!((&all[..3], all.last()), (&[Wake(NEVER), SLOWER, again(5)][..], Some(&Do(Thaw))));
}

/// What the source itself could not send on waits nowhere: it looks for the route, and sends all again.
#[test]
fn at_the_break_itself_it_probes_often() {
    let mut source = source();
    let here = Input::Signal { signal: &ERDN, from: NodeId(0) };
    let answer = ack(13 * MSS);
    timeline! { source;
        at 1 s: here => [Do(Freeze), Wake(s(3))];
        at 3 s: Input::Timer => [Do(Probe), Wake(s(5))];
        at 4 s: arriving(&answer) => [Wake(NEVER), SLOWER, again(13), again(14), Do(Thaw)];
    }
}

#[test]
fn before_there_is_a_connection_it_only_waits() {
    let mut source = source();
    source.phase = Phase::Opening;
    timeline! { source;
        at 1 s: told(&ERDN) => [Do(Freeze), Wake(s(11))];
        at 2 s: told(&ERSN) => [Wake(NEVER), Do(Thaw)];
    }
}
