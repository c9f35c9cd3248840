//! The walls of the architecture in whole networks: throw-away machines stand where techniques will, and the ledger
//! of every run balances.

use std::sync::{Arc, Mutex};

use crate::common::walls::{advance, chain};
use multihop_proto::contract::{Control, Cx, Dropped, End, NodeState, Notice, Sink, TcpView};
use multihop_proto::endpoint::SenderEnd;
use multihop_proto::node::AnyTransport;
use multihop_proto::proxy::{Action as ProxyAction, Agent, Input as ProxyInput, Towards, Verdict};
use multihop_proto::routing::{self, AnyRouting, Decision, Disposal, GivenUp, Provenance, Routing};
use multihop_proto::shim::{self, AnyShim, Input as ShimInput, Shim, Verdict as ShimVerdict};
use multihop_proto::tcp::connection::Arrival;
use multihop_proto::tcp::gate::{AnyGate, Gate};
use multihop_proto::tcp::{self, Handshake, Receiver, Sender, TcpConfig};
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{DropReason, Frame, GiveUp, PacketId, PacketStore, Payload, Segment};
use multihop_sim::network::Network;
use multihop_sim::probe::{Tap, Traced};
use multihop_sim::scenario::Placement;

/// Keeps the reasons of all drops at node 0.
#[derive(Clone, Default)]
struct Drops(Arc<Mutex<Vec<DropReason>>>);

impl Drops {
    fn count(&self, reason: DropReason) -> usize {
        self.0.lock().expect("one thread").iter().filter(|&&dropped| dropped == reason).count()
    }
}

impl Tap for Drops {
    fn sent(&mut self, _: SimTime, _: &Frame, _: &PacketStore) {}
    fn received(&mut self, _: SimTime, _: NodeId, _: f64, _: &Frame, _: &PacketStore) {}
    fn dropped(&mut self, _: SimTime, node: NodeId, dropped: &Dropped, _: Option<GiveUp>) {
        if node == NodeId(0) {
            self.0.lock().expect("one thread").push(dropped.reason);
        }
    }
    fn pause(&mut self, _: SimTime, _: &PacketStore) {}
    fn finish(self: Box<Self>, _: &PacketStore) -> Result<Option<Traced>, String> {
        Ok(None)
    }
}

/// The TCP sender of the flow.
fn source(network: &mut Network) -> &mut SenderEnd {
    let ends = network.node_mut(NodeId(0)).hosts_mut().all_mut();
    let tcp = ends.iter_mut().find_map(|end| match &mut end.kind {
        AnyTransport::TcpSender(tcp) => Some(&mut **tcp),
        _ => None,
    });
    tcp.expect("a TCP sender at node 0")
}

/// Bytes that have arrived in order at the far end of the flow.
fn arrived(network: &Network) -> u64 {
    let ends = network.nodes().last().expect("nodes").hosts().all();
    let bytes = ends.iter().find_map(|end| match &end.kind {
        AnyTransport::TcpReceiver(end) => Some(end.receiver.expected()),
        _ => None,
    });
    bytes.expect("a TCP receiver at the last node")
}

/// Vertical flow control in a nutshell: no more than the interface queue takes.
#[derive(Debug)]
struct RoomInQueue;

impl Gate for RoomInQueue {
    fn budget<'a>(&mut self, node_state: &NodeState, _: &dyn Fn() -> TcpView<'a>) -> u32 {
        node_state.queue_free
    }
}

#[test]
fn a_gate_keeps_the_interface_queue_from_overflowing() {
    let mut with_gate = Vec::new();
    for gated in [false, true] {
        let drops = Drops::default();
        let mut network = Network::new(&chain(2, "", &["queue.limit=6"]), 1);
        network.set_tap(Box::new(drops.clone()));
        if gated {
            source(&mut network).gate = AnyGate::Custom(Box::new(RoomInQueue));
        }
        advance(&mut network, 100);
        with_gate.push((drops.count(DropReason::QueueFull), arrived(&network)));
    }
    let [(overflows, without), (none, with)] = with_gate[..] else { panic!("two runs") };
    assert!(overflows > 10 && none == 0, "{overflows} {none}");
    assert!(with > without / 2, "and the transfer goes on: {with} for {without}");
}

/// Takes every timeout for bad luck.
#[derive(Debug)]
struct NoTimeouts;

impl Shim for NoTimeouts {
    fn handle(
        &mut self,
        _: &mut Cx<'_>,
        _: &NodeState,
        input: ShimInput<'_>,
        end: &End<'_>,
        out: &mut Vec<shim::Action>,
    ) -> ShimVerdict {
        if input != ShimInput::Timeout {
            return ShimVerdict::Pass;
        }
        let seq = end.sender().map_or(0, |tcp| tcp.una);
        out.extend([
            shim::Action::Control(Control::SetCwnd { segments: 3.0 }),
            shim::Action::Control(Control::Retransmit { seq }),
            shim::Action::Control(Control::RestartTimer),
        ]);
        ShimVerdict::Swallow
    }
}

#[test]
fn a_shim_takes_timeouts_away_from_tcp() {
    let lossy = ["air.bit-error-rate=5e-5"];
    let mut plain = Network::new(&chain(3, "", &lossy), 1);
    advance(&mut plain, 200);
    assert!(source(&mut plain).sender.counters().timeouts > 0);

    let mut network = Network::new(&chain(3, "", &lossy), 1);
    let ends = network.node_mut(NodeId(0)).hosts_mut().all_mut();
    ends[0].kind.set_shim(AnyShim::Custom(Box::new(NoTimeouts)));
    advance(&mut network, 200);
    let counters = source(&mut network).sender.counters();
    assert_eq!(counters.timeouts, 0);
    assert!(counters.retransmissions > 0 && arrived(&network) > 1_000_000, "{counters:?}");
}

/// Split TCP: receives in the destination's name and sends in the source's.
#[derive(Debug)]
struct Split {
    receiver: Receiver,
    sender: Sender,
    due: [SimTime; 2],
}

impl Split {
    fn new(config: &TcpConfig) -> Self {
        let sender = Sender::new(TcpConfig { handshake: Handshake::None, ..config.clone() }, FlowId(0));
        Self { receiver: Receiver::new(config), sender, due: [SimTime::MAX; 2] }
    }

    fn pass_on(&mut self, told: Vec<tcp::Action>, towards: Towards, out: &mut Vec<ProxyAction>) {
        for action in told {
            match action {
                tcp::Action::Send(segment) => out.push(ProxyAction::Send(towards, segment)),
                tcp::Action::Arm(timer, at) => self.due[timer as usize] = at,
                tcp::Action::Event(_) => {}
            }
        }
    }

    fn tell_sender(&mut self, now: SimTime, input: tcp::Input, out: &mut Vec<ProxyAction>) {
        let mut told = Vec::new();
        self.sender.handle(now, input, &mut told);
        self.pass_on(told, Towards::Destination, out);
    }

    fn data(&mut self, now: SimTime, segment: &Segment, out: &mut Vec<ProxyAction>) {
        let mut told = Vec::new();
        let arrival = self.receiver.on_segment(now, segment, &mut told);
        self.pass_on(told, Towards::Source, out);
        if let Arrival::New { readable } = arrival {
            if self.sender.view().nxt == 0 {
                self.tell_sender(now, tcp::Input::Open, out);
            }
            self.tell_sender(now, tcp::Input::Write(readable), out);
        }
    }
}

impl Agent for Split {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &NodeState,
        input: ProxyInput,
        out: &mut Vec<ProxyAction>,
    ) -> Verdict {
        if let ProxyInput::Passing(id) = input {
            let Payload::Tcp(segment) = cx.packets[id].payload else { return Verdict::Pass };
            if cx.packets[id].towards == Towards::Source {
                self.tell_sender(cx.now, tcp::Input::Segment(segment), out);
            } else {
                self.data(cx.now, &segment, out);
            }
        }
        if self.due[0] <= cx.now {
            self.due[0] = SimTime::MAX;
            self.tell_sender(cx.now, tcp::Input::Timer(tcp::Timer::Retransmit), out);
        }
        if self.due[1] <= cx.now {
            self.due[1] = SimTime::MAX;
            let mut told = Vec::new();
            self.receiver.on_timer(cx.now, &mut told);
            self.pass_on(told, Towards::Source, out);
        }
        out.push(ProxyAction::Arm(self.due[0].min(self.due[1])));
        Verdict::Absorb
    }
}

#[test]
fn a_proxy_in_a_relay_splits_a_connection_in_two() {
    for handshake in ["none", "syn", "ns2"] {
        let handshake = format!("tcp.handshake=\"{handshake}\"");
        let scenario = chain(6, "kind = \"file\"\nsize = \"400 kB\"", &[&handshake, "tcp.ack-every=2"]);
        let mut network = Network::new(&scenario, 1);
        network.node_mut(NodeId(3)).relays_mut().add(FlowId(0), Box::new(Split::new(&scenario.config.tcp)));
        advance(&mut network, 200);
        assert_eq!(arrived(&network), 400_000, "{handshake}");
        let view = source(&mut network).sender.view();
        assert_eq!((view.una, view.timer), (400_000, SimTime::MAX), "{handshake}");
    }
}

/// Lets everything pass and says where it stands.
#[derive(Debug)]
struct Watchman(NodeId, Arc<Mutex<Vec<NodeId>>>);

impl Agent for Watchman {
    fn handle(
        &mut self,
        _: &mut Cx<'_>,
        _: &NodeState,
        input: ProxyInput,
        _: &mut Vec<ProxyAction>,
    ) -> Verdict {
        if let ProxyInput::Passing(_) = input {
            self.1.lock().expect("one thread").push(self.0);
        }
        Verdict::Pass
    }
}

#[test]
fn agents_stand_at_every_so_many_hops_or_where_they_are_named() {
    let named = Placement::Nodes([5, 2, 6].map(NodeId).to_vec());
    for (placement, expected, passed) in [
        (Placement::Every(1), vec![1, 2, 3, 4, 5], vec![1, 2, 3, 4, 5]),
        (Placement::Every(2), vec![2, 4], vec![2, 4]),
        (Placement::Every(3), vec![3], vec![3]),
        (Placement::Every(6), vec![], vec![]),
        (named, vec![5, 2, 6], vec![2, 5]), // nothing passes the end
    ] {
        let mut network = Network::new(&chain(6, "kind = \"file\"\nsize = \"20 kB\"", &[]), 1);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let make = |node| -> Box<dyn Agent> { Box::new(Watchman(node, Arc::clone(&seen))) };
        let nodes = network.place_agents(FlowId(0), &placement, make);
        assert_eq!(nodes, expected.into_iter().map(NodeId).collect::<Vec<_>>());
        advance(&mut network, 60);
        let mut seen = seen.lock().expect("one thread").clone();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, passed.into_iter().map(NodeId).collect::<Vec<_>>());
        assert_eq!(arrived(&network), 20_000);
    }
}

/// A relay goes down in the middle of everything and returns, under both reception models and both routings.
#[test]
fn a_relay_goes_down_and_returns() {
    for (reception, delay) in [("ns2", "0 us"), ("sinr", "0 us"), ("ns2", "2 us")] {
        for routing in ["static", "dsdv"] {
            let sets = [
                format!("air.reception=\"{reception}\""),
                format!("routing.kind=\"{routing}\""),
                format!("air.propagation-delay={delay}"),
            ];
            let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
            let mut network = Network::new(&chain(3, "start = \"100 s\"", &sets), 1);
            network.advance(SimTime::from_secs(120));
            let said = format!("{reception} {delay} {routing}");
            // At many phases of the exchanges, transmissions of its own included.
            for cycle in 0..60 {
                let off = SimTime::from_ms(120_000 + 1000 * cycle) + Dur::from_us(977 * cycle);
                network.advance(off);
                network.power(NodeId(1), false);
                assert_eq!(network.nodes()[1].held(), 0, "{said}");
                network.check_ledger().unwrap_or_else(|unbalanced| panic!("{said}: {unbalanced}"));
                network.advance(off + Dur::from_us(200 + 5000 * (cycle % 2)));
                network.power(NodeId(1), true);
            }
            let before = arrived(&network);
            assert!(before > 100_000, "{said}: {before}");
            advance(&mut network, 600);
            assert!(arrived(&network) > before + 2_000_000, "{said}: {before} {}", arrived(&network));
        }
    }
}

#[test]
fn while_a_relay_is_down_nothing_passes_and_both_directions_recover() {
    let mut network = Network::new(&chain(4, "", &[]), 1);
    advance(&mut network, 50);
    network.power(NodeId(2), false);
    let before = arrived(&network);
    advance(&mut network, 80);
    assert!(arrived(&network) <= before + 4 * 1460, "no more than what had passed it");
    network.power(NodeId(2), true);
    advance(&mut network, 200);
    assert!(arrived(&network) > before + 2_000_000);
}

/// Broadcasts end their sender's custody as they end there; their receivers hear them later.
#[test]
fn routing_messages_survive_a_propagation_delay() {
    for delay in ["0 us", "1 ns", "1 us", "2 us"] {
        let scenario =
            chain(3, "start = \"60 s\"", &["routing.kind=dsdv", &format!("air.propagation-delay={delay}")]);
        let mut network = Network::new(&scenario, 1);
        for second in 1..=100 {
            advance(&mut network, second);
        }
        assert!(arrived(&network) > 1_000_000, "{delay}: {}", arrived(&network));
    }
}

/// Finds routes when it is asked, after a while; forgets them when a link fails.
#[derive(Debug, Default)]
struct OnDemand {
    to: Option<NodeId>,
    due: SimTime,
    waiting: Vec<PacketId>,
    counts: Arc<Mutex<(u32, u32)>>,
}

impl Routing for OnDemand {
    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<routing::Action>,
    ) -> Decision {
        if let Some(to) = self.to {
            return Decision::To(to);
        }
        self.due = self.due.min(cx.now + Dur::from_ms(20));
        out.put(routing::Action::Arm(self.due));
        if matches!(provenance, Provenance::Kept(_)) {
            assert_eq!(cx.packets[packet].destination, NodeId(1), "the packet can be read");
            self.counts.lock().expect("one thread").0 += 1;
            return Decision::Stays;
        }
        self.waiting.push(packet);
        Decision::Waiting
    }

    fn given_up(&mut self, _: &mut Cx<'_>, _: GivenUp, out: &mut Vec<routing::Action>) -> Disposal {
        self.counts.lock().expect("one thread").1 += 1;
        (self.to, self.due) = (None, SimTime::MAX);
        out.put(routing::Action::Arm(self.due));
        Disposal::Leave
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: routing::Input, out: &mut Vec<routing::Action>) {
        if input == routing::Input::Timer && self.due <= cx.now {
            (self.to, self.due) = (Some(NodeId(1)), SimTime::MAX);
            out.put(routing::Action::Notice(Notice::RouteFound { destination: NodeId(1), hops: 1 }));
            for packet in self.waiting.drain(..) {
                out.put(routing::Action::Forward { packet, to: NodeId(1), delay: Dur::ZERO });
            }
        }
        out.put(routing::Action::Arm(self.due));
    }

    fn packets(&self) -> Vec<PacketId> {
        self.waiting.clone()
    }
}

/// A single datagram, kept while its receiver is away: nothing but the kept packet itself can make routing look for a
/// new route.
#[test]
fn a_kept_packet_makes_on_demand_routing_look_for_a_route() {
    let flow = "kind = \"cbr\"\nrate = \"400 kbps\"\npacket = \"500 B\"\nstart = \"1 s\"\nstop = \"1.005 s\"";
    let scenario = chain(1, flow, &["queue.service=drr", "queue.on-give-up=keep"]);
    let mut network = Network::new(&scenario, 1);
    let counts = Arc::default();
    let routing = OnDemand { due: SimTime::MAX, counts: Arc::clone(&counts), ..OnDemand::default() };
    network.node_mut(NodeId(0)).set_routing(AnyRouting::Custom(Box::new(routing)));
    network.power(NodeId(1), false);
    advance(&mut network, 10);
    let (wanted, failed) = *counts.lock().expect("one thread");
    assert!(wanted > 50 && failed > 50, "asked {wanted} times after {failed} failures");
    network.power(NodeId(1), true);
    advance(&mut network, 11);
    assert_eq!(network.nodes()[0].held(), 0, "it has got through");
}
