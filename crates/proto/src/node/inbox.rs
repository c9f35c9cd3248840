//! What a node tells itself: notices for its transport layer and its agents, and packets that arrive in the middle of
//! other work.
//!
//! A part of the node that learns something in the middle of a call leaves it here; it is carried out when the
//! outermost call has done its work, first come first served. No layer is entered while it is at work.

use std::collections::VecDeque;

use super::interfaces::IfIndex;
use super::stack::{Action, Node};
use crate::contract::{Cx, Notice, Sink};
use crate::link::End;
use crate::signals;
use crate::units::NodeId;
use crate::wire::PacketId;

/// Something left for later in the same call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    Notice(Notice),
    Deliver(IfIndex, PacketId, NodeId),
    Ended(PacketId, End),
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
}

impl Node {
    /// Does what has been left, until nothing is.
    #[inline(always)]
    pub(super) fn empty_inbox<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if !self.inbox.0.is_empty() {
            self.drain_inbox(cx, out);
        }
    }

    #[cold]
    #[inline(never)]
    fn drain_inbox<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        while let Some(item) = self.inbox.0.pop_front() {
            match item {
                Item::Notice(notice) => {
                    self.tell_transport(cx, notice, out);
                    self.tell_agents(cx, notice, out);
                    self.tell_notifier(cx, signals::Input::Notice(notice), out);
                }
                Item::Deliver(via, packet, from) => self.receive_packet(cx, via, packet, from, out),
                Item::Ended(packet, end) => self.leave_link(cx, packet, end, out),
                Item::NotifierInput(input) => self.tell_notifier(cx, input, out),
            }
        }
    }
}
