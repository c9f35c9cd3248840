//! The ends of wired links that a node has. A packet goes over a wire if one leads to its next hop; a broadcast goes
//! over every wire, and by radio besides.

use crate::contract::{Backlog, Cx, Sink};
use crate::link::wire::{self, Wire};
use crate::queue;
use crate::units::{NodeId, SimTime};
use crate::wire::PacketId;

/// What the wires of a node are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Input {
    /// A packet for a neighbour, or for all.
    Packet {
        /// It.
        packet: PacketId,
        /// Its next hop.
        to: NodeId,
    },
    /// The last bit of a packet has left that other end; this is its copy, still in the custody of that node.
    Coming(NodeId, PacketId),
    /// The wire from that node is cut (`true`) or whole again.
    Cut(NodeId, bool),
    /// The node goes down (`false`) or comes back.
    Power(bool),
    /// The time that [`Wires::wake_at`] has named.
    Timer,
}

/// The ends of wires at a node.
#[derive(Debug, Default)]
pub(super) struct Wires(Vec<Wire>);

impl Wires {
    /// One more.
    pub(super) fn add(&mut self, end: Wire) {
        self.0.push(end);
    }

    /// Whether there is none.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ends.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Wire> {
        self.0.iter()
    }

    /// The end of the wire that leads to a node.
    pub(super) fn to(&mut self, node: NodeId) -> Option<&mut Wire> {
        self.0.iter_mut().find(|end| end.to() == node)
    }

    /// When one of them next wants to be woken.
    pub(super) fn wake_at(&self) -> SimTime {
        self.iter().map(Wire::wake_at).min().unwrap_or(SimTime::MAX)
    }

    /// Packets that wait in their queues.
    #[inline]
    pub(super) fn length(&self) -> u32 {
        self.iter().map(|end| end.queue().length()).sum()
    }

    /// Packets that each of their queues could still take, and `others` at most.
    #[inline]
    pub(super) fn free(&self, others: u32) -> u32 {
        self.iter().map(|end| end.queue().free()).fold(others, u32::min)
    }

    /// What their queues have counted until `now`, and others before.
    pub(super) fn queue_counters(&self, others: queue::Counters, now: SimTime) -> queue::Counters {
        self.iter().fold(others, |sum, end| sum + end.queue().counters(now))
    }

    /// Takes one input; what it leads to stands in `out` beside the node at the other end. Returns whether the packet
    /// has gone over a wire: of a broadcast only copies do.
    #[cold]
    pub(super) fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input,
        out: &mut Vec<(NodeId, wire::Action)>,
    ) -> bool {
        match input {
            Input::Packet { packet, to } if to.is_broadcast() => {
                for end in &mut self.0 {
                    let copy = cx.packets.copy(packet);
                    tell(end, cx, wire::Input::Packet(copy), out);
                }
                false
            }
            Input::Packet { packet, to } => self.tell(cx, to, out, |_| wire::Input::Packet(packet)),
            Input::Coming(from, packet) => {
                self.tell(cx, from, out, |cx| wire::Input::Coming(cx.packets.receive(packet)))
            }
            Input::Cut(from, cut) => self.tell(cx, from, out, |_| wire::Input::Cut(cut)),
            Input::Power(up) => {
                self.0.iter_mut().for_each(|end| tell(end, cx, wire::Input::Power(up), out));
                false
            }
            Input::Timer => {
                let now = cx.now;
                for end in self.0.iter_mut().filter(|end| end.wake_at() <= now) {
                    tell(end, cx, wire::Input::Timer, out);
                }
                false
            }
        }
    }

    /// Takes out what waits for the other end of a wire.
    pub(super) fn withdraw(
        &mut self,
        cx: &mut Cx<'_>,
        to: NodeId,
        out: &mut Vec<(NodeId, wire::Action)>,
    ) -> Vec<PacketId> {
        self.to(to).map_or_else(Vec::new, |end| end.withdraw(cx, &mut Named(to, out)))
    }

    /// Tells the end of the wire that leads to a node; returns whether there is one.
    fn tell(
        &mut self,
        cx: &mut Cx<'_>,
        node: NodeId,
        out: &mut Vec<(NodeId, wire::Action)>,
        input: impl FnOnce(&mut Cx<'_>) -> wire::Input,
    ) -> bool {
        let Some(end) = self.to(node) else { return false };
        let input = input(cx);
        tell(end, cx, input, out);
        true
    }
}

fn tell(end: &mut Wire, cx: &mut Cx<'_>, input: wire::Input, out: &mut Vec<(NodeId, wire::Action)>) {
    end.handle(cx, input, &mut Named(end.to(), out));
}

/// Notes beside each answer to which node the wire leads.
struct Named<'a>(NodeId, &'a mut Vec<(NodeId, wire::Action)>);

impl Sink<wire::Action> for Named<'_> {
    fn put(&mut self, action: wire::Action) {
        self.1.push((self.0, action));
    }
}
