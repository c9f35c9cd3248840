//! What a queue counts.

use crate::units::Dur;

/// Counters of one queue; monotone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames kept at the head after the MAC gave them up.
    pub kept: u64,
    /// Turns that ended with another class waiting.
    pub turns: u64,
    /// Packets marked instead of dropped (RFC 3168).
    pub marked: u64,
    /// Packets dropped before the queue was full.
    pub early_drops: u64,
    /// Time integral of the number of packets held \[packet·ns\].
    pub occupancy: u128,
    /// Time for which the queue held at least one packet.
    pub backlogged: Dur,
}

impl Counters {
    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell("queue.kept", self.kept);
        tell("queue.turns", self.turns);
        tell("queue.marked", self.marked);
        tell("queue.early-drops", self.early_drops);
    }

    /// Some time has passed with so many packets held.
    #[inline]
    pub(super) fn account_for(&mut self, passed: Dur, held: usize) {
        if held > 0 {
            self.occupancy += u128::from(passed.as_ns()) * held as u128;
            self.backlogged += passed;
        }
    }
}
