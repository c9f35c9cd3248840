//! What the scenario lets happen to the network: nodes that go down, links that are cut, regions that are jammed.

use multihop_proto::node::Input;
use multihop_proto::units::{NodeId, SimTime};

use super::Network;
use super::battery::Batteries;
use super::outage_oracle::{OutageOracle, Present, Prophecy};
use crate::air::Jam;
use crate::check::paths::Costs;
use crate::scenario::{Happening, Resolved};

/// What is to happen, in the order of time.
#[derive(Clone, Debug)]
struct Schedule {
    happenings: Vec<(SimTime, Happening)>,
    next: usize,
}

impl Schedule {
    fn new(happenings: &[(SimTime, Happening)]) -> Self {
        Self { happenings: happenings.to_vec(), next: 0 }
    }

    /// When the next is due.
    fn next_at(&self) -> SimTime {
        self.happenings.get(self.next).map_or(SimTime::MAX, |&(at, _)| at)
    }

    fn take_due(&mut self, now: SimTime) -> Option<Happening> {
        let &(_, happening) = self.happenings.get(self.next).filter(|&&(at, _)| at <= now)?;
        self.next += 1;
        Some(happening)
    }
}

/// What happens to the network without its doing: scheduled events, batteries that run out, and what an oracle tells of
/// both beforehand.
pub(super) struct Agenda {
    schedule: Schedule,
    oracle: OutageOracle,
    batteries: Batteries,
}

impl Agenda {
    /// What the scenario has planned.
    pub(super) fn new(scenario: &Resolved, costs: &Costs<'_>) -> Self {
        Self {
            schedule: Schedule::new(&scenario.events),
            oracle: OutageOracle::new(scenario, costs),
            batteries: Batteries::new(scenario.config.energy.as_ref(), scenario.nodes.len()),
        }
    }

    /// When something is due next.
    pub(super) fn next_at(&self) -> SimTime {
        self.schedule.next_at().min(self.oracle.next_at()).min(self.batteries.next_at())
    }

    /// When a node's battery was found empty.
    pub(super) fn spent_at(&self, node: NodeId) -> Option<SimTime> {
        self.batteries.spent_at(node)
    }
}

impl Network {
    /// All that is due now happens, in the order of the file.
    #[cold]
    pub(super) fn run_scheduled(&mut self) {
        self.take_down_spent();
        while let Some(happening) = self.agenda.schedule.take_due(self.world.now) {
            let comes = match happening {
                // nothing brings back a node whose battery is spent
                Happening::Power(node, true) if self.agenda.spent_at(node).is_some() => continue,
                // it is so already
                Happening::Power(node, up) if self.nodes[node.index()].is_up() == up => continue,
                Happening::Cut(from, to, cut) if self.links.is_cut(from, to) == cut => continue,
                Happening::Power(_, up) => Some(up),
                // Nothing comes or goes where no node is ever heard.
                Happening::Cut(from, to, cut) => {
                    let wired = self.links.is_wired(from, to);
                    let matters = wired || self.links.moves() || self.links.joins(from, to, self.world.now);
                    matters.then_some(!cut)
                }
                Happening::Loss(..) | Happening::Lose(..) | Happening::Rate(..) | Happening::Jam(..) => None,
            };
            match comes {
                Some(true) => {
                    let now = self.world.now;
                    self.world.recorder.returned(now, |flow| self.flows[flow].start < now);
                }
                Some(false) => self.world.recorder.failed(),
                None => {}
            }
            match happening {
                Happening::Power(node, up) => self.power(node, up),
                Happening::Cut(from, to, cut) => {
                    self.links.cut(from, to, cut);
                    self.cut_wire(from, to, cut);
                }
                Happening::Loss(from, to, loss) => {
                    self.errors.set_link(&self.links, (from, to), loss);
                    self.set_wire_loss(from, to, loss);
                }
                Happening::Lose(from, to, packets) => self.lose_over_wire(from, to, packets),
                Happening::Rate(node, to, rate) => self.nodes[node.index()].links_mut().set_rate(to, rate),
                Happening::Jam(number, middle, radius, loss) => {
                    self.errors.set_jam(Jam { number, middle, radius, loss });
                }
            }
        }
        self.note_ends();
        self.foretell();
        self.world.timers.arm_scheduled(self.agenda.next_at());
    }

    /// Nodes that have spent their batteries go down, for good.
    fn take_down_spent(&mut self) {
        for node in self.agenda.batteries.look(self.world.now, &self.nodes, &self.meter) {
            if self.nodes[node.index()].is_up() {
                self.world.recorder.failed();
                self.power(node, false);
            }
        }
    }

    /// Receivers hear what the oracle says of their flows.
    fn foretell(&mut self) {
        let Self { agenda, links, nodes, world, .. } = self;
        for Prophecy { receiver, flow, ahead } in
            agenda.oracle.consult(&mut Present { now: world.now, nodes, links })
        {
            self.tell(receiver, Input::Outage(flow, ahead));
        }
    }
}
