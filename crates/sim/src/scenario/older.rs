//! Nodes of an older amendment than the network's: `[[node]] mac.standard`.

use super::config::Scenario;
use super::resolved::Resolved;
use crate::air::{AirConfig, Propagation};
use crate::scenario::TopologyConfig;
use multihop_proto::contract::Stations;
use multihop_proto::mac::{MacConfig, Older, Standard};
use multihop_proto::units::NodeId;
use std::borrow::Cow;

impl Scenario {
    /// Groups of nodes whose amendment is another one than the network's, by their places.
    pub(crate) fn older_groups(&self) -> impl Iterator<Item = (usize, &MacConfig)> {
        let own = |(place, group): (usize, &'_ super::NodeConfig)| {
            let mac = &group.mac.as_ref()?.settled;
            (mac.standard() != self.mac.standard()).then_some(place)
        };
        let groups = self.node.iter().enumerate().filter_map(own);
        groups.filter_map(|place| Some((place, &self.node[place].mac.as_ref()?.settled)))
    }

    /// Whether nodes are of several amendments.
    pub(crate) fn is_mixed(&self) -> bool {
        self.older_groups().next().is_some()
    }

    /// Whether stations of 802.11b are among those of a later amendment.
    pub(crate) fn has_dsss_stations(&self) -> bool {
        self.older_groups().any(|(_, mac)| mac.standard() == Standard::B)
    }

    /// Medium access beside the other stations of the network: what protects frames is settled.
    pub(crate) fn beside_others<'a>(&self, mac: Cow<'a, MacConfig>) -> Cow<'a, MacConfig> {
        if self.has_dsss_stations() { Cow::Owned(mac.beside_dsss()) } else { mac }
    }

    /// From which power on a signal keeps the medium busy at a station that cannot make it out \[W\].
    pub(crate) fn energy_threshold(&self) -> f64 {
        let AirConfig { propagation, energy_threshold, .. } = &self.air;
        let ranges = *propagation == Propagation::Disk || matches!(self.topology, TopologyConfig::Links(_));
        if ranges { 0.0 } else { energy_threshold.get() }
    }
}

impl Resolved {
    /// The medium access of a station's node.
    pub(crate) fn mac_of(&self, stations: &Stations, station: NodeId) -> &MacConfig {
        self.config.parts_of(self.nodes[stations.node_of(station).index()].group).mac
    }

    /// The stations whose amendment is older than that of one with this medium access, by the names of their nodes.
    pub(crate) fn older_than(&self, mac: &MacConfig, stations: &Stations) -> Vec<Older> {
        if !self.config.is_mixed() {
            return Vec::new();
        }
        let all = (0..).map(NodeId).take(stations.count());
        let older = all.filter_map(|node| {
            let other = self.mac_of(stations, node);
            other.is_older_than(mac).then(|| Older { node, mac: mac.towards(other) })
        });
        let mut older: Vec<Older> = older.collect();
        let names = self.station_names(stations);
        older.sort_by(|one, other| names[one.node.index()].cmp(&names[other.node.index()]));
        older
    }
}
