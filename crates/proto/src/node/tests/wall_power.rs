//! A wall of the architecture: a node goes down and comes back.

use super::rig::{Rig, quick_tcp};
use crate::node::{App, Input};
use crate::queue::{OnGiveUp, QueueConfig};
use crate::shim::AnyShim;

use crate::tcp::AnyGate;
use crate::units::{Dur, SimTime};
use crate::wire::DropReason;

#[test]
fn a_relay_that_goes_down_and_returns_costs_its_memory_and_nothing_else() {
    for on_give_up in [OnGiveUp::Drop, OnGiveUp::Keep] {
        // At every phase of an exchange, the own transmission included.
        for offset in 0..40 {
            let mut world = Rig::chain(3, &QueueConfig { on_give_up, ..QueueConfig::default() });
            world.tcp(0, 0, 2, &quick_tcp(), AnyShim::NONE, AnyGate::OPEN);
            world.app(0, 0, App::Open);
            world.app(0, 0, App::Write(60_000));
            world.run(SimTime::from_ms(100) + Dur::from_us(331 * offset));
            world.power(1, false);
            assert!(!world.nodes[1].is_up());
            assert_eq!(world.nodes[1].held(), 0, "nothing survives in memory");
            world.check_ledger();
            world.run(world.now + Dur::from_ms(700));
            world.power(1, true);
            world.run(SimTime::from_secs(60));
            assert!(world.is_complete(0), "{on_give_up:?} {offset}: {:?}", world.sender(0).view());
            assert_eq!(world.arrived(0), 60_000);
            world.check_ledger();
        }
    }
}

#[test]
fn a_host_that_is_down_sends_nothing_and_says_why() {
    let mut world = Rig::chain(2, &QueueConfig::default());
    world.udp(0, 0, 1);
    world.power(0, false);
    world.app(0, 0, App::Datagram(100));
    assert_eq!(world.dropped(DropReason::NodeDown), 1);
    world.power(0, true);
    world.app(0, 0, App::Datagram(100));
    world.run(SimTime::from_secs(1));
    assert_eq!(world.arrived(0), 100);
    world.check_ledger();
}

#[test]
fn going_down_twice_is_going_down_once() {
    let mut world = Rig::chain(2, &QueueConfig::default());
    world.udp(0, 0, 1);
    world.app(0, 0, App::Datagram(100));
    for up in [false, false, true, true] {
        world.tell(0, Input::Power(up));
    }
    world.app(0, 0, App::Datagram(100));
    world.run(SimTime::from_secs(1));
    assert_eq!((world.dropped(DropReason::NodeDown), world.arrived(0)), (1, 100));
    world.check_ledger();
}
