//! A wall of the architecture: agents in a relay that tell by a packet's ports which way it runs, and that have packets
//! in custody.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::rig::{Rig, quick_tcp};
use crate::contract::{Control, Cx, End, NodeState, Notice, drop_packet};
use crate::node::{Action as Told, App};
use crate::proxy::{Action, Agent, Input, Verdict};
use crate::queue::QueueConfig;
use crate::shim::{self, AnyShim, Shim};
use crate::tcp::AnyGate;
use crate::units::{Dur, FlowId, SimTime};
use crate::wire::{DropReason, PacketId, PacketKind, Payload, Segment, Towards, flags};

/// The window in what the agent sends in the receiver's name.
const MARK: u32 = 20_001;

/// Sends a probe without data with every ACK of the receiver, and counts the agent's answers.
#[derive(Debug)]
struct Prober {
    answers: Arc<Mutex<usize>>,
}

impl Shim for Prober {
    fn handle(
        &mut self,
        _: &mut Cx<'_>,
        _: &NodeState,
        input: shim::Input<'_>,
        _: &End<'_>,
        out: &mut Vec<shim::Action>,
    ) -> shim::Verdict {
        match input {
            shim::Input::Arriving { segment, .. } if segment.window == MARK => {
                *self.answers.lock().expect("one thread") += 1;
            }
            shim::Input::Arriving { .. } => out.push(shim::Action::Control(Control::Probe)),
            _ => {}
        }
        shim::Verdict::Pass
    }
}

/// Answers each header-only probe in the receiver's name with an acknowledgment of nothing, and takes it away.
#[derive(Debug, Default)]
struct Answering {
    seen: Arc<Mutex<Vec<(PacketKind, u32)>>>,
}

impl Agent for Answering {
    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input, out: &mut Vec<Action>) -> Verdict {
        let Input::Passing(id) = input else { return Verdict::Pass };
        let Payload::Tcp(segment) = cx.packets[id].payload else { return Verdict::Pass };
        self.seen.lock().expect("one thread").push((cx.packets.kind(id), segment.len));
        if cx.packets[id].towards == Towards::Source || segment.len > 0 || segment.flags & flags::SYN != 0 {
            return Verdict::Pass;
        }
        let answer = Segment { ack: 0, window: MARK, flags: flags::ACK, ..Segment::default() };
        out.push(Action::Send(Towards::Source, answer));
        Verdict::Absorb
    }
}

/// A probe has no payload, as an ACK has none: its ports say that it runs with the data.
#[test]
fn a_header_only_probe_is_on_its_way_to_the_receiver() {
    let mut world = Rig::chain(3, &QueueConfig::default());
    let answers = Arc::default();
    let prober = Prober { answers: Arc::clone(&answers) };
    world.tcp(0, 0, 2, &quick_tcp(), AnyShim::Custom(Box::new(prober)), AnyGate::OPEN);
    let seen = Arc::default();
    world.nodes[1].relays_mut().add(FlowId(0), Box::new(Answering { seen: Arc::clone(&seen) }));
    world.app(0, 0, App::Open);
    world.app(0, 0, App::Write(4_000));
    world.run(SimTime::from_secs(5));
    assert!(world.is_complete(0));
    let seen = seen.lock().expect("one thread");
    let count = |what| seen.iter().filter(|&&seen| seen == what).count();
    // SYN and probes run one way, SYN-ACK and ACKs the other.
    let probes = count((PacketKind::TcpData, 0)) - 1;
    assert!(probes >= 3 && probes == count((PacketKind::TcpAck, 0)), "one for each: {seen:?}");
    assert_eq!(*answers.lock().expect("one thread"), probes, "each is answered, to the source");
    world.check_ledger();
}

/// Holds data back while its buffer has room, each for a while.
#[derive(Debug)]
struct Holder {
    room: usize,
    hold: Dur,
    held: Vec<(SimTime, PacketId)>,
    heard: Arc<Mutex<Vec<Notice>>>,
}

impl Agent for Holder {
    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input, out: &mut Vec<Action>) -> Verdict {
        let mut verdict = Verdict::Pass;
        match input {
            Input::Passing(id) if cx.packets[id].towards == Towards::Destination => {
                if self.held.len() == self.room {
                    let (_, oldest) = self.held.remove(0);
                    out.push(Action::Dropped(drop_packet(cx, oldest, DropReason::ProxyOverflow)));
                }
                self.held.push((cx.now + self.hold, id));
                verdict = Verdict::Keep;
            }
            Input::Notice(notice) => self.heard.lock().expect("one thread").push(notice),
            Input::Passing(_) | Input::Signal(_) | Input::Timer => {}
        }
        let due = self.held.extract_if(.., |(at, _)| *at <= cx.now);
        out.extend(due.map(|(_, id)| Action::Forward(id)));
        out.push(Action::Arm(self.held.first().map_or(SimTime::MAX, |&(at, _)| at)));
        verdict
    }

    fn packets(&self) -> Vec<PacketId> {
        self.held.iter().map(|&(_, id)| id).collect()
    }

    fn flush(&mut self, _: &mut Cx<'_>) -> Vec<PacketId> {
        self.held.drain(..).map(|(_, id)| id).collect()
    }
}

fn holding(room: usize, hold: Dur) -> (Rig, Arc<Mutex<Vec<Notice>>>) {
    let mut world = Rig::chain(3, &QueueConfig::default());
    world.tcp(0, 0, 2, &quick_tcp(), AnyShim::NONE, AnyGate::OPEN);
    let heard = Arc::default();
    let holder = Holder { room, hold, held: Vec::new(), heard: Arc::clone(&heard) };
    world.nodes[1].relays_mut().add(FlowId(0), Box::new(holder));
    world.app(0, 0, App::Open);
    world.app(0, 0, App::Write(60_000));
    (world, heard)
}

fn lost(world: &Rig, reason: DropReason) -> usize {
    let of = |told: &Told| matches!(told, Told::Dropped(dropped) if dropped.reason == reason);
    world.record.iter().filter(|(_, _, told)| of(told)).count()
}

#[test]
fn what_an_agent_has_is_lost_with_its_node() {
    let (mut world, heard) = holding(50, Dur::from_ms(400));
    world.run(SimTime::from_ms(900));
    let inside = world.nodes[1].held();
    assert!(inside >= 2, "{inside} packets wait at the agent");
    world.check_ledger();
    world.power(1, false);
    assert_eq!((world.nodes[1].held(), lost(&world, DropReason::NodeDown)), (0, inside));
    world.check_ledger();
    world.run(SimTime::from_secs(3));
    world.power(1, true);
    world.run(SimTime::from_secs(300));
    assert!(world.is_complete(0), "{:?}", world.sender(0).view());
    let heard = heard.lock().expect("one thread");
    let power = |up| heard.contains(&Notice::Power { up });
    assert!(power(false) && power(true), "{heard:?}");
    world.check_ledger();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_agent_keeps_its_books(
        room in 1usize..6,
        hold in 0u64..300,
        power in prop::collection::vec((1u64..800, 0u32..3), 0..12),
    ) {
        let (mut world, _) = holding(room, Dur::from_ms(hold));
        let (mut up, mut now) = ([true; 3], SimTime::ZERO);
        for (gap, node) in power {
            now += Dur::from_ms(gap);
            world.run(now);
            world.check_ledger();
            up[node as usize] = !up[node as usize];
            world.power(node, up[node as usize]);
            world.check_ledger();
        }
        world.run(now + Dur::from_secs(5));
        world.check_ledger();
    }
}
