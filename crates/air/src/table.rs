//! A network given as a list of links: which node decodes which, and which merely senses which, without places or
//! powers.

use multihop_proto::contract::Stations;
use multihop_proto::units::{NodeId, SimTime};

use super::link::{Link, strongest_first};

/// One direction of a listed link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedLink {
    /// Transmitter.
    pub from: NodeId,
    /// The listener and what arrives there.
    pub link: Link,
    /// Probability that a frame is received wrong.
    pub loss: f64,
}

/// The links, by transmitter.
#[derive(Clone, Debug)]
pub struct LinkTable {
    links: Vec<Vec<Link>>,
    losses: Vec<(NodeId, NodeId, f64)>,
}

impl LinkTable {
    /// A table between `nodes` nodes.
    #[must_use]
    pub fn new(nodes: usize, directions: impl IntoIterator<Item = ListedLink>) -> Self {
        let mut table = Self { links: vec![Vec::new(); nodes], losses: Vec::new() };
        for ListedLink { from, link, loss } in directions {
            table.links[from.index()].push(link);
            if loss > 0.0 {
                table.losses.push((from, link.to, loss));
            }
        }
        table
    }

    /// Links that lose frames: transmitter, receiver, probability.
    #[must_use]
    pub fn losses(&self) -> &[(NodeId, NodeId, f64)] {
        &self.losses
    }

    /// Whether a node can decode what another sends.
    #[must_use]
    pub fn decodes(&self, from: NodeId, to: NodeId) -> bool {
        self.links[from.index()].iter().any(|link| link.to == to && link.decodable)
    }

    /// Fills in the listeners of the station `from`, those that can decode first; they are the same for all time.
    pub fn listeners(&self, from: NodeId, stations: Option<&Stations>, links: &mut Vec<Link>) -> SimTime {
        match stations {
            None => links.extend_from_slice(&self.links[from.index()]),
            Some(stations) => {
                for link in &self.links[stations.node_of(from).index()] {
                    let meets = stations.of(link.to).filter(|&to| stations.meet(from, to));
                    links.extend(meets.map(|to| Link { to, ..*link }));
                }
            }
        }
        links.sort_unstable_by_key(strongest_first);
        SimTime::MAX
    }
}
