//! Which node hears which: for each node the nodes that its signal reaches, at what power.
//!
//! The listeners of a transmission are those of the instant at which it begins: a list is renewed when its node
//! begins to send and something that matters to it has moved or changed since, never while the node is sending. In a
//! network that stands still nothing is ever renewed.

use std::sync::Arc;

use multihop_proto::contract::Stations;
use multihop_proto::units::{NodeId, SimTime};

use super::channel::Channel;
use super::config::AirConfig;
use super::field::Field;
use super::geometry::Position;
use super::link::Link;
use super::motion::Motion;
use super::table::LinkTable;

/// So many nodes are sooner looked through than looked up.
const FEW: usize = 100;

/// What decides which node hears which.
#[derive(Clone, Debug)]
enum Medium {
    /// Places, and how power falls with distance.
    Field(Box<Field>),
    /// A list of links.
    Table(LinkTable),
}

/// Where the listeners of one node stand in the list, and until when they are these.
#[derive(Clone, Copy, Debug)]
struct ListenerRange {
    fresh_until: SimTime,
    /// Until when they are the same, at powers that change.
    steady_until: SimTime,
    start: u32,
    /// End of those that can decode.
    decodable: u32,
    end: u32,
    /// How many there is room for.
    room: u32,
}

impl ListenerRange {
    const NONE: Self = Self {
        fresh_until: SimTime::ZERO,
        steady_until: SimTime::ZERO,
        start: 0,
        decodable: 0,
        end: 0,
        room: 0,
    };

    /// From now on they have to be looked up.
    const fn forget(&mut self) {
        (self.fresh_until, self.steady_until) = (SimTime::ZERO, SimTime::ZERO);
    }
}

/// The listeners of all nodes, in one list: of each node those that can decode first, then those that only sense or
/// suffer; the strongest first.
#[derive(Clone, Debug)]
pub struct Links {
    links: Vec<Link>,
    /// Per node: which of them are its own.
    parts: Vec<ListenerRange>,
    medium: Medium,
    /// Links that are cut, by transmitter and receiver: nothing of the one reaches the other.
    cut: Vec<(NodeId, NodeId)>,
    /// The listeners of one node; kept for its memory.
    heard: Vec<Link>,
    /// The ends of each wired link.
    wires: Vec<[NodeId; 2]>,
    /// The channels of radios, unless each may hear each other.
    stations: Option<Arc<Stations>>,
}

impl Links {
    /// The links at time zero between nodes that move so.
    #[must_use]
    pub fn new(config: &AirConfig, motions: Vec<Motion>) -> Self {
        Self::through(config, motions, None, None)
    }

    /// The links at time zero between stations that move so, through a channel that adds to the mean powers. A signal
    /// reaches those that [`Stations::meet`]; without `stations`, all.
    #[must_use]
    pub fn through(
        config: &AirConfig,
        motions: Vec<Motion>,
        channel: Option<Channel>,
        stations: Option<Arc<Stations>>,
    ) -> Self {
        let (count, tuned) = (motions.len(), stations.clone());
        Self::over(count, Medium::Field(Box::new(Field::new(config, motions, channel, tuned))), stations)
    }

    /// About how many links there would be between nodes at these places.
    #[must_use]
    pub fn estimate(config: &AirConfig, places: &[Position]) -> u64 {
        super::field::estimate(config, places)
    }

    /// The links of a table between `nodes` nodes. Only those stay whose ends [`Stations::meet`].
    #[must_use]
    pub fn listed(nodes: usize, table: LinkTable, stations: Option<Arc<Stations>>) -> Self {
        let count = stations.as_ref().map_or(nodes, |stations| stations.count());
        Self::over(count, Medium::Table(table), stations)
    }

    fn over(nodes: usize, medium: Medium, stations: Option<Arc<Stations>>) -> Self {
        let mut links = Self {
            links: Vec::new(),
            parts: vec![ListenerRange::NONE; nodes],
            medium,
            cut: Vec::new(),
            heard: Vec::new(),
            wires: Vec::new(),
            stations,
        };
        for from in 0..nodes {
            links.renew(NodeId(from as u32), SimTime::ZERO); // node counts are 32-bit
        }
        if let Medium::Field(field) = &mut links.medium
            && field.begin_frames()
        {
            links.parts.iter_mut().for_each(ListenerRange::forget);
        }
        links
    }

    /// The same links, and wires between these nodes.
    #[must_use]
    pub fn with_wires(self, wires: Vec<[NodeId; 2]>) -> Self {
        Self { wires, ..self }
    }

    /// Nodes to which wires lead from this one.
    pub fn wired(&self, from: NodeId) -> impl Iterator<Item = NodeId> {
        self.wires.iter().filter_map(move |&[one, other]| match from {
            _ if from == one => Some(other),
            _ if from == other => Some(one),
            _ => None,
        })
    }

    /// Whether a wire joins two nodes.
    #[must_use]
    pub fn is_wired(&self, one: NodeId, other: NodeId) -> bool {
        self.wired(one).any(|end| end == other)
    }

    /// `from` begins to send: its listeners are those of this instant until it has ended. Those that can decode are
    /// the first ones.
    #[inline]
    pub fn begin(&mut self, from: NodeId, now: SimTime) -> &[Link] {
        let mut part = self.parts[from.index()];
        if part.fresh_until <= now {
            if part.steady_until > now {
                self.refresh(from, now);
            } else {
                part = self.renew(from, now);
            }
        }
        &self.links[part.start as usize..part.end as usize]
    }

    /// The listeners of what `from` has sent last; before it sends anything those at time zero, at powers that do not
    /// fade.
    #[inline]
    #[must_use]
    pub fn listeners(&self, from: NodeId) -> &[Link] {
        let part = &self.parts[from.index()];
        &self.links[part.start as usize..part.end as usize]
    }

    /// Nodes that can decode what `from` sends.
    #[inline]
    #[must_use]
    pub fn decodable(&self, from: NodeId) -> &[Link] {
        let part = &self.parts[from.index()];
        &self.links[part.start as usize..part.decodable as usize]
    }

    /// What of the latest transmission of `from` reaches a node.
    #[must_use]
    pub fn between(&self, from: NodeId, to: NodeId) -> Option<&Link> {
        self.listeners(from).iter().find(|link| link.to == to)
    }

    /// Nodes among which are all those whose signals reach `node` now; `None` if that may be anybody.
    #[must_use]
    pub fn around(&mut self, node: NodeId, now: SimTime) -> Option<Vec<NodeId>> {
        match &mut self.medium {
            Medium::Field(field) if self.parts.len() > FEW => Some(field.around(node, now)),
            _ => None,
        }
    }

    /// Places of all listeners of `from` in the list, and where those that can decode end.
    #[inline]
    #[must_use]
    pub fn range(&self, from: NodeId) -> (std::ops::Range<usize>, usize) {
        let part = &self.parts[from.index()];
        (part.start as usize..part.end as usize, part.decodable as usize)
    }

    /// The listener at a place in the list.
    #[inline]
    #[must_use]
    pub fn at(&self, index: usize) -> Link {
        self.links[index]
    }

    /// Cuts the link from one node to another, or restores it, from the next transmission on.
    pub fn cut(&mut self, from: NodeId, to: NodeId, cut: bool) {
        self.cut.retain(|&link| link != (from, to));
        if cut {
            self.cut.push((from, to));
        }
        let stations: Vec<NodeId> = self.stations_of(from).collect();
        stations.into_iter().for_each(|station| self.parts[station.index()].forget());
    }

    /// Whether the link from one node to another is cut.
    #[must_use]
    pub fn is_cut(&self, from: NodeId, to: NodeId) -> bool {
        self.cut.contains(&(from, to))
    }

    /// Listed links that lose frames: transmitter, receiver, probability.
    #[must_use]
    pub fn losses(&self) -> &[(NodeId, NodeId, f64)] {
        match &self.medium {
            Medium::Field(_) => &[],
            Medium::Table(table) => table.losses(),
        }
    }

    /// Whether the links are those of a list: only there one direction of a link may be without the other.
    #[must_use]
    pub const fn are_listed(&self) -> bool {
        matches!(&self.medium, Medium::Table(_))
    }

    /// Where a node is; none if nodes have no places.
    #[must_use]
    pub fn place(&mut self, node: NodeId, now: SimTime) -> Option<Position> {
        match &mut self.medium {
            Medium::Field(field) => Some(field.place(node, now)),
            Medium::Table(_) => None,
        }
    }

    /// Whether each frame has a power of its own.
    #[must_use]
    pub const fn fades(&self) -> bool {
        matches!(&self.medium, Medium::Field(field) if field.fades())
    }

    /// Whether a station can decode what another sends, were it not for what is of the single frame. Of listed links
    /// that is what they are.
    #[must_use]
    pub fn decodes_on_average(&mut self, from: NodeId, to: NodeId, now: SimTime) -> bool {
        let meet = self.stations.as_ref().is_none_or(|stations| stations.meet(from, to));
        let (from, to) = (self.node_of(from), self.node_of(to));
        meet && !self.is_cut(from, to) && self.joins(from, to, now)
    }

    /// Whether any radio of a node can decode what another node sends, were it not for what is of the single frame and
    /// for what is cut.
    #[must_use]
    pub fn joins(&mut self, from: NodeId, to: NodeId, now: SimTime) -> bool {
        if !self.share_channel(from, to) {
            return false;
        }
        match &mut self.medium {
            Medium::Field(field) => field.decodes_on_average(from, to, now),
            Medium::Table(table) => table.decodes(from, to),
        }
    }

    /// Whether nodes move.
    #[must_use]
    pub const fn moves(&self) -> bool {
        matches!(&self.medium, Medium::Field(field) if field.moves())
    }

    /// Whether two nodes come nearer to each other now.
    #[must_use]
    pub fn approach(&mut self, one: NodeId, other: NodeId, now: SimTime) -> bool {
        match &mut self.medium {
            Medium::Field(field) => field.approach(one, other, now),
            Medium::Table(_) => false,
        }
    }

    /// The listeners of a node are the same as before; they have moved.
    #[inline(never)]
    fn refresh(&mut self, from: NodeId, now: SimTime) {
        let part = &self.parts[from.index()];
        if let Medium::Field(field) = &mut self.medium {
            field.refresh(from, now, &mut self.links[part.start as usize..part.end as usize]);
        }
    }

    #[cold]
    fn renew(&mut self, from: NodeId, now: SimTime) -> ListenerRange {
        let mut heard = std::mem::take(&mut self.heard);
        heard.clear();
        let (fresh_until, mut steady_until) = match &mut self.medium {
            Medium::Field(field) => field.listeners(from, now, &mut heard),
            Medium::Table(table) => {
                (table.listeners(from, self.stations.as_deref(), &mut heard), SimTime::ZERO)
            }
        };
        let node = self.node_of(from);
        if self.cut.iter().any(|&(cut, _)| cut == node) {
            heard.retain(|link| !self.cut.contains(&(node, self.node_of(link.to))));
            steady_until = SimTime::ZERO;
        }
        let decodable = heard.partition_point(|link| link.decodable);
        let ListenerRange { mut start, mut room, .. } = self.parts[from.index()];
        if heard.len() <= room as usize {
            self.links[start as usize..][..heard.len()].copy_from_slice(&heard);
        } else {
            self.parts[from.index()] = ListenerRange::NONE;
            self.make_room(heard.len());
            (start, room) = (self.links.len() as u32, heard.len() as u32);
            self.links.extend(&heard);
        }
        let (decodable, end) = (start + decodable as u32, start + heard.len() as u32);
        let part = ListenerRange { fresh_until, steady_until, start, decodable, end, room };
        self.parts[from.index()] = part;
        self.heard = heard;
        part
    }

    /// Closes the gaps that parts have left which grew and moved, before there are more gaps than links.
    fn make_room(&mut self, more: usize) {
        let used: usize = self.parts.iter().map(|part| part.room as usize).sum();
        if self.links.len() + more <= 2 * (used + more) + self.parts.len() {
            return;
        }
        let mut packed = Vec::with_capacity(used + more);
        for part in &mut self.parts {
            let moved = packed.len() as u32;
            packed.extend_from_slice(&self.links[part.start as usize..][..part.room as usize]);
            (part.decodable, part.end) = (moved + part.decodable - part.start, moved + part.end - part.start);
            part.start = moved;
        }
        self.links = packed;
    }
}

mod radios;
#[cfg(test)]
mod tests;
