//! What others may read of a queue.

use super::Sojourn;
use super::classes::Queued;
use super::counters::Counters;
use super::machine::Queue;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::PacketId;

impl Queue {
    /// Measures how long packets are here, before anything is sent.
    pub fn measure(&mut self, sojourn: Sojourn) {
        self.managed.measure(sojourn);
    }

    /// How long packets are here on average \[µs\]; none while it is idle, or if nothing measures it.
    #[must_use]
    pub fn sojourn(&self, now: SimTime) -> Option<f64> {
        self.managed.sojourn(now)
    }

    /// When the timer of the active queue management shall fire; `SimTime::MAX`: never.
    #[must_use]
    pub const fn wake_at(&self) -> SimTime {
        self.managed.armed()
    }

    /// Where a frame in service goes, and whether it stays if the MAC gives it up.
    #[must_use]
    pub fn in_service(&self, packet: PacketId) -> Option<(NodeId, bool)> {
        self.waiting.store().in_service(packet).map(|entry| (entry.to, self.keep_rule.keeps(entry)))
    }

    /// Whether next hops take turns by time on the air: then each frame goes to [`Self::used`].
    #[must_use]
    pub const fn minds_airtime(&self) -> bool {
        self.waiting.order().minds_airtime()
    }

    /// A frame to or from a next hop has taken so long; `own`: of an exchange that this station began.
    pub fn used(&mut self, to: NodeId, airtime: Dur, own: bool) {
        self.waiting.order_mut().used(to, airtime, own);
    }

    /// Whether nothing is held, but for packets that the MAC has taken out.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.waiting.store().is_empty()
    }

    /// The packets held, the ones in service included.
    pub fn held(&self) -> impl Iterator<Item = &Queued> {
        self.waiting.store().iter()
    }

    /// Counters up to `now`.
    #[must_use]
    pub fn counters(&self, now: SimTime) -> Counters {
        self.meter.read(now, self.waiting.store().held(), self.waiting.order().turns())
    }
}
