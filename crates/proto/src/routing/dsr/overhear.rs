//! What a node hears that is meant for others (RFC 4728 §3.3.1, §3.4.3): routes, errors, and ways that can be shorter.

use super::config::Learn;
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

/// Which packets have been heard: each is looked at once.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenPackets(Vec<u64>);

impl SeenPackets {
    /// Whether a packet is heard for the first time.
    fn first(&mut self, uid: u64) -> bool {
        self.0.resize(HEARD, 0);
        let place = (uid % HEARD as u64) as usize; // below 1024
        std::mem::replace(&mut self.0[place], uid) != uid
    }
}

/// The ways that have been told to be shorter, and until when they are not told again.
#[derive(Clone, Debug, Default)]
pub(super) struct Shortened(Vec<(SimTime, Vec<NodeId>)>);

impl Shortened {
    /// Whether a way is to be told now.
    fn tell(&mut self, now: SimTime, way: &[NodeId], hold_off: Dur) -> bool {
        self.0.retain(|&(until, _)| now < until);
        if self.0.iter().any(|(_, told)| told == way) {
            return false;
        }
        if self.0.len() == SHORTENED {
            self.0.remove(0);
        }
        self.0.push((now + hold_off, way.to_vec()));
        true
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
        if source == self.me || !self.heard.first(uid) {
            return;
        }
        let Some(Ok(header)) = header_of(cx, heard.packet) else { return };
        for error in &header.errors {
            self.apply(cx.now, error, out);
        }
        if let Some(reply) = &header.reply {
            self.learn_reply(cx.now, destination, reply, out);
        }
        let Some(way) = header.route.map(|route| PacketPath::of(&cx.packets[heard.packet], &route)) else {
            return;
        };
        self.learn_overheard(cx.now, &way.nodes, heard.from, out);
        if !message {
            self.shorten(cx.now, &way, heard.from, out);
            let (begin, end, length) = (way.nodes.first(), way.nodes.last(), way.nodes.len());
            // The initiator has a route that is as good (§8.2.5).
            self.answers.retain(|(_, answer)| {
                answer.route.len() < length || answer.route.first() != begin || answer.route.last() != end
            });
        }
        if self.config.poll == Dur::ZERO {
            self.release(cx, out);
        }
    }

    fn learn_overheard<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        path: &[NodeId],
        from: NodeId,
        out: &mut S,
    ) {
        if let Some(here) = path.iter().position(|&node| node == self.me) {
            return self.learn_from(now, path, here, out);
        }
        let Some(there) = path.iter().position(|&node| node == from) else { return };
        let onward: Vec<NodeId> = std::iter::once(self.me).chain(path[there..].iter().copied()).collect();
        let mut news = self.cache.learn(now, &onward, false);
        if self.config.learn == Learn::Both {
            let back = std::iter::once(self.me).chain(path[..=there].iter().rev().copied());
            news |= self.cache.learn(now, &back.collect::<Vec<_>>(), false);
        }
        if news {
            self.tell_routes(now, out);
        }
    }

    /// A packet that is to come here later could come at once: where its route begins is told.
    fn shorten<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        way: &PacketPath,
        from: NodeId,
        out: &mut S,
    ) {
        let here = way.nodes.iter().position(|&node| node == self.me);
        let there = way.nodes.iter().position(|&node| node == from);
        let (Some(here), Some(there), true) = (here, there, self.config.shortening) else { return };
        if here <= way.here || there + 1 != way.here {
            return;
        }
        let route: Vec<NodeId> = way.nodes[..=there].iter().chain(&way.nodes[here..]).copied().collect();
        if self.shortened.tell(now, &route, self.config.gratuitous_hold_off) {
            let back = std::iter::once(self.me).chain(way.nodes[..=there].iter().rev().copied()).collect();
            self.counters.gratuitous_replies += 1;
            self.reply(route, back, Dur::ZERO, out);
        }
    }
}
