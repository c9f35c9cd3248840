//! A wall of the architecture: a send gate that reads the interface queue through `facts`.

use super::rig::{Rig, quick_tcp};
use crate::contract::{NodeState, TcpView};
use crate::node::App;
use crate::queue::QueueConfig;
use crate::shim::AnyShim;

use crate::tcp::GateKind;
use crate::tcp::gate::{AnyGate, Gate};
use crate::units::SimTime;
use crate::wire::DropReason;

/// Sends no more than the interface queue can take.
#[derive(Debug)]
struct RoomInQueue;

impl Gate for RoomInQueue {
    fn budget<'a>(&mut self, node_state: &NodeState, tcp: &dyn Fn() -> TcpView<'a>) -> u32 {
        let tcp = tcp();
        assert!(tcp.nxt >= tcp.una);
        node_state.queue_free
    }
}

fn transfer(gate: AnyGate) -> Rig {
    let queue = QueueConfig { limit: 3, ..QueueConfig::default() };
    let mut world = Rig::chain(2, &queue);
    let tcp = crate::tcp::TcpConfig { initial_window: 16, ..quick_tcp() };
    world.tcp(0, 0, 1, &tcp, AnyShim::NONE, gate);
    world.app(0, 0, App::Open);
    world.app(0, 0, App::Write(300_000));
    world.run(SimTime::from_secs(60));
    world.check_ledger();
    world
}

#[test]
fn without_a_gate_a_window_larger_than_the_queue_overflows_it() {
    let world = transfer(AnyGate::OPEN);
    assert!(world.dropped(DropReason::QueueFull) > 0);
}

#[test]
fn vertical_flow_control_keeps_it_from_overflowing_and_counts_when_it_was_full() {
    let world = transfer(AnyGate::new(GateKind::InterfaceQueue));
    assert_eq!(world.dropped(DropReason::QueueFull), 0);
    assert!(world.is_complete(0));
    assert_eq!(world.sender(0).counters().timeouts, 0);
}

#[test]
fn a_gate_that_reads_the_queue_keeps_it_from_overflowing_and_the_transfer_goes_on() {
    let world = transfer(AnyGate::Custom(Box::new(RoomInQueue)));
    assert_eq!(world.dropped(DropReason::QueueFull), 0);
    assert!(world.is_complete(0));
    // A sender that was not woken when there is room would wait for its timer.
    assert_eq!(world.sender(0).counters().timeouts, 0);
}

/// What filled the queue is lost when the node goes down, and nothing of it will ever leave.
#[test]
fn a_sender_that_waits_for_room_goes_on_when_its_node_is_back() {
    let mut world = Rig::chain(2, &QueueConfig { limit: 3, ..QueueConfig::default() });
    world.tcp(0, 0, 1, &quick_tcp(), AnyShim::NONE, AnyGate::Custom(Box::new(RoomInQueue)));
    world.udp(1, 0, 1);
    world.app(0, 0, App::Open);
    world.run(SimTime::from_secs(1));
    for _ in 0..4 {
        world.app(0, 1, App::Datagram(100)); // one is with the MAC
    }
    world.app(0, 0, App::Write(3_000));
    assert!(world.sender(0).is_stalled() && world.sender(0).view().nxt == 0);
    world.power(0, false);
    world.power(0, true);
    world.run(SimTime::from_secs(60));
    assert!(world.is_complete(0));
    world.check_ledger();
}
