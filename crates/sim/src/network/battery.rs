//! Batteries that run out.

use multihop_proto::units::{Dur, NodeId, SimTime};

use super::Network;
use crate::air::{EnergyConfig, RadioState};

/// At most so long after a battery is spent does its node go down.
const STEP: Dur = Dur::from_ms(1);

/// What the nodes have to spend.
#[derive(Clone, Debug)]
pub(super) struct Batteries {
    energy: EnergyConfig,
    /// When it is looked at again: no battery can be spent before, but by less than [`STEP`].
    next: SimTime,
    /// When each was found empty.
    empty: Vec<Option<SimTime>>,
}

impl Batteries {
    /// Full ones, if the scenario has any.
    pub(super) fn new(energy: Option<&EnergyConfig>, nodes: usize) -> Option<Box<Self>> {
        let energy = energy.filter(|energy| energy.battery.is_some())?.clone();
        Some(Box::new(Self { energy, next: SimTime::ZERO, empty: vec![None; nodes] }))
    }
}

impl Network {
    /// When a node's battery was found empty.
    pub(super) fn spent_at(&self, node: NodeId) -> Option<SimTime> {
        self.batteries.as_ref().and_then(|batteries| batteries.empty[node.index()])
    }

    /// When batteries are to be looked at.
    pub(super) fn batteries_at(&self) -> SimTime {
        self.batteries.as_ref().map_or(SimTime::MAX, |batteries| batteries.next)
    }

    /// Nodes that have spent their batteries go down, for good.
    pub(super) fn look_at_batteries(&mut self) {
        let now = self.world.now;
        let Some(mut batteries) = self.batteries.take_if(|batteries| batteries.next <= now) else { return };
        let Batteries { energy, next, empty } = &mut *batteries;
        let capacity = energy.battery.map_or(f64::INFINITY, |battery| battery.get());
        let most = RadioState::ALL.iter().map(|&state| energy.power(state)).fold(0.0, f64::max);
        *next = SimTime::MAX;
        for (node, empty) in (0..).map(NodeId).zip(empty).filter(|(_, empty)| empty.is_none()) {
            let paid =
                self.nodes.stations_of(node).map(|station| self.meter.paid(station, now).joules(energy));
            let left = capacity - paid.sum::<f64>();
            if left > 0.0 {
                let radios = self.nodes.stations_of(node).count() as f64;
                let lasts = Dur::from_secs_f64((left / (most * radios)).min(1e9)).max(STEP);
                *next = (*next).min(now + lasts);
                continue;
            }
            *empty = Some(now);
            if self.nodes[node.index()].is_up() {
                self.world.recorder.failed();
                self.power(node, false);
            }
        }
        self.batteries = Some(batteries);
    }
}
