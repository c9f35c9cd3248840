//! What the configuration of routing says of it before anything runs.

use super::config::{RoutingConfig, RoutingKind};

/// Bytes of a line of a routing table.
const LINE: u64 = 64;
/// Bytes of a next hop to one destination.
const NEXT_HOP: u64 = 4;
/// Bytes of what a node of DSR remembers: paths, packets heard.
const DSR: u64 = 24 * 1024;

impl RoutingConfig {
    /// Whether paths are computed before the run and stay.
    #[must_use]
    pub const fn is_static(&self) -> bool {
        matches!(self.kind, RoutingKind::Static)
    }

    /// Whether routing leaves the choice among several neighbours to the link.
    #[must_use]
    pub const fn spreads(&self) -> bool {
        matches!(self.kind, RoutingKind::Frn)
    }

    /// Whether packets of one flow may take any of the shortest paths.
    #[must_use]
    pub const fn takes_several_paths(&self) -> bool {
        matches!(self.kind, RoutingKind::Frn | RoutingKind::Multipath)
    }

    /// Whether a header of routing stands between IP and the transport.
    #[must_use]
    pub const fn has_header_after_ip(&self) -> bool {
        matches!(self.kind, RoutingKind::Dsr)
    }

    /// Bytes of memory, about, that routes take in all of so many nodes, if so many of them are ends of flows.
    #[must_use]
    pub const fn memory(&self, nodes: u64, ends: u64) -> u64 {
        match self.kind {
            RoutingKind::Static | RoutingKind::Multipath => ends * nodes * NEXT_HOP,
            RoutingKind::Dsdv | RoutingKind::Aodv | RoutingKind::Frn => nodes * nodes * LINE,
            RoutingKind::Dsr => nodes * DSR,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_routing_needs_of_the_layers_is_known_before_the_run() {
        use RoutingKind::{Aodv, Dsdv, Dsr, Frn, Multipath, Static};
        let those = |says: fn(&RoutingConfig) -> bool| {
            let kinds = [Static, Multipath, Frn, Dsdv, Dsr, Aodv];
            kinds.into_iter().filter(move |&kind| says(&RoutingConfig { kind, ..RoutingConfig::default() }))
        };
        assert!(those(RoutingConfig::is_static).eq([Static]));
        assert!(those(RoutingConfig::spreads).eq([Frn]));
        assert!(those(RoutingConfig::takes_several_paths).eq([Multipath, Frn]));
        assert!(those(RoutingConfig::has_header_after_ip).eq([Dsr]));
    }

    #[test]
    fn tables_of_all_nodes_grow_with_the_square_and_those_of_ends_with_the_nodes() {
        let memory = |kind, nodes| RoutingConfig { kind, ..RoutingConfig::default() }.memory(nodes, 2);
        assert_eq!(memory(RoutingKind::Static, 100), 800);
        assert_eq!(memory(RoutingKind::Aodv, 200), 4 * memory(RoutingKind::Aodv, 100));
        assert_eq!(memory(RoutingKind::Dsr, 200), 2 * memory(RoutingKind::Dsr, 100));
    }
}
