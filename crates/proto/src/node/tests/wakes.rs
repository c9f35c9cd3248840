//! When routing is woken, whatever it does meanwhile.

use crate::contract::{Cx, Sink};
use crate::node::IfIndex;
use crate::node::{Action, Input, Node, Timer};
use crate::queue::QueueConfig;
use crate::routing::{self, AnyRouting, Decision, Disposal, GivenUp, Provenance, Routing};
use crate::testing::{cx, udp};
use crate::units::{Bytes, Dur, FlowId, NodeId, SimTime};
use crate::wire::{PacketId, PacketStore};

use super::rig::link;

/// At its start it asks for a late timer and to send a packet on, which it is asked about in turn: it lets it wait, and
/// asks for an early one.
#[derive(Debug, Default)]
struct Nested {
    waiting: Vec<PacketId>,
    woken: u32,
}

const EARLY: SimTime = SimTime::from_secs(1);
const LATE: SimTime = SimTime::from_secs(9);

impl Routing for Nested {
    fn route(
        &mut self,
        _: &mut Cx<'_>,
        packet: PacketId,
        whence: Provenance,
        out: &mut Vec<routing::Action>,
    ) -> Decision {
        if whence == Provenance::Here {
            return Decision::To(NodeId(1));
        }
        self.waiting.push(packet);
        out.put(routing::Action::Arm(EARLY));
        Decision::Waiting
    }

    fn given_up(&mut self, _: &mut Cx<'_>, _: GivenUp, _: &mut Vec<routing::Action>) -> Disposal {
        Disposal::Leave
    }

    fn handle(&mut self, _: &mut Cx<'_>, input: routing::Input, out: &mut Vec<routing::Action>) {
        match input {
            routing::Input::Wanted(neighbour) => {
                out.put(routing::Action::Withdraw { neighbour });
                out.put(routing::Action::Arm(LATE));
            }
            routing::Input::Timer => self.woken += 1,
            _ => {}
        }
    }

    fn packets(&self) -> Vec<PacketId> {
        self.waiting.clone()
    }
}

/// What routing asks for within what it asked for before is the newer request.
#[test]
fn a_later_timer_asked_for_before_takes_nothing_from_an_earlier_one() {
    let routing = AnyRouting::Custom(Box::<Nested>::default());
    let mut node = Node::new(NodeId(0), link(0, QueueConfig::default()), routing, Bytes::ZERO);
    let (mut packets, mut out) = (PacketStore::new(1), Vec::new());
    for _ in 0..2 {
        let packet = udp(&mut packets, FlowId(0), NodeId(1), 0, 100); // one of them in service
        node.net.route(&mut cx(SimTime::ZERO, &mut packets), packet, Provenance::Here, &mut out);
    }
    node.net.feed_routing(&mut cx(SimTime::ZERO, &mut packets), routing::Input::Wanted(NodeId(1)), &mut out);
    assert_eq!(node.routing().packets().len(), 1, "it waits");
    let woken = |node: &Node| match node.routing() {
        AnyRouting::Custom(custom) => format!("{custom:?}").contains("woken: 1"),
        _ => false,
    };
    assert!(out.contains(&Action::Arm(NodeId(0), Timer::Upper, EARLY)));
    node.handle(
        &mut cx(EARLY - Dur::from_ns(1), &mut packets),
        Input::Timer(IfIndex::FIRST, Timer::Upper),
        &mut out,
    );
    assert!(!woken(&node));
    node.handle(&mut cx(EARLY, &mut packets), Input::Timer(IfIndex::FIRST, Timer::Upper), &mut out);
    assert!(woken(&node));
}
