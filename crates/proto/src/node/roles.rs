//! Where a node leaves the usual path of packets, because of the machines that it has.

use super::stack::Node;
use crate::routing::Routing;

/// What follows from the machines of a node. It is found anew when one of them is replaced, and asked for with each packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Roles {
    /// Packets have more to pass on their way to the link than its queue: [`Node::enter_stages`].
    pub(super) stages: bool,
    /// Agents, the notifier or the meter want to see what is forwarded.
    pub(super) inspects: bool,
    /// Routing or rate control want to hear frames that are meant for others, or the MAC at what power frames come.
    pub(super) overhears: bool,
}

impl Node {
    /// Finds out what the machines of the node want to see, and where packets go on their way to the link.
    pub(super) fn update_roles(&mut self) {
        let watches = self.notifier.as_ref().is_some_and(|notifier| notifier.watches());
        let controls_rates = self.controls_rates();
        self.roles = Roles {
            stages: controls_rates || self.interfaces.have_stages() || !self.wires.is_empty(),
            inspects: watches || self.agents.len() > 0 || self.meter.is_some(),
            overhears: controls_rates || self.net.machine().overhears() || self.interfaces.mind_power(),
        };
    }
}
