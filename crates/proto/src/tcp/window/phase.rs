//! A phase of a window rule: what [`super::RuleView::phase`] counts.

/// A phase of a window rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name, as the source of the rule has it.
    pub name: &'static str,
    /// What the rule does in it, in one sentence.
    pub meaning: &'static str,
    /// Whether the rule leaves it once it knows the path.
    pub begins: bool,
}

impl Phase {
    /// The rate is looked for.
    pub(super) const STARTUP: Self = Self {
        name: "STARTUP",
        meaning: "BBR looks for the rate of the path: it sends faster each round, until more does not arrive.",
        begins: true,
    };
    /// The queue of that empties.
    pub(super) const DRAIN: Self = Self {
        name: "DRAIN",
        meaning: "BBR sends slowly until the queue that STARTUP has built is empty.",
        begins: true,
    };
    /// The least round-trip time is measured.
    pub(super) const PROBE_RTT: Self = Self {
        name: "PROBE_RTT",
        meaning: "BBR has little in flight for 200 ms and a round, to measure the least round-trip time.",
        begins: false,
    };

    /// A phase of a rule that knows the path.
    pub(super) const fn later(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, begins: false }
    }
}
