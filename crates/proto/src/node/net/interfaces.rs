//! The interfaces of a node, and which of them leads to a neighbour.

use std::sync::Arc;

use super::interface::Interface;
use crate::contract::Stations;
use crate::queue;
use crate::units::{Bitrate, NodeId, SimTime};
use crate::wire::PacketId;

/// Which interface of its node one is: its place in the order of the radios.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IfIndex(pub u8);

impl IfIndex {
    /// The first interface. Every node has it.
    pub const FIRST: Self = Self(0);
}

/// A next hop: an own interface, and the station at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) via: IfIndex,
    pub(super) to: NodeId,
}

/// The interfaces of a node, one at least. Above them a neighbour is a node; below, each of its radios is a station.
#[derive(Debug)]
pub(in crate::node) struct Interfaces {
    first: Interface,
    further: Vec<Interface>,
    /// All radios of the network; none if each node has one, which then is a station of the same number.
    stations: Option<Arc<Stations>>,
}

impl Interfaces {
    /// A single one.
    pub(super) const fn new(first: Interface) -> Self {
        Self { first, further: Vec::new(), stations: None }
    }

    /// The network has these radios.
    pub(super) fn set_stations(&mut self, stations: Arc<Stations>) {
        self.stations = Some(stations);
    }

    /// The first one.
    pub(super) const fn first(&self) -> &Interface {
        &self.first
    }

    /// One more.
    pub(super) fn add(&mut self, interface: Interface) {
        self.further.push(interface);
    }

    /// Whether there is one only.
    #[inline(always)]
    pub(super) const fn is_single(&self) -> bool {
        self.further.is_empty()
    }

    /// One of them.
    #[inline(always)]
    pub(super) fn at(&self, which: IfIndex) -> &Interface {
        match which {
            IfIndex::FIRST => &self.first,
            IfIndex(place) => &self.further[usize::from(place) - 1],
        }
    }

    /// One of them, to let it act.
    #[inline(always)]
    pub(super) fn at_mut(&mut self, which: IfIndex) -> &mut Interface {
        match which {
            IfIndex::FIRST => &mut self.first,
            IfIndex(place) => &mut self.further[usize::from(place) - 1],
        }
    }

    /// Their places, in order.
    pub(in crate::node) fn indices(&self) -> impl Iterator<Item = IfIndex> + use<> {
        (0..=self.further.len() as u8).map(IfIndex) // a node has a few radios
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Interface> {
        std::iter::once(&self.first).chain(&self.further)
    }

    /// All of them, to change them.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Interface> {
        std::iter::once(&mut self.first).chain(&mut self.further)
    }

    /// The node of a station.
    #[inline(always)]
    pub(in crate::node) fn node_of(&self, station: NodeId) -> NodeId {
        self.stations.as_ref().map_or(station, |stations| stations.node_of(station))
    }

    /// The next hop that a neighbour is: the first own radio that shares its channel with one of the neighbour's. A
    /// packet for all goes by the first; one for a neighbour without a common channel too, where no station receives
    /// it.
    #[inline(always)]
    pub(super) fn hop(&self, to: NodeId) -> Hop {
        match &self.stations {
            None => Hop { via: IfIndex::FIRST, to },
            Some(stations) => self.hop_among(stations, to),
        }
    }

    #[inline(never)]
    fn hop_among(&self, stations: &Stations, to: NodeId) -> Hop {
        let first = Hop { via: IfIndex::FIRST, to };
        if to.is_broadcast() {
            return first;
        }
        let hop =
            |(via, here): (IfIndex, &Interface)| stations.peer(here.station(), to).map(|to| Hop { via, to });
        self.indices().zip(self.iter()).find_map(hop).unwrap_or(first)
    }

    /// The stations of a neighbour, each with the own interface that may have packets for it.
    pub(super) fn hops(&self, to: NodeId) -> Vec<Hop> {
        let Some(stations) = &self.stations else { return vec![Hop { via: IfIndex::FIRST, to }] };
        let hop = |(via, here): (IfIndex, &Interface)| {
            let to = stations.peer(here.station(), to)?;
            Some(Hop { via, to })
        };
        let found: Vec<Hop> = self.indices().zip(self.iter()).filter_map(hop).collect();
        if found.is_empty() { vec![self.hop(to)] } else { found }
    }

    /// Whether packets of any have more to pass on their way to it than its queue.
    pub(super) fn have_stages(&self) -> bool {
        self.stations.is_some() || self.first.resolves() || self.first.link().owns_packets()
    }

    /// Whether the MAC of any wants to know at what power frames come.
    pub(super) fn mind_power(&self) -> bool {
        self.iter().any(|interface| interface.link().minds_power())
    }

    /// Packets that wait in their queues.
    #[inline(always)]
    pub(super) fn length(&self) -> u32 {
        let further: u32 = self.further.iter().map(|it| it.link().length()).sum();
        self.first.link().length() + further
    }

    /// Packets that each of their queues could still take.
    #[inline(always)]
    pub(super) fn free(&self) -> u32 {
        self.further.iter().map(|it| it.link().free()).fold(self.first.link().free(), u32::min)
    }

    /// Packets in their links' custody.
    pub(super) fn held(&self) -> usize {
        self.iter().map(|interface| interface.link().held()).sum()
    }

    /// The packets in their custody: those of all links, then those that wait for an address.
    pub(super) fn custody(&self) -> impl Iterator<Item = PacketId> {
        self.iter().flat_map(Interface::custody)
    }

    /// Data leave for a neighbour, or for all, at this rate from the next frame on.
    pub(super) fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        match to {
            None => self.iter_mut().for_each(|interface| interface.link_mut().set_rate(None, rate)),
            Some(to) => {
                for Hop { via, to } in self.hops(to) {
                    self.at_mut(via).link_mut().set_rate(Some(to), rate);
                }
            }
        }
    }

    /// The longest average time that packets spend in one of their queues \[s\], where that is measured.
    pub(in crate::node) fn sojourn(&self, now: SimTime) -> Option<f64> {
        self.iter().filter_map(|interface| interface.link().sojourn(now)).reduce(f64::max)
    }

    /// What their queues have counted until `now`.
    pub(super) fn queue_counters(&self, now: SimTime) -> queue::Counters {
        let first = self.first.link().queue_counters(now);
        self.further.iter().fold(first, |sum, it| sum + it.link().queue_counters(now))
    }
}
