//! Any packets and messages to the routing machines that search on demand, AODV and DSR, in any order.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use multihop_proto::contract::{Cx, Overheard};
use multihop_proto::routing::aodv::{self, Aodv, AodvConfig, LocalRepair};
use multihop_proto::routing::dsr::{self, CacheKind, Dsr, DsrConfig};
use multihop_proto::routing::{
    Action, AnyRouting, Decision, Disposal, GivenUp, Input, Provenance, Routing as _,
};
use multihop_proto::units::{Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::{
    Absorbed, DropReason, Fate, LinkHeader, Packet, PacketId, PacketStore, Payload, Protocol, Towards,
    UdpDatagram, UserPriority,
};

/// Nodes; the machine is node 1.
const NODES: u8 = 8;

#[derive(Arbitrary, Debug)]
enum Told {
    Request { id: u8, originator: u8, destination: u8, sequence: Option<u8>, its_own: u8, over: Vec<u8> },
    Reply { destination: u8, originator: u8, sequence: u8, lifetime: u16, over: Vec<u8> },
    Error { from: u8, lost: u8, sequence: u8 },
    Bytes(Vec<u8>),
}

#[derive(Arbitrary, Debug)]
enum Step {
    Hear { from: u8, source: u8, destination: u8, ttl: u8, told: Told },
    Send { destination: u8 },
    Pass { from: u8, source: u8, destination: u8, ttl: u8, over: Vec<u8>, left: u8 },
    GiveUp { to: u8, destination: u8 },
    Overhear { from: u8, to: u8, source: u8, destination: u8, over: Vec<u8>, left: u8 },
    Timer,
    Stop,
    Start,
}

const fn node(number: u8) -> NodeId {
    NodeId((number % NODES) as u32)
}

/// A node as a message may name it: now and then by the last address that there is.
const fn named(number: u8) -> NodeId {
    if number == u8::MAX { NodeId((1 << 24) - 2) } else { node(number) }
}

fn nodes(numbers: &[u8]) -> Vec<NodeId> {
    numbers.iter().take(6).copied().map(named).collect()
}

fn aodv_body(told: &Told) -> Vec<u8> {
    let message = match told {
        Told::Bytes(bytes) => return bytes.clone(),
        Told::Request { id, originator, destination, sequence, its_own, over } => {
            aodv::Message::Request(aodv::Request {
                gratuitous: id & 1 != 0,
                destination_only: id & 2 != 0,
                hops: over.len() as u8,
                id: u32::from(*id),
                destination: named(*destination),
                destination_sequence: sequence.map(u32::from),
                originator: named(*originator),
                originator_sequence: u32::from(*its_own),
            })
        }
        Told::Reply { destination, originator, sequence, lifetime, over } => {
            aodv::Message::Reply(aodv::Reply {
                acknowledge: lifetime & 1 != 0,
                hops: over.len() as u8,
                destination: named(*destination),
                destination_sequence: u32::from(*sequence),
                originator: named(*originator),
                lifetime_ms: u32::from(*lifetime),
            })
        }
        Told::Error { from, lost, sequence } => aodv::Message::Error {
            keep: from & 8 != 0,
            unreachable: vec![aodv::Unreachable {
                destination: named(*lost),
                sequence: u32::from(*sequence),
            }],
        },
    };
    aodv::emit(&message).to_vec()
}

fn dsr_body(told: &Told) -> Vec<u8> {
    let mut header = dsr::Header { next: 59, ..dsr::Header::default() };
    match told {
        Told::Bytes(bytes) => return bytes.clone(),
        Told::Request { id, destination, over, .. } => {
            header.request = Some(dsr::Request {
                id: u16::from(*id),
                target: named(*destination),
                addresses: nodes(over),
            });
        }
        Told::Reply { destination, over, .. } => {
            let mut route = nodes(over);
            route.push(named(*destination));
            header.reply = Some(route);
        }
        Told::Error { from, lost, sequence } => header.errors.push(dsr::RouteError {
            salvage: sequence & 3,
            source: named(*from),
            destination: NodeId(1),
            what: dsr::Trouble::Unreachable(named(*lost)),
        }),
    }
    header.emit().to_vec()
}

/// A machine under test, with its packets and the time.
struct World {
    routing: AnyRouting,
    packets: PacketStore,
    now: SimTime,
}

impl World {
    fn new(is_dsr: bool, flags: u8) -> Self {
        let rng = Rng::stream(1, 1, Entity::Node("1"), Purpose::Jitter);
        let routing = if is_dsr {
            let config = DsrConfig {
                cache: if flags & 1 != 0 { CacheKind::Link } else { CacheKind::Path },
                flow_state: flags & 2 != 0,
                salvage_buffer: flags & 4 != 0,
                send_buffer: 4,
                ..DsrConfig::default()
            };
            AnyRouting::Dsr(Box::new(Dsr::new(config, NodeId(1), Bytes::ZERO, rng)))
        } else {
            let config = AodvConfig {
                local_repair: if flags & 1 != 0 { LocalRepair::Rfc } else { LocalRepair::Off },
                gratuitous: flags & 2 != 0,
                buffer: 4,
                ..AodvConfig::default()
            };
            AnyRouting::Aodv(Box::new(Aodv::new(config, NodeId(1), rng)))
        };
        Self { routing, packets: PacketStore::new(1), now: SimTime::ZERO }
    }

    fn packet(&mut self, source: u8, destination: NodeId, ttl: u8, payload: Payload) -> PacketId {
        self.packets.create(Packet {
            uid: 0,
            flow: FlowId(0),
            source: node(source),
            maker: node(source),
            destination,
            towards: Towards::Destination,
            size: Bytes(100),
            ttl: ttl.max(1),
            forced: false,
            header: None,
            payload,
            created: self.now,
            enqueued: self.now,
            priority: UserPriority::BEST_EFFORT,
            link: LinkHeader::default(),
        })
    }

    fn data(&mut self, source: u8, destination: u8, ttl: u8) -> PacketId {
        self.packet(source, node(destination), ttl, Payload::Udp(UdpDatagram { number: 0, len: 72 }))
    }

    /// A packet under way, for DSR with its route in it.
    fn under_way(&mut self, source: u8, destination: u8, ttl: u8, over: &[u8], left: u8) -> PacketId {
        let packet = self.data(source, destination, ttl);
        if matches!(self.routing, AnyRouting::Dsr(_)) {
            let addresses = nodes(over);
            let left = left.min(addresses.len() as u8);
            let route = Some(dsr::SourceRoute { salvage: 0, left, addresses });
            let header = dsr::Header { next: 17, route, ..dsr::Header::default() };
            self.packets.set_header(packet, Some((Protocol::Dsr, header.emit())));
        }
        packet
    }

    /// Asks the way of a packet; what the machine does not keep is over.
    fn ask(&mut self, packet: PacketId, provenance: Provenance, out: &mut Vec<Action>) {
        let known = self.routing.known(self.now, &self.packets[packet], provenance);
        let decision = match known {
            Some(to) => Decision::To(to),
            None => {
                let mut cx = Cx { now: self.now, packets: &mut self.packets };
                self.routing.route(&mut cx, packet, provenance, out)
            }
        };
        match decision {
            Decision::To(_) => self.packets.end(packet, Fate::Absorbed(Absorbed::Suppressed)),
            Decision::Refused(reason) => self.packets.end(packet, Fate::Dropped(reason)),
            Decision::Waiting => {}
            Decision::Stays => panic!("only what a queue has kept stays"),
        }
    }

    fn tell(&mut self, input: Input, out: &mut Vec<Action>) {
        let mut cx = Cx { now: self.now, packets: &mut self.packets };
        self.routing.handle(&mut cx, input, out);
    }

    fn step(&mut self, step: Step) {
        let mut out = Vec::new();
        match step {
            Step::Hear { from, source, destination, ttl, told } => {
                let is_dsr = matches!(self.routing, AnyRouting::Dsr(_));
                let (protocol, body) = if is_dsr {
                    (Protocol::Dsr, dsr_body(&told))
                } else {
                    (Protocol::Aodv, aodv_body(&told))
                };
                let payload = self.packets.payload(protocol, body.into());
                let to = if destination & 1 == 0 { NodeId::BROADCAST } else { node(destination) };
                let packet = self.packet(source, to, ttl, payload);
                self.tell(Input::Message { packet, from: node(from) }, &mut out);
            }
            Step::Send { destination } => {
                let packet = self.data(1, destination, 64);
                self.ask(packet, Provenance::Here, &mut out);
            }
            Step::Pass { from, source, destination, ttl, over, left } => {
                let packet = self.under_way(source, destination, ttl, &over, left);
                self.ask(packet, Provenance::Neighbour(node(from)), &mut out);
            }
            Step::GiveUp { to, destination } => {
                let packet = self.data(1, destination, 64);
                let given_up = GivenUp { packet, to: node(to), reason: DropReason::RetryLimitRts };
                let mut cx = Cx { now: self.now, packets: &mut self.packets };
                if self.routing.given_up(&mut cx, given_up, &mut out) != Disposal::Taken {
                    self.packets.end(packet, Fate::Dropped(DropReason::RetryLimitRts));
                }
            }
            Step::Overhear { from, to, source, destination, over, left } => {
                let packet = self.under_way(source, destination, 60, &over, left);
                if self.routing.overhears() {
                    let heard = Overheard { from: node(from), to: node(to), packet, power: 1e-9 };
                    self.tell(Input::Overheard(heard), &mut out);
                }
                self.packets.end(packet, Fate::Absorbed(Absorbed::Suppressed));
            }
            Step::Timer => self.tell(Input::Timer, &mut out),
            Step::Stop => self.tell(Input::Stop, &mut out),
            Step::Start => self.tell(Input::Start, &mut out),
        }
        for action in out {
            match action {
                Action::Forward { packet, .. } => {
                    self.packets.end(packet, Fate::Absorbed(Absorbed::Suppressed));
                }
                Action::Send(message) => assert!(!message.body.is_empty()),
                Action::Withdraw { .. } | Action::Signal { .. } => {}
                Action::Arm(_) | Action::Dropped(_) | Action::Notice(_) => {}
            }
        }
        let kept = self.routing.packets().len();
        assert_eq!(self.packets.live(), kept, "every packet is kept, sent or lost");
        assert_eq!(self.packets.ledger().inside(), Some(kept as u64));
    }
}

fuzz_target!(|case: (bool, u8, Vec<(u16, Step)>)| {
    let (is_dsr, flags, steps) = case;
    let mut world = World::new(is_dsr, flags);
    world.step(Step::Start);
    for (gap, step) in steps {
        world.now += Dur::from_ms(u64::from(gap));
        world.step(step);
    }
});
