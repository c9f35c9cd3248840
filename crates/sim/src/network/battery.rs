//! Batteries that run out.

use multihop_proto::units::{Dur, NodeId, SimTime};

use super::stations::Nodes;
use crate::air::{EnergyConfig, EnergyMeter, RadioState};

/// At most so long after a battery is spent does its node go down.
const STEP: Dur = Dur::from_ms(1);

/// What the nodes have to spend.
#[derive(Clone, Debug)]
pub(super) struct Batteries {
    energy: EnergyConfig,
    /// When they are looked at again: no battery can be spent before, but by less than [`STEP`].
    next: SimTime,
    /// When each was found empty.
    empty: Vec<Option<SimTime>>,
}

impl Batteries {
    /// Full ones; without an end, if the scenario has none.
    pub(super) fn new(energy: Option<&EnergyConfig>, nodes: usize) -> Self {
        let energy = energy.cloned().unwrap_or_default();
        let next = if energy.battery.is_some() { SimTime::ZERO } else { SimTime::MAX };
        Self { energy, next, empty: vec![None; nodes] }
    }

    /// When a node's battery was found empty.
    pub(super) fn spent_at(&self, node: NodeId) -> Option<SimTime> {
        self.empty[node.index()]
    }

    /// When they are to be looked at.
    pub(super) const fn next_at(&self) -> SimTime {
        self.next
    }

    /// The nodes that have spent theirs since the last look, if it is time for one, in the order of their names: what
    /// they held may be copies of one packet, and the last to go has lost it.
    pub(super) fn look(&mut self, now: SimTime, nodes: &Nodes, meter: &EnergyMeter) -> Vec<NodeId> {
        let mut spent = Vec::new();
        if self.next > now {
            return spent;
        }
        let Self { energy, next, empty } = self;
        let capacity = energy.battery.map_or(f64::INFINITY, |battery| battery.get());
        let most = RadioState::ALL.iter().map(|&state| energy.power(state)).fold(0.0, f64::max);
        *next = SimTime::MAX;
        for (node, empty) in (0..).map(NodeId).zip(empty).filter(|(_, empty)| empty.is_none()) {
            let paid = nodes.stations_of(node).map(|station| meter.paid(station, now).joules(energy));
            let left = capacity - paid.sum::<f64>();
            if left > 0.0 {
                let radios = nodes.stations_of(node).count() as f64;
                let lasts = Dur::from_secs_f64((left / (most * radios)).min(1e9)).max(STEP);
                *next = (*next).min(now + lasts);
            } else {
                *empty = Some(now);
                spent.push(node);
            }
        }
        spent.sort_by_key(|&node| nodes.rank(node));
        spent
    }
}
