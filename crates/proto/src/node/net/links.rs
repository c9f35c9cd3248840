//! What leads from a node to its neighbours: the interfaces of its radios, its ends of wires, and the turn that packets
//! wait for before both where rates are controlled hop by hop.

use std::sync::Arc;

use super::interface::Interface;
use super::interfaces::{IfIndex, Interfaces};
use super::wires::Wires;
use crate::contract::{NodeState, Stations};
use crate::hop_rate::{HopRate, HopRateConfig};
use crate::link::Link;
use crate::link::wire::Wire;
use crate::queue;
use crate::units::{Bitrate, Bytes, FlowId, NodeId, SimTime};
use crate::wire::PacketId;

/// All links of a node.
#[derive(Debug)]
pub struct Links {
    interfaces: Interfaces,
    wires: Wires,
    turns: Option<Box<HopRate>>,
    /// What the routing layer adds to every packet: queues count it.
    header: Bytes,
    /// What the links have learnt of packets and frames.
    learnt: NodeState,
    /// Whether routing wants to hear frames that are meant for others.
    overheard: bool,
    stages: bool,
    listens: bool,
}

impl Links {
    /// The link of one radio; `header` is what the routing layer adds to every packet.
    pub(in crate::node) fn new(station: NodeId, mut link: Link, header: Bytes) -> Self {
        link.set_header(header);
        let mut links = Self {
            interfaces: Interfaces::new(Interface::new(station, link)),
            wires: Wires::default(),
            turns: None,
            header,
            learnt: NodeState::default(),
            overheard: false,
            stages: false,
            listens: false,
        };
        links.note_stages();
        links
    }

    /// Finds out what packets pass on their way, and whether frames for others matter.
    fn note_stages(&mut self) {
        let turns = self.turns.is_some();
        self.stages = turns || self.interfaces.have_stages() || !self.wires.is_empty();
        self.listens = self.overheard || turns || self.interfaces.mind_power();
    }

    /// Routing wants to hear frames that are meant for others, or does not.
    pub(super) fn set_overheard(&mut self, overheard: bool) {
        self.overheard = overheard;
        self.note_stages();
    }

    /// Adds an interface with an address of its own. Its queue counts the same headers as that of the first.
    pub fn add_interface(&mut self, station: NodeId, mut link: Link) {
        link.set_header(self.header);
        self.interfaces.add(self.interfaces.first().another(station, link));
        self.note_stages();
    }

    /// The network has these radios, more than one at some nodes.
    pub fn set_stations(&mut self, stations: Arc<Stations>) {
        self.interfaces.set_stations(stations);
        self.note_stages();
    }

    /// Replaces the link of the first interface.
    ///
    /// # Panics
    /// If the old one has packets in its custody.
    pub fn set_link(&mut self, mut link: Link) {
        assert_eq!(self.link().held(), 0, "the link is replaced before anything is sent");
        link.set_header(self.header);
        self.interfaces.at_mut(IfIndex::FIRST).set_link(link);
        self.note_stages();
    }

    /// Changes each interface before the run.
    pub fn change_interfaces(&mut self, change: impl FnMut(&mut Interface)) {
        self.interfaces.iter_mut().for_each(change);
        self.note_stages();
    }

    /// Has the rates of the flows that pass be controlled hop by hop, or not.
    pub fn set_hop_rate(&mut self, config: &HopRateConfig) {
        self.turns = HopRate::new(config);
        self.note_stages();
    }

    /// Adds an end of a wired link. The other node needs the other end.
    pub fn add_wire(&mut self, wire: Wire) {
        self.wires.add(wire);
        self.note_stages();
    }

    /// The end here of the wired link to a node.
    pub fn wire_mut(&mut self, to: NodeId) -> Option<&mut Wire> {
        self.wires.to(to)
    }

    /// Data leave for a neighbour, or for all, at this rate from the next packet on.
    pub fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        match to.and_then(|to| self.wires.to(to)) {
            Some(wire) => wire.set_rate(rate),
            None => self.interfaces.set_rate(to, rate),
        }
    }

    /// One interface.
    #[inline(always)]
    #[must_use]
    pub fn interface(&self, which: IfIndex) -> &Interface {
        self.interfaces.at(which)
    }

    /// One interface, to let it hear the medium.
    #[inline(always)]
    pub fn interface_mut(&mut self, which: IfIndex) -> &mut Interface {
        self.interfaces.at_mut(which)
    }

    /// The interfaces, in the order of their indices.
    pub fn interfaces(&self) -> impl Iterator<Item = &Interface> {
        self.interfaces.iter()
    }

    /// The link of the first interface.
    #[must_use]
    pub const fn link(&self) -> &Link {
        self.interfaces.first().link()
    }

    /// The link of the first interface, to put another MAC behind its queue.
    pub fn link_mut(&mut self) -> &mut Link {
        self.interfaces.at_mut(IfIndex::FIRST).link_mut()
    }

    /// What all queues have counted until `now`.
    #[must_use]
    pub fn queue_counters(&self, now: SimTime) -> queue::Counters {
        self.wires.queue_counters(self.interfaces.queue_counters(now), now)
    }

    /// Packets in all queues, those that are being sent included.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.interfaces.held() + self.wires.iter().map(|wire| wire.queue().held().count()).sum::<usize>()
    }

    /// Whether packets wait in an interface queue although the MAC would take one.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.interfaces.iter().any(Interface::is_blocked)
    }

    /// The packets in their custody.
    pub(in crate::node) fn custody(&self) -> impl Iterator<Item = PacketId> {
        let in_turn = self.turns.iter().flat_map(|turns| turns.packets());
        self.interfaces.custody().chain(self.wires.iter().flat_map(Wire::packets)).chain(in_turn)
    }

    /// Tells the counters of all machines.
    pub(in crate::node) fn each_counter(&self, now: SimTime, tell: &mut impl FnMut(&'static str, u64)) {
        self.interfaces.iter().for_each(|interface| interface.each_counter(now, tell));
        self.wires.iter().for_each(|wire| wire.each_counter(now, tell));
        if let Some(turns) = &self.turns {
            turns.counters().each(tell);
        }
    }

    /// What routing adds to every packet.
    pub(super) const fn header(&self) -> Bytes {
        self.header
    }

    /// Whether packets have more to pass on their way than the queue of the first interface.
    #[inline(always)]
    pub(in crate::node) const fn have_stages(&self) -> bool {
        self.stages
    }

    /// Whether frames for others matter to a MAC, to rate control or to routing.
    #[inline(always)]
    pub(in crate::node) const fn listen(&self) -> bool {
        self.listens
    }

    /// The interfaces, which of them leads to a neighbour, and which node a station is of.
    #[inline(always)]
    pub(in crate::node) const fn radios(&self) -> &Interfaces {
        &self.interfaces
    }

    /// The ends of wires.
    #[inline(always)]
    pub(super) const fn wires(&self) -> &Wires {
        &self.wires
    }

    /// The ends of wires, to let them act.
    pub(super) const fn wires_mut(&mut self) -> &mut Wires {
        &mut self.wires
    }

    /// Hop-by-hop rate control, where packets wait for their turn.
    #[inline(always)]
    pub(in crate::node) fn turns(&self) -> Option<&HopRate> {
        self.turns.as_deref()
    }

    /// The same, to let it act.
    pub(super) fn turns_mut(&mut self) -> Option<&mut HopRate> {
        self.turns.as_deref_mut()
    }

    /// Whether a packet that an interface has kept for another neighbour can go to this one at once, by the same
    /// interface.
    pub(super) fn leads_at_once(&self, now: SimTime, via: IfIndex, to: NodeId) -> bool {
        let hop = self.interfaces.hop(to);
        hop.via == via && self.interface(via).knows_address(now, hop.to)
    }

    /// What the machines above know of the node.
    #[inline(always)]
    pub(in crate::node) fn state(&self) -> NodeState {
        let queue_length = self.interfaces.length() + self.wires.length();
        NodeState { queue_length, queue_free: self.wires.free(self.interfaces.free()), ..self.learnt }
    }

    /// The same for one flow: where rates are controlled, its packets find no more room than they leave it.
    #[inline(always)]
    pub(in crate::node) fn state_for(&self, flow: FlowId) -> NodeState {
        let state = self.state();
        let queue_free =
            self.turns().map_or(state.queue_free, |turns| turns.room(flow).min(state.queue_free));
        NodeState { queue_free, ..state }
    }

    /// A frame came at this power \[W\].
    #[inline(always)]
    pub(in crate::node) const fn note_power(&mut self, power: f64) {
        self.learnt.received_power = power;
    }

    /// A frame was served with so many attempts.
    #[inline(always)]
    pub(in crate::node) fn note_attempts(&mut self, attempts: u32) {
        self.learnt.attempts_average += (f64::from(attempts) - self.learnt.attempts_average) / 8.0;
    }
}
