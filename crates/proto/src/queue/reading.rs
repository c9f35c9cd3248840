//! What others may read of a queue.

use super::classes::Queued;
use super::config::OnGiveUp;
use super::counters::Counters;
use super::machine::Queue;
use super::persistent;
use crate::units::{NodeId, SimTime};
use crate::wire::PacketId;

impl Queue {
    /// The next hop of a frame in service.
    #[must_use]
    pub fn next_hop(&self, packet: PacketId) -> Option<NodeId> {
        let (_, slot) = self.in_service.iter().find(|(offered, _)| *offered == packet)?;
        self.head(*slot).map(|entry| entry.to)
    }

    /// Whether it keeps a frame in service if the MAC gives it up.
    #[must_use]
    pub fn keeps(&self, packet: PacketId) -> bool {
        let slot = self.in_service.iter().find(|(offered, _)| *offered == packet);
        let entry = slot.and_then(|&(_, slot)| self.head(slot));
        entry.is_some_and(|entry| persistent::keeps(self.config.on_give_up, self.config.keep_limit, entry))
    }

    /// Packets that wait, the one in service not counted unless the queue keeps it in memory.
    #[inline]
    #[must_use]
    pub fn length(&self) -> u32 {
        let held = self.classes.len() + self.express.len();
        let out = if self.config.on_give_up == OnGiveUp::Drop { self.in_service.len() } else { 0 };
        u32::try_from(held - out).unwrap_or(u32::MAX)
    }

    /// Packets that could still be taken.
    #[inline]
    #[must_use]
    pub fn free(&self) -> u32 {
        self.capacity.saturating_sub(self.length())
    }

    /// Whether nothing is held.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.express.is_empty()
    }

    /// Packets held, the one in service included.
    #[must_use]
    pub const fn held(&self) -> usize {
        self.classes.len() + self.express.len()
    }

    /// The packets held, the ones in service included.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.express.iter().chain(self.classes.iter()).map(|entry| entry.packet)
    }

    /// The packets that the MAC has given up, that are kept, and that are not in its hands again, with their next hops.
    pub fn kept(&self) -> impl Iterator<Item = (PacketId, NodeId)> {
        let idle = |entry: &&Queued| !self.in_service.iter().any(|(offered, _)| *offered == entry.packet);
        let all = self.express.iter().chain(self.classes.iter());
        all.filter(|entry| entry.kept > 0).filter(idle).map(|entry| (entry.packet, entry.to))
    }

    /// Counters up to `now`.
    #[must_use]
    pub fn counters(&self, now: SimTime) -> Counters {
        let mut counters = Counters { turns: self.service.turns(), ..self.counters };
        counters.account_for(now.saturating_since(self.counted_at), self.held());
        counters
    }
}
