//! Classes of waiting packets in one shared memory.

use std::collections::VecDeque;

use super::config::ClassBy;
use crate::units::{Bytes, NodeId};
use crate::wire::{Packet, PacketId, PacketKind, Towards};

/// A waiting packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The packet.
    pub packet: PacketId,
    /// Its next hop when it was queued.
    pub to: NodeId,
    /// Its length with what the routing agent adds.
    pub size: Bytes,
    /// How often the MAC has given it up and it was kept.
    pub kept: u32,
}

/// Which class a kind of packet is in, for `class-by = "kind"`.
const fn rank(kind: PacketKind) -> usize {
    match kind {
        PacketKind::Routing => 0,
        PacketKind::Signal => 1,
        PacketKind::TcpAck => 2,
        PacketKind::TcpData | PacketKind::Udp | PacketKind::Transport | PacketKind::Arp => 3,
    }
}

/// First-in first-out queues, one a class, found by key.
#[derive(Clone, Debug, Default)]
pub struct ClassTable {
    keys: Vec<u32>,
    queues: Vec<VecDeque<Queued>>,
    len: usize,
}

impl ClassTable {
    /// The class of a packet (one for all without `by`): its index, made on first use.
    #[inline]
    pub fn class(&mut self, by: Option<ClassBy>, packet: &Packet, next_hop: NodeId) -> usize {
        let key = match by {
            None if !self.keys.is_empty() => return 0,
            None => 0,
            Some(ClassBy::Destination) => packet.destination.0,
            Some(ClassBy::NextHop) => next_hop.0,
            Some(ClassBy::Flow) => packet.flow.0 << 1 | u32::from(packet.towards == Towards::Source),
            Some(ClassBy::Kind) => return self.by_rank(rank(packet.kind())),
        };
        if let Some(index) = self.keys.iter().position(|&known| known == key) {
            return index;
        }
        self.keys.push(key);
        self.queues.push(VecDeque::new());
        self.keys.len() - 1
    }

    /// The class of a rank: classes of kinds are in the order of their ranks, whichever is used first.
    fn by_rank(&mut self, rank: usize) -> usize {
        while self.queues.len() <= rank {
            self.keys.push(self.keys.len() as u32); // four ranks
            self.queues.push(VecDeque::new());
        }
        rank
    }

    /// Packets waiting, all classes together.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing waits.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Packets waiting in one class.
    #[inline]
    #[must_use]
    pub fn class_len(&self, class: usize) -> usize {
        self.queues[class].len()
    }

    /// The head of a class.
    #[inline]
    #[must_use]
    pub fn head(&self, class: usize) -> Option<&Queued> {
        self.queues[class].front()
    }

    /// The tail of a class.
    #[must_use]
    pub fn tail(&self, class: usize) -> Option<&Queued> {
        self.queues[class].back()
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.queues.len()
    }

    /// The head of a class, to note that it was kept.
    #[inline]
    pub fn head_mut(&mut self, class: usize) -> Option<&mut Queued> {
        self.queues[class].front_mut()
    }

    /// Adds at the tail.
    #[inline]
    pub fn push(&mut self, class: usize, entry: Queued) {
        self.queues[class].push_back(entry);
        self.len += 1;
    }

    /// Adds at this place, or at the tail if there are fewer.
    pub fn push_at(&mut self, class: usize, place: usize, entry: Queued) {
        let queue = &mut self.queues[class];
        queue.insert(place.min(queue.len()), entry);
        self.len += 1;
    }

    /// Takes the head.
    #[inline]
    pub fn pop(&mut self, class: usize) -> Option<Queued> {
        let entry = self.queues[class].pop_front();
        self.len -= usize::from(entry.is_some());
        entry
    }

    /// The head goes behind all others of its class.
    pub fn rotate(&mut self, class: usize) {
        let queue = &mut self.queues[class];
        if !queue.is_empty() {
            queue.rotate_left(1);
        }
    }

    /// Takes the tail.
    pub fn pop_tail(&mut self, class: usize) -> Option<Queued> {
        let entry = self.queues[class].pop_back();
        self.len -= usize::from(entry.is_some());
        entry
    }

    /// Takes out what waits for a next hop, class by class, but no head of a class whose head is `out`.
    pub fn withdraw(&mut self, to: NodeId, out: impl Fn(usize) -> bool) -> Vec<PacketId> {
        let mut taken = Vec::new();
        for (class, queue) in self.queues.iter_mut().enumerate() {
            let mut spared = out(class);
            queue.retain(|entry| {
                let stays = entry.to != to || std::mem::take(&mut spared);
                spared = false;
                if !stays {
                    taken.push(entry.packet);
                }
                stays
            });
        }
        self.len -= taken.len();
        taken
    }

    /// The class in which most packets wait (the first of several), of those that could lose one: where `out`, the
    /// head is in the MAC's hands.
    #[must_use]
    pub fn longest(&self, out: impl Fn(usize) -> bool) -> Option<usize> {
        let mut longest = None;
        let mut most = 0;
        for (class, queue) in self.queues.iter().enumerate() {
            if queue.len() > most.max(usize::from(out(class))) {
                (longest, most) = (Some(class), queue.len());
            }
        }
        longest
    }

    /// All waiting packets, class by class.
    pub fn iter(&self) -> impl Iterator<Item = &Queued> {
        self.queues.iter().flatten()
    }

    /// Empties the table.
    pub fn drain(&mut self) -> Vec<Queued> {
        self.len = 0;
        self.queues.iter_mut().flat_map(|queue| queue.drain(..)).collect()
    }
}
