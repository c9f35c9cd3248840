//! What a node hears that is meant for others (RFC 4728 §3.3.1, §3.4.3): which of it is new, and which ways can be
//! shorter.

use super::config::DsrConfig;
use super::machine::Dsr;
use super::source_route::{PacketPath, header_of};
use crate::contract::{Cx, Overheard, Sink};
use crate::routing::contract::Action;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::Payload;

/// Packets that are remembered as heard.
const HEARD: usize = 1024;
/// Shorter ways that are not told again.
const SHORTENED: usize = 10;

/// A shorter way.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shortcut {
    /// The whole of it.
    route: Vec<NodeId>,
    /// The way from this node to where it begins.
    back: Vec<NodeId>,
}

/// What a node remembers of packets for others.
#[derive(Debug)]
pub(super) struct Listener {
    me: NodeId,
    /// Packets that have been heard, by number.
    heard: Vec<u64>,
    /// Whether shorter ways are told.
    shortens: bool,
    /// How long the same is not told again.
    hold_off: Dur,
    /// The ways that have been told to be shorter, and until when they are not told again.
    told: Vec<(SimTime, Vec<NodeId>)>,
}

impl Listener {
    pub(super) const fn new(me: NodeId, config: &DsrConfig) -> Self {
        Self {
            me,
            heard: Vec::new(),
            shortens: config.shortening,
            hold_off: config.gratuitous_hold_off,
            told: Vec::new(),
        }
    }

    /// Whether a packet is heard for the first time: each is looked at once.
    fn is_new(&mut self, uid: u64) -> bool {
        self.heard.resize(HEARD, 0);
        let place = (uid % HEARD as u64) as usize; // below 1024
        std::mem::replace(&mut self.heard[place], uid) != uid
    }

    /// A packet that is to come here later could come at once from the neighbour that has sent it: the shorter way, if
    /// it is to be told now.
    fn shortcut(&mut self, now: SimTime, way: &PacketPath, from: NodeId) -> Option<Shortcut> {
        let here = way.nodes.iter().position(|&node| node == self.me)?;
        let there = way.nodes.iter().position(|&node| node == from)?;
        if !self.shortens || here <= way.here || there + 1 != way.here {
            return None;
        }
        let route: Vec<NodeId> = way.nodes[..=there].iter().chain(&way.nodes[here..]).copied().collect();
        let back = std::iter::once(self.me).chain(way.nodes[..=there].iter().rev().copied()).collect();
        self.tells(now, &route).then_some(Shortcut { route, back })
    }

    /// Whether a way is to be told now.
    fn tells(&mut self, now: SimTime, route: &[NodeId]) -> bool {
        self.told.retain(|&(until, _)| now < until);
        if self.told.iter().any(|(_, told)| told == route) {
            return false;
        }
        if self.told.len() == SHORTENED {
            self.told.remove(0);
        }
        self.told.push((now + self.hold_off, route.to_vec()));
        true
    }

    pub(super) fn clear(&mut self) {
        self.heard.clear();
        self.told.clear();
    }
}

impl Dsr {
    /// A packet for another node is in the air.
    pub(super) fn on_overheard<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        heard: Overheard,
        out: &mut S,
    ) {
        let its = &cx.packets[heard.packet];
        let (uid, source, destination) = (its.uid, its.source, its.destination);
        let message = matches!(its.payload, Payload::Message { .. });
        if source == self.me || !self.listener.is_new(uid) {
            return;
        }
        let Some(Ok(header)) = header_of(cx, heard.packet) else { return };
        for error in &header.errors {
            self.apply(cx.now, error, out);
        }
        if let Some(reply) = &header.reply {
            self.known.learn_reply(cx.now, destination, reply, out);
        }
        let Some(way) = header.route.map(|route| PacketPath::of(&cx.packets[heard.packet], &route)) else {
            return;
        };
        self.known.learn_overheard(cx.now, &way.nodes, heard.from, out);
        if !message {
            if let Some(Shortcut { route, back }) = self.listener.shortcut(cx.now, &way, heard.from) {
                self.counters.gratuitous_replies += 1;
                self.reply(route, back, Dur::ZERO, out);
            }
            self.answers.forget_no_better(&way.nodes);
        }
        if !self.waiting.is_polled() {
            self.release(cx, out);
        }
    }
}
