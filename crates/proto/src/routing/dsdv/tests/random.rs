//! Any inputs in any order: no panic, no packet lost without a reason, routes that make sense.

use proptest::prelude::*;

use super::rig::*;
use crate::routing::DsdvConfig;
use crate::routing::contract::{Action, Decision, Input, Provenance};
use crate::testing::{routing_message, udp};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{Absorbed, Fate, Protocol};

#[derive(Clone, Debug)]
enum Step {
    Hear(u32, Vec<(u32, u32, u32)>),
    Bytes(u32, Vec<u8>),
    Route(u32, bool),
    LinkFailed(u32),
    Timer,
    Stop,
    Start,
}

fn line() -> impl Strategy<Value = (u32, u32, u32)> {
    let metric = prop_oneof![0u32..5, Just(GONE), Just(GONE - 1)];
    let sequence = prop_oneof![0u32..20, any::<u32>()];
    (prop_oneof![9 => 0u32..9, 1 => Just(u32::MAX)], metric, sequence)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0u32..5, prop::collection::vec(line(), 0..6)).prop_map(|(from, lines)| Step::Hear(from, lines)),
        1 => (0u32..5, prop::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(from, bytes)| Step::Bytes(from, bytes)),
        3 => (0u32..9, any::<bool>()).prop_map(|(to, kept)| Step::Route(to, kept)),
        1 => (0u32..5).prop_map(Step::LinkFailed),
        4 => Just(Step::Timer),
        1 => prop_oneof![Just(Step::Stop), Just(Step::Start)],
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_inputs(
        link_feedback in any::<bool>(),
        believe_outdated in any::<bool>(),
        jitter in 0u64..20,
        steps in prop::collection::vec((0u64..20_000, step()), 0..80),
    ) {
        let broadcast_jitter = Dur::from_ms(jitter);
        let mut rig = Rig::new(DsdvConfig { link_feedback, believe_outdated, broadcast_jitter, ..config() });
        rig.feed(SimTime::ZERO, START);
        let mut now = SimTime::ZERO;
        for (gap, step) in steps {
            now += Dur::from_ms(gap);
            let what = match step {
                Step::Hear(from, lines) => hear(from, &lines),
                Step::Bytes(from, mut bytes) => {
                    bytes.iter_mut().step_by(12).for_each(|first| *first = 10);
                    let packet = routing_message(&mut rig.packets, Protocol::Dsdv, &bytes);
                    Tell::Plain(Input::Message { packet, from: NodeId(from) })
                }
                Step::Route(destination, kept) => {
                    let packet = udp(&mut rig.packets, FlowId(0), NodeId(destination), 0, 100);
                    let provenance = if kept { Provenance::Kept(NodeId(2)) } else { Provenance::Here };
                    let mut out = Vec::new();
                    if rig.ask(now, packet, provenance, &mut out) != Decision::Waiting {
                        rig.packets.end(packet, Fate::Absorbed(Absorbed::Suppressed));
                    }
                    continue;
                }
                Step::LinkFailed(node) => Tell::LinkFailed(node),
                Step::Timer => TIMER,
                Step::Stop => STOP,
                Step::Start => START,
            };
            for action in rig.feed(now, what) {
                match action {
                    Action::Forward { packet, to, .. } => {
                        prop_assert_eq!(rig.dsdv.table().next_hop(rig.packets[packet].destination), Some(to));
                        rig.packets.end(packet, Fate::Absorbed(Absorbed::Suppressed));
                    }
                    Action::Send(message) => {
                        prop_assert!(!told(&message).is_empty() && message.delay <= Dur::from_ms(jitter));
                    }
                    Action::Arm(_) | Action::Dropped(_) | Action::Notice(_) => {}
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            prop_assert_eq!(rig.packets.live(), rig.waiting());
            prop_assert_eq!(rig.packets.ledger().inside(), Some(rig.waiting() as u64));
            let (next_hop, metric, sequence) = rig.route(ME.0).expect("a node knows itself");
            prop_assert!(next_hop == ME.0 && metric == 0 && sequence % 2 == 0, "own number {}", sequence);
        }
    }
}
