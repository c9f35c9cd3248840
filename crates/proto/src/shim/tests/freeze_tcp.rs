//! Freeze-TCP's receiver.

use super::rig::{Answer, MSS, Rig, ack, arriving, s};
use crate::contract::Control::{Acknowledge, SetWindow};
use crate::contract::Notice;
use crate::shim::FreezeTcpConfig;
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::testing::timeline;
use crate::units::FlowId;
use crate::wire::Segment;
use Answer::Do;

const AHEAD: Input<'_> = Input::Notice(Notice::Outage { flow: FlowId(0), ahead: true });
const OVER: Input<'_> = Input::Notice(Notice::Outage { flow: FlowId(0), ahead: false });
const CLOSE: Answer = Do(SetWindow { bytes: Some(0) });
const OPEN: Answer = Do(SetWindow { bytes: None });
const TELL: Answer = Do(Acknowledge);

fn config() -> ShimConfig {
    let freeze_tcp = FreezeTcpConfig { margin: 2.0, ..FreezeTcpConfig::default() };
    ShimConfig { kind: ShimKind::FreezeTcp, freeze_tcp, ..ShimConfig::default() }
}

fn data() -> Segment {
    Segment { len: MSS as u32, ..ack(0) }
}

//  1 s: warned      9 s: over      20 s: once more
#[test]
fn a_warned_receiver_closes_its_window_twice_and_opens_it_three_times() {
    let mut receiver = Rig::receiver(&config());
    timeline! { receiver;
        at 0 s: OVER => [];
        at 1 s: AHEAD => [CLOSE, TELL, TELL];
        at 2 s: AHEAD => [];
        at 9 s: OVER => [OPEN, TELL, TELL, TELL];
        at 10 s: OVER => [];
        at 20 s: AHEAD => [CLOSE, TELL, TELL];
    }
    assert_eq!((receiver.count("shim.freezes"), receiver.count("shim.frozen-ms")), (2, 8000));
}

/// The rig's threshold is 1e-10 W: below 2e-10 W a signal is weak.
#[test]
fn signals_that_are_weak_and_grow_weaker_are_a_warning_until_they_no_longer_do() {
    let (mut receiver, data) = (Rig::receiver(&config()), data());
    let mut heard = |at, power| {
        receiver.power = power;
        receiver.feed(s(at), arriving(&data))
    };
    assert_eq!(heard(1, 5e-10), []);
    assert_eq!(heard(2, 4e-10), [], "weaker, not weak");
    assert_eq!(heard(2, 0.0), [], "of a segment that came over no air nothing is known");
    for second in 3..=12 {
        assert_eq!(heard(second, 2.1e-10), [], "the average sinks to what is not weak");
    }
    let mut froze = 0;
    for second in 13..=30 {
        match heard(second, 1.5e-10)[..] {
            [] => {}
            [CLOSE, TELL, TELL] => froze = second,
            ref other => panic!("{other:?}"),
        }
    }
    assert!((13..=30).contains(&froze), "weak and falling");
    assert_eq!(heard(31, 1.9e-10), [OPEN, TELL, TELL, TELL], "it grows stronger");
    assert_eq!(heard(32, 1.9e-10), [], "weak as it is");
}

/// The node that was warned by signals, and then told, waits to be told that it is over.
#[test]
fn an_oracles_word_holds_though_signals_grow_stronger() {
    let (mut receiver, data) = (Rig::receiver(&config()), data());
    let heard = |receiver: &mut Rig, at, power| {
        receiver.power = power;
        receiver.feed(s(at), arriving(&data))
    };
    assert_eq!(heard(&mut receiver, 1, 1.9e-10), []);
    assert_eq!(heard(&mut receiver, 2, 1.8e-10), [CLOSE, TELL, TELL], "weak and weaker");
    assert_eq!(receiver.feed(s(3), AHEAD), [], "as it is");
    assert_eq!(heard(&mut receiver, 4, 9e-10), [], "strong, and yet");
    assert_eq!(receiver.feed(s(5), OVER), [OPEN, TELL, TELL, TELL]);
}

#[test]
fn weak_signals_that_stay_so_are_no_warning() {
    let (mut receiver, data) = (Rig::receiver(&config()), data());
    receiver.power = 1.1e-10;
    for second in 0..20 {
        assert_eq!(receiver.feed(s(second), arriving(&data)), []);
    }
    let mut deaf = Rig::receiver(&ShimConfig {
        freeze_tcp: FreezeTcpConfig { margin: 0.0, ..FreezeTcpConfig::default() },
        ..config()
    });
    for second in 0..20 {
        deaf.power = 3e-10 / (1 + second) as f64;
        assert_eq!(deaf.feed(s(second), arriving(&data)), [], "a margin of nothing");
    }
}

/// What the oracle has said, only the oracle takes back.
#[test]
fn strong_signals_do_not_end_an_outage_that_was_foretold() {
    let (mut receiver, data) = (Rig::receiver(&config()), data());
    receiver.power = 9e-10;
    timeline! { receiver;
        at 1 s: AHEAD => [CLOSE, TELL, TELL];
        at 2 s: arriving(&data) => [];
        at 3 s: OVER => [OPEN, TELL, TELL, TELL];
    }
}

#[test]
fn the_sender_has_no_part_in_it() {
    assert!(Rig::sender(&config()).shim.is_none());
}

/// What comes over no air, from the node itself or over a wire, is no weak signal.
#[test]
fn segments_without_a_power_do_not_let_the_average_sink() {
    let (mut receiver, data) = (Rig::receiver(&config()), data());
    receiver.power = 3e-10;
    assert_eq!(receiver.feed(s(1), arriving(&data)), []);
    receiver.power = 0.0;
    for second in 2..20 {
        assert_eq!(receiver.feed(s(second), arriving(&data)), []);
    }
}
