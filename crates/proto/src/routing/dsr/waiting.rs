//! Packets that wait for a route, and when they are looked at.

use super::config::DsrConfig;
use crate::contract::{Cx, Sink};
use crate::routing::buffer::{BufferRule, RouteBuffer, WhenFull};
use crate::routing::contract::{Action, Awaited};
use crate::units::{Dur, NodeId, Rng, SimTime};
use crate::wire::{DropReason, PacketId};

/// The send buffer of a node.
#[derive(Debug)]
pub(super) struct Waiting {
    buffer: RouteBuffer,
    /// Least time between two looks; zero: a look whenever something is due.
    poll: Dur,
    poll_at: SimTime,
}

impl Waiting {
    /// No packet waits.
    pub(super) const fn new(config: &DsrConfig) -> Self {
        let rule = BufferRule {
            limit: config.send_buffer as usize,
            per_destination: usize::MAX,
            age: config.send_buffer_timeout,
            full: WhenFull::DropOldest,
        };
        Self { buffer: RouteBuffer::new(rule), poll: config.poll, poll_at: SimTime::MAX }
    }

    /// Lets a packet wait.
    pub(super) fn put(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        rng: &mut Rng,
        out: &mut (impl Sink<Action> + ?Sized),
    ) {
        if self.is_polled() && self.buffer.is_empty() {
            self.poll_at = cx.now + self.rest_of_poll(rng);
        }
        self.buffer.put(cx, packet, out);
    }

    /// Time to the next poll seen from any instant: polls go on whether packets wait or not. The interval around an
    /// instant is a long one more often than a short one, in proportion to its length, and the instant lies anywhere in
    /// it.
    fn rest_of_poll(&self, rng: &mut Rng) -> Dur {
        let interval = self.poll.mul_f64(libm::sqrt(3.0_f64.mul_add(rng.f64(), 1.0)));
        rng.range_dur(Dur::ZERO, interval)
    }

    /// Whether packets are looked at only now and then.
    pub(super) const fn is_polled(&self) -> bool {
        self.poll.as_ns() > 0
    }

    /// Whether it is time to look at all packets; the next time is another one then.
    pub(super) fn polls(&mut self, now: SimTime, rng: &mut Rng) -> bool {
        let polls = self.is_polled() && self.poll_at <= now;
        if polls {
            self.poll_at = now + rng.range_dur(self.poll, self.poll * 2);
        }
        polls
    }

    /// When something is due here; `search`: when a search for a destination goes on.
    pub(super) fn next(&self, search: impl FnOnce() -> SimTime) -> SimTime {
        let look = match (self.buffer.is_empty(), self.is_polled()) {
            (true, _) => SimTime::MAX,
            (false, false) => search(),
            (false, true) => self.poll_at,
        };
        self.buffer.next_expiry().min(look)
    }

    /// The packets, oldest first.
    pub(super) fn packets(&self) -> Vec<PacketId> {
        self.buffer.packets().collect()
    }

    /// The same, with what is known of their searches.
    pub(super) fn awaited(&self, asks_for: impl Fn(NodeId) -> bool) -> Vec<Awaited> {
        self.buffer.awaited(asks_for)
    }

    /// Destinations of waiting packets, and whether the node `me` made one of these packets.
    pub(super) fn destinations(&self, cx: &Cx<'_>, me: NodeId) -> Vec<(NodeId, bool)> {
        let mut awaited: Vec<(NodeId, bool)> = Vec::new();
        for packet in self.buffer.packets() {
            let its = &cx.packets[packet];
            let own = its.source == me;
            match awaited.iter_mut().find(|(target, _)| *target == its.destination) {
                Some((_, any)) => *any |= own,
                None => awaited.push((its.destination, own)),
            }
        }
        awaited
    }

    /// Takes out the first packet for a destination.
    pub(super) fn take(&mut self, destination: NodeId) -> Option<PacketId> {
        self.buffer.take(destination)
    }

    /// Loses what has waited too long.
    pub(super) fn expire(&mut self, cx: &mut Cx<'_>, out: &mut (impl Sink<Action> + ?Sized)) {
        self.buffer.expire(cx, out);
    }

    /// Loses all packets for a destination.
    pub(super) fn give_up(
        &mut self,
        cx: &mut Cx<'_>,
        target: NodeId,
        out: &mut (impl Sink<Action> + ?Sized),
    ) {
        self.buffer.give_up(cx, target, DropReason::NoRoute, out);
    }

    /// Loses all packets, as the node goes down.
    pub(super) fn flush(&mut self, cx: &mut Cx<'_>, out: &mut (impl Sink<Action> + ?Sized)) {
        self.buffer.flush(cx, out);
        self.poll_at = SimTime::MAX;
    }

    /// When all packets are looked at.
    #[cfg(test)]
    pub(super) const fn poll_at(&self) -> SimTime {
        self.poll_at
    }
}
