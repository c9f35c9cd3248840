//! Classes of waiting packets in one shared memory.

use std::collections::VecDeque;

use super::config::{ClassBy, QueueConfig, Service};
use crate::contract::{Cx, Offer};
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

impl Queued {
    /// The MAC gets it now.
    #[inline(always)]
    pub(super) fn offered(self, cx: &mut Cx<'_>) -> Offer {
        let Self { packet, to, size, kept } = self;
        cx.packets.stay_mut(packet).offered = cx.now;
        Offer { packet, to, size, second: None, kept: kept > 0 }
    }
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

/// What makes a class.
#[derive(Clone, Copy, Debug)]
struct Classifier {
    by: ClassBy,
    /// Flows are hashed into so many classes, with this seed.
    hashed: Option<(u32, u64)>,
}

impl Classifier {
    #[inline(always)]
    fn key(self, packet: &Packet, next_hop: NodeId) -> u32 {
        match self.by {
            ClassBy::Destination => packet.destination.0,
            ClassBy::NextHop => next_hop.0,
            ClassBy::Flow => {
                let flow = packet.flow.0 << 1 | u32::from(packet.towards == Towards::Source);
                self.hashed.map_or(flow, |(classes, seed)| hash(flow, seed) % classes)
            }
            ClassBy::Kind => rank(packet.kind()) as u32, // four ranks
        }
    }
}

/// The hash of a flow and a direction, which stand for the five values of RFC 8290 §4.1.
fn hash(flow: u32, seed: u64) -> u32 {
    xxhash_rust::xxh3::xxh3_64_with_seed(&flow.to_le_bytes(), seed) as u32
}

/// Finds the class of a key: small keys at once.
#[derive(Clone, Debug, Default)]
struct Keys {
    /// The class of each small key, plus one; 0: none.
    small: Vec<u32>,
    others: Vec<(u32, u32)>,
}

impl Keys {
    /// Keys below this have a place of their own.
    const SMALL: u32 = 1 << 16;

    #[inline]
    fn find(&self, key: u32) -> Option<usize> {
        match self.small.get(key as usize) {
            Some(0) => None,
            Some(&class) => Some(class as usize - 1),
            None => self.others.iter().find(|(known, _)| *known == key).map(|&(_, class)| class as usize),
        }
    }

    fn add(&mut self, key: u32, class: usize) {
        let class = class as u32; // a class is made for a packet, and packets are counted in 32 bits
        if key >= Self::SMALL {
            return self.others.push((key, class));
        }
        if self.small.len() <= key as usize {
            self.small.resize(key as usize + 1, 0);
        }
        self.small[key as usize] = class + 1;
    }
}

/// One class: first in, first out.
#[derive(Clone, Debug, Default)]
struct Class {
    queue: VecDeque<Queued>,
    bytes: u64,
}

/// First-in first-out queues, one a class, found by key.
#[derive(Clone, Debug, Default)]
pub struct ClassTable {
    classes: Vec<Class>,
    by: Option<Classifier>,
    keys: Keys,
    /// The keys of each next hop, where each has classes of its own.
    hops: Option<Vec<(NodeId, Keys)>>,
    len: usize,
    bytes: u64,
}

impl ClassTable {
    /// The classes that a configuration makes: one for all, if its service knows no classes.
    #[must_use]
    pub fn new(config: &QueueConfig) -> Self {
        let classifier = Classifier {
            by: config.class_by,
            hashed: config.queues.map(|classes| (classes, config.hash_seed)),
        };
        Self {
            by: config.service.has_classes().then_some(classifier),
            hops: (config.service == Service::Airtime).then(Vec::new),
            ..Self::default()
        }
    }

    /// The class of a packet (one for all if nothing tells them apart): its index, made on first use.
    #[inline(always)]
    pub fn class(&mut self, packet: &Packet, next_hop: NodeId) -> usize {
        if self.by.is_none() && !self.classes.is_empty() {
            return 0;
        }
        self.class_by_key(packet, next_hop)
    }

    #[inline(never)]
    fn class_by_key(&mut self, packet: &Packet, next_hop: NodeId) -> usize {
        let key = self.by.map_or(0, |classifier| classifier.key(packet, next_hop));
        if self.hops.is_some() {
            return self.class_of_hop(next_hop, key);
        }
        self.keys.find(key).unwrap_or_else(|| self.add(key))
    }

    /// The class of a key among those of a next hop, made on first use.
    #[inline(never)]
    fn class_of_hop(&mut self, next_hop: NodeId, key: u32) -> usize {
        let Self { classes, hops, .. } = self;
        let hops = hops.get_or_insert_default();
        let place = hops.iter().position(|(to, _)| *to == next_hop).unwrap_or_else(|| {
            hops.push((next_hop, Keys::default()));
            hops.len() - 1
        });
        let keys = &mut hops[place].1;
        keys.find(key).unwrap_or_else(|| {
            keys.add(key, classes.len());
            classes.push(Class::default());
            classes.len() - 1
        })
    }

    /// Makes the class of a key. Classes of kinds are in the order of their ranks, whichever is used first.
    #[cold]
    fn add(&mut self, key: u32) -> usize {
        let ranked = self.by.is_some_and(|classifier| classifier.by == ClassBy::Kind);
        let from = if ranked { self.classes.len() as u32 } else { key }; // four ranks
        for key in from..=key {
            self.keys.add(key, self.classes.len());
            self.classes.push(Class::default());
        }
        self.classes.len() - 1
    }

    /// The first class that has packets; the only one if nothing tells packets apart.
    #[inline(always)]
    #[must_use]
    pub fn first(&self) -> usize {
        if self.by.is_none() {
            return 0;
        }
        self.classes.iter().position(|class| !class.queue.is_empty()).unwrap_or(0)
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

    /// Their bytes.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Packets waiting in one class.
    #[inline]
    #[must_use]
    pub fn class_len(&self, class: usize) -> usize {
        self.classes[class].queue.len()
    }

    /// Bytes waiting in one class.
    #[inline]
    #[must_use]
    pub fn class_bytes(&self, class: usize) -> u64 {
        self.classes[class].bytes
    }

    /// The head of a class.
    #[inline]
    #[must_use]
    pub fn head(&self, class: usize) -> Option<&Queued> {
        self.classes[class].queue.front()
    }

    /// The tail of a class.
    #[must_use]
    pub fn tail(&self, class: usize) -> Option<&Queued> {
        self.classes[class].queue.back()
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// The head of a class is kept once more.
    pub fn keep_head(&mut self, class: usize) {
        if let Some(head) = self.classes[class].queue.front_mut() {
            head.kept += 1;
        }
    }

    /// The head of a class goes to another next hop, and may have another length.
    pub fn readdress_head(&mut self, class: usize, to: NodeId, size: Bytes) {
        let Some(head) = self.classes[class].queue.front_mut() else { return };
        let before = std::mem::replace(&mut head.size, size);
        head.to = to;
        self.drop_bytes(class, before);
        self.add_bytes(class, size);
    }

    /// Adds at the tail.
    #[inline]
    pub fn push(&mut self, class: usize, entry: Queued) {
        self.add_bytes(class, entry.size);
        self.classes[class].queue.push_back(entry);
        self.len += 1;
    }

    /// Adds at this place, or at the tail if there are fewer.
    pub fn push_at(&mut self, class: usize, place: usize, entry: Queued) {
        self.add_bytes(class, entry.size);
        let queue = &mut self.classes[class].queue;
        queue.insert(place.min(queue.len()), entry);
        self.len += 1;
    }

    /// Takes the head.
    #[inline]
    pub fn pop(&mut self, class: usize) -> Option<Queued> {
        let entry = self.classes[class].queue.pop_front()?;
        self.drop_bytes(class, entry.size);
        self.len -= 1;
        Some(entry)
    }

    /// Takes the entry at a place: 0 is the head.
    #[inline]
    pub fn take(&mut self, class: usize, place: usize) -> Option<Queued> {
        if place == 0 {
            return self.pop(class);
        }
        let entry = self.classes[class].queue.remove(place)?;
        self.drop_bytes(class, entry.size);
        self.len -= 1;
        Some(entry)
    }

    #[inline]
    fn add_bytes(&mut self, class: usize, size: Bytes) {
        self.classes[class].bytes += u64::from(size.0);
        self.bytes += u64::from(size.0);
    }

    #[inline]
    fn drop_bytes(&mut self, class: usize, size: Bytes) {
        self.classes[class].bytes -= u64::from(size.0);
        self.bytes -= u64::from(size.0);
    }

    /// The head goes behind all others of its class.
    pub fn rotate(&mut self, class: usize) {
        let queue = &mut self.classes[class].queue;
        if !queue.is_empty() {
            queue.rotate_left(1);
        }
    }

    /// Takes the tail.
    pub fn pop_tail(&mut self, class: usize) -> Option<Queued> {
        let entry = self.classes.get_mut(class)?.queue.pop_back()?;
        self.drop_bytes(class, entry.size);
        self.len -= 1;
        Some(entry)
    }

    /// Takes out what waits for a next hop, class by class, but no head of a class whose head is `out`.
    pub fn withdraw(&mut self, to: NodeId, out: impl Fn(usize) -> bool) -> Vec<PacketId> {
        let mut taken = Vec::new();
        for class in 0..self.classes.len() {
            let mut place = usize::from(out(class));
            while let Some(&entry) = self.classes[class].queue.get(place) {
                if entry.to == to {
                    self.take(class, place);
                    taken.push(entry.packet);
                } else {
                    place += 1;
                }
            }
        }
        taken
    }

    /// The class that has most of something (the first of several), of those with a packet that could be lost: where
    /// `out`, the head is in the MAC's hands.
    fn greatest(&self, out: impl Fn(usize) -> bool, most: impl Fn(&Class) -> u64) -> Option<usize> {
        let mut found = None;
        let mut greatest = 0;
        for (class, it) in self.classes.iter().enumerate() {
            if most(it) > greatest && it.queue.len() > usize::from(out(class)) {
                (found, greatest) = (Some(class), most(it));
            }
        }
        found
    }

    /// The class in which most packets wait.
    #[must_use]
    pub fn longest(&self, out: impl Fn(usize) -> bool) -> Option<usize> {
        self.greatest(out, |class| class.queue.len() as u64)
    }

    /// The class in which most bytes wait.
    #[must_use]
    pub fn fattest(&self, out: impl Fn(usize) -> bool) -> Option<usize> {
        self.greatest(out, |class| class.bytes)
    }

    /// What waits in a class, the first first.
    pub fn of_class(&self, class: usize) -> impl Iterator<Item = &Queued> {
        self.classes.get(class).map(|class| class.queue.iter()).unwrap_or_default()
    }

    /// All waiting packets, class by class.
    pub fn iter(&self) -> impl Iterator<Item = &Queued> {
        self.classes.iter().flat_map(|class| &class.queue)
    }

    /// Empties the table.
    pub fn drain(&mut self) -> Vec<Queued> {
        (self.len, self.bytes) = (0, 0);
        self.classes.iter_mut().for_each(|class| class.bytes = 0);
        self.classes.iter_mut().flat_map(|class| class.queue.drain(..)).collect()
    }
}
