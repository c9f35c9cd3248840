//! Tests of the send gates.

mod contract;

use super::{AnyGate, Gate};
use crate::contract::NodeState;
use crate::tcp::config::GateKind;

#[test]
fn as_many_as_there_are_places_and_full_queues_are_counted() {
    let mut gate = AnyGate::new(GateKind::InterfaceQueue);
    let mut budget = |queue_free| {
        let node_state = NodeState { queue_length: 50 - queue_free, queue_free, ..NodeState::default() };
        gate.budget(&node_state, &|| unreachable!("the window is TCP's matter"))
    };
    assert_eq!([budget(7), budget(0), budget(1), budget(0)], [7, 0, 1, 0]);
    let mut closed = Vec::new();
    gate.each_counter(&mut |name, count| closed.push((name, count)));
    assert_eq!(closed, [("gate.closed", 2)]);
    let mut open = AnyGate::new(GateKind::Open);
    assert_eq!(open.budget(&NodeState::default(), &|| unreachable!("an open gate reads nothing")), u32::MAX);
}
