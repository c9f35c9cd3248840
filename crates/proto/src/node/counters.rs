//! The counters of all machines of a node, each under the name that its machine gives it.

use super::stack::Node;
use crate::endpoint::Transport;
use crate::routing::Routing;
use crate::units::SimTime;

impl Node {
    /// Tells every counter of every machine by its public name, `machine.what`, as it stands at `now`. Machines that
    /// a node has several of tell theirs several times.
    pub fn each_counter(&self, now: SimTime, tell: &mut impl FnMut(&'static str, u64)) {
        self.links.each_counter(now, tell);
        tell("routing.routes-lost", self.net.machine().routes_lost());
        self.net.machine().each_counter(tell);
        self.outbox.sent.each(tell);
        if let Some(notifier) = &self.notifier {
            notifier.counters().each(tell);
        }
        self.relays.each_counter(tell);
        for endpoint in self.hosts.all() {
            endpoint.kind.each_counter(tell);
        }
    }
}
