//! Notices between the layers of a node.

use crate::units::{FlowId, NodeId};

/// Something that one layer tells the others of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The MAC gave up on a neighbour.
    LinkFailed {
        /// The neighbour.
        neighbour: NodeId,
    },
    /// There is no route to a destination any more.
    RouteLost {
        /// The destination.
        destination: NodeId,
    },
    /// There is a route to a destination again.
    RouteFound {
        /// The destination.
        destination: NodeId,
        /// Its hop count.
        hops: u32,
    },
    /// The interface queue can take packets again after having been full.
    QueueSpace,
    /// A flow is about to be cut off from this node (`true`), or has a way again: what an oracle tells, not a layer.
    Outage {
        /// The flow: its endpoint alone hears of it.
        flow: FlowId,
        /// Whether it is yet to come.
        ahead: bool,
    },
    /// The node itself went down or came back.
    Power {
        /// Whether it is up now.
        up: bool,
    },
}

impl Notice {
    /// Of a route: its destination, and whether there is one now.
    #[must_use]
    pub const fn route(&self) -> Option<(NodeId, bool)> {
        match *self {
            Self::RouteFound { destination, .. } => Some((destination, true)),
            Self::RouteLost { destination } => Some((destination, false)),
            _ => None,
        }
    }
}
