//! The routing machine of a node, when it wants to be woken, and the list that its requests stand in.

use crate::contract::{Cx, Wake};
use crate::routing::{Action, AnyRouting, Decision, Disposal, GivenUp, Input, Provenance, Routing};
use crate::units::SimTime;
use crate::wire::PacketId;

/// What a machine has asked for in one call. It goes back by [`Router::take_back`], which keeps its memory.
pub(super) type Requests = Vec<Action>;

/// The routing machine of a node.
#[derive(Debug)]
pub(in crate::node) struct Router {
    machine: AnyRouting,
    wake: Wake,
    /// Empty; kept for its memory.
    requests: Requests,
}

impl Router {
    /// One that has not been started.
    pub(super) const fn new(machine: AnyRouting) -> Self {
        Self { machine, wake: Wake::OFF, requests: Vec::new() }
    }

    /// The machine.
    #[inline(always)]
    pub(in crate::node) const fn machine(&self) -> &AnyRouting {
        &self.machine
    }

    /// The machine, to change it.
    #[inline(always)]
    pub(in crate::node) const fn machine_mut(&mut self) -> &mut AnyRouting {
        &mut self.machine
    }

    /// When it wants to be woken.
    #[inline(always)]
    pub(super) const fn wakes_at(&self) -> SimTime {
        self.wake.at()
    }

    /// Whether its timer fires now; then it is off.
    pub(super) fn fires(&mut self, now: SimTime) -> bool {
        self.wake.fires(now)
    }

    /// Lets it act.
    pub(super) fn handle(&mut self, cx: &mut Cx<'_>, input: Input) -> Requests {
        let mut requests = std::mem::take(&mut self.requests);
        self.machine.handle(cx, input, &mut requests);
        requests
    }

    /// Asks it for the way of a packet.
    pub(super) fn route(
        &mut self,
        cx: &mut Cx<'_>,
        id: PacketId,
        provenance: Provenance,
    ) -> (Decision, Requests) {
        let mut requests = std::mem::take(&mut self.requests);
        (self.machine.route(cx, id, provenance, &mut requests), requests)
    }

    /// Tells it of a packet that the link has given up.
    pub(super) fn given_up(&mut self, cx: &mut Cx<'_>, given_up: GivenUp) -> (Disposal, Requests) {
        let mut requests = std::mem::take(&mut self.requests);
        (self.machine.given_up(cx, given_up, &mut requests), requests)
    }

    /// Notes when it wants to be woken, if it says so. What else it has asked for may have it asked again, and its
    /// requests then are newer ones: so this comes first.
    pub(super) fn note_timer(&mut self, requests: &Requests) {
        let wakes = requests.iter().rev().find_map(|action| match action {
            Action::Arm(at) => Some(*at),
            _ => None,
        });
        self.wake.set(wakes.unwrap_or(self.wake.at()));
    }

    /// Takes an empty list back.
    #[inline(always)]
    pub(super) fn take_back(&mut self, requests: Requests) {
        self.requests = requests;
    }
}
