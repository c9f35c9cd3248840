//! Flow state (RFC 4728 §3.5, §4.5 and §4.6): packets that follow each other on one path need not carry it.
//!
//! A source gives each new path to a destination a flow number of its own. The last one is the default flow. Its first
//! packets carry number, lifetime and path, and set up the relays; later ones carry nothing.

use std::collections::BTreeMap;

use super::wire::{FlowHeader, Header, RouteError, Trouble};
use crate::units::{Dur, NodeId, SimTime};

/// Packets that set a flow up.
const SET_UP: u32 = 3;
/// One packet sets it up again when the last that did is older than this.
const REFRESH: Dur = Dur::from_secs(5);

/// The flow of this node to a destination.
#[derive(Clone, Debug)]
struct Flow {
    id: u16,
    path: Vec<NodeId>,
    ends: SimTime,
    packets: u32,
    told: SimTime,
}

/// A flow through this node: the last that was set up.
#[derive(Clone, Debug)]
pub(super) struct Passing {
    id: u16,
    ttl: u8,
    /// Its path.
    pub(super) path: Vec<NodeId>,
    /// The place of this node in it.
    pub(super) here: usize,
}

/// The flows from and through a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Flows {
    own: BTreeMap<NodeId, Flow>,
    passing: BTreeMap<(NodeId, NodeId), Passing>,
    last_id: u16,
}

/// What a packet of this node carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Carry {
    /// Nothing: relays know its path, which begins with this hop.
    Nothing(NodeId),
    /// The path, and what sets the flow up.
    Route { path: Vec<NodeId>, flow: FlowHeader, timeout: u16 },
}

impl Flows {
    /// A packet of this node for `path`'s end: a live flow no longer than `path` takes it, or a new one.
    pub(super) fn send(&mut self, now: SimTime, path: Vec<NodeId>, life: Dur) -> Carry {
        let destination = path.last().copied().unwrap_or(NodeId::BROADCAST);
        let known = self.own.get(&destination);
        if known.is_none_or(|flow| flow.ends <= now || flow.path.len() > path.len()) {
            self.last_id = self.last_id.wrapping_add(if self.last_id == 0 { 1 } else { 2 }); // odd: default flows
            let flow = Flow { id: self.last_id, path, ends: now, packets: 0, told: now };
            self.own.insert(destination, flow);
        }
        let Some(flow) = self.own.get_mut(&destination) else { return Carry::Nothing(destination) };
        flow.ends = now + life;
        flow.packets = flow.packets.saturating_add(1);
        if flow.packets > SET_UP && now.saturating_since(flow.told) <= REFRESH {
            return Carry::Nothing(flow.path.get(1).copied().unwrap_or(destination));
        }
        flow.told = now;
        let timeout = u16::try_from(life.whole(Dur::from_secs(1))).unwrap_or(u16::MAX);
        Carry::Route { path: flow.path.clone(), flow: FlowHeader { hops: 0, id: flow.id }, timeout }
    }

    /// A packet that sets a flow up passes: this node has the place `here` on its path.
    pub(super) fn set_up(
        &mut self,
        ends: (NodeId, NodeId),
        header: &Header,
        path: &[NodeId],
        here: usize,
        ttl: u8,
    ) {
        let (Some(flow), Some(_)) = (header.flow, header.timeout) else { return };
        let newer = |known: &Passing| flow.id.wrapping_sub(known.id).cast_signed() >= 0;
        if self.passing.get(&ends).is_none_or(newer) {
            self.passing.insert(ends, Passing { id: flow.id, ttl, path: path.to_vec(), here });
        }
    }

    /// The path of a packet that carries none.
    pub(super) fn path_of(&self, ends: (NodeId, NodeId), ttl: u8) -> Option<&Passing> {
        self.passing.get(&ends).filter(|known| known.ttl == ttl)
    }

    /// Whether this node has a flow to a destination.
    pub(super) fn has_own(&self, destination: NodeId) -> bool {
        self.own.contains_key(&destination)
    }

    /// A link is broken: flows of this node over it end.
    pub(super) fn cut(&mut self, link: (NodeId, NodeId)) {
        self.own.retain(|_, flow| !flow.path.windows(2).any(|two| two == [link.0, link.1]));
    }

    /// A relay does not know a flow of this node.
    pub(super) fn unknown(&mut self, error: &RouteError) {
        match error.what {
            Trouble::FlowUnknown(destination, id) => {
                self.own.retain(|&to, flow| to != destination || flow.id != id);
            }
            Trouble::DefaultFlowUnknown(destination) => drop(self.own.remove(&destination)),
            Trouble::Unreachable(_) => {}
        }
    }

    pub(super) fn clear(&mut self) {
        self.own.clear();
        self.passing.clear();
    }
}
