//! Any inputs to a DSDV machine in any order.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use multihop_proto::contract::Cx;
use multihop_proto::routing::dsdv::{Dsdv, Line as Told, emit};
use multihop_proto::routing::{
    Action, Decision, Disposal, DsdvConfig, GivenUp, Input, Provenance, Routing as _,
};
use multihop_proto::units::{Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::{
    Absorbed, DropReason, Fate, LinkHeader, Packet, PacketId, PacketStore, Payload, Protocol, Towards,
    UdpDatagram, UserPriority,
};

#[derive(Arbitrary, Debug)]
struct Line {
    destination: u8,
    metric: u32,
    sequence: u32,
}

#[derive(Arbitrary, Debug)]
enum Step {
    Hear(u8, Vec<Line>),
    Bytes(u8, Vec<u8>),
    Route(u8, bool),
    LinkFailed(u8),
    Timer,
    Stop,
    Start,
}

/// One of twelve nodes, the address of all, or the last address that there is.
const fn node(number: u8) -> NodeId {
    match number % 14 {
        12 => NodeId::BROADCAST,
        13 => NodeId((1 << 24) - 2),
        node => NodeId(node as u32),
    }
}

fn packet(packets: &mut PacketStore, destination: NodeId, payload: Payload) -> PacketId {
    packets.create(Packet {
        uid: 0,
        flow: FlowId(0),
        source: NodeId(0),
        maker: NodeId(0),
        destination,
        towards: Towards::Destination,
        size: Bytes(100),
        ttl: 64,
        forced: false,
        header: None,
        payload,
        created: SimTime::ZERO,
        enqueued: SimTime::ZERO,
        priority: UserPriority::BEST_EFFORT,
        link: LinkHeader::default(),
    })
}

fn message(packets: &mut PacketStore, from: u8, bytes: &[u8]) -> Input {
    let payload = packets.payload(Protocol::Dsdv, bytes.into());
    let packet = packet(packets, NodeId::BROADCAST, payload);
    Input::Message { packet, from: NodeId(u32::from(from % 12)) }
}

fuzz_target!(|case: (bool, bool, Vec<(u16, Step)>)| {
    let (link_feedback, believe_outdated, steps) = case;
    let rng = Rng::stream(1, 1, Entity::Node("1"), Purpose::Jitter);
    let config = DsdvConfig { link_feedback, believe_outdated, ..DsdvConfig::default() };
    let mut dsdv = Dsdv::new(config, NodeId(1), rng);
    let mut packets = PacketStore::new(1);
    let mut now = SimTime::ZERO;
    for (gap, step) in steps {
        now += Dur::from_ms(u64::from(gap));
        let mut out = Vec::new();
        let input = match step {
            Step::Hear(from, lines) => {
                let told = |line: &Line| Told {
                    destination: node(line.destination),
                    metric: line.metric,
                    sequence: line.sequence,
                };
                let lines: Vec<Told> = lines.iter().map(told).collect();
                message(&mut packets, from, &emit(&lines))
            }
            Step::Bytes(from, mut bytes) => {
                bytes.iter_mut().step_by(12).for_each(|first| *first = 10);
                message(&mut packets, from, &bytes)
            }
            Step::Route(destination, kept) => {
                let payload = Payload::Udp(UdpDatagram { number: 0, len: 72 });
                let packet = packet(&mut packets, node(destination), payload);
                let provenance = if kept { Provenance::Kept(NodeId(2)) } else { Provenance::Here };
                let mut cx = Cx { now, packets: &mut packets };
                if dsdv.route(&mut cx, packet, provenance, &mut out) != Decision::Waiting {
                    packets.end(packet, Fate::Absorbed(Absorbed::Suppressed));
                }
                continue;
            }
            Step::LinkFailed(neighbour) => {
                let payload = Payload::Udp(UdpDatagram { number: 0, len: 72 });
                let packet = packet(&mut packets, node(neighbour), payload);
                let given_up = GivenUp { packet, to: node(neighbour), reason: DropReason::RetryLimitRts };
                let mut cx = Cx { now, packets: &mut packets };
                if dsdv.given_up(&mut cx, given_up, &mut out) != Disposal::Taken {
                    packets.end(packet, Fate::Dropped(DropReason::RetryLimitRts));
                }
                continue;
            }
            Step::Timer => Input::Timer,
            Step::Stop => Input::Stop,
            Step::Start => Input::Start,
        };
        let mut cx = Cx { now, packets: &mut packets };
        dsdv.handle(&mut cx, input, &mut out);
        for action in out {
            match action {
                Action::Forward { packet, to, .. } => {
                    assert_eq!(dsdv.next_hop(now, packets[packet].destination), Some(to));
                    packets.end(packet, Fate::Absorbed(Absorbed::Suppressed));
                }
                Action::Send(message) => assert!(!message.body.is_empty()),
                Action::Withdraw { .. } | Action::Signal { .. } => unreachable!("it has no use for them"),
                Action::Arm(_) | Action::Dropped(_) | Action::Notice(_) => {}
            }
        }
        assert_eq!(packets.live(), dsdv.packets().len());
        assert_eq!(packets.ledger().inside(), Some(dsdv.packets().len() as u64));
    }
});
