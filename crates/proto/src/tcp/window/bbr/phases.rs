//! Phases that both versions of BBR have.

use crate::tcp::window::phase::Phase;

/// The rate is looked for.
pub(in crate::tcp::window) const STARTUP: Phase = Phase {
    name: "STARTUP",
    meaning: "BBR looks for the rate of the path: it sends faster each round, until more does not arrive.",
    begins: true,
};

/// The queue of that empties.
pub(in crate::tcp::window) const DRAIN: Phase = Phase {
    name: "DRAIN",
    meaning: "BBR sends slowly until the queue that STARTUP has built is empty.",
    begins: true,
};

/// The least round-trip time is measured.
pub(in crate::tcp::window) const PROBE_RTT: Phase = Phase {
    name: "PROBE_RTT",
    meaning: "BBR has little in flight for 200 ms and a round, to measure the least round-trip time.",
    begins: false,
};
