//! What a node tells itself: notices for its transport layer and its agents, and packets that arrive in the middle of
//! other work.
//!
//! A part of the node that learns something in the middle of a call leaves it here; it is carried out when the
//! outermost call has done its work, first come first served. No layer is entered while it is at work.

use std::collections::VecDeque;

use super::interfaces::IfIndex;
use crate::contract::Notice;
use crate::link::End;
use crate::signals;
use crate::units::NodeId;
use crate::wire::PacketId;

/// Something left for later in the same call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::node) enum Item {
    /// For the transport layer, the agents and the notifier.
    Notice(Notice),
    /// A packet from a neighbour, by this interface if it came by radio.
    Deliver(IfIndex, PacketId, NodeId),
    /// A packet has left the link.
    Ended(PacketId, End),
    /// For the notifier alone.
    NotifierInput(signals::Input),
}

/// What is left for the end of a call.
#[derive(Debug, Default)]
pub(super) struct Inbox(VecDeque<Item>);

impl Inbox {
    /// The transport layer and the agents shall hear this.
    pub(super) fn post(&mut self, notice: Notice) {
        self.0.push_back(Item::Notice(notice));
    }

    /// The notifier shall hear this.
    pub(super) fn post_to_notifier(&mut self, input: signals::Input) {
        self.0.push_back(Item::NotifierInput(input));
    }

    /// A packet has come from a neighbour, by this interface if it came by radio.
    pub(super) fn deliver(&mut self, via: IfIndex, packet: PacketId, from: NodeId) {
        self.0.push_back(Item::Deliver(via, packet, from));
    }

    /// A packet has left the link.
    pub(super) fn end(&mut self, packet: PacketId, end: End) {
        self.0.push_back(Item::Ended(packet, end));
    }

    /// Whether nothing is left.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next thing.
    pub(super) fn take(&mut self) -> Option<Item> {
        self.0.pop_front()
    }
}
