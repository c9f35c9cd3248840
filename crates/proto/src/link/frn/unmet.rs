//! Which keys of `[frn]` mean nothing under the others.

use super::{FrnConfig, Interval, NextHop};

impl FrnConfig {
    /// What would have to be set for a key of the section to mean something, if it does not now. `spread`: routing
    /// leaves the choice among several neighbours to the link, as `routing.kind = "frn"` does.
    #[must_use]
    pub fn unmet(&self, key: &str, spread: bool) -> Option<&'static str> {
        let failing = self.next_hop == NextHop::LeastFailing && spread;
        let (used, needed) = match key {
            "next-hop" => (spread, "routing.kind = \"frn\""),
            "history" | "history-age" => (
                self.interval == Interval::Load || failing,
                "frn.interval = \"load\", or with frn.next-hop = \"least-failing\" and routing.kind = \"frn\"",
            ),
            "retry-to-most" => (self.interval != Interval::Fixed, "frn.interval = \"load\" or \"csma-cd\""),
            "postpone" | "combine-waiting" => (self.combine, "frn.combine = true"),
            _ => return None,
        };
        (!used).then_some(needed)
    }
}
