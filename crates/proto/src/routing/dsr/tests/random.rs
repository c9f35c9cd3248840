//! Any history: books balance, routes have no loops, and nothing goes over a link that is known to be dead.

use crate::routing::Routing;
use std::collections::BTreeSet;

use proptest::prelude::*;

use super::rig::{Rig, config, error, ms, reply};
use crate::routing::contract::{Decision, Disposal, Input, Provenance};
use crate::routing::dsr::cache::visits_twice;
use crate::routing::dsr::{CacheKind, DsrConfig, RerrPer};
use crate::units::{Dur, NodeId};
use crate::wire::{DropReason, Fate, PacketId};

#[derive(Clone, Debug)]
enum Event {
    Send(u32),
    Pass(Vec<u32>),
    Request(u16, u32, Vec<u32>),
    Reply(Vec<u32>),
    Error(u32, u32),
    Overhear(Vec<u32>),
    GiveUp(prop::sample::Index),
    Timer,
    Stop,
}

fn path() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0u32..8, 2..7)
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (2u32..8).prop_map(Event::Send),
        path().prop_map(Event::Pass),
        (0u16..30, 2u32..8, path()).prop_map(|(id, target, path)| Event::Request(id, target, path)),
        path().prop_map(Event::Reply),
        (0u32..8, 0u32..8).prop_map(|(from, to)| Event::Error(from, to)),
        path().prop_map(Event::Overhear),
        any::<prop::sample::Index>().prop_map(Event::GiveUp),
        Just(Event::Timer),
        Just(Event::Timer),
        Just(Event::Stop),
    ]
}

prop_compose! {
    fn configs()(link in any::<bool>(), ns2 in any::<bool>(), flow in any::<bool>(), negative in any::<bool>()) -> DsrConfig {
        DsrConfig {
            cache: if link { CacheKind::Link } else { CacheKind::Path },
            salvage_buffer: ns2,
            poll: if ns2 { Dur::from_ms(30) } else { Dur::ZERO },
            rerr_per: if ns2 { RerrPer::Break } else { RerrPer::Packet },
            flow_state: flow,
            negative_cache: if negative { Dur::from_secs(1) } else { Dur::ZERO },
            reply_hold_off: if ns2 { Dur::ZERO } else { Dur::from_ms(4) },
            send_buffer: 4,
            ..config()
        }
    }
}

/// The node under test, what stands in its queue, and which links it knows to be dead.
struct World {
    rig: Rig,
    queue: Vec<(PacketId, u32)>,
    dead: BTreeSet<(u32, u32)>,
}

impl World {
    /// Whatever tells of a link may revive it.
    fn told(&mut self, path: &[u32]) {
        for link in path.windows(2) {
            self.dead.remove(&(link[0], link[1]));
            self.dead.remove(&(link[1], link[0]));
        }
    }

    fn settle(&mut self, packet: PacketId, decision: Decision) {
        match decision {
            Decision::To(to) => self.queue.push((packet, to.0)),
            Decision::Waiting => assert!(
                self.rig.dsr.packets().into_iter().any(|waiting| waiting == packet)
                    || !self.rig.packets.in_custody(packet)
            ),
            Decision::Refused(reason) => self.rig.packets.end(packet, Fate::Dropped(reason)),
            Decision::Stays => panic!("nothing stays"),
        }
    }

    fn ask(&mut self, now: crate::units::SimTime, packet: PacketId, from: Provenance) {
        let mut out = Vec::new();
        let mut cx = crate::testing::cx(now, &mut self.rig.packets);
        let decision = self.rig.dsr.route(&mut cx, packet, from, &mut out);
        self.settle(packet, decision);
        self.apply_actions(out);
    }

    fn tell(&mut self, now: crate::units::SimTime, input: Input) {
        let mut out = Vec::new();
        let mut cx = crate::testing::cx(now, &mut self.rig.packets);
        self.rig.dsr.handle(&mut cx, input, &mut out);
        self.apply_actions(out);
    }

    fn apply_actions(&mut self, actions: Vec<crate::routing::Action>) {
        use crate::routing::Action;
        for action in actions {
            if let Action::Forward { packet, to, .. } = action {
                self.queue.push((packet, if to.is_broadcast() { 99 } else { to.0 }));
            }
        }
    }

    fn check(&self, now: crate::units::SimTime) {
        for to in 0..8 {
            let Some(path) = self.rig.dsr.way_to(now, NodeId(to)) else { continue };
            assert!(!visits_twice(&path) && path[0] == NodeId(1), "{path:?}");
            let dead = path.windows(2).find(|link| self.dead.contains(&(link[0].0, link[1].0)));
            assert!(dead.is_none(), "{path:?} over {dead:?}");
        }
        let waiting = self.rig.dsr.packets().len();
        assert_eq!(self.rig.packets.live(), waiting + self.queue.len(), "each packet is with somebody");
    }
}

fn live(config: DsrConfig, events: Vec<(u64, Event)>) {
    let mut world = World { rig: Rig::new(config), queue: Vec::new(), dead: BTreeSet::new() };
    let mut now = ms(0);
    for (gap, event) in events {
        now += Dur::from_ms(gap);
        match event {
            Event::Send(to) => {
                let packet = world.rig.packet(1, to);
                world.ask(now, packet, Provenance::Here);
            }
            Event::Pass(path) => {
                let packet = world.rig.routed(&path, 1);
                world.told(&path);
                if world.rig.packets[packet].destination == NodeId(1) {
                    world.rig.packets.end(packet, Fate::Delivered);
                } else {
                    world.ask(now, packet, Provenance::Neighbour(NodeId(path[0])));
                }
            }
            Event::Request(id, target, path) => {
                let packet = world.rig.request(path[0], id, target, &path[1..], 255);
                let through: Vec<u32> = path.iter().copied().chain([1]).collect();
                world.told(&through);
                world.tell(now, Input::Message { packet, from: NodeId(path[path.len() - 1]) });
            }
            Event::Reply(path) => {
                let route: Vec<u32> = [1].into_iter().chain(path).collect();
                let packet = world.rig.message(reply(&route), &[route[route.len() - 1], 1], 1);
                world.told(&route);
                world.told(&[1, route[route.len() - 1]]);
                world.tell(now, Input::Message { packet, from: NodeId(route[route.len() - 1]) });
            }
            Event::Error(from, to) => {
                let packet = world.rig.message(error(from, to, 1), &[from, 1], 1);
                world.dead.insert((from, to));
                world.tell(now, Input::Message { packet, from: NodeId(from) });
            }
            Event::Overhear(path) => {
                let packet = world.rig.routed(&path, 1);
                world.told(&path);
                world.told(&[1, path[0]]);
                let heard = crate::contract::Overheard {
                    from: NodeId(path[0]),
                    to: NodeId(path[1]),
                    packet,
                    power: 1e-9,
                };
                world.tell(now, Input::Overheard(heard));
                world.rig.packets.end(packet, Fate::Delivered);
            }
            Event::GiveUp(index) => give_up(&mut world, now, index),
            Event::Timer => world.tell(now, Input::Timer),
            Event::Stop => {
                world.tell(now, Input::Stop);
                world.dead.clear();
            }
        }
        world.check(now);
    }
}

fn give_up(world: &mut World, now: crate::units::SimTime, index: prop::sample::Index) {
    if world.queue.is_empty() {
        return;
    }
    let (packet, to) = world.queue.remove(index.index(world.queue.len()));
    if to == 99 {
        return world.rig.packets.end(packet, Fate::Delivered); // no node gives a broadcast up
    }
    world.dead.insert((1, to));
    let mut out = Vec::new();
    let given_up = crate::routing::GivenUp { packet, to: NodeId(to), reason: DropReason::RetryLimitRts };
    let mut cx = crate::testing::cx(now, &mut world.rig.packets);
    match world.rig.dsr.given_up(&mut cx, given_up, &mut out) {
        Disposal::Taken => {}
        Disposal::Leave => {
            world.rig.packets.end(packet, Fate::Dropped(crate::wire::DropReason::RetryLimitRts))
        }
        Disposal::Keep => panic!("the queue keeps nothing"),
    }
    world.apply_actions(out);
    let waiting: Vec<PacketId> =
        world.queue.extract_if(.., |(_, next)| *next == to).map(|(packet, _)| packet).collect();
    for packet in waiting {
        world.ask(now, packet, Provenance::Withdrawn(NodeId(to)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_history(config in configs(), events in prop::collection::vec((0u64..700, event()), 1..60)) {
        live(config, events);
    }
}
