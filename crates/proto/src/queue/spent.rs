//! Time on the air, where next hops take turns by it.

use super::classes::Queued;
use super::machine::Queue;
use super::set::AnyTurns;
use super::store::Slot;
use super::turns::Turns;
use crate::units::{Dur, NodeId};

impl Queue {
    /// Whether next hops take turns by time on the air: then each frame goes to [`Self::used`].
    #[must_use]
    pub const fn minds_airtime(&self) -> bool {
        matches!(self.turns, AnyTurns::Airtime(_))
    }

    /// A frame to or from a next hop has taken so long; `own`: of an exchange that this station began.
    pub fn used(&mut self, to: NodeId, airtime: Dur, own: bool) {
        self.turns.used(to, airtime, own);
    }

    /// A packet has arrived at its next hop.
    #[inline(always)]
    pub(super) fn note_arrived(&mut self, from: Slot, entry: Queued) {
        if self.minds_airtime()
            && let Slot::Class(class) = from
        {
            self.turns.arrived(class, entry.size);
        }
    }

    /// Whether the MAC may have what waits at a place beside what it has for the same next hop.
    pub(super) fn has_room(&self, from: Slot, place: usize) -> bool {
        let Slot::Class(class) = from else { return true };
        let Some(entry) = self.store.waiting_from(from).nth(place).filter(|_| self.minds_airtime()) else {
            return true;
        };
        let taken = self.store.bytes_taken(entry.to);
        taken == 0 || self.turns.has_room(class, taken + u64::from(entry.size.0))
    }
}
