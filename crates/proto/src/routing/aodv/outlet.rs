//! How messages leave: their size, their delay, and the draws of delays.

use super::config::{AodvConfig, WireSize};
use super::wire::{self, Message};
use crate::contract::Sink;
use crate::routing::contract::{Action, Outgoing};
use crate::units::{Dur, NodeId, Rng, SimTime};
use crate::wire::Protocol;

/// What sends the messages of a node.
#[derive(Clone, Debug)]
pub(super) struct Outlet {
    size: WireSize,
    /// From here to the interface queue.
    delay: Dur,
    /// Longest random delay of what is passed on to all.
    most_jitter: Dur,
    rng: Rng,
    /// When the last broadcast was sent: it serves as a hello.
    last_broadcast: Option<SimTime>,
}

impl Outlet {
    /// `rng` draws the jitter.
    pub(super) const fn new(config: &AodvConfig, rng: Rng) -> Self {
        Self {
            size: config.wire,
            delay: config.message_delay,
            most_jitter: config.broadcast_jitter,
            rng,
            last_broadcast: None,
        }
    }

    /// Sends a message to a neighbour, or to all, after a delay.
    pub(super) fn send(
        &mut self,
        now: SimTime,
        message: &Message,
        to: NodeId,
        (ttl, delay): (u8, Dur),
        out: &mut impl Sink<Action>,
    ) {
        let delay = delay + self.delay;
        if to.is_broadcast() {
            self.last_broadcast = Some(now + delay);
        }
        let body = wire::emit(message);
        let size = wire::size(message, body.len(), self.size);
        out.put(Action::Send(Outgoing {
            protocol: Protocol::Aodv,
            body,
            size,
            destination: to,
            to,
            ttl,
            delay,
        }));
    }

    /// A random delay for what is passed on to all.
    pub(super) fn jitter(&mut self) -> Dur {
        match self.most_jitter {
            Dur::ZERO => Dur::ZERO,
            most => self.up_to(most),
        }
    }

    /// A random time below this.
    pub(super) fn up_to(&mut self, most: Dur) -> Dur {
        self.rng.range_dur(Dur::ZERO, most)
    }

    /// Whether a broadcast was sent within the last `interval`.
    pub(super) fn was_heard_within(&self, now: SimTime, interval: Dur) -> bool {
        self.last_broadcast.is_some_and(|at| now < at + interval)
    }

    /// The node goes down; draws go on.
    pub(super) const fn clear(&mut self) {
        self.last_broadcast = None;
    }
}
