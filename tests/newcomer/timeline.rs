//! Delayed duplicate ACKs: the receiver.

use super::rig::{Answer, Rig, ack, s};
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::units::Dur;

fn receiver() -> Rig {
    Rig::receiver(&ShimConfig { kind: ShimKind::DelayedDupacks, ..ShimConfig::default() })
}

#[test]
fn third_duplicate_waits_and_is_discarded_when_the_loss_is_repaired() {
    let mut here = receiver();
    let (old, new) = (ack(5000), ack(6000));
    for _ in 0..3 {
        assert_eq!(here.feed(s(1), Input::Leaving(&old)), [], "an ACK and two duplicates pass");
    }
    let due = s(1) + Dur::from_ms(100);
    assert_eq!(here.feed(s(1), Input::Leaving(&old)), [Answer::Swallowed, Answer::Wake(due)]);
    assert_eq!(here.feed(s(1), Input::Leaving(&old)), [Answer::Swallowed], "one timer for all");
    assert_eq!(here.feed(s(1), Input::Leaving(&new)), [Answer::Wake(crate::units::SimTime::MAX)]);
    assert_eq!(here.count("shim.dupacks-hidden"), 2);
}

#[test]
fn what_waits_is_sent_when_the_timer_fires_and_later_duplicates_pass() {
    let mut here = receiver();
    let old = ack(5000);
    for _ in 0..5 {
        here.feed(s(1), Input::Leaving(&old));
    }
    assert_eq!(here.feed(s(2), Input::Timer), [Answer::Send(old), Answer::Send(old)]);
    assert_eq!(here.feed(s(2), Input::Leaving(&old)), []);
    assert_eq!(here.count("shim.dupacks-released"), 2);
}
