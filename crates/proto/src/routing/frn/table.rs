//! The network configuration table (Yuki 2004, tables 1 and 2): to every destination all neighbours, how many relays
//! each takes from there, and how reliable it is.

use super::reliability::Reliability;
use crate::contract::{Class, NextHopChoice};
use crate::units::NodeId;

/// Relay count beyond which a destination counts as unreachable.
pub const FARTHEST: u8 = 32;
/// Of a destination that a neighbour does not know.
const UNKNOWN: u8 = u8::MAX;

/// What is known of a node that has been heard.
#[derive(Clone, Debug)]
struct Neighbour {
    id: NodeId,
    reliability: Reliability,
    /// Whether it is reliable enough to be sent to.
    accepted: bool,
    /// Its own shortest relay counts, by destination.
    relays: Vec<u8>,
}

/// One node's table.
#[derive(Clone, Debug)]
pub struct ConfigurationTable {
    me: NodeId,
    neighbours: Vec<Neighbour>,
    /// What follows from them, by destination: it is asked for with every transmission.
    rows: Vec<Row>,
}

/// What is known of the next hops to a destination.
#[derive(Clone, Debug, Default)]
struct Row {
    /// Relays that the shortest takes from here, if there is any.
    shortest: Option<u8>,
    /// All of them, forward ones first.
    next_hops: Vec<NextHopChoice>,
}

impl ConfigurationTable {
    /// An empty table.
    #[must_use]
    pub const fn new(me: NodeId) -> Self {
        Self { me, neighbours: Vec::new(), rows: Vec::new() }
    }

    /// Accepts a neighbour with these relay counts for good.
    pub fn install(&mut self, neighbour: NodeId, relays: impl IntoIterator<Item = (NodeId, u8)>) {
        let place = self.place(neighbour);
        self.neighbours[place].accepted = true;
        self.learn(place, relays);
        self.arrange();
    }

    /// A control packet of a node: it has been heard, and has these relay counts now.
    pub fn hear(&mut self, from: NodeId, relays: impl IntoIterator<Item = (NodeId, u8)>) {
        let place = self.place(from);
        self.neighbours[place].reliability.hear();
        self.learn(place, relays);
        self.arrange();
    }

    /// A cycle is over: the node that is heard often enough is a neighbour, the node that has not been heard in the
    /// whole window is forgotten.
    pub fn end_cycle(&mut self, window: u32, threshold: f64) {
        for neighbour in &mut self.neighbours {
            neighbour.reliability.end_cycle();
            neighbour.accepted = neighbour.reliability.is_above(threshold, window);
        }
        self.neighbours.retain(|it| it.reliability.received(window) > 0);
        self.arrange();
    }

    /// How reliable a neighbour is, over the last `window` cycles: Y of Y/X.
    #[must_use]
    pub fn reliability(&self, neighbour: NodeId, window: u32) -> Option<u32> {
        let found = self.neighbours.iter().find(|it| it.id == neighbour)?;
        Some(found.reliability.received(window))
    }

    /// Relays that the shortest way to a destination takes, counted as in table 3: 0 to the node itself, 1 to a
    /// neighbour.
    #[must_use]
    pub fn shortest(&self, destination: NodeId) -> Option<u8> {
        if destination == self.me { Some(0) } else { self.rows.get(destination.index())?.shortest }
    }

    /// The first neighbour on a shortest way.
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.next_hops(destination).first().map(|way| way.neighbour)
    }

    /// All next hops to a destination, forward ones first, then sideward, then backward (section 2.2.2); of a class the
    /// neighbours in the order in which they were first heard.
    #[must_use]
    pub fn next_hops(&self, destination: NodeId) -> &[NextHopChoice] {
        self.rows.get(destination.index()).map_or(&[], |row| &row.next_hops)
    }

    /// Every destination that can be reached, and in how many relays; the node itself first (table 3).
    pub fn all(&self) -> impl Iterator<Item = (NodeId, u8)> {
        let others = (0..).map(NodeId).zip(&self.rows).filter_map(|(id, row)| Some((id, row.shortest?)));
        std::iter::once((self.me, 0)).chain(others)
    }

    /// The accepted neighbours that know a destination, and the relays from there.
    fn known(&self, destination: NodeId) -> impl Iterator<Item = (NodeId, u8)> {
        let accepted = self.neighbours.iter().filter(|it| it.accepted);
        let relays = move |it: &Neighbour| it.relays.get(destination.index()).copied();
        accepted.filter_map(move |it| Some((it.id, relays(it).filter(|&relays| relays != UNKNOWN)?)))
    }

    /// The next hops that follow from what the neighbours say.
    fn arrange(&mut self) {
        let longest = self.neighbours.iter().map(|it| it.relays.len()).max().unwrap_or(0);
        self.rows = (0..).map(NodeId).take(longest).map(|destination| self.row(destination)).collect();
    }

    fn row(&self, destination: NodeId) -> Row {
        let least = self.known(destination).map(|(_, relays)| relays).min();
        let Some(least) = least.filter(|&least| least < FARTHEST && destination != self.me) else {
            return Row::default();
        };
        let way = |(neighbour, relays)| NextHopChoice { neighbour, class: class_of(relays - least) };
        let mut next_hops: Vec<NextHopChoice> = self.known(destination).map(way).collect();
        next_hops.sort_by_key(|way| way.class);
        Row { shortest: Some(least + 1), next_hops }
    }

    fn place(&mut self, id: NodeId) -> usize {
        self.neighbours.iter().position(|it| it.id == id).unwrap_or_else(|| {
            let (reliability, relays) = (Reliability::default(), Vec::new());
            self.neighbours.push(Neighbour { id, reliability, accepted: false, relays });
            self.neighbours.len() - 1
        })
    }

    fn learn(&mut self, place: usize, lines: impl IntoIterator<Item = (NodeId, u8)>) {
        let relays = &mut self.neighbours[place].relays;
        relays.fill(UNKNOWN);
        for (destination, count) in lines {
            let index = destination.index();
            if relays.len() <= index {
                relays.resize(index + 1, UNKNOWN);
            }
            relays[index] = count;
        }
    }
}

/// The class of a neighbour that takes so many relays more than the best (figure 3).
const fn class_of(more: u8) -> Class {
    match more {
        0 => Class::Forward,
        1 => Class::Sideward,
        _ => Class::Backward,
    }
}
