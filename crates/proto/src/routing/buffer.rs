//! Packets that wait for a route: one buffer for all machines that let packets wait.
//!
//! A packet in here is in the machine's custody. It leaves towards a next hop ([`RouteBuffer::take`],
//! [`RouteBuffer::release`]) or is lost for a reason: another one needs its place, it has waited too long, its
//! destination was given up, or the node went down.

use super::contract::{Action, Awaited};
use crate::contract::{Cx, Sink, drop_packet};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{DropReason, PacketId};

/// What the buffer takes, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRule {
    /// Packets that may wait, all together.
    pub limit: usize,
    /// Packets that may wait for one destination.
    pub per_destination: usize,
    /// Longest wait; [`Dur::MAX`] for no limit.
    pub age: Dur,
    /// Which packet is lost when one too many comes.
    pub full: WhenFull,
}

/// Which packet is lost when one too many comes: among all if the limit of all is reached, among those for the same
/// destination if that one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// The one that has waited longest.
    DropOldest,
    /// The one that comes.
    DropArriving,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    packet: PacketId,
    destination: NodeId,
    since: SimTime,
}

/// The buffer, oldest packet first.
#[derive(Clone, Debug)]
pub struct RouteBuffer {
    rule: BufferRule,
    waiting: Vec<Waiting>,
}

impl RouteBuffer {
    /// An empty buffer.
    #[must_use]
    pub const fn new(rule: BufferRule) -> Self {
        Self { rule, waiting: Vec::new() }
    }

    /// Takes a packet into custody; what it displaces is lost, and it may be lost itself.
    pub fn put<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, packet: PacketId, out: &mut S) {
        let destination = cx.packets[packet].destination;
        let same = |waiting: &Waiting| waiting.destination == destination;
        let crowded =
            self.waiting.iter().filter(|waiting| same(waiting)).count() >= self.rule.per_destination;
        if crowded || self.waiting.len() >= self.rule.limit {
            let oldest = self.waiting.iter().position(|waiting| !crowded || same(waiting));
            let victim = match (self.rule.full, oldest) {
                (WhenFull::DropOldest, Some(oldest)) => self.waiting.remove(oldest).packet,
                _ => packet,
            };
            out.put(Action::Dropped(drop_packet(cx, victim, DropReason::RouteBufferFull)));
            if victim == packet {
                return;
            }
        }
        self.waiting.push(Waiting { packet, destination, since: cx.now });
    }

    /// The next packet that waits for this destination, out of custody.
    pub fn take(&mut self, destination: NodeId) -> Option<PacketId> {
        let index = self.waiting.iter().position(|waiting| waiting.destination == destination)?;
        Some(self.waiting.remove(index).packet)
    }

    /// Sends on, oldest first, what has a next hop now.
    pub fn release<S: Sink<Action> + ?Sized>(
        &mut self,
        next_hop: impl Fn(NodeId) -> Option<NodeId>,
        out: &mut S,
    ) {
        self.waiting.retain(|waiting| {
            let to = next_hop(waiting.destination);
            if let Some(to) = to {
                out.put(Action::Forward { packet: waiting.packet, to, delay: Dur::ZERO });
            }
            to.is_none()
        });
    }

    /// Loses, oldest first, what has waited too long by now.
    pub fn expire<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let (now, age) = (cx.now, self.rule.age);
        let old = |waiting: &Waiting| now.saturating_since(waiting.since) >= age;
        self.lose(cx, DropReason::RouteTimeout, old, out);
    }

    /// When [`Self::expire`] has something to do; [`SimTime::MAX`] if never.
    #[must_use]
    pub fn next_expiry(&self) -> SimTime {
        match self.waiting.first() {
            Some(oldest) if self.rule.age < Dur::MAX => oldest.since + self.rule.age,
            _ => SimTime::MAX,
        }
    }

    /// Loses what waits for a destination.
    pub fn give_up<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        destination: NodeId,
        reason: DropReason,
        out: &mut S,
    ) {
        self.lose(cx, reason, |waiting| waiting.destination == destination, out);
    }

    /// The node goes down: loses everything.
    pub fn flush<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.lose(cx, DropReason::NodeDown, |_| true, out);
    }

    /// Whether a packet waits for this destination.
    #[must_use]
    pub fn waits_for(&self, destination: NodeId) -> bool {
        self.waiting.iter().any(|waiting| waiting.destination == destination)
    }

    /// How many packets wait.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What is known about the packets that wait, oldest first; `asks_for` says which destinations are asked for.
    pub fn awaited(&self, asks_for: impl Fn(NodeId) -> bool) -> Vec<Awaited> {
        let of = |&Waiting { packet, destination, since }: &Waiting| Awaited {
            packet,
            destination,
            since,
            asked: asks_for(destination),
        };
        self.waiting.iter().map(of).collect()
    }

    /// The packets that wait, oldest first.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.waiting.iter().map(|waiting| waiting.packet)
    }

    fn lose<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        reason: DropReason,
        which: impl Fn(&Waiting) -> bool,
        out: &mut S,
    ) {
        for waiting in self.waiting.extract_if(.., |waiting| which(waiting)) {
            out.put(Action::Dropped(drop_packet(cx, waiting.packet, reason)));
        }
    }
}

#[cfg(test)]
mod tests;
