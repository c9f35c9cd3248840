//! What a link may read of routing: the next hops to a destination, where there are several.

use crate::units::NodeId;

/// How good a way is beside the shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It is as short as any.
    Forward,
    /// It takes one relay more.
    Sideward,
    /// It takes more than that.
    Backward,
}

/// A way to a destination: the neighbour that it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextHopChoice {
    /// The neighbour.
    pub neighbour: NodeId,
    /// Its class.
    pub class: Class,
}

/// The next hops that routing knows. They are read where they lie: a caller that does not ask pays nothing.
pub trait NextHops {
    /// Every way to a destination, the better classes first. A machine that knows one way for a packet, or none, has
    /// nothing here: the neighbour that it has named is the one.
    fn next_hops(&self, destination: NodeId) -> &[NextHopChoice];
}

impl<N: NextHops + ?Sized> NextHops for &N {
    fn next_hops(&self, destination: NodeId) -> &[NextHopChoice] {
        (**self).next_hops(destination)
    }
}

/// No next hops but those that routing has named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoNextHops;

impl NextHops for NoNextHops {
    fn next_hops(&self, _: NodeId) -> &[NextHopChoice] {
        &[]
    }
}
