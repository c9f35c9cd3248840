//! Who spoilt a frame. Nothing is noted for it while frames are on the air: when one was lost, the ends of the others'
//! latest transmissions say who had been sending meanwhile.

use multihop_proto::units::NodeId;
use multihop_proto::wire::Frame;

use super::Network;
use super::world::Transmission;
use crate::probe::Interferer;

impl Network {
    /// A unicast frame ends at its addressee, which could not receive it.
    #[cold]
    #[inline(never)]
    pub(super) fn spoilt(&mut self, frame: &Frame) {
        let by = self.interferer(frame);
        self.world.recorder.spoilt(self.world.now, frame, by);
    }

    /// The strongest transmission that overlapped a frame which ends now at its addressee; the addressee's own is
    /// stronger than all.
    fn interferer(&mut self, frame: &Frame) -> Option<Interferer> {
        let (now, delay) = (self.world.now, self.world.delay);
        let since = now - frame.airtime;
        let (from, at) = (frame.from, frame.to);
        if self.radios.sent_until(at) > since {
            return Some(self.interferer_of(from, at));
        }
        let mut strongest = None;
        for other in self.links.around(at, now) {
            let leaving = matches!(self.world.on_air[other.index()], Transmission::Leaving(_));
            if other == from || leaving || self.radios.sent_until(other) + delay <= since {
                continue;
            }
            if let Some(link) = self.links.between(other, at) {
                // Of equally strong ones the first by name: numbers must not matter.
                let order = (link.power, std::cmp::Reverse(self.ranks[other.index()]));
                if strongest.is_none_or(|(best, _)| order > best) {
                    strongest = Some((order, other));
                }
            }
        }
        strongest.map(|(_, node)| self.interferer_of(from, node))
    }

    fn interferer_of(&self, from: NodeId, node: NodeId) -> Interferer {
        let hidden = self.links.between(node, from).is_none_or(|link| !link.sensed);
        Interferer { node, hidden }
    }
}
