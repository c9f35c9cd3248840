//! What a network needs besides the usual, so that the events of others need not ask for it.

use multihop_proto::node::{Interface, Node};

/// What a network needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    cut_slots: bool,
    steps: bool,
    order_of_arrival: bool,
    beginnings: bool,
    ends: bool,
}

impl Needs {
    /// Of these nodes. `tied`: steps that are due together are put in order. `moving`: nodes move where receivers keep
    /// what came first. `beginnings`: as [`Needs::beginnings`].
    pub(super) fn new(nodes: &[Node], tied: bool, moving: bool, beginnings: bool) -> Self {
        let any = |such: fn(&Interface) -> bool| nodes.iter().any(|node| node.links().interfaces().any(such));
        Self {
            cut_slots: any(Interface::counts_in_seconds),
            steps: tied || any(Interface::minds_reception),
            order_of_arrival: moving,
            beginnings,
            ends: false,
        }
    }

    /// Whether any station counts its slots in seconds: a signal cuts them off.
    #[inline(always)]
    pub(super) const fn cut_slots(&self) -> bool {
        self.cut_slots
    }

    /// Whether steps that are due together are put in order, or any station minds what it is receiving as its step is
    /// due.
    #[inline(always)]
    pub(super) const fn steps(&self) -> bool {
        self.steps
    }

    /// Whether a node may come nearer between two frames, so that its signal arrives before the end of a slot.
    #[inline(always)]
    pub(super) const fn order_of_arrival(&self) -> bool {
        self.order_of_arrival
    }

    /// Whether signals are delayed, metered, or watched as they begin.
    #[inline(always)]
    pub(super) const fn beginnings(&self) -> bool {
        self.beginnings
    }

    /// Whether signals are lost by chance, fade or are watched as they end, or those that cannot be decoded matter too.
    #[inline(always)]
    pub(super) const fn ends(&self) -> bool {
        self.ends
    }

    /// The ends of signals need it from now on, or do not.
    pub(super) const fn set_ends(&mut self, ends: bool) {
        self.ends = ends;
    }
}
