//! Any inputs to a whole node, in any order: no panic, and the ledger balances after each.

use crate::node::IfIndex;
use proptest::prelude::*;

use super::rig::{chain_routes, link, quick_tcp};
use crate::mac::Sensed;
use crate::node::{Action, AnyTransport, App, Endpoint, Input, Node, Timer};
use crate::queue::{OnGiveUp, QueueConfig, Service};
use crate::routing::dsdv::{Dsdv, Line, emit};
use crate::routing::fixed::FixedRoutes;
use crate::routing::{AnyRouting, DsdvConfig};
use crate::tcp::{Receiver, Sender};
use crate::testing::{cx, routing_message, udp};
use crate::units::{Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{
    BatchId, Frame, FrameKind, PacketId, PacketStore, Payload, Protocol, Segment, Signal, SignalKind,
    UserPriority,
};

#[derive(Clone, Copy, Debug)]
enum Step {
    Timer(u8),
    Carrier(u64),
    Undecodable(u64),
    Receive { kind: u8, from: u32, to: u32, sequence: u16, what: What },
    App { flow: u32, act: u8, bytes: u32 },
    Power(bool),
}

/// What a data frame carries.
#[derive(Clone, Copy, Debug)]
enum What {
    Udp { flow: u32, destination: u32, number: u64 },
    Tcp { flow: u32, destination: u32, segment: Segment },
    Routing { destination: u32, metric: u32, sequence: u32 },
    Bytes,
    Signal { flow: u32, destination: u32, about: u64 },
}

fn what() -> impl Strategy<Value = What> {
    let address = prop_oneof![0u32..5, Just(u32::MAX)];
    let tcp = (0u64..40, 0u64..40, prop_oneof![Just(0u32), Just(1000), any::<u32>()], 0u8..4);
    prop_oneof![
        (0u32..6, 0u32..5, any::<u64>()).prop_map(|(flow, destination, number)| What::Udp {
            flow,
            destination,
            number
        }),
        (0u32..6, 0u32..5, tcp).prop_map(|(flow, destination, (seq, ack, len, flags))| What::Tcp {
            flow,
            destination,
            segment: Segment {
                seq: seq * 500,
                ack: ack * 500,
                len,
                flags,
                window: 16_000,
                ..Segment::default()
            },
        }),
        (address, prop_oneof![0u32..4, Just(u32::MAX)], 0u32..12)
            .prop_map(|(destination, metric, sequence)| What::Routing { destination, metric, sequence }),
        Just(What::Bytes),
        (0u32..6, 0u32..5, any::<u64>()).prop_map(|(flow, destination, about)| What::Signal {
            flow,
            destination,
            about
        }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0u8..3).prop_map(Step::Timer),
        1 => (0u64..5000).prop_map(Step::Carrier),
        1 => (0u64..5000).prop_map(Step::Undecodable),
        5 => (0u8..4, 0u32..4, 0u32..5, 0u16..20, what())
            .prop_map(|(kind, from, to, sequence, what)| Step::Receive { kind, from, to, sequence, what }),
        4 => (0u32..4, 0u8..4, 0u32..5000).prop_map(|(flow, act, bytes)| Step::App { flow, act, bytes }),
        1 => any::<bool>().prop_map(Step::Power),
    ]
}

/// Node 1 with an end of each kind.
fn node(dsdv: bool, keep: bool) -> Node {
    let routing = if dsdv {
        let rng = Rng::stream(1, 1, Entity::Node("1"), Purpose::Jitter);
        AnyRouting::Dsdv(Box::new(Dsdv::new(
            DsdvConfig { link_feedback: true, ..DsdvConfig::default() },
            NodeId(1),
            rng,
        )))
    } else {
        AnyRouting::Fixed(FixedRoutes::new(NodeId(1), chain_routes(4)))
    };
    let queue = QueueConfig {
        limit: 4,
        service: if keep { Service::Drr } else { Service::Fifo },
        on_give_up: if keep { OnGiveUp::Keep } else { OnGiveUp::Drop },
        ..QueueConfig::default()
    };
    let mut node = Node::new(NodeId(1), link(1, queue), routing, Bytes(20));
    let kinds = [
        AnyTransport::tcp_sender(Sender::new(quick_tcp(), FlowId(0))),
        AnyTransport::tcp_receiver(Receiver::new(&quick_tcp())),
        AnyTransport::UdpSource(crate::udp::Source::default()),
        AnyTransport::UdpSink(crate::udp::Sink::default()),
    ];
    for (flow, kind) in kinds.into_iter().enumerate() {
        let end = Endpoint::new(FlowId(flow as u32), NodeId(3), kind);
        node.hosts_mut().add(end);
    }
    node
}

/// The neighbour's own copy of what it sends.
fn sent_by_neighbour(packets: &mut PacketStore, what: What) -> PacketId {
    match what {
        What::Udp { flow, destination, number } => {
            udp(packets, FlowId(flow), NodeId(destination), number, 200)
        }
        What::Tcp { flow, destination, segment } => {
            let id = udp(packets, FlowId(flow), NodeId(destination), 0, 200);
            packets[id].payload = Payload::Tcp(segment);
            id
        }
        What::Routing { destination, metric, sequence } => {
            let line = Line { destination: NodeId(destination), metric, sequence };
            routing_message(packets, Protocol::Dsdv, &emit(&[line]))
        }
        What::Bytes => routing_message(packets, Protocol::Dsdv, &[9; 7]),
        What::Signal { flow, destination, about } => {
            let id = udp(packets, FlowId(flow), NodeId(destination), 0, Signal::size().get());
            packets[id].payload = Payload::Signal(Signal {
                kind: SignalKind::LinkFailure,
                source: NodeId(1),
                destination: NodeId(3),
                sequence: about,
            });
            id
        }
    }
}

fn check(mut node: Node, steps: &[(u64, Step)]) {
    let mut packets = PacketStore::new(4);
    let mut now = SimTime::ZERO;
    let mut abroad = 0usize;
    let start = std::iter::once(&(0, Step::Power(true)));
    for &(gap, step) in start.chain(steps) {
        now += Dur::from_us(gap);
        let frame;
        let input = match step {
            Step::Timer(which) => Input::Timer(
                IfIndex::FIRST,
                [Timer::Access, Timer::Sequence, Timer::Upper][usize::from(which)],
            ),
            Step::Carrier(length) => {
                node.links_mut().interface_mut(IfIndex::FIRST).sense(
                    now,
                    Sensed::Carrier(now + Dur::from_us(length)),
                    |at| assert!(at > now),
                );
                continue;
            }
            Step::Undecodable(length) => {
                node.links_mut().interface_mut(IfIndex::FIRST).sense(
                    now,
                    Sensed::Undecodable(now + Dur::from_us(length)),
                    |at| assert!(at > now),
                );
                continue;
            }
            Step::Receive { kind, from, to, sequence, what } => {
                abroad += 1;
                let kind =
                    [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack][usize::from(kind)];
                let packet = sent_by_neighbour(&mut packets, what);
                frame = Frame {
                    kind,
                    retry: false,
                    more: false,
                    sequence,
                    from: NodeId(from),
                    to: if to == 4 { NodeId::BROADCAST } else { NodeId(to) },
                    packet: if kind == FrameKind::Data { packet } else { PacketId::NONE },
                    second: None,
                    batch: BatchId::NONE,
                    priority: UserPriority::BEST_EFFORT,
                    size: Bytes(236),
                    duration: Dur::from_us(314),
                    tx: crate::testing::TX,
                    airtime: Dur::from_us(1136),
                };
                Input::Receive(IfIndex::FIRST, &frame, 1e-9)
            }
            Step::App { flow, act, bytes } => {
                let app = [App::Open, App::Write(u64::from(bytes)), App::Stop, App::Datagram(bytes)];
                Input::App(FlowId(flow), app[usize::from(act)])
            }
            Step::Power(up) => Input::Power(up),
        };
        let mut out: Vec<Action> = Vec::new();
        node.handle(&mut cx(now, &mut packets), input, &mut out);
        for action in out {
            if let Action::Transmit(frame) = action {
                packets.release(&frame); // over before anything else happens
            }
        }
        assert_eq!(packets.holds(), 0, "after {step:?}");
        assert_eq!(packets.live(), node.held() + abroad, "after {step:?}");
        assert_eq!(packets.ledger().inside(), Some(packets.live() as u64));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_inputs(
        dsdv in any::<bool>(),
        keep in any::<bool>(),
        steps in prop::collection::vec((prop_oneof![0u64..2000, 0u64..3_000_000], step()), 0..120),
    ) {
        check(node(dsdv, keep), &steps);
    }
}
