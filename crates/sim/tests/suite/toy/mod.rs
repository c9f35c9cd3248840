//! A toy of source routing: floods in rings, unicast replies and errors, routes in the packets, a buffer, salvaging
//! with a count, and routes learnt from what is overheard. It stands for what will live on this wall.

pub(crate) mod net;
pub(crate) mod slotted;
pub(crate) mod steer;
pub(crate) mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use multihop_proto::contract::{Cx, Notice, Overheard, Sink, drop_packet};
use multihop_proto::routing::buffer::{BufferRule, RouteBuffer, WhenFull};
use multihop_proto::routing::{Action, Decision, Disposal, GivenUp, Input, Outgoing, Provenance, Routing};
use multihop_proto::units::{Bytes, Dur, Entity, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::{DropReason, Fate, Packet, PacketId, Payload, Protocol, Signal, SignalKind};

use wire::{Message, SourceRoute};

/// Rings of a search, and the time for which an answer is awaited.
const RINGS: [u8; 3] = [1, 3, 12];
const PATIENCE: Dur = Dur::from_ms(60);
/// NextHops to a destination that are remembered.
const PATHS: usize = 3;
/// A packet is salvaged no more often than this.
const SALVAGES: u8 = 3;

/// A signal about a packet; none if it carries no segment.
pub(crate) fn about(packet: &Packet, kind: SignalKind) -> Option<Signal> {
    let Payload::Tcp(segment) = packet.payload else { return None };
    Some(Signal { kind, source: packet.source, destination: packet.destination, sequence: segment.seq })
}

/// What all toys of a network have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) searches: u32,
    pub(crate) replies: u32,
    pub(crate) errors: u32,
    pub(crate) salvaged: u32,
    pub(crate) withdrawn: u32,
    pub(crate) learnt: u32,
    pub(crate) waited: u32,
    pub(crate) signals: u32,
}

pub(crate) type Shared = Arc<Mutex<Counts>>;

/// One node's toy.
#[derive(Debug)]
pub(crate) struct Toy {
    me: NodeId,
    rng: Rng,
    /// By destination, next hops from here, both ends included, the shortest first.
    paths: BTreeMap<NodeId, Vec<Vec<NodeId>>>,
    buffer: RouteBuffer,
    /// By destination, the ring of the search under way and when it is widened.
    searches: BTreeMap<NodeId, (usize, SimTime)>,
    /// Requests that have been here.
    seen: BTreeSet<(NodeId, u32)>,
    last_id: u32,
    counts: Shared,
}

impl Toy {
    pub(crate) fn new(me: NodeId, counts: Shared) -> Self {
        let rule =
            BufferRule { limit: 8, per_destination: 6, age: Dur::from_secs(2), full: WhenFull::DropOldest };
        Self {
            me,
            rng: Rng::stream(7, 1, Entity::Node(&me.to_string()), Purpose::Jitter),
            paths: BTreeMap::new(),
            buffer: RouteBuffer::new(rule),
            searches: BTreeMap::new(),
            seen: BTreeSet::new(),
            last_id: 0,
            counts,
        }
    }

    fn count(&self, what: impl Fn(&mut Counts)) {
        what(&mut self.counts.lock().expect("one thread"));
    }

    /// Writes the way into a packet, if one is known; returns the next hop.
    fn set_out(&self, cx: &mut Cx<'_>, packet: PacketId, salvaged: u8) -> Option<NodeId> {
        let path = self.paths.get(&cx.packets[packet].destination)?.first()?;
        let route = SourceRoute { salvaged, path: path.clone() };
        cx.packets.set_header(packet, Some((Protocol::Experimental, route.emit())));
        cx.packets[packet].header.as_mut()?.cursor = 1;
        Some(path[1])
    }

    fn route_of(cx: &Cx<'_>, packet: PacketId) -> Option<(SourceRoute, usize)> {
        let cursor = cx.packets[packet].header?.cursor;
        let route = SourceRoute::parse(cx.packets.header(packet)?)?;
        Some((route, usize::from(cursor)))
    }

    /// A packet that cannot go on as it stands: another way, the buffer, or nowhere.
    fn rescue(&mut self, cx: &mut Cx<'_>, packet: PacketId, out: &mut Vec<Action>) -> Decision {
        let salvaged = Self::route_of(cx, packet).map_or(0, |(route, _)| route.salvaged);
        if salvaged < SALVAGES
            && let Some(to) = self.set_out(cx, packet, salvaged + 1)
        {
            self.count(|counts| counts.salvaged += 1);
            return Decision::To(to);
        }
        if cx.packets[packet].source == self.me {
            self.wait(cx, packet, out);
            return Decision::Waiting;
        }
        Decision::Refused(DropReason::NoRoute)
    }

    fn wait(&mut self, cx: &mut Cx<'_>, packet: PacketId, out: &mut Vec<Action>) {
        let destination = cx.packets[packet].destination;
        self.count(|counts| counts.waited += 1);
        self.buffer.put(cx, packet, out);
        if self.buffer.waits_for(destination) && !self.searches.contains_key(&destination) {
            self.search(cx.now, destination, 0, out);
        }
        self.arm(out);
    }

    fn search(&mut self, now: SimTime, target: NodeId, ring: usize, out: &mut Vec<Action>) {
        self.count(|counts| counts.searches += 1);
        self.last_id += 1;
        self.seen.insert((self.me, self.last_id));
        self.searches.insert(target, (ring, now + PATIENCE * (1 << ring)));
        let request = Message::Request { id: self.last_id, target, path: vec![self.me] };
        let jitter = self.rng.range_dur(Dur::ZERO, Dur::from_ms(5)); // others may have begun at this instant too
        out.put(message(&request, NodeId::BROADCAST, RINGS[ring], jitter));
    }

    /// Takes in a way from here, if it is new.
    fn learn(&mut self, path: &[NodeId], out: &mut Vec<Action>) -> bool {
        let loops = path.iter().enumerate().any(|(place, node)| path[..place].contains(node));
        let [me, .., destination] = path else { return false };
        let known = self.paths.entry(*destination).or_default();
        if *me != self.me || loops || known.len() == PATHS || known.iter().any(|other| other == path) {
            return false;
        }
        known.push(path.to_vec());
        known.sort_by_key(Vec::len);
        let hops = path.len() as u32 - 1;
        out.put(Action::Notice(Notice::RouteFound { destination: *destination, hops }));
        true
    }

    /// Sends what has a way now, one packet a millisecond.
    fn release(&mut self, cx: &mut Cx<'_>, out: &mut Vec<Action>) {
        let found = self.paths.iter().filter(|(_, paths)| !paths.is_empty());
        for destination in found.map(|(&destination, _)| destination).collect::<Vec<_>>() {
            self.searches.remove(&destination);
            let mut delay = Dur::ZERO;
            while let Some(packet) = self.buffer.take(destination) {
                match self.set_out(cx, packet, 0) {
                    Some(to) => out.put(Action::Forward { packet, to, delay }),
                    None => out.put(Action::Dropped(drop_packet(cx, packet, DropReason::NoRoute))),
                }
                delay += Dur::from_ms(1);
            }
        }
    }

    fn forget(&mut self, (from, to): (NodeId, NodeId)) {
        self.paths.retain(|_, paths| {
            paths.retain(|path| !path.windows(2).any(|link| link == [from, to]));
            !paths.is_empty()
        });
    }

    fn on_message(&mut self, cx: &mut Cx<'_>, packet: PacketId, out: &mut Vec<Action>) {
        let ttl = cx.packets[packet].ttl;
        let Some(message) = cx.packets.message(packet).and_then(|bytes| Message::parse(bytes)) else {
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Malformed)));
        };
        cx.packets.end(packet, Fate::Delivered);
        match message {
            Message::Request { id, target, path } => self.on_request(id, target, path, ttl, out),
            Message::Reply { path } => {
                if let Some(here) = path.iter().position(|&node| node == self.me) {
                    self.learn(&path[here..], out);
                    self.pass_back(&Message::Reply { path: path.clone() }, &path, here, out);
                }
            }
            Message::Error { link, path } => {
                self.forget(link);
                if let Some(here) = path.iter().position(|&node| node == self.me) {
                    self.pass_back(&Message::Error { link, path: path.clone() }, &path, here, out);
                }
            }
        }
        self.release(cx, out);
    }

    fn on_request(&mut self, id: u32, target: NodeId, mut path: Vec<NodeId>, ttl: u8, out: &mut Vec<Action>) {
        let Some(&origin) = path.first() else { return };
        // The target answers every copy, so that the origin learns several next hops; others pass on the first.
        if path.contains(&self.me) || (!self.seen.insert((origin, id)) && target != self.me) {
            return;
        }
        path.push(self.me);
        let back: Vec<NodeId> = path.iter().rev().copied().collect();
        self.learn(&back, out);
        if target == self.me {
            self.count(|counts| counts.replies += 1);
            let here = path.len() - 1;
            self.pass_back(&Message::Reply { path: path.clone() }, &path, here, out);
        } else if ttl > 1 {
            let jitter = self.rng.range_dur(Dur::ZERO, Dur::from_ms(5));
            out.put(message(&Message::Request { id, target, path }, NodeId::BROADCAST, ttl - 1, jitter));
        }
    }

    /// Sends a message one hop back along a path on which this node has the place `here`.
    fn pass_back(&self, what: &Message, path: &[NodeId], here: usize, out: &mut Vec<Action>) {
        if let Some(&to) = here.checked_sub(1).and_then(|before| path.get(before)) {
            out.put(message(what, to, 64, Dur::ZERO));
        }
    }

    /// Both next hops along the route of a packet that passes within earshot.
    fn on_overheard(&mut self, cx: &mut Cx<'_>, heard: Overheard, out: &mut Vec<Action>) {
        let Some((route, _)) = Self::route_of(cx, heard.packet) else { return };
        let Some(place) = route.path.iter().position(|&node| node == heard.from) else { return };
        let (before, after) = route.path.split_at(place);
        let onward: Vec<NodeId> = std::iter::once(&self.me).chain(after).copied().collect();
        let back: Vec<NodeId> = [self.me, heard.from].iter().chain(before.iter().rev()).copied().collect();
        for path in [onward, back] {
            if self.learn(&path, out) {
                self.count(|counts| counts.learnt += 1);
            }
        }
        self.release(cx, out);
    }

    fn on_timer(&mut self, cx: &mut Cx<'_>, out: &mut Vec<Action>) {
        self.buffer.expire(cx, out);
        let due: Vec<(NodeId, usize)> = self
            .searches
            .iter()
            .filter(|(_, (_, at))| *at <= cx.now)
            .map(|(&target, &(ring, _))| (target, ring))
            .collect();
        for (target, ring) in due {
            if ring + 1 < RINGS.len() {
                self.search(cx.now, target, ring + 1, out);
            } else {
                self.searches.remove(&target);
                self.buffer.give_up(cx, target, DropReason::NoRoute, out);
            }
        }
    }

    fn arm(&self, out: &mut Vec<Action>) {
        let search = self.searches.values().map(|&(_, at)| at).min().unwrap_or(SimTime::MAX);
        out.put(Action::Arm(search.min(self.buffer.next_expiry())));
    }
}

fn message(what: &Message, to: NodeId, ttl: u8, delay: Dur) -> Action {
    let body = what.emit();
    let size = Bytes(20 + body.len() as u32); // a handful
    Action::Send(Outgoing { protocol: Protocol::Experimental, body, size, destination: to, to, ttl, delay })
}

impl Routing for Toy {
    fn route(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        provenance: Provenance,
        out: &mut Vec<Action>,
    ) -> Decision {
        match provenance {
            Provenance::Here => match self.set_out(cx, packet, 0) {
                Some(to) => Decision::To(to),
                None => {
                    self.wait(cx, packet, out);
                    Decision::Waiting
                }
            },
            Provenance::Neighbour(_) => {
                let Some((route, cursor)) = Self::route_of(cx, packet) else {
                    return Decision::Refused(DropReason::Malformed);
                };
                match (route.path.get(cursor), route.path.get(cursor + 1), &mut cx.packets[packet].header) {
                    (Some(&me), Some(&to), Some(header)) if me == self.me => {
                        header.cursor += 1;
                        Decision::To(to)
                    }
                    _ => Decision::Refused(DropReason::Malformed),
                }
            }
            Provenance::Kept(_) => match self.set_out(cx, packet, 0) {
                Some(to) => Decision::To(to),
                None => Decision::Stays,
            },
            Provenance::Withdrawn(_) => {
                self.count(|counts| counts.withdrawn += 1);
                if cx.packets.message(packet).is_some() {
                    return Decision::Refused(DropReason::NoRoute);
                }
                self.rescue(cx, packet, out)
            }
        }
    }

    fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp, out: &mut Vec<Action>) -> Disposal {
        let GivenUp { packet, to, .. } = given_up;
        self.forget((self.me, to));
        out.put(Action::Withdraw { neighbour: to });
        let (source, flow) = (cx.packets[packet].source, cx.packets[packet].flow);
        if let Payload::Message { .. } = cx.packets[packet].payload {
            return Disposal::Leave;
        }
        if source != self.me
            && let Some((route, cursor)) = Self::route_of(cx, packet)
        {
            // The way up to here, to tell its source.
            let path = route.path[..cursor.min(route.path.len())].to_vec();
            self.count(|counts| counts.errors += 1);
            let error = Message::Error { link: (self.me, to), path: path.clone() };
            self.pass_back(&error, &path, path.len().saturating_sub(1), out);
        }
        let signal = about(&cx.packets[packet], SignalKind::LinkFailure);
        match self.rescue(cx, packet, out) {
            Decision::To(to) => {
                out.put(Action::Forward { packet, to, delay: Dur::ZERO });
                Disposal::Taken
            }
            Decision::Waiting => Disposal::Taken,
            Decision::Refused(_) | Decision::Stays => {
                if let Some(signal) = signal {
                    self.count(|counts| counts.signals += 1);
                    out.put(Action::Signal { flow, to: source, signal });
                }
                Disposal::Leave
            }
        }
    }

    fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) {
        match input {
            Input::Start => {}
            Input::Stop => {
                self.buffer.flush(cx, out);
                (self.paths, self.searches) = (BTreeMap::new(), BTreeMap::new());
            }
            Input::Timer => self.on_timer(cx, out),
            Input::Message { packet, .. } => self.on_message(cx, packet, out),
            Input::Overheard(heard) => self.on_overheard(cx, heard, out),
            Input::Wanted(_) | Input::Wake => {}
        }
        self.arm(out);
    }

    fn overhears(&self) -> bool {
        true
    }

    fn packets(&self) -> Vec<PacketId> {
        self.buffer.packets().collect()
    }
}
