//! What an agent counts.

/// How often an agent acted; monotone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments that it acknowledged in the destination's name for the first time.
    pub acknowledged: u64,
    /// Segments that it sent again on its own.
    pub retransmissions: u64,
    /// Duplicate ACKs that the source never heard of.
    pub hidden: u64,
    /// ACKs marked as asking for what was not lost by congestion.
    pub marked: u64,
    /// Payload that it had acknowledged, and that was lost with its node before the next one had it \[B\].
    pub lost_bytes: u64,
}

impl Counters {
    /// The name of each counter.
    pub const NAMES: [&'static str; 5] = [
        "agent.acknowledged",
        "agent.retransmissions",
        "agent.dupacks-hidden",
        "agent.acks-marked",
        "agent.lost-bytes",
    ];

    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        let values = [self.acknowledged, self.retransmissions, self.hidden, self.marked, self.lost_bytes];
        Self::NAMES.iter().zip(values).for_each(|(name, value)| tell(name, value));
    }
}
