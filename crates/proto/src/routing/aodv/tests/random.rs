//! Networks of machines whose links come and go: no route leads in a circle, none through a neighbour that is known to
//! be gone, no packet is lost from sight.

use crate::routing::Routing;
use proptest::prelude::*;

use crate::contract::drop_packet;
use crate::routing::aodv::{Aodv, AodvConfig, LocalRepair};
use crate::routing::contract::{Action, Decision, Disposal, GivenUp, Input, Outgoing, Provenance};
use crate::testing::{cx, routing_message, udp};
use crate::units::{Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{DropReason, Fate, PacketId, PacketStore};

const NODES: u32 = 7;

/// What happens to a network.
#[derive(Clone, Debug)]
enum Event {
    /// A link comes or goes.
    Toggle(u32, u32),
    /// A packet is made.
    Send(u32, u32),
    /// Time passes, in milliseconds.
    Wait(u64),
}

/// What is under way to a node.
#[derive(Clone, Debug)]
enum Due {
    Timer(u32),
    Message { body: Vec<u8>, from: u32, to: u32, all: bool, ttl: u8 },
    Packet { packet: PacketId, from: u32, to: u32 },
    Later { packet: PacketId, from: u32, to: u32 },
    Made { message: Outgoing, from: u32 },
}

struct Net {
    now: SimTime,
    nodes: Vec<Aodv>,
    links: Vec<bool>,
    packets: PacketStore,
    due: Vec<(SimTime, u64, Due)>,
    count: u64,
    rng: Rng,
    /// Share of broadcasts that a neighbour misses.
    loss: f64,
}

fn link(a: u32, b: u32) -> usize {
    (a.min(b) * NODES + a.max(b)) as usize
}

impl Net {
    fn new(config: &AodvConfig, loss: f64) -> Self {
        let stream = |name: &str| Rng::stream(1, 1, Entity::Node(name), Purpose::Jitter);
        let node = |id: u32| Aodv::new(config.clone(), NodeId(id), stream(&id.to_string()));
        let mut net = Self {
            now: SimTime::ZERO,
            nodes: (0..NODES).map(node).collect(),
            links: vec![false; (NODES * NODES) as usize],
            packets: PacketStore::new(1),
            due: Vec::new(),
            count: 0,
            rng: stream("air"),
            loss,
        };
        for id in 0..NODES {
            net.handle(id, Input::Start);
            if id > 0 {
                net.links[link(id - 1, id)] = true;
            }
        }
        net
    }

    fn plan(&mut self, after: Dur, due: Due) {
        self.count += 1;
        self.due.push((self.now + after, self.count, due));
    }

    fn handle(&mut self, id: u32, input: Input) {
        let mut out = Vec::new();
        self.nodes[id as usize].handle(&mut cx(self.now, &mut self.packets), input, &mut out);
        self.apply_actions(id, out);
    }

    fn apply_actions(&mut self, id: u32, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Send(message) => {
                    let delay = message.delay;
                    self.plan(delay, Due::Made { message, from: id });
                }
                Action::Forward { packet, to, delay } => {
                    self.plan(delay, Due::Later { packet, from: id, to: to.0 });
                }
                Action::Arm(at) if at < SimTime::MAX => {
                    self.plan(at.saturating_since(self.now).max(Dur::from_ns(1)), Due::Timer(id));
                }
                _ => {}
            }
        }
    }

    fn ask(&mut self, id: u32, packet: PacketId, provenance: Provenance) {
        let node = &mut self.nodes[id as usize];
        let mut out = Vec::new();
        let decision = match node.known(self.now, &self.packets[packet], provenance) {
            Some(to) => Decision::To(to),
            None => node.route(&mut cx(self.now, &mut self.packets), packet, provenance, &mut out),
        };
        self.apply_actions(id, out);
        match decision {
            Decision::To(to) => self.transmit(id, to.0, packet),
            Decision::Waiting => {}
            Decision::Refused(reason) => {
                self.lose(packet, reason);
            }
            Decision::Stays => panic!("no queue keeps packets here"),
        }
    }

    fn lose(&mut self, packet: PacketId, reason: DropReason) {
        drop_packet(&mut cx(self.now, &mut self.packets), packet, reason);
    }

    /// A packet arrives, or the MAC gives it up.
    fn transmit(&mut self, from: u32, to: u32, packet: PacketId) {
        if self.links[link(from, to)] {
            return self.plan(Dur::from_ms(2), Due::Packet { packet, from, to });
        }
        let mut out = Vec::new();
        let given_up = GivenUp { packet, to: NodeId(to), reason: DropReason::RetryLimitRts };
        let node = &mut self.nodes[from as usize];
        let disposal = node.given_up(&mut cx(self.now, &mut self.packets), given_up, &mut out);
        let through = node
            .table_mut()
            .all(self.now)
            .any(|route| route.state == crate::routing::aodv::State::Valid && route.next_hop == NodeId(to));
        assert!(!through, "node {from} has a route through {to}, which is gone");
        if disposal != Disposal::Taken {
            self.lose(packet, DropReason::RetryLimitRts);
        }
        self.apply_actions(from, out);
    }

    fn happen(&mut self, due: Due) {
        match due {
            Due::Timer(id) => self.handle(id, Input::Timer),
            Due::Made { message, from } => {
                let all = message.to.is_broadcast();
                for to in (0..NODES).filter(|&to| to != from && (all || NodeId(to) == message.to)) {
                    let missed = all && self.rng.f64() < self.loss;
                    if self.links[link(from, to)] && !missed {
                        let body = message.body.to_vec();
                        self.plan(Dur::from_ms(2), Due::Message { body, from, to, all, ttl: message.ttl });
                    }
                }
            }
            Due::Message { body, from, to, all, ttl } => {
                let packet = routing_message(&mut self.packets, crate::wire::Protocol::Aodv, &body);
                self.packets[packet].ttl = ttl;
                if !all {
                    self.packets[packet].destination = NodeId(to);
                }
                self.handle(to, Input::Message { packet, from: NodeId(from) });
            }
            Due::Later { packet, from, to } => self.transmit(from, to, packet),
            Due::Packet { packet, from, to } => {
                let header = &mut self.packets[packet];
                header.ttl -= 1;
                assert!(header.ttl > 0, "a packet goes in a circle");
                if header.destination == NodeId(to) {
                    self.packets.end(packet, Fate::Delivered);
                } else {
                    self.ask(to, packet, Provenance::Neighbour(NodeId(from)));
                }
            }
        }
        self.check_loops();
    }

    /// Each valid route, followed from hop to hop, ends.
    fn check_loops(&mut self) {
        for destination in 0..NODES {
            for start in (0..NODES).filter(|&start| start != destination) {
                let (mut at, mut hops) = (start, 0);
                while at != destination {
                    let route = self.nodes[at as usize].table_mut().valid(self.now, NodeId(destination));
                    let Some(next) = route.map(|route| route.next_hop.0) else { break };
                    (at, hops) = (next, hops + 1);
                    assert!(hops <= NODES, "a circle from {start} towards {destination} at {}", self.now);
                }
            }
        }
    }

    fn run(&mut self, until: SimTime) {
        while let Some(index) = (0..self.due.len()).min_by_key(|&i| (self.due[i].0, self.due[i].1)) {
            if self.due[index].0 > until {
                break;
            }
            let (at, _, due) = self.due.remove(index);
            self.now = at;
            self.happen(due);
        }
        self.now = until;
    }

    fn events(&mut self, events: &[Event]) {
        for event in events {
            match *event {
                Event::Toggle(a, b) if a != b => {
                    let place = link(a, b);
                    self.links[place] = !self.links[place];
                }
                Event::Send(from, to) if from != to => {
                    let packet = udp(&mut self.packets, FlowId(0), NodeId(to), 0, 100);
                    self.packets[packet].source = NodeId(from);
                    self.ask(from, packet, Provenance::Here);
                }
                Event::Toggle(..) | Event::Send(..) => {}
                Event::Wait(ms) => self.run(self.now + Dur::from_ms(ms)),
            }
        }
        // Long after the last packet nothing is left anywhere.
        self.run(self.now + Dur::from_secs(60));
        assert_eq!(
            self.nodes.iter().map(|node| node.packets().len()).sum::<usize>(),
            0,
            "nothing waits for ever"
        );
        assert_eq!(self.packets.live(), 0, "no packet is lost from sight");
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    let node = || 0..NODES;
    prop_oneof![
        3 => (node(), node()).prop_map(|(a, b)| Event::Toggle(a, b)),
        5 => (node(), node()).prop_map(|(from, to)| Event::Send(from, to)),
        3 => prop_oneof![1u64..50, 50u64..1_000, 1_000u64..8_000].prop_map(Event::Wait),
    ]
}

proptest! {
    #[test]
    fn routes_never_lead_in_circles_nor_through_who_is_gone(
        events in prop::collection::vec(any_event(), 1..60),
        repair in any::<bool>(),
        gratuitous in any::<bool>(),
        loss in prop_oneof![Just(0.0), Just(0.3)],
    ) {
        let local_repair = if repair { LocalRepair::Rfc } else { LocalRepair::Off };
        let config = AodvConfig { local_repair, gratuitous, ..AodvConfig::default() };
        Net::new(&config, loss).events(&events);
    }
}
