//! A wall of the architecture: another medium access, whose frames have two parts with a receiver each.

use super::world::World;
use crate::mac::{Action, CustomMac, Input, Mac, Sensed, Timer};
use crate::node::{App, Node};
use crate::port::{Cx, Held, Offer, Outcome, Sink};
use crate::queue::{ClassBy, Queue, QueueConfig, Service};
use crate::routing::Routing;
use crate::routing::fixed::{FixedRoutes, RouteTable};
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{Frame, FrameKind, PacketId, Part};

/// Sends when it is asked to, two packets at a time if it can, and never listens: enough for one sender.
#[derive(Debug)]
struct PairMac {
    me: NodeId,
    /// The first of a pair, which stays in the queue until its partner is known.
    first: Option<Offer>,
    /// Has gone out as the second part of a frame; the queue still holds it.
    gone: Option<PacketId>,
    sending: bool,
}

impl PairMac {
    fn transmit(&mut self, now: SimTime, offer: Offer, second: Option<Part>, out: &mut dyn Sink<Action>) {
        let airtime = Dur::from_us(5000);
        self.sending = true;
        out.put(Action::Arm(Timer::Sequence, now + airtime));
        out.put(Action::Transmit(Frame {
            kind: FrameKind::Data,
            retry: false,
            sequence: 0,
            from: self.me,
            to: offer.to,
            packet: offer.packet,
            second,
            size: offer.size,
            duration: Dur::ZERO,
            airtime,
        }));
    }
}

impl CustomMac for PairMac {
    fn handle(&mut self, cx: &mut Cx<'_>, input: Input<'_>, out: &mut dyn Sink<Action>) {
        match input {
            Input::Send(offer) if self.gone == Some(offer.packet) => {
                self.gone = None;
                out.put(Action::Outcome(Outcome::Delivered { attempts: 1 }));
            }
            Input::Send(offer) => match self.first.take() {
                None => {
                    // Another class may have something to go with it.
                    self.first = Some(offer);
                    out.put(Action::Outcome(Outcome::Held(Held::Peer)));
                }
                Some(first) if first.packet == offer.packet => self.transmit(cx.now, offer, None, out),
                Some(first) => {
                    self.gone = Some(first.packet);
                    let second = Part { to: first.to, packet: first.packet };
                    self.transmit(cx.now, offer, Some(second), out);
                }
            },
            Input::Timer(_) => {
                self.sending = false;
                out.put(Action::Outcome(Outcome::Delivered { attempts: 1 }));
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
        !self.sending
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
        let mac = PairMac { me: NodeId(id), first: None, gone: None, sending: false };
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

    // Both parts of a frame arrive at once. Some packets went alone, when their partner had gone before.
    let arrivals: Vec<SimTime> = world.record.iter().map(|&(at, ..)| at).collect();
    let pairs = arrivals.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(pairs >= 4, "{arrivals:?}");
}
