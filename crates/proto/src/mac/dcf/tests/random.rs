//! Any inputs in any order: no panic, at most one frame in service, every reception accounted for.

use proptest::prelude::*;

use super::station::*;
use crate::contract::Offer;
use crate::mac::{Action, DcfConfig, Input, Mac, Sensed};
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{Fate, Frame, FrameKind};

/// An input, with what it needs chosen by numbers.
#[derive(Clone, Copy, Debug)]
enum Step {
    Carrier(u64),
    Undecodable(u64),
    Captured(u64),
    Receive { kind: u8, from: u32, to: u32, sequence: u16, duration: u64, retry: bool },
    Send { to: u32, size: u32 },
    Access,
    Sequence,
    Power(bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0u64..20_000).prop_map(Step::Carrier),
        (0u64..20_000).prop_map(Step::Undecodable),
        (0u64..20_000).prop_map(Step::Captured),
        (0u8..4, 0u32..5, 0u32..6, 0u16..4096, 0u64..40_000, any::<bool>()).prop_map(
            |(kind, from, to, sequence, duration, retry)| Step::Receive {
                kind,
                from,
                to,
                sequence,
                duration,
                retry
            }
        ),
        (0u32..6, 0u32..2000).prop_map(|(to, size)| Step::Send { to, size }),
        Just(Step::Access),
        Just(Step::Sequence),
        any::<bool>().prop_map(Step::Power),
    ]
}

const fn address(number: u32) -> NodeId {
    if number == 5 { NodeId::BROADCAST } else { NodeId(number) }
}

fn check(config: DcfConfig, steps: &[(u64, Step)]) {
    let mut station = Station::new(config);
    let mut now = SimTime::ZERO;
    let (mut offered, mut ended) = (0u32, 0u32);
    let original = station.packet();
    for &(gap, step) in steps {
        now += Dur::from_us(gap);
        let answers = match step {
            Step::Carrier(length) => station.feed(now, Sensed::Carrier(now + Dur::from_us(length))),
            Step::Undecodable(length) => station.feed(now, Sensed::Undecodable(now + Dur::from_us(length))),
            Step::Captured(length) => station.feed(now, Sensed::Captured(now + Dur::from_us(length))),
            Step::Receive { kind, from, to, sequence, duration, retry } => {
                let kind =
                    [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack][usize::from(kind)];
                let frame = Frame {
                    kind,
                    retry,
                    duration: Dur::from_us(duration),
                    ..data(NodeId(from), address(to), sequence, original)
                };
                station.feed(now, Input::Receive(&frame))
            }
            Step::Send { to, size } if station.dcf.wants_frame() => {
                offered += 1;
                let packet = station.packet();
                let offer = Offer { packet, to: address(to), size: Bytes(size), second: None, kept: false };
                station.feed(now, Input::Send(offer))
            }
            Step::Send { .. } => Vec::new(),
            Step::Access => station.feed(now, Input::Timer(Access)),
            Step::Sequence => station.feed(now, Input::Timer(Sequence)),
            Step::Power(up) => station.feed(now, Input::Power(up)),
        };
        let sent = answers.iter().filter(|answer| matches!(answer, Transmit(_))).count();
        assert!(sent <= 1, "one transmission at a time: {answers:?}");
        for answer in answers {
            match answer {
                Arm(_, at) => assert!(at >= now, "armed in the past"),
                Deliver { packet, .. } => station.packets.end(packet, Fate::Delivered),
                Action::Outcome(..) => ended += 1,
                Action::Doze(_) => panic!("it never dozes"),
                Transmit(frame) => assert!(frame.airtime > Dur::ZERO && frame.from == ME),
                Action::Hold(_) | Action::Ready | Action::Dropped(_) => {
                    panic!("it neither holds nor calls: {answer:?}")
                }
            }
        }
    }
    assert!(offered - ended <= 1, "{offered} offered, {ended} ended");
    let ledger = station.packets.ledger();
    assert_eq!(ledger.inside(), Some(station.packets.live() as u64));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_inputs_under_ns2_rules(steps in prop::collection::vec((0u64..3000, step()), 0..120)) {
        check(ns2(), &steps);
    }

    #[test]
    fn any_inputs_under_the_standards_rules(steps in prop::collection::vec((0u64..3000, step()), 0..120)) {
        check(standard(), &steps);
    }

    #[test]
    fn any_inputs_with_basic_access(steps in prop::collection::vec((0u64..3000, step()), 0..120)) {
        check(DcfConfig { rts_threshold: Bytes(500), ..standard() }, &steps);
    }
}
