//! Who spoilt a frame. Nothing is noted for it while frames are on the air: when one was lost, the ends of the others'
//! latest transmissions say who had been sending meanwhile.

use multihop_proto::units::{NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::Network;
use crate::probe::{Failure, Interferer};

impl Network {
    /// A unicast frame ends at its addressee, which could not receive it.
    #[cold]
    #[inline(never)]
    pub(super) fn spoilt(&mut self, frame: &Frame) {
        let now = self.world.now;
        let slept = self.naps[frame.to.index()].meets(now - frame.airtime, now);
        let failure = if slept { Failure::Dozing } else { Failure::Interference };
        self.world.recorder.attempts.failed(frame.kind, frame.from, frame.to, failure);
        if !slept && self.sampler.is_on() {
            let by = self.interferer(frame);
            if let Some(by) = by {
                self.world.recorder.attempts.met(frame.kind, frame.from, frame.to, by);
            }
            self.world.recorder.spoilt(now, frame, by);
        }
    }

    /// The strongest transmission that overlapped a frame which ends now at its addressee; the addressee's own is
    /// stronger than all.
    fn interferer(&mut self, frame: &Frame) -> Option<Interferer> {
        let now = self.world.now;
        let since = now - frame.airtime;
        let (from, at) = (frame.from, frame.to);
        if self.sent_until(at) > since {
            return Some(self.interferer_of(from, at));
        }
        let strongest = match self.links.around(at, now) {
            Some(near) => self.strongest(frame, since, near.into_iter()),
            None => self.strongest(frame, since, (0..self.nodes.len() as u32).map(NodeId)),
        };
        strongest.map(|node| self.interferer_of(from, node))
    }

    /// Whose signal is the strongest at the frame's addressee, of those that have been sending since.
    #[inline]
    fn strongest(
        &self,
        frame: &Frame,
        since: SimTime,
        nodes: impl Iterator<Item = NodeId>,
    ) -> Option<NodeId> {
        let mut strongest = None;
        for other in nodes {
            if self.sent_until(other) + self.world.delay <= since || other == frame.from {
                continue;
            }
            if let Some(link) = self.links.between(other, frame.to).filter(|_| self.arrived(other, since)) {
                // Of equally strong ones the first by name: numbers must not matter.
                let order = (link.power, std::cmp::Reverse(self.ranks[other.index()]));
                if strongest.is_none_or(|(best, _)| order > best) {
                    strongest = Some((order, other));
                }
            }
        }
        strongest.map(|(_, node)| node)
    }

    /// Whether a transmission of a node has been arriving since. With a propagation delay the latest may have left only,
    /// and who is asked first of those that end or begin at this very instant must not matter.
    fn arrived(&self, node: NodeId, since: SimTime) -> bool {
        let overlaps = |&(begin, end): &(SimTime, SimTime)| begin < self.world.now && end > since;
        self.world.arrivals.get(node.index()).is_none_or(|spans| spans.iter().any(overlaps))
    }

    fn interferer_of(&self, from: NodeId, node: NodeId) -> Interferer {
        let hidden = self.links.between(node, from).is_none_or(|link| !link.sensed);
        Interferer { node, hidden }
    }
}
