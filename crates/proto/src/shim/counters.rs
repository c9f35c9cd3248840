//! What a shim counts.

use crate::units::{Dur, SimTime};

/// How often a shim acted; monotone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Times that TCP was stopped.
    pub freezes: u64,
    /// For how long, pauses that are over.
    pub frozen: Dur,
    /// Probes sent.
    pub probes: u64,
    /// Retransmissions asked for: of one segment, or of all that is outstanding.
    pub retransmissions: u64,
    /// Retransmission timeouts that TCP never heard of.
    pub timeouts_hidden: u64,
    /// Duplicate ACKs that TCP never heard of.
    pub dupacks_hidden: u64,
    /// Times that TCP's timer was started afresh.
    pub restarts: u64,
    /// Longest time between two probes of one pause, or between its beginning and the first (ATCP).
    pub longest_probe_gap: Dur,
    /// Times that an ECN echo left congestion to TCP (ATCP).
    pub congested: u64,
    /// Of these, those that a new segment ended.
    pub congested_ended: u64,
}

impl Counters {
    /// The name of each counter.
    pub const NAMES: [&'static str; 10] = [
        "shim.freezes",
        "shim.frozen-ms",
        "shim.probes",
        "shim.retransmissions",
        "shim.timeouts-hidden",
        "shim.dupacks-hidden",
        "shim.restarts",
        "shim.longest-probe-gap-ms",
        "shim.congested",
        "shim.congested-ended",
    ];

    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut (impl FnMut(&'static str, u64) + ?Sized)) {
        let values = [
            self.freezes,
            self.frozen.as_ns() / 1_000_000,
            self.probes,
            self.retransmissions,
            self.timeouts_hidden,
            self.dupacks_hidden,
            self.restarts,
            self.longest_probe_gap.as_ns() / 1_000_000,
            self.congested,
            self.congested_ended,
        ];
        Self::NAMES.iter().zip(values).for_each(|(name, value)| tell(name, value));
    }

    /// A pause that began then is over.
    pub(super) fn thawed(&mut self, now: SimTime, since: SimTime) {
        self.frozen += now.saturating_since(since);
    }
}
