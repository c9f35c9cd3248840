//! Hellos, RFC 3561 §6.9: a node in use tells its neighbours that it is there, and hears when they are not.

use super::config::AodvConfig;
use super::deadlines::Deadlines;
use super::machine::Aodv;
use super::table::{News, State};
use super::wire::{Message, Reply};
use crate::contract::{Cx, Sink};
use crate::routing::contract::Action;
use crate::units::{Dur, NodeId, SimTime};

/// Which node is near, where hellos say so.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    /// When this node looks whether a hello is needed.
    hello_at: SimTime,
    /// Neighbours from which a hello has come, and when each counts as gone.
    known: Deadlines,
}

impl Default for Neighbours {
    fn default() -> Self {
        Self { hello_at: SimTime::MAX, known: Deadlines::default() }
    }
}

impl Neighbours {
    pub(super) fn start(&mut self, now: SimTime, jitter: Dur) {
        self.hello_at = now + jitter;
    }

    pub(super) fn next(&self) -> SimTime {
        self.known.next().min(self.hello_at)
    }

    /// Any message shows that a neighbour is there.
    pub(super) fn heard(&mut self, now: SimTime, from: NodeId, config: &AodvConfig) {
        self.known.put_off(from, now + patience(config));
    }

    fn add(&mut self, now: SimTime, from: NodeId, config: &AodvConfig) {
        if !self.known.has(from) {
            self.known.add(from, now + patience(config));
        }
    }

    /// A link is known to be broken.
    pub(super) fn remove(&mut self, neighbour: NodeId) {
        self.known.remove(neighbour);
    }
}

fn patience(config: &AodvConfig) -> Dur {
    config.hello_interval * u64::from(config.allowed_hello_loss)
}

impl Aodv {
    /// A hello: a route of one hop with a sequence number.
    pub(super) fn on_hello<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        from: NodeId,
        hello: Reply,
        out: &mut S,
    ) {
        let now = cx.now;
        if hello.destination != from {
            return;
        }
        if self.config.link_detection.hellos() {
            self.neighbours.add(now, from, &self.config);
        }
        let expires = now + Dur::from_ms(u64::from(hello.lifetime_ms));
        let route = self.table.entry(now, from);
        let was = route.state;
        let expires = if was == State::Valid { expires.max(route.expires) } else { expires };
        let news = News { next_hop: from, hops: 1, sequence: hello.destination_sequence, expires };
        let (_, revived) = self.table.learn(now, from, news, true);
        self.table.use_route(now, from, expires); // also if its number is no news
        if revived {
            self.revived(cx, from, 1, Dur::ZERO, out);
        }
    }

    /// Sends a hello if one is due, and finds out which node has fallen silent.
    pub(super) fn on_hello_timer<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let now = cx.now;
        while let Some(neighbour) = self.neighbours.known.take_due(now) {
            self.link_broken(cx, neighbour, None, out);
        }
        if self.neighbours.hello_at > now {
            return;
        }
        let interval = self.config.hello_interval;
        self.neighbours.hello_at = now + interval;
        let in_use = self.table.all(now).any(|route| route.state == State::Valid);
        let said = self.outlet.was_heard_within(now, interval);
        if !in_use || said || self.reboot.is_quiet(now) {
            return;
        }
        self.counters.hellos += 1;
        let hello = Reply {
            acknowledge: false,
            hops: 0,
            destination: self.me,
            destination_sequence: self.number.get(),
            originator: self.me,
            lifetime_ms: patience(&self.config).as_ms_u32(),
        };
        self.outlet.send(now, &Message::Reply(hello), NodeId::BROADCAST, (1, Dur::ZERO), out);
    }
}
