//! The machine: neighbours whose addresses are known, and those that are being asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::config::ArpConfig;
use super::wire::{Message, Operation};
use crate::contract::{Cx, Dropped, Sink, drop_packet};
use crate::units::{NodeId, SimTime, counters};
use crate::wire::{DropReason, Fate, PacketId};

/// What it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A packet is to go to a neighbour.
    Packet {
        /// The packet, in the machine's custody from now on.
        packet: PacketId,
        /// Its next hop.
        to: NodeId,
    },
    /// An ARP packet has come.
    Message(PacketId),
    /// The node goes down: what it has is lost, what it knows is forgotten.
    Flush,
}

/// What it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send this packet, whose next hop has an address now, after [`ArpConfig::delay`].
    Forward {
        /// The packet.
        packet: PacketId,
        /// Its next hop.
        to: NodeId,
    },
    /// Send this ARP packet, after [`ArpConfig::delay`].
    Send {
        /// Its bytes.
        body: Arc<[u8]>,
        /// To which node: a neighbour, or all.
        to: NodeId,
    },
    /// No answer came: this packet is to be handled as one that the link has given up.
    GiveUp {
        /// The packet.
        packet: PacketId,
        /// Its next hop.
        to: NodeId,
    },
    /// A packet is lost.
    Dropped(Dropped),
}

counters! {
    /// What it has done.
    pub struct Counters {
        /// Requests sent.
        pub requests = "arp.requests",
        /// Replies sent.
        pub replies = "arp.replies",
        /// Packets that waited and were lost because another came for the same neighbour.
        pub displaced = "arp.displaced",
        /// Times that a neighbour was given up.
        pub gave_up = "arp.gave-up",
    }
}

/// What is known of a neighbour.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// Until when its address is known.
    known: SimTime,
    /// Requests without an answer.
    asked: u32,
    /// The packet that waits for its address.
    held: Option<PacketId>,
}

/// Address resolution of one node.
#[derive(Clone, Debug)]
pub struct Arp {
    config: ArpConfig,
    me: NodeId,
    neighbours: BTreeMap<NodeId, Entry>,
    counters: Counters,
}

impl Arp {
    /// One of another station, with the same parameters.
    pub(crate) fn alike(&self, me: NodeId) -> Self {
        Self::new(self.config.clone(), me)
    }

    /// A node that knows no node.
    #[must_use]
    pub const fn new(config: ArpConfig, me: NodeId) -> Self {
        Self {
            config,
            me,
            neighbours: BTreeMap::new(),
            counters: Counters { requests: 0, replies: 0, displaced: 0, gave_up: 0 },
        }
    }

    /// How it is configured.
    #[must_use]
    pub const fn config(&self) -> &ArpConfig {
        &self.config
    }

    /// What it has done.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether a neighbour's address is known.
    #[must_use]
    pub fn knows(&self, now: SimTime, neighbour: NodeId) -> bool {
        self.neighbours.get(&neighbour).is_some_and(|entry| now < entry.known)
    }

    /// The packets that wait for an address.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.neighbours.values().filter_map(|entry| entry.held)
    }

    /// Takes one input.
    pub fn handle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut S) {
        match input {
            Input::Packet { packet, to } => self.resolve(cx, packet, to, out),
            Input::Message(packet) => self.on_message(cx, packet, out),
            Input::Flush => {
                for entry in std::mem::take(&mut self.neighbours).into_values() {
                    if let Some(packet) = entry.held {
                        out.put(Action::Dropped(drop_packet(cx, packet, DropReason::NodeDown)));
                    }
                }
            }
        }
    }

    fn resolve<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, to: NodeId, out: &mut S) {
        if to.is_broadcast() || self.knows(cx.now, to) {
            return out.put(Action::Forward { packet, to });
        }
        let entry = self.neighbours.entry(to).or_default();
        let held = entry.held.take();
        if entry.asked >= self.config.requests {
            entry.asked = 0;
            self.counters.gave_up += 1;
            for packet in held.into_iter().chain([packet]) {
                out.put(Action::GiveUp { packet, to });
            }
            return;
        }
        entry.asked += 1;
        entry.held = Some(packet);
        if let Some(held) = held {
            self.counters.displaced += 1;
            out.put(Action::Dropped(drop_packet(cx, held, DropReason::AddressUnresolved)));
        }
        self.counters.requests += 1;
        let message = Message { operation: Operation::Request, sender: self.me, target: to };
        out.put(Action::Send { body: message.emit(), to: NodeId::BROADCAST });
    }

    fn on_message<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, packet: PacketId, out: &mut S) {
        let parsed = cx.packets.message(packet).map(|bytes| Message::parse(bytes));
        let Some(Ok(message)) = parsed else {
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Malformed)));
        };
        cx.packets.end(packet, Fate::Delivered);
        // A node that hears a request learns its sender; a reply reaches only the node that it is for.
        self.learn(cx.now, message.sender, out);
        if message.operation == Operation::Request && message.target == self.me {
            self.counters.replies += 1;
            let reply = Message { operation: Operation::Reply, sender: self.me, target: message.sender };
            out.put(Action::Send { body: reply.emit(), to: message.sender });
        }
    }

    /// A neighbour's address has been seen.
    fn learn<S: Sink<Action>>(&mut self, now: SimTime, neighbour: NodeId, out: &mut S) {
        let lifetime = self.config.lifetime;
        let entry = self.neighbours.entry(neighbour).or_default();
        entry.known = if lifetime.as_ns() == 0 { SimTime::MAX } else { now + lifetime };
        entry.asked = 0;
        if let Some(packet) = entry.held.take() {
            out.put(Action::Forward { packet, to: neighbour });
        }
    }
}
