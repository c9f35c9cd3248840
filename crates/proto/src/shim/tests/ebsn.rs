//! EBSN's source.

use super::rig::{Answer, Rig, s, signal, told};
use crate::contract::Control::RestartTimer;
use crate::shim::{Input, ShimConfig, ShimKind};
use crate::wire::SignalKind;

#[test]
fn a_link_in_a_bad_state_restarts_a_timer_that_runs_and_does_nothing_else() {
    let mut source = Rig::sender(&ShimConfig { kind: ShimKind::Ebsn, ..ShimConfig::default() });
    let (bad, other) = (signal(SignalKind::BadState, 0), signal(SignalKind::LinkFailure, 0));
    assert_eq!(source.feed(s(1), told(&bad)), [], "no timer runs");
    source.timer = s(9);
    assert_eq!(source.feed(s(2), told(&bad)), [Answer::Do(RestartTimer)]);
    assert_eq!(source.feed(s(2), told(&other)), []);
    assert_eq!(source.feed(s(2), Input::Timeout), []);
    assert_eq!(source.count("shim.restarts"), 1);
}
