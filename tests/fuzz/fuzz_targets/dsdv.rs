//! Any inputs to a DSDV machine in any order.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use multihop_proto::port::Cx;
use multihop_proto::routing::dsdv::Dsdv;
use multihop_proto::routing::{Action, DsdvConfig, Input};
use multihop_proto::units::{Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::{Absorbed, Fate, Packet, PacketStore, Payload, RouteAdvert, UdpDatagram};

#[derive(Arbitrary, Debug)]
struct Line {
    destination: u8,
    metric: u32,
    sequence: u32,
}

#[derive(Arbitrary, Debug)]
enum Step {
    Hear(u8, Vec<Line>),
    NoRoute(u8),
    LinkFailed(u8),
    Timer,
    Stop,
    Start,
}

/// One of twelve nodes, or the address of all.
const fn node(number: u8) -> NodeId {
    match number % 13 {
        12 => NodeId::BROADCAST,
        node => NodeId(node as u32),
    }
}

fn packet(packets: &mut PacketStore, destination: NodeId) -> Input {
    let packet = packets.create(Packet {
        uid: 0,
        flow: FlowId(0),
        source: NodeId(0),
        destination,
        size: Bytes(100),
        ttl: 64,
        mac_sequence: 0,
        payload: Payload::Udp(UdpDatagram { number: 0, len: 72 }),
        created: SimTime::ZERO,
        enqueued: SimTime::ZERO,
        head_of_line: SimTime::ZERO,
    });
    Input::NoRoute { packet }
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
        let input = match step {
            Step::Hear(from, lines) => {
                let advert = |line: &Line| RouteAdvert {
                    destination: node(line.destination),
                    metric: line.metric,
                    sequence: line.sequence,
                };
                Input::Adverts {
                    from: NodeId(u32::from(from % 12)),
                    adverts: lines.iter().map(advert).collect(),
                }
            }
            Step::NoRoute(destination) => packet(&mut packets, node(destination)),
            Step::LinkFailed(neighbour) => Input::LinkFailed { neighbour: node(neighbour) },
            Step::Timer => Input::Timer,
            Step::Stop => Input::Stop,
            Step::Start => Input::Start,
        };
        let mut out = Vec::new();
        let mut cx = Cx { now, packets: &mut packets };
        dsdv.handle(&mut cx, input, &mut out);
        for action in out {
            match action {
                Action::Forward { packet, to } => {
                    assert_eq!(dsdv.next_hop(packets[packet].destination), Some(to));
                    packets.end(packet, Fate::Absorbed(Absorbed::Suppressed));
                }
                Action::Broadcast(lines) => assert!(!lines.is_empty()),
                Action::Arm(_) | Action::Dropped(_) | Action::Notice(_) => {}
            }
        }
        assert_eq!(packets.live(), dsdv.waiting());
        assert_eq!(packets.ledger().inside(), Some(dsdv.waiting() as u64));
    }
});
