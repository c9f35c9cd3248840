//! One suite over every routing machine: each packet has one holder, each loss is told, each question has one answer,
//! timers are for later, a node that is down is silent, the short ways answer as the long ones, and equal machines
//! answer alike.

mod script;
mod toy;
mod world;

use std::sync::Arc;

use proptest::prelude::*;

use self::script::{NODES, Step, step};
use self::toy::{FAULTS, Faulty, Toy};
use self::world::World;
use crate::routing::aodv::{Aodv, AodvConfig, LinkDetection, LocalRepair};
use crate::routing::dsdv::Dsdv;
use crate::routing::dsr::{CacheKind, Dsr, DsrConfig};
use crate::routing::fixed::{FixedRoutes, RouteTable};
use crate::routing::frn::{FrnRouting, FrnRoutingConfig};
use crate::routing::multipath::{Multipath, PathTable};
use crate::routing::{AnyRouting, DsdvConfig};
use crate::testing::{Finding, Member, ensure, members, must_be_documented, must_find, repeat, scripts};
use crate::units::{Bytes, Dur, Entity, NodeId, Purpose, Rng};

fn rng(me: NodeId) -> Rng {
    Rng::stream(1, u64::from(me.0), Entity::Whole, Purpose::Jitter)
}

/// A ring of four; no node knows a way to the last one.
fn fixed(me: NodeId) -> FixedRoutes {
    let mut table = RouteTable::new(NODES as usize);
    for destination in 0..NODES - 1 {
        table.set(NodeId(destination), (0..NODES).map(|node| NodeId((node + 1) % NODES)).collect());
    }
    FixedRoutes::new(me, Arc::new(table))
}

fn multipath(me: NodeId) -> Multipath {
    let mut table = PathTable::new(NODES as usize);
    for destination in 0..NODES - 1 {
        let both = |node: u32| [NodeId((node + 1) % NODES), NodeId((node + 3) % NODES)].into();
        table.set(NodeId(destination), (0..NODES).map(both).collect());
    }
    Multipath::new(me, Arc::new(table), 2)
}

fn dsdv(me: NodeId, config: DsdvConfig) -> AnyRouting {
    AnyRouting::Dsdv(Box::new(Dsdv::new(DsdvConfig { buffer: 2, ..config }, me, rng(me))))
}

fn dsr(me: NodeId, config: DsrConfig) -> AnyRouting {
    AnyRouting::Dsr(Box::new(Dsr::new(DsrConfig { send_buffer: 3, ..config }, me, Bytes(20), rng(me))))
}

fn aodv(me: NodeId, config: AodvConfig) -> AnyRouting {
    AnyRouting::Aodv(Box::new(Aodv::new(AodvConfig { buffer: 3, ..config }, me, rng(me))))
}

type Make = fn(NodeId) -> AnyRouting;

members! {
    AnyRouting => Make {
        Fixed { "static" => |me| AnyRouting::Fixed(fixed(me)) }
        Multipath { "multipath" => |me| AnyRouting::Multipath(Box::new(multipath(me))) }
        Frn {
            "frn" => |me| {
                // A neighbour is whose control packet arrived in one of the last two cycles: scripts are short.
                let (cycle, reliability_window, reliability_threshold) = (Dur::from_secs(1), 2, 0.0);
                let config = FrnRoutingConfig { cycle, reliability_window, reliability_threshold };
                AnyRouting::Frn(Box::new(FrnRouting::new(config, me, rng(me))))
            },
        }
        Dsdv {
            "dsdv" => |me| dsdv(me, DsdvConfig::default()),
            "dsdv, link feedback" => |me| dsdv(me, DsdvConfig {
                link_feedback: true, believe_outdated: true, broadcast_jitter: Dur::ZERO, ..DsdvConfig::default()
            }),
        }
        Dsr {
            "dsr" => |me| dsr(me, DsrConfig::default()),
            "dsr, salvage buffer" => |me| dsr(me, DsrConfig {
                salvage_buffer: true, poll: Dur::from_ms(30), reply_hold_off: Dur::ZERO, ..DsrConfig::default()
            }),
            "dsr, link cache" => |me| dsr(me, DsrConfig {
                cache: CacheKind::Link, flow_state: true, negative_cache: Dur::from_secs(1), ..DsrConfig::default()
            }),
        }
        Aodv {
            "aodv" => |me| aodv(me, AodvConfig::default()),
            "aodv, hellos" => |me| aodv(me, AodvConfig {
                link_detection: LinkDetection::Both, neighbour_routes: true, ..AodvConfig::default()
            }),
            "aodv, no repair" => |me| aodv(me, AodvConfig {
                local_repair: LocalRepair::Off, neighbour_routes: false, gratuitous: true, ..AodvConfig::default()
            }),
        }
        Custom { "toy" => |me| AnyRouting::Custom(Box::new(Toy::new(me))) }
    }
}

fn check(make: impl Fn(NodeId) -> AnyRouting, steps: &[Step]) -> Finding {
    let run = |short| World::run((0..NODES).map(|node| make(NodeId(node))).collect(), steps, short);
    let answers = repeat(|| run(true))?;
    ensure!(run(false)? == answers, "the short ways answer otherwise than the long ones");
    Ok(())
}

fn check_member(member: &Member<Make>, steps: &[Step]) -> Finding {
    ensure!(variant_of(&(member.make)(NodeId(0))) == member.variant, "listed under {}", member.variant);
    check(member.make, steps)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_routing_machine_keeps_the_contract(steps in prop::collection::vec(step(), 0..80)) {
        for member in members() {
            let found = check_member(&member, &steps);
            prop_assert!(found.is_ok(), "{}: {found:?}", member.name);
        }
    }
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec(step(), 60..80), 24);
    must_find(&FAULTS, &members(), &scripts, |fault, make, steps| {
        check(|me| AnyRouting::Custom(Box::new(Faulty::new(make(me), fault))), steps)
    });
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("routing", &members(), &FAULTS);
}
