//! How the layers of a node meet: forwarding, failures, unclaimed packets, kept frames without a route.

use super::rig::{Rig, link, quick_tcp};
use crate::node::IfIndex;
use crate::node::{Action, AnyTransport, App, Endpoint, Input, Node, Order};
use crate::queue::{OnGiveUp, QueueConfig, Service};
use crate::routing::dsdv::{Dsdv, INFINITY, Line, emit};
use crate::routing::{AnyRouting, DsdvConfig};
use crate::shim::AnyShim;

use crate::tcp::AnyGate;
use crate::testing::{cx, routing_message};
use crate::udp;
use crate::units::{Bytes, Dur, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{BatchId, DropReason, Frame, FrameKind, PacketStore, Protocol, UserPriority};

#[test]
fn datagrams_cross_a_chain_and_every_custody_is_settled() {
    let mut world = Rig::chain(4, &QueueConfig::default());
    world.udp(0, 0, 3);
    for _ in 0..10 {
        world.app(0, 0, App::Datagram(500));
    }
    world.run(SimTime::from_secs(1));
    assert_eq!(world.arrived(0), 5000);
    assert_eq!(world.nodes[3].hosts().all()[0].order.reordered, 0);
    let ledger = world.packets.ledger();
    assert_eq!((ledger.created, ledger.delivered, ledger.handed_over, ledger.received), (10, 10, 30, 30));
    world.check_ledger();
}

//  sent      1 2 3 4 5 6
//  arrives   1 3 2 4 6 5 5
//                ^     ^ ^
#[test]
fn what_arrives_after_a_later_packet_is_reordered() {
    let mut order = Order::default();
    let counts = [1, 3, 2, 4, 6, 5, 5].map(|uid| {
        order.arrived(NodeId(0), uid);
        order.reordered
    });
    assert_eq!(counts, [0, 0, 1, 1, 1, 2, 3]);
}

//  node 0 sends   1 3   5
//  node 1 sends     2 4
//  arrives        2 1 4 3 5    each in order
#[test]
fn packets_of_two_makers_have_no_order() {
    let mut order = Order::default();
    for (maker, uid) in [(1, 2), (0, 1), (1, 4), (0, 3), (0, 5)] {
        order.arrived(NodeId(maker), uid);
    }
    assert_eq!(order.reordered, 0);
    order.arrived(NodeId(1), 2);
    assert_eq!(order.reordered, 1);
}

#[test]
fn a_transfer_in_both_directions_completes() {
    let mut world = Rig::chain(3, &QueueConfig::default());
    world.tcp(0, 0, 2, &quick_tcp(), AnyShim::NONE, AnyGate::OPEN);
    world.tcp(1, 2, 0, &quick_tcp(), AnyShim::NONE, AnyGate::OPEN);
    for (node, flow) in [(0, 0), (2, 1)] {
        world.app(node, flow, App::Open);
        world.app(node, flow, App::Write(50_500));
    }
    world.run(SimTime::from_secs(30));
    assert!(world.is_complete(0) && world.is_complete(1));
    assert_eq!((world.arrived(0), world.arrived(1)), (50_500, 50_500));
    world.check_ledger();
}

#[test]
fn packets_that_nobody_waits_for_are_counted() {
    let mut world = Rig::chain(2, &QueueConfig::default());
    let source = AnyTransport::UdpSource(udp::Source::default());
    let lonely = Endpoint::new(FlowId(0), NodeId(1), source);
    world.nodes[0].hosts_mut().add(lonely);
    world.app(0, 0, App::Datagram(100));
    world.run(SimTime::from_secs(1));
    assert_eq!(world.dropped(DropReason::Unclaimed), 1);
    world.check_ledger();
}

#[test]
fn the_hop_limit_ends_a_loop() {
    // Two nodes that each believe that the other is the way to node 5.
    let mut table = crate::routing::fixed::RouteTable::new(6);
    table.set(NodeId(5), Box::new([NodeId(1), NodeId(0), NodeId(0), NodeId(0), NodeId(0), NodeId(0)]));
    let table = std::sync::Arc::new(table);
    let node = |id| {
        let routes = crate::routing::fixed::FixedRoutes::new(NodeId(id), std::sync::Arc::clone(&table));
        Node::new(NodeId(id), link(id, QueueConfig::default()), AnyRouting::Fixed(routes), Bytes::ZERO)
    };
    let mut world = Rig::new(vec![node(0), node(1)]);
    let source = AnyTransport::UdpSource(udp::Source::default());
    world.nodes[0].hosts_mut().add(Endpoint::new(FlowId(0), NodeId(5), source));
    world.app(0, 0, App::Datagram(100));
    world.run(SimTime::from_secs(10));
    assert_eq!(world.dropped(DropReason::Expired), 1);
    assert_eq!(world.packets.ledger().received, 64);
    world.check_ledger();
}

#[test]
fn no_route_is_a_reason() {
    let mut world = Rig::chain(2, &QueueConfig::default());
    let source = AnyTransport::UdpSource(udp::Source::default());
    let lost = Endpoint::new(FlowId(0), NodeId(7), source);
    world.nodes[0].hosts_mut().add(lost);
    world.app(0, 0, App::Datagram(100));
    assert_eq!(world.dropped(DropReason::NoRoute), 1);
    world.check_ledger();
}

/// A link that loses everything: retry limit, drop, and the next packet has its chance.
#[test]
fn a_dead_link_drops_at_the_retry_limit_unless_the_queue_keeps() {
    for (on_give_up, lost) in [(OnGiveUp::Drop, 3), (OnGiveUp::Keep, 0)] {
        let queue = QueueConfig { on_give_up, ..QueueConfig::default() };
        let mut world = Rig::chain(2, &queue);
        world.udp(0, 0, 1);
        world.lost = Box::new(|now, frame, _| frame.from == NodeId(0) && now < SimTime::from_secs(2));
        for _ in 0..3 {
            world.app(0, 0, App::Datagram(100));
        }
        world.run(SimTime::from_secs(10));
        assert_eq!(world.dropped(DropReason::RetryLimitData), lost, "{on_give_up:?}");
        assert_eq!(world.arrived(0), 300 - 100 * lost);
        world.check_ledger();
    }
}

/// The Ack of a frame is lost until the sender gives up; kept, it comes again and is filtered.
#[test]
fn a_kept_frame_that_had_arrived_is_delivered_once() {
    let queue = QueueConfig { on_give_up: OnGiveUp::Keep, ..QueueConfig::default() };
    let mut world = Rig::chain(2, &queue);
    world.udp(0, 0, 1);
    world.lost = Box::new(|now, frame, _| frame.kind == FrameKind::Ack && now < SimTime::from_ms(300));
    world.app(0, 0, App::Datagram(100));
    world.app(0, 0, App::Datagram(100));
    world.run(SimTime::from_secs(5));
    assert_eq!(world.arrived(0), 200);
    let ledger = world.packets.ledger();
    assert_eq!((ledger.delivered, ledger.handed_over), (2, 2));
    assert!(ledger.absorbed[crate::wire::Absorbed::MacDuplicate as usize] > 7);
    assert!(world.nodes[0].links().link().queue().counters(world.now).kept > 0);
    world.check_ledger();
}

/// Node 1 with DSDV, alone with what the test lets it hear.
struct Alone {
    node: Node,
    packets: PacketStore,
    /// The transmissions that it asked for.
    sent: Vec<Frame>,
    wakes: [SimTime; 3],
    now: SimTime,
}

impl Alone {
    fn tell(&mut self, input: Input<'_>) {
        let mut out = Vec::new();
        self.node.handle(&mut cx(self.now, &mut self.packets), input, &mut out);
        for action in out {
            match action {
                Action::Arm(_, timer, at) => self.wakes[timer as usize - 1] = at,
                Action::Transmit(frame) => self.sent.push(frame),
                _ => {}
            }
        }
    }

    /// Lets time pass; nothing is ever answered.
    fn run(&mut self, until: SimTime) {
        use crate::node::Timer;
        while let Some(&at) = self.wakes.iter().min()
            && at <= until
        {
            self.now = at;
            for timer in [Timer::Access, Timer::Sequence, Timer::Upper] {
                if self.wakes[timer as usize - 1] == at {
                    self.wakes[timer as usize - 1] = SimTime::MAX;
                    self.tell(Input::Timer(IfIndex::FIRST, timer));
                }
            }
        }
        self.now = until;
    }

    /// A routing message from a neighbour.
    fn hear(&mut self, from: u32, lines: &[(u32, u32, u32)]) {
        let line = |&(destination, metric, sequence): &(u32, u32, u32)| Line {
            destination: NodeId(destination),
            metric,
            sequence,
        };
        let body = emit(&lines.iter().map(line).collect::<Vec<_>>());
        let packet = routing_message(&mut self.packets, Protocol::Dsdv, &body);
        let frame = Frame {
            kind: FrameKind::Data,
            retry: false,
            more: false,
            sequence: 1,
            from: NodeId(from),
            to: NodeId::BROADCAST,
            packet,
            second: None,
            batch: BatchId::NONE,
            priority: UserPriority::BEST_EFFORT,
            size: Bytes(100),
            duration: Dur::ZERO,
            tx: crate::testing::TX,
            airtime: Dur::from_us(992),
        };
        self.tell(Input::Receive(IfIndex::FIRST, &frame, 1e-9));
    }

    fn sent_to(&self, node: u32) -> usize {
        self.sent.iter().filter(|frame| frame.to == NodeId(node)).count()
    }
}

fn alone() -> Alone {
    let dsdv = DsdvConfig { startup_jitter: Dur::from_secs(14), ..DsdvConfig::default() };
    let rng = Rng::stream(1, 1, Entity::Node("1"), Purpose::Jitter);
    let routing = AnyRouting::Dsdv(Box::new(Dsdv::new(dsdv, NodeId(1), rng)));
    let queue = QueueConfig { service: Service::Drr, on_give_up: OnGiveUp::Keep, ..QueueConfig::default() };
    let mut node = Node::new(NodeId(1), link(1, queue), routing, Bytes::ZERO);
    for (flow, peer) in [(0, 4), (1, 5)] {
        let source = AnyTransport::UdpSource(udp::Source::default());
        node.hosts_mut().add(Endpoint::new(FlowId(flow), NodeId(peer), source));
    }
    let mut alone = Alone {
        node,
        packets: PacketStore::new(2),
        sent: Vec::new(),
        wakes: [SimTime::MAX; 3],
        now: SimTime::ZERO,
    };
    alone.tell(Input::Start);
    alone
}

//  4 lies behind 2, 5 behind 3. A packet for each; nothing is ever acknowledged.
#[test]
fn a_kept_frame_without_a_route_lets_the_others_pass_and_goes_on_when_there_is_one() {
    let mut alone = alone();
    alone.now = SimTime::from_ms(1);
    alone.hear(2, &[(2, 0, 2), (4, 1, 2)]);
    alone.hear(3, &[(3, 0, 2), (5, 1, 2)]);
    alone.tell(Input::App(FlowId(0), App::Datagram(100)));
    alone.tell(Input::App(FlowId(1), App::Datagram(100)));
    alone.run(SimTime::from_secs(1));
    assert!(alone.sent_to(2) > 14 && alone.sent_to(3) > 14, "both are tried again and again");

    alone.hear(2, &[(4, INFINITY, 3)]);
    alone.run(SimTime::from_ms(1500));
    let (to_2, to_3) = (alone.sent_to(2), alone.sent_to(3));
    alone.run(SimTime::from_secs(2));
    assert_eq!(alone.sent_to(2), to_2, "no route to 4: not tried");
    assert!(alone.sent_to(3) > to_3 + 7, "5 goes on");

    alone.hear(3, &[(5, INFINITY, 3)]);
    alone.run(SimTime::from_ms(2500));
    let quiet = alone.sent_to(3);
    alone.run(SimTime::from_secs(3));
    assert_eq!(alone.sent_to(3), quiet, "nobody has a route");
    assert_eq!(alone.node.links().link().queue().held().count(), 2, "and nothing is lost");

    // The way to 4 is now over 3, and nothing new has to be queued for it to be used.
    alone.hear(3, &[(4, 2, 4)]);
    alone.run(SimTime::from_secs(4));
    assert!(alone.sent_to(3) > quiet + 7, "readdressed to 3");
    assert_eq!(alone.sent_to(2), to_2);
}

/// ns-2's agents of 2001 count no TCP and IP headers in front of data; a segment without payload is 40 bytes all the
/// same.
#[test]
fn what_headers_count_in_front_of_data_can_be_set() {
    for header in [40, 0] {
        let mut world = Rig::chain(2, &QueueConfig::default());
        world.tcp(0, 0, 1, &quick_tcp(), AnyShim::NONE, AnyGate::OPEN);
        for node in &mut world.nodes {
            node.origin_mut().set_data_header(Bytes(header));
        }
        let sizes = std::rc::Rc::new(std::cell::RefCell::new(std::collections::BTreeSet::new()));
        let seen = std::rc::Rc::clone(&sizes);
        world.lost = Box::new(move |_, frame, _| {
            if frame.kind == FrameKind::Data {
                seen.borrow_mut().insert(frame.size.0);
            }
            false
        });
        world.app(0, 0, App::Open);
        world.app(0, 0, App::Write(10_000));
        world.run(SimTime::from_secs(2));
        assert_eq!(*sizes.borrow(), [40 + 36, 1000 + header + 36].into(), "{header}");
    }
}
