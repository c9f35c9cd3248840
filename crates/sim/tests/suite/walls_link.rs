//! A wall of the architecture: another medium access behind the interface queue, whose frames have two parts with a
//! receiver each, which sends packets back, and delivers several at once.

use std::sync::{Arc, Mutex};

use crate::common::Case;
use crate::common::walls::{advance, chain, data_frame};
use multihop_proto::contract::{Backlog, Cause, Cx, Held, Offer, Outcome, Sink};
use multihop_proto::endpoint::AnyTransport;
use multihop_proto::mac::{Action as MacAction, Input as MacInput, Mac, Timer};
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{FramePart, PacketId};
use multihop_sim::network::Network;

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
        let second = self.offers.get(1).map(|offer| FramePart { to: offer.to, packet: offer.packet });
        self.sending = true;
        *self.pairs.lock().expect("one thread") += u32::from(second.is_some());
        let airtime = Dur::from_ms(10);
        out.put(MacAction::Arm(Timer::Sequence, now + airtime));
        out.put(MacAction::Transmit(data_frame(self.me, self.offers[0], second, airtime)));
    }
}

impl Mac for PairMac {
    fn handle<B: Backlog, S: Sink<MacAction>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: MacInput<'_>,
        _: &B,
        mut out: S,
    ) {
        match input {
            MacInput::Send(offer) => {
                self.offers.push(offer);
                if self.offers.len() == 2 {
                    return self.transmit(cx.now, &mut out);
                }
                out.put(MacAction::Arm(Timer::Sequence, cx.now + Dur::from_ms(1)));
            }
            MacInput::Timer(_) if !self.sending && !self.offers.is_empty() => self.transmit(cx.now, &mut out),
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
    let scenario = Case::new(text).set("air.propagation-delay", delay).resolve();
    let mut network = Network::new(&scenario, 1);
    let pairs = Arc::default();
    for id in 0..3 {
        let me = NodeId(id);
        let mac = PairMac { me, offers: Vec::new(), sending: false, pairs: Arc::clone(&pairs) };
        network.node_mut(me).links_mut().link_mut().set_mac(mac);
    }
    advance(&mut network, 60);
    for (node, flow) in [(0, FlowId(0)), (2, FlowId(1))] {
        let sink = network.nodes()[node].hosts().all().iter().find_map(|end| match &end.kind {
            AnyTransport::UdpSink(sink) if end.flow == flow => Some(sink),
            _ => None,
        });
        let sink = sink.expect("a sink");
        let missing: Vec<u64> = (0..3000).filter(|&number| !sink.has(number)).collect();
        assert!(missing.is_empty(), "node {node} lacks {missing:?}");
    }
    assert!(*pairs.lock().expect("one thread") > 1000, "packets went in pairs");
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
        out.put(MacAction::Transmit(data_frame(self.me, offer, None, airtime)));
        out.put(MacAction::Outcome(offer.packet, outcome));
    }
}

impl Mac for Hasty {
    fn handle<B: Backlog, S: Sink<MacAction>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: MacInput<'_>,
        _: &B,
        mut out: S,
    ) {
        match input {
            MacInput::Send(offer) if self.idle_at > cx.now => {
                self.waiting = Some(offer);
                out.put(MacAction::Arm(Timer::Sequence, self.idle_at));
            }
            MacInput::Send(offer) => self.transmit(cx.now, offer, &mut out),
            MacInput::Timer(_) => {
                if let Some(offer) = self.waiting.take() {
                    self.transmit(cx.now, offer, &mut out);
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
            network.node_mut(NodeId(id)).links_mut().link_mut().set_mac(mac);
        }
        for step in 0..4000 {
            network.advance(SimTime::from_us(step * 5011));
            network
                .check_ledger()
                .unwrap_or_else(|unbalanced| panic!("{delay} {give_up} {overlap}: {unbalanced}"));
        }
        advance(&mut network, 100);
        let sink = network.nodes()[1].hosts().all().iter().find_map(|end| match &end.kind {
            AnyTransport::UdpSink(sink) => Some(sink),
            _ => None,
        });
        let sink = sink.expect("a sink");
        let missing = (0..2000).filter(|&number| !sink.has(number)).count();
        assert_eq!(missing, 0, "{delay}, give up {give_up}, overlap {overlap}");
    }
}

/// A MAC that sends everything back untried does not keep the node busy for ever.
#[derive(Debug)]
struct Unwilling;

impl Mac for Unwilling {
    fn handle<B: Backlog, S: Sink<MacAction>>(
        &mut self,
        _: &mut Cx<'_>,
        input: MacInput<'_>,
        _: &B,
        mut out: S,
    ) {
        if let MacInput::Send(offer) = input {
            out.put(MacAction::Outcome(offer.packet, Outcome::Held(Held::Peer)));
        }
    }

    fn wants_frame(&self) -> bool {
        true
    }
}

#[test]
fn a_mac_may_send_everything_back() {
    let flow = "kind = \"cbr\"\nrate = \"400 kbps\"\npacket = \"500 B\"";
    let mut network = Network::new(&chain(1, flow, &["queue.service=drr"]), 1);
    network.node_mut(NodeId(0)).links_mut().link_mut().set_mac(Unwilling);
    advance(&mut network, 10);
    assert_eq!(network.nodes()[0].held(), 49, "the queue is full");
}

/// Keeps what it receives until there are three packets, then delivers them all in one call.
#[derive(Debug, Default)]
struct InOrder(Vec<(PacketId, NodeId)>);

impl Mac for InOrder {
    fn handle<B: Backlog, S: Sink<MacAction>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: MacInput<'_>,
        _: &B,
        mut out: S,
    ) {
        if let MacInput::Receive(frame) = input {
            self.0.push((cx.packets.receive(frame.packet), frame.from));
        }
        if self.0.len() == 3 {
            for (packet, from) in self.0.drain(..) {
                out.put(MacAction::Deliver { packet, from });
            }
        }
    }

    fn wants_frame(&self) -> bool {
        false
    }
}

#[test]
fn one_call_delivers_all_that_was_kept_back() {
    let flow = "kind = \"cbr\"\nrate = \"100 kbps\"\npacket = \"500 B\"\nstop = \"0.23 s\"";
    let mut network = Network::new(&chain(1, flow, &[]), 1);
    let sender = PairMac { me: NodeId(0), offers: Vec::new(), sending: false, pairs: Arc::default() };
    network.node_mut(NodeId(0)).links_mut().link_mut().set_mac(sender);
    network.node_mut(NodeId(1)).links_mut().link_mut().set_mac(InOrder::default());
    network.advance(SimTime::from_secs(1));
    let sink = network.nodes()[1].hosts().all().iter().find_map(|end| match &end.kind {
        AnyTransport::UdpSink(sink) => Some(sink),
        _ => None,
    });
    let sink = sink.expect("a sink");
    assert_eq!((0..10).filter(|&number| sink.has(number)).count(), 6);
    assert_eq!(network.nodes()[1].held(), 0);
    network.check_ledger().unwrap_or_else(|unbalanced| panic!("{unbalanced}"));
}
