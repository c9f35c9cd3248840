//! A handful of nodes around a medium without collisions, in which a test says what is lost.

use crate::node::IfIndex;
use crate::routing::AnyRouting;
use crate::shim::AnyShim;
use std::sync::Arc;

use crate::contract::Cx;
use crate::endpoint::SenderEnd;
use crate::link::Link;
use crate::mac::dcf::Dcf;
use crate::mac::{DcfConfig, Sensed};
use crate::node::{Action, AnyTransport, App, Endpoint, Input, Node, Timer};
use crate::queue::{Queue, QueueConfig};

use crate::routing::fixed::{FixedRoutes, RouteTable};

use crate::tcp::{AnyGate, Receiver, Sender, TcpConfig};
use crate::udp;
use crate::units::{Bytes, Entity, FlowId, NodeId, Purpose, Rng, SimTime};
use crate::wire::{DropReason, Frame, PacketStore};

/// Whether a frame is lost on its way to a node.
type Loss = Box<dyn FnMut(SimTime, &Frame, NodeId) -> bool>;

/// A transmission.
struct Airborne {
    start: SimTime,
    end: SimTime,
    frame: Frame,
    /// The sender went down meanwhile.
    cut: bool,
}

/// Nodes, medium and event loop.
pub(super) struct Rig {
    pub(super) nodes: Vec<Node>,
    pub(super) packets: PacketStore,
    pub(super) now: SimTime,
    pub(super) lost: Loss,
    /// How many messages to all were dealt with by [`Node::try_receive_fast`]; none: it is not asked.
    pub(super) passed_by: Option<u64>,
    /// What the nodes told the record, with its time and node.
    pub(super) record: Vec<(SimTime, NodeId, Action)>,
    wakes: Vec<[SimTime; 3]>,
    air: Vec<Airborne>,
}

/// Basic access, so that few frames make a transfer.
pub(super) fn link(id: u32, queue: QueueConfig) -> Link {
    let rng = Rng::stream(1, 1, Entity::Node(&id.to_string()), Purpose::Backoff);
    Link::dcf(Queue::new(queue), Dcf::new(DcfConfig::default(), NodeId(id), rng))
}

/// Routes of a chain of `count` nodes.
pub(super) fn chain_routes(count: u32) -> Arc<RouteTable> {
    let mut table = RouteTable::new(count as usize);
    for destination in 0..count {
        let towards = |node: u32| match node.cmp(&destination) {
            std::cmp::Ordering::Less => NodeId(node + 1),
            std::cmp::Ordering::Equal => NodeId::BROADCAST,
            std::cmp::Ordering::Greater => NodeId(node - 1),
        };
        table.set(NodeId(destination), (0..count).map(towards).collect());
    }
    Arc::new(table)
}

/// A node of a chain with static routes.
pub(super) fn chain_node(id: u32, count: u32, queue: QueueConfig) -> Node {
    let routing = AnyRouting::Fixed(FixedRoutes::new(NodeId(id), chain_routes(count)));
    Node::new(NodeId(id), link(id, queue), routing, Bytes::ZERO)
}

impl Rig {
    /// These nodes; the one at index i must have number i. Neighbours differ by one.
    pub(super) fn new(nodes: Vec<Node>) -> Self {
        let wakes = vec![[SimTime::MAX; 3]; nodes.len()];
        let mut world = Self {
            nodes,
            packets: PacketStore::new(4),
            now: SimTime::ZERO,
            lost: Box::new(|_, _, _| false),
            passed_by: None,
            record: Vec::new(),
            wakes,
            air: Vec::new(),
        };
        for index in 0..world.nodes.len() {
            world.tell(index, Input::Start);
        }
        world
    }

    /// A chain with static routes.
    pub(super) fn chain(count: u32, queue: &QueueConfig) -> Self {
        Self::new((0..count).map(|id| chain_node(id, count, queue.clone())).collect())
    }

    /// Adds both ends of a TCP flow.
    pub(super) fn tcp(
        &mut self,
        flow: u32,
        from: u32,
        to: u32,
        config: &TcpConfig,
        shim: AnyShim,
        gate: AnyGate,
    ) {
        let sender = Sender::new(config.clone(), FlowId(flow));
        let mut source = SenderEnd::new(sender);
        (source.gate, source.shim) = (gate, shim);
        let sink = AnyTransport::tcp_receiver(Receiver::new(config));
        self.ends(flow, from, to, AnyTransport::TcpSender(Box::new(source)), sink);
    }

    /// Adds both ends of a UDP flow.
    pub(super) fn udp(&mut self, flow: u32, from: u32, to: u32) {
        let (source, sink) = (udp::Source::default(), udp::Sink::default());
        self.ends(flow, from, to, AnyTransport::UdpSource(source), AnyTransport::UdpSink(sink));
    }

    fn ends(&mut self, flow: u32, from: u32, to: u32, source: AnyTransport, sink: AnyTransport) {
        for (here, there, kind) in [(from, to, source), (to, from, sink)] {
            let end = Endpoint::new(FlowId(flow), NodeId(there), kind);
            self.nodes[here as usize].hosts_mut().add(end);
        }
    }

    /// An application acts.
    pub(super) fn app(&mut self, node: u32, flow: u32, app: App) {
        self.tell(node as usize, Input::App(FlowId(flow), app));
    }

    /// A node goes down or comes back.
    pub(super) fn power(&mut self, node: u32, up: bool) {
        for airborne in self.air.iter_mut().filter(|airborne| airborne.frame.from == NodeId(node)) {
            airborne.cut |= !up;
        }
        self.tell(node as usize, Input::Power(up));
    }

    /// Hands an input to a node and carries out what it answers.
    pub(super) fn tell(&mut self, node: usize, input: Input<'_>) {
        let mut cx = Cx { now: self.now, packets: &mut self.packets };
        let mut out = Vec::new();
        self.nodes[node].handle(&mut cx, input, &mut out);
        for action in out {
            match action {
                Action::Transmit(frame) => self.transmit(node, frame),
                Action::Arm(_, timer, at) => self.wakes[node][timer as usize - 1] = at,
                told => self.record.push((self.now, NodeId(node as u32), told)),
            }
        }
    }

    fn transmit(&mut self, node: usize, frame: Frame) {
        let end = self.now + frame.airtime;
        self.air.push(Airborne { start: self.now, end, frame, cut: false });
        for other in self.neighbours(node) {
            let wake = &mut self.wakes[other][Timer::Access as usize - 1];
            self.nodes[other].links_mut().interface_mut(IfIndex::FIRST).sense(
                self.now,
                Sensed::Carrier(end),
                |at| *wake = at,
            );
        }
    }

    fn neighbours(&self, node: usize) -> Vec<usize> {
        (0..self.nodes.len()).filter(|other| other.abs_diff(node) == 1).collect()
    }

    /// Runs until nothing happens before or at `until`.
    pub(super) fn run(&mut self, until: SimTime) {
        loop {
            let landing = self.air.iter().map(|airborne| airborne.end).min().unwrap_or(SimTime::MAX);
            let waking = self.wakes.iter().flatten().copied().min().unwrap_or(SimTime::MAX);
            let next = landing.min(waking);
            if next > until || next == SimTime::MAX {
                break;
            }
            self.now = next;
            if landing <= waking {
                let index = self.air.iter().position(|airborne| airborne.end == landing);
                let airborne = self.air.swap_remove(index.expect("just seen"));
                self.land(&airborne);
            } else {
                self.wake(waking);
            }
        }
        self.now = until;
    }

    fn land(&mut self, airborne: &Airborne) {
        let frame = airborne.frame;
        for other in self.neighbours(frame.from.index()) {
            let own = |own: &Airborne| own.frame.from.index() == other && own.start < airborne.end;
            let deaf = self.air.iter().any(own) || airborne.cut;
            if !deaf && !(self.lost)(self.now, &frame, NodeId(other as u32)) {
                self.hear(other, &frame);
            }
        }
        self.packets.release(&frame);
    }

    fn hear(&mut self, node: usize, frame: &Frame) {
        let mut cx = Cx { now: self.now, packets: &mut self.packets };
        if let Some(count) = &mut self.passed_by
            && frame.to != NodeId(node as u32)
            && self.nodes[node].is_up()
            && self.nodes[node].try_receive_fast(&mut cx, IfIndex::FIRST, frame)
        {
            *count += u64::from(frame.to.is_broadcast());
        } else {
            self.tell(node, Input::Receive(IfIndex::FIRST, frame, 1e-9));
        }
    }

    fn wake(&mut self, at: SimTime) {
        for node in 0..self.nodes.len() {
            for timer in [Timer::Access, Timer::Sequence, Timer::Upper] {
                if self.wakes[node][timer as usize - 1] == at {
                    self.wakes[node][timer as usize - 1] = SimTime::MAX;
                    return self.tell(node, Input::Timer(IfIndex::FIRST, timer));
                }
            }
        }
    }

    /// Checks that every packet that the ledger says is inside is in some node's custody.
    #[track_caller]
    pub(super) fn check_ledger(&self) {
        let held: u64 = self.nodes.iter().map(|node| node.held() as u64).sum();
        assert_eq!(self.packets.ledger().inside(), Some(held));
        assert_eq!(self.packets.holds(), self.air.iter().map(|air| air.frame.packets()).sum::<usize>());
        assert_eq!(self.packets.live() as u64, held);
    }

    /// Packets lost for this reason, all flows together.
    pub(super) fn dropped(&self, reason: DropReason) -> u64 {
        self.packets.ledger().dropped[reason as usize]
    }

    /// Bytes that arrived in order at a sink.
    pub(super) fn arrived(&self, flow: u32) -> u64 {
        let bytes = |(_, _, action): &(SimTime, NodeId, Action)| match action {
            Action::Arrived { flow: of, readable, .. } if of.0 == flow => *readable,
            _ => 0,
        };
        self.record.iter().map(bytes).sum()
    }

    /// Whether a transfer has been reported as complete.
    pub(super) fn is_complete(&self, flow: u32) -> bool {
        self.record.iter().any(|(_, _, action)| {
            matches!(action, Action::Transport { flow: of, event: crate::tcp::Event::Completed } if of.0 == flow)
        })
    }

    /// The TCP sender of a flow.
    pub(super) fn sender(&self, node: u32) -> &Sender {
        let end = self.nodes[node as usize].hosts().all().iter().find_map(|end| match &end.kind {
            AnyTransport::TcpSender(tcp) => Some(&tcp.sender),
            _ => None,
        });
        end.expect("a TCP sender")
    }
}

/// TCP with small timers, for short tests.
pub(super) fn quick_tcp() -> TcpConfig {
    TcpConfig {
        segment: Bytes(1000),
        max_window: 16,
        min_rto: crate::units::Dur::from_ms(200),
        ..TcpConfig::default()
    }
}
