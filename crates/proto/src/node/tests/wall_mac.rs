//! A wall of the architecture: another medium access, whose frames have two parts with a receiver each.

use super::world::World;
use crate::mac::{Action, CustomMac, Input, Mac, Sensed, Timer};
use crate::node::{App, Node};
use crate::port::{Cx, Offer, Outcome, Sink};
use crate::queue::{ClassBy, Queue, QueueConfig, Service};
use crate::routing::Routing;
use crate::routing::fixed::{FixedRoutes, RouteTable};
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{Frame, FrameKind, PacketId, Part};

/// Sends when it is asked to, two packets at a time if it can, and never listens: enough for one sender. It waits a
/// little for a second frame, and tells what became of both in one call.
#[derive(Debug)]
struct PairMac {
    me: NodeId,
    /// What goes into the next frame.
    offers: Vec<Offer>,
    sending: bool,
}

impl PairMac {
    fn transmit(&mut self, now: SimTime, out: &mut dyn Sink<Action>) {
        let airtime = Dur::from_us(5000);
        let second = self.offers.get(1).map(|offer| Part { to: offer.to, packet: offer.packet });
        self.sending = true;
        out.put(Action::Arm(Timer::Sequence, now + airtime));
        out.put(Action::Transmit(Frame {
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
    fn handle(&mut self, cx: &mut Cx<'_>, input: Input<'_>, out: &mut dyn Sink<Action>) {
        match input {
            Input::Send(offer) => {
                self.offers.push(offer);
                if self.offers.len() == 2 {
                    return self.transmit(cx.now, out);
                }
                out.put(Action::Arm(Timer::Sequence, cx.now + Dur::from_us(100)));
            }
            Input::Timer(_) if !self.sending && !self.offers.is_empty() => self.transmit(cx.now, out),
            Input::Timer(_) => {
                self.sending = false;
                for offer in self.offers.drain(..) {
                    out.put(Action::Outcome(offer.packet, Outcome::Delivered { rts: 0, attempts: 1 }));
                }
            }
            Input::Receive(frame) => {
                if let Some(part) = frame.part_for(self.me) {
                    let packet = cx.packets.receive(part);
                    out.put(Action::Deliver { packet, from: frame.from });
                }
            }
            Input::Power(_) => {}
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
fn one_frame_carries_a_part_for_each_of_two_receivers() {
    // Node 1 stands between 0 and 2 and has packets for both.
    let mut table = RouteTable::new(3);
    for end in [0, 2] {
        table.set(NodeId(end), vec![NodeId(1), NodeId(end), NodeId(1)].into());
    }
    let table = std::sync::Arc::new(table);
    let node = |id| {
        let mac = PairMac { me: NodeId(id), offers: Vec::new(), sending: false };
        let queue =
            QueueConfig { service: Service::Drr, class_by: ClassBy::NextHop, ..QueueConfig::default() };
        let routes = Routing::Fixed(FixedRoutes::new(NodeId(id), std::sync::Arc::clone(&table)));
        Node::new(NodeId(id), Mac::Custom(Box::new(mac)), Queue::new(queue), routes, Bytes::ZERO)
    };
    let mut world = World::new((0..3).map(node).collect());
    world.udp(0, 1, 0);
    world.udp(1, 1, 2);
    for _ in 0..8 {
        world.app(1, 0, App::Datagram(1000));
        world.app(1, 1, App::Datagram(200));
    }
    world.run(SimTime::from_secs(1));
    assert_eq!((world.arrived(0), world.arrived(1)), (8000, 1600));
    let ledger = world.packets.ledger();
    assert_eq!((ledger.created, ledger.delivered, ledger.handed_over), (16, 16, 16));
    world.check_ledger();

    // Both parts of a frame arrive at once, and none goes alone.
    let arrivals: Vec<SimTime> = world.record.iter().map(|&(at, ..)| at).collect();
    let pairs = arrivals.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert_eq!((arrivals.len(), pairs), (16, 8), "{arrivals:?}");
}

/// Keeps what it receives until there are three packets, then delivers them all in one call.
#[derive(Debug, Default)]
struct InOrder(Vec<(PacketId, NodeId)>);

impl CustomMac for InOrder {
    fn handle(&mut self, cx: &mut Cx<'_>, input: Input<'_>, out: &mut dyn Sink<Action>) {
        if let Input::Receive(frame) = input {
            self.0.push((cx.packets.receive(frame.packet), frame.from));
        }
        if self.0.len() == 3 {
            for (packet, from) in self.0.drain(..) {
                out.put(Action::Deliver { packet, from });
            }
        }
    }

    fn sense(&mut self, _: SimTime, _: Sensed) -> Option<SimTime> {
        None
    }

    fn wants_frame(&self) -> bool {
        false
    }
}

#[test]
fn one_call_delivers_all_that_was_kept_back() {
    let node = |id, mac| {
        let routes = Routing::Fixed(FixedRoutes::new(NodeId(id), super::world::chain_routes(2)));
        Node::new(NodeId(id), Mac::Custom(mac), Queue::new(QueueConfig::default()), routes, Bytes::ZERO)
    };
    let sender = PairMac { me: NodeId(0), offers: Vec::new(), sending: false };
    let mut world = World::new(vec![node(0, Box::new(sender)), node(1, Box::<InOrder>::default())]);
    world.udp(0, 0, 1);
    for _ in 0..6 {
        world.app(0, 0, App::Datagram(100));
    }
    world.run(SimTime::from_secs(1));
    assert_eq!(world.arrived(0), 600);
    world.check_ledger();
}
