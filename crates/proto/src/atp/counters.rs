//! What a source of ATP counts.

/// How often it did what; monotone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets sent, probes and retransmissions included.
    pub sent: u64,
    /// Data packets sent again.
    pub retransmissions: u64,
    /// Probes.
    pub probes: u64,
    /// Reports that came.
    pub reports: u64,
    /// Reports that did not come in time.
    pub missing: u64,
    /// Reports after which the rate went up.
    pub increases: u64,
    /// Reports after which it went down.
    pub decreases: u64,
    /// Times that it began with a probe.
    pub quick_starts: u64,
}

impl Counters {
    /// The name of each counter.
    pub const NAMES: [&'static str; 8] = [
        "atp.sent",
        "atp.retransmissions",
        "atp.probes",
        "atp.reports",
        "atp.missing-reports",
        "atp.increases",
        "atp.decreases",
        "atp.quick-starts",
    ];

    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut impl FnMut(&'static str, u64)) {
        let values = [
            self.sent,
            self.retransmissions,
            self.probes,
            self.reports,
            self.missing,
            self.increases,
            self.decreases,
            self.quick_starts,
        ];
        Self::NAMES.iter().zip(values).for_each(|(name, value)| tell(name, value));
    }
}
