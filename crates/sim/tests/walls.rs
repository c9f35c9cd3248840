//! The walls of the architecture in whole networks: throw-away machines stand where techniques will, and the ledger
//! of every run balances.

use std::sync::{Arc, Mutex};

use multihop_proto::endpoint::SenderEnd;
use multihop_proto::mac::{Action as MacAction, CustomMac, Input as MacInput, Mac, Sensed, Timer};
use multihop_proto::node::EndpointKind;
use multihop_proto::port::{
    Cause, Control, Cx, Dropped, End, Facts, Held, Notice, Offer, Outcome, Sink, TcpView,
};
use multihop_proto::proxy::{Action as ProxyAction, CustomProxy, Input as ProxyInput, Towards, Verdict};
use multihop_proto::routing::{self, CustomRouting, Decision, Disposal, GivenUp, Provenance, Routing};
use multihop_proto::shim::{self, CustomShim, Input as ShimInput, Shim, Verdict as ShimVerdict};
use multihop_proto::tcp::connection::Arrival;
use multihop_proto::tcp::gate::CustomGate;
use multihop_proto::tcp::{self, Gate, Handshake, Receiver, Sender, TcpConfig};
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{DropReason, Frame, FrameKind, PacketId, PacketStore, Part, Payload, Segment};
use multihop_sim::network::{Network, Placement};
use multihop_sim::probe::{Tap, Traced, Why};
use multihop_sim::scenario::{Layer, Resolved, Sources, resolve};

/// A chain with one flow from end to end, and settings over it.
fn chain(hops: usize, flow: &str, sets: &[&str]) -> Resolved {
    let text = format!(
        "profile = \"ns2\"\n[run]\nduration = \"1000 s\"\n[measure]\nsample = \"0 s\"\n\
         [topology]\nkind = \"chain\"\nhops = {hops}\nspacing = \"200 m\"\n\
         [tcp]\nmax-window = 20\n[[flow]]\nfrom = \"0\"\nto = \"{hops}\"\n{flow}\n"
    );
    let sources = Sources {
        scenario: Layer { name: "walls.toml".to_owned(), text },
        techniques: Vec::new(),
        sets: sets.iter().map(ToString::to_string).collect(),
    };
    resolve(&sources).unwrap_or_else(|error| panic!("{error}"))
}

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
    fn dropped(&mut self, _: SimTime, node: NodeId, dropped: &Dropped, _: Why) {
        if node == NodeId(0) {
            self.0.lock().expect("one thread").push(dropped.reason);
        }
    }
    fn pause(&mut self, _: SimTime, _: &PacketStore) {}
    fn finish(self: Box<Self>, _: &PacketStore) -> Result<Option<Traced>, String> {
        Ok(None)
    }
}

fn advance(network: &mut Network, seconds: u64) {
    network.advance(SimTime::from_secs(seconds));
    network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
}

/// The TCP sender of the flow.
fn source(network: &mut Network) -> &mut SenderEnd {
    let ends = network.node_mut(NodeId(0)).endpoints_mut();
    let tcp = ends.iter_mut().find_map(|end| match &mut end.kind {
        EndpointKind::TcpSender(tcp) => Some(&mut **tcp),
        _ => None,
    });
    tcp.expect("a TCP sender at node 0")
}

/// Bytes that have arrived in order at the far end of the flow.
fn arrived(network: &Network) -> u64 {
    let ends = network.nodes().last().expect("nodes").endpoints();
    let bytes = ends.iter().find_map(|end| match &end.kind {
        EndpointKind::TcpReceiver(end) => Some(end.receiver.expected()),
        _ => None,
    });
    bytes.expect("a TCP receiver at the last node")
}

/// Vertical flow control in a nutshell: no more than the interface queue takes.
#[derive(Debug)]
struct RoomInQueue;

impl CustomGate for RoomInQueue {
    fn budget(&mut self, facts: &Facts, _: &TcpView<'_>) -> u32 {
        facts.queue_free
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
            source(&mut network).gate = Gate::Custom(Box::new(RoomInQueue));
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

impl CustomShim for NoTimeouts {
    fn handle(
        &mut self,
        _: &mut Cx<'_>,
        _: &Facts,
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
    let ends = network.node_mut(NodeId(0)).endpoints_mut();
    ends[0].kind.set_shim(Shim::Custom(Box::new(NoTimeouts)));
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

impl CustomProxy for Split {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &Facts,
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
            self.receiver.on_timer(&mut told);
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
        network.node_mut(NodeId(3)).add_proxy(FlowId(0), Box::new(Split::new(&scenario.config.tcp)));
        advance(&mut network, 200);
        assert_eq!(arrived(&network), 400_000, "{handshake}");
        let view = source(&mut network).sender.view();
        assert_eq!((view.una, view.timer), (400_000, SimTime::MAX), "{handshake}");
    }
}

/// Lets everything pass and says where it stands.
#[derive(Debug)]
struct Watchman(NodeId, Arc<Mutex<Vec<NodeId>>>);

impl CustomProxy for Watchman {
    fn handle(&mut self, _: &mut Cx<'_>, _: &Facts, input: ProxyInput, _: &mut Vec<ProxyAction>) -> Verdict {
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
        let make = |node| -> Box<dyn CustomProxy> { Box::new(Watchman(node, Arc::clone(&seen))) };
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

/// Two packets a frame, each with a next hop of its own; slotted by hand, so that nothing ever collides. It tells what
/// became of both in one call.
#[derive(Debug)]
struct PairMac {
    me: NodeId,
    /// What goes into the next frame.
    offers: Vec<Offer>,
    sending: bool,
    pairs: Arc<Mutex<u32>>,
}

impl PairMac {
    fn transmit(&mut self, now: SimTime, out: &mut dyn Sink<MacAction>) {
        let second = self.offers.get(1).map(|offer| Part { to: offer.to, packet: offer.packet });
        self.sending = true;
        *self.pairs.lock().expect("one thread") += u32::from(second.is_some());
        let airtime = Dur::from_ms(10);
        out.put(MacAction::Arm(Timer::Sequence, now + airtime));
        out.put(MacAction::Transmit(Frame {
            kind: FrameKind::Data,
            retry: false,
            sequence: 0,
            from: self.me,
            to: self.offers[0].to,
            packet: self.offers[0].packet,
            second,
            size: self.offers[0].size,
            duration: Dur::ZERO,
            airtime,
        }));
    }
}

impl CustomMac for PairMac {
    fn handle(&mut self, cx: &mut Cx<'_>, input: MacInput<'_>, out: &mut dyn Sink<MacAction>) {
        match input {
            MacInput::Send(offer) => {
                self.offers.push(offer);
                if self.offers.len() == 2 {
                    return self.transmit(cx.now, out);
                }
                out.put(MacAction::Arm(Timer::Sequence, cx.now + Dur::from_ms(1)));
            }
            MacInput::Timer(_) if !self.sending && !self.offers.is_empty() => self.transmit(cx.now, out),
            MacInput::Timer(_) => {
                self.sending = false;
                for offer in self.offers.drain(..) {
                    out.put(MacAction::Outcome(offer.packet, Outcome::Delivered { rts: 0, attempts: 1 }));
                }
            }
            MacInput::Receive(frame) => {
                if let Some(part) = frame.part_for(self.me) {
                    let packet = cx.packets.receive(part);
                    out.put(MacAction::Deliver { packet, from: frame.from });
                }
            }
            MacInput::Power(_) => {}
        }
    }

    fn sense(&mut self, _: SimTime, _: Sensed) -> Option<SimTime> {
        None
    }

    fn wants_frame(&self) -> bool {
        !self.sending && self.offers.len() < 2
    }
}

#[test]
fn a_frame_of_two_parts_reaches_two_receivers() {
    for delay in ["0 us", "1 us"] {
        two_parts(delay);
    }
}

fn two_parts(delay: &str) {
    let text = "profile = \"ns2\"\n[run]\nduration = \"60 s\"\n[topology]\nkind = \"chain\"\nhops = 2\nspacing = \"200 m\"\n\
         [queue]\nservice = \"drr\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"1\"\nto = \"0\"\nrate = \"300 kbps\"\npacket = \"500 B\"\nstop = \"50 s\"\n\
         [[flow]]\nkind = \"cbr\"\nfrom = \"1\"\nto = \"2\"\nrate = \"300 kbps\"\npacket = \"500 B\"\nstop = \"50 s\"\n";
    let sources = Sources {
        scenario: Layer { name: "pairs.toml".to_owned(), text: text.to_owned() },
        techniques: Vec::new(),
        sets: vec![format!("air.propagation-delay={delay}")],
    };
    let scenario = resolve(&sources).unwrap_or_else(|error| panic!("{error}"));
    let mut network = Network::new(&scenario, 1);
    let pairs = Arc::default();
    for id in 0..3 {
        let me = NodeId(id);
        let mac = PairMac { me, offers: Vec::new(), sending: false, pairs: Arc::clone(&pairs) };
        network.node_mut(me).mac = Mac::Custom(Box::new(mac));
    }
    advance(&mut network, 60);
    for (node, flow) in [(0, FlowId(0)), (2, FlowId(1))] {
        let sink = network.nodes()[node].endpoints().iter().find_map(|end| match &end.kind {
            EndpointKind::UdpSink(sink) if end.flow == flow => Some(sink),
            _ => None,
        });
        let sink = sink.expect("a sink");
        let missing: Vec<u64> = (0..3000).filter(|&number| !sink.has(number)).collect();
        assert!(missing.is_empty(), "node {node} lacks {missing:?}");
    }
    assert!(*pairs.lock().expect("one thread") > 1000, "packets went in pairs");
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

/// Sends each frame in one call and gives it up in the same; sends the next before the last has arrived anywhere.
#[derive(Debug)]
struct Hasty {
    me: NodeId,
    give_up: bool,
    overlap: bool,
    idle_at: SimTime,
    waiting: Option<Offer>,
}

impl Hasty {
    fn transmit(&mut self, now: SimTime, offer: Offer, out: &mut dyn Sink<MacAction>) {
        let airtime = Dur::from_us(5000);
        self.idle_at = now + if self.overlap { airtime / 2 } else { airtime };
        let outcome = if self.give_up {
            Outcome::GaveUp { cause: Cause::DataLimit, rts: 0, attempts: 1 }
        } else {
            Outcome::Delivered { rts: 0, attempts: 1 }
        };
        out.put(MacAction::Transmit(Frame {
            kind: FrameKind::Data,
            retry: false,
            sequence: 0,
            from: self.me,
            to: offer.to,
            packet: offer.packet,
            second: None,
            size: offer.size,
            duration: Dur::ZERO,
            airtime,
        }));
        out.put(MacAction::Outcome(offer.packet, outcome));
    }
}

impl CustomMac for Hasty {
    fn handle(&mut self, cx: &mut Cx<'_>, input: MacInput<'_>, out: &mut dyn Sink<MacAction>) {
        match input {
            MacInput::Send(offer) if self.idle_at > cx.now => {
                self.waiting = Some(offer);
                out.put(MacAction::Arm(Timer::Sequence, self.idle_at));
            }
            MacInput::Send(offer) => self.transmit(cx.now, offer, out),
            MacInput::Timer(_) => {
                if let Some(offer) = self.waiting.take() {
                    self.transmit(cx.now, offer, out);
                }
            }
            MacInput::Receive(frame) => {
                if let Some(part) = frame.part_for(self.me) {
                    let packet = cx.packets.receive(part);
                    out.put(MacAction::Deliver { packet, from: frame.from });
                }
            }
            MacInput::Power(_) => self.waiting = None,
        }
    }

    fn sense(&mut self, _: SimTime, _: Sensed) -> Option<SimTime> {
        None
    }

    fn wants_frame(&self) -> bool {
        self.waiting.is_none()
    }
}

/// What is on the air reaches its receiver whatever the sender has done meanwhile, and it is what was sent.
#[test]
fn a_transmission_holds_its_packet() {
    for (delay, give_up, overlap) in [
        ("0 us", false, false),
        ("2 us", false, false),
        ("2 us", true, false),
        ("0 us", true, true),
        ("2 us", false, true),
    ] {
        let flow = "kind = \"cbr\"\nrate = \"400 kbps\"\npacket = \"500 B\"\nstop = \"20 s\"";
        let scenario = chain(1, flow, &[&format!("air.propagation-delay={delay}")]);
        let mut network = Network::new(&scenario, 1);
        for id in 0..2 {
            let mac = Hasty { me: NodeId(id), give_up, overlap, idle_at: SimTime::ZERO, waiting: None };
            network.node_mut(NodeId(id)).mac = Mac::Custom(Box::new(mac));
        }
        for step in 0..4000 {
            network.advance(SimTime::from_us(step * 5011));
            network
                .check_ledger()
                .unwrap_or_else(|unbalanced| panic!("{delay} {give_up} {overlap}: {unbalanced}"));
        }
        advance(&mut network, 100);
        let sink = network.nodes()[1].endpoints().iter().find_map(|end| match &end.kind {
            EndpointKind::UdpSink(sink) => Some(sink),
            _ => None,
        });
        let sink = sink.expect("a sink");
        let missing = (0..2000).filter(|&number| !sink.has(number)).count();
        assert_eq!(missing, 0, "{delay}, give up {give_up}, overlap {overlap}");
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

impl CustomRouting for OnDemand {
    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut dyn Sink<routing::Action>,
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

    fn given_up(&mut self, _: &mut Cx<'_>, _: GivenUp, out: &mut dyn Sink<routing::Action>) -> Disposal {
        self.counts.lock().expect("one thread").1 += 1;
        (self.to, self.due) = (None, SimTime::MAX);
        out.put(routing::Action::Arm(self.due));
        Disposal::Leave
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: routing::Input, out: &mut dyn Sink<routing::Action>) {
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
    network.node_mut(NodeId(0)).set_routing(Routing::Custom(Box::new(routing)));
    network.power(NodeId(1), false);
    advance(&mut network, 10);
    let (wanted, failed) = *counts.lock().expect("one thread");
    assert!(wanted > 50 && failed > 50, "asked {wanted} times after {failed} failures");
    network.power(NodeId(1), true);
    advance(&mut network, 11);
    assert_eq!(network.nodes()[0].held(), 0, "it has got through");
}

/// A MAC that sends everything back untried does not keep the node busy for ever.
#[derive(Debug)]
struct Unwilling;

impl CustomMac for Unwilling {
    fn handle(&mut self, _: &mut Cx<'_>, input: MacInput<'_>, out: &mut dyn Sink<MacAction>) {
        if let MacInput::Send(offer) = input {
            out.put(MacAction::Outcome(offer.packet, Outcome::Held(Held::Peer)));
        }
    }

    fn sense(&mut self, _: SimTime, _: Sensed) -> Option<SimTime> {
        None
    }

    fn wants_frame(&self) -> bool {
        true
    }
}

#[test]
fn a_mac_may_send_everything_back() {
    let flow = "kind = \"cbr\"\nrate = \"400 kbps\"\npacket = \"500 B\"";
    let mut network = Network::new(&chain(1, flow, &["queue.service=drr"]), 1);
    network.node_mut(NodeId(0)).mac = Mac::Custom(Box::new(Unwilling));
    advance(&mut network, 10);
    assert_eq!(network.nodes()[0].held(), 49, "the queue is full");
}
