//! One suite over every link, with a MAC behind a queue or with packets of its own: each packet comes to one end, one
//! transmission at a time, a copy for each delivery, timers are for later, a station that is down is silent, the short way
//! answers as the long one, and equal links answer alike.

mod air;
mod script;
mod toy;

use proptest::prelude::*;

use self::air::Air;
use self::script::{STATIONS, Step, step};
use self::toy::{Fault, ToyLink, ToyMac};
use crate::link::Link;
use crate::link::frn::{Frn, FrnConfig, Interval, Queues};
use crate::link::machine::Access;
use crate::mac::dcf::Dcf;
use crate::mac::rate::RateControlKind;
use crate::mac::{DcfConfig, FlowControlConfig, FlowRule, PacingConfig, RoundsConfig};
use crate::queue::{Queue, QueueConfig};
use crate::testing::{Finding, Member, ensure, members, must_be_documented, must_find, repeat, scripts};
use crate::units::{Bytes, Entity, NodeId, Purpose, Rng};

type Make = fn(NodeId) -> Link;

fn rng(me: NodeId) -> Rng {
    Rng::stream(1, u64::from(me.0), Entity::Whole, Purpose::Backoff)
}

fn queue() -> Queue {
    Queue::new(QueueConfig::default())
}

fn dcf(me: NodeId, config: DcfConfig) -> Link {
    Link::dcf(queue(), Dcf::new(config, me, rng(me)))
}

/// RTS before each data frame.
fn rts() -> DcfConfig {
    DcfConfig { rts_threshold: Bytes(0), ..DcfConfig::default() }
}

/// Stations whose queues are always full hold each other back.
fn held_back(me: NodeId) -> Link {
    let flow_control = FlowControlConfig { rule: FlowRule::FlaggedCts, ..FlowControlConfig::default() };
    let full = Queue::new(QueueConfig { limit: 0, ..QueueConfig::default() });
    Link::dcf(full, Dcf::new(DcfConfig { flow_control, ..rts() }, me, rng(me)))
}

fn frn(me: NodeId, config: FrnConfig) -> Link {
    Link::frn(Frn::new(config, me, rng(me)))
}

members! {
    Access => Make {
        Dcf {
            "dcf" => |me| dcf(me, rts()),
            "dcf, basic access" => |me| dcf(me, DcfConfig { rts_threshold: Bytes(10_000), ..rts() }),
            "dcf, flow control" => held_back,
            "dcf, pacing" => |me| dcf(me, DcfConfig {
                pacing: PacingConfig { on: true, ..PacingConfig::default() },
                rounds: RoundsConfig { extra: 2, adaptive: true, ..RoundsConfig::default() },
                ..rts()
            }),
            "dcf, doze" => |me| dcf(me, DcfConfig { nav_doze: true, ..rts() }),
            "dcf, arf" => |me| dcf(me, DcfConfig { rate_control: RateControlKind::Arf, ..rts() }),
        }
        Mac { "toy MAC" => |me| Link::mac(queue(), Box::new(ToyMac::new(me, None))) }
        Frn {
            "frn" => |me| frn(me, FrnConfig::default()),
            "frn, combined" => |me| frn(me, FrnConfig {
                combine: true, combine_waiting: true, queues: Queues::Two, limit: 4, ..FrnConfig::default()
            }),
            "frn, stop and wait" => |me| frn(me, FrnConfig {
                stop_and_wait: true, interval: Interval::Load, max_retransmissions: Some(2), ..FrnConfig::default()
            }),
        }
        PacketLink { "toy link" => |me| Link::custom(Box::new(ToyLink::new(me, None))) }
    }
}

fn check(make: impl Fn(NodeId) -> Link, steps: &[Step]) -> Finding {
    let run = |short| Air::run((0..STATIONS as u32).map(|at| make(NodeId(at))).collect(), steps, short);
    let answers = repeat(|| run(true))?;
    ensure!(run(false)? == answers, "the short way answers otherwise than the long one");
    Ok(())
}

fn check_member(member: &Member<Make>, steps: &[Step]) -> Finding {
    ensure!(
        variant_of(&(member.make)(NodeId(0)).access) == member.variant,
        "listed under {}",
        member.variant
    );
    check(member.make, steps)
}

#[test]
fn every_link_keeps_the_contract() {
    let scripts = scripts(&prop::collection::vec(step(), 0..60), 24);
    for member in members() {
        for steps in &scripts {
            let found = check_member(&member, steps);
            assert!(found.is_ok(), "{}: {found:?}, with {steps:?}", member.name);
        }
    }
}

#[test]
fn the_suite_finds_each_fault() {
    let scripts = scripts(&prop::collection::vec(step(), 40..60), 16);
    for (fault, reason) in Fault::ALL {
        let mac = |me| Link::mac(queue(), Box::new(ToyMac::new(me, Some(fault))));
        must_find(("MAC", fault), reason, &scripts, |steps| check(mac, steps));
        let link = |me| Link::custom(Box::new(ToyLink::new(me, Some(fault))));
        must_find(("link", fault), reason, &scripts, |steps| check(link, steps));
    }
}

#[test]
fn the_table_of_suites_names_each_member() {
    must_be_documented("link", &members());
}
