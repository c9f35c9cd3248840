//! The network configuration table (Yuki 2004, tables 1 and 2): to every destination all neighbours, how many relays each
//! takes from there, and how reliable it is.

use super::reliability::Reliability;
use crate::port::{Class, Way};
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
}

impl ConfigurationTable {
    /// An empty table.
    #[must_use]
    pub const fn new(me: NodeId) -> Self {
        Self { me, neighbours: Vec::new() }
    }

    /// Accepts a neighbour with these relay counts for good.
    pub fn install(&mut self, neighbour: NodeId, relays: impl IntoIterator<Item = (NodeId, u8)>) {
        let place = self.place(neighbour);
        self.neighbours[place].accepted = true;
        self.learn(place, relays);
    }

    /// A control packet of a node: it has been heard, and has these relay counts now.
    pub fn hear(&mut self, from: NodeId, relays: impl IntoIterator<Item = (NodeId, u8)>) {
        let place = self.place(from);
        self.neighbours[place].reliability.hear();
        self.learn(place, relays);
    }

    /// A cycle is over: who is heard often enough is a neighbour, who has not been heard in the whole window is forgotten.
    pub fn end_cycle(&mut self, window: u32, threshold: f64) {
        for neighbour in &mut self.neighbours {
            neighbour.reliability.end_cycle();
            neighbour.accepted = neighbour.reliability.is_above(threshold, window);
        }
        self.neighbours.retain(|it| it.reliability.received(window) > 0);
    }

    /// How reliable a neighbour is, over the last `window` cycles: Y of Y/X.
    #[must_use]
    pub fn reliability(&self, neighbour: NodeId, window: u32) -> Option<u32> {
        let found = self.neighbours.iter().find(|it| it.id == neighbour)?;
        Some(found.reliability.received(window))
    }

    /// Relays that the shortest way to a destination takes, counted as in table 3: 0 to the node itself, 1 to a neighbour.
    #[must_use]
    pub fn shortest(&self, destination: NodeId) -> Option<u8> {
        if destination == self.me {
            return Some(0);
        }
        let least = self.known(destination).map(|(_, relays)| relays).min()?;
        (least < FARTHEST).then_some(least + 1)
    }

    /// The first neighbour on a shortest way.
    #[must_use]
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        let least = self.shortest(destination)?.checked_sub(1)?;
        self.known(destination).find(|&(_, relays)| relays == least).map(|(neighbour, _)| neighbour)
    }

    /// Tells all ways to a destination, forward ones first, then sideward, then backward (section 2.2.2).
    pub fn each_way(&self, destination: NodeId, tell: &mut dyn FnMut(Way)) {
        let Some(least) = self.shortest(destination).and_then(|shortest| shortest.checked_sub(1)) else {
            return;
        };
        for class in [Class::Forward, Class::Sideward, Class::Backward] {
            for (neighbour, relays) in self.known(destination) {
                if class_of(relays - least) == class {
                    tell(Way { neighbour, class });
                }
            }
        }
    }

    /// Every destination that can be reached, and in how many relays; the node itself first (table 3).
    pub fn all(&self) -> impl Iterator<Item = (NodeId, u8)> {
        let longest = self.neighbours.iter().map(|it| it.relays.len()).max().unwrap_or(0);
        let others = (0..longest).filter_map(|index| {
            let id = NodeId(u32::try_from(index).ok()?);
            (id != self.me).then_some((id, self.shortest(id)?))
        });
        std::iter::once((self.me, 0)).chain(others)
    }

    /// The accepted neighbours that know a destination, and the relays from there.
    fn known(&self, destination: NodeId) -> impl Iterator<Item = (NodeId, u8)> {
        let accepted = self.neighbours.iter().filter(|it| it.accepted);
        let relays = move |it: &Neighbour| it.relays.get(destination.index()).copied();
        accepted.filter_map(move |it| Some((it.id, relays(it).filter(|&relays| relays != UNKNOWN)?)))
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
