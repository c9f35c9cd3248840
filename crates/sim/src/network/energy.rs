//! What radios do with their energy.

use multihop_proto::units::{Dur, NodeId};

use super::Network;
use super::world::World;

impl Network {
    /// Meters the transmissions that leave and arrive at this instant.
    pub(super) fn meter_transmissions(&mut self) {
        if !self.meter.meters_frames() {
            return;
        }
        let (meter, now) = (&mut self.meter, self.world.now);
        for frame in &self.world.leaving {
            meter.sends(frame.from, now, now + frame.airtime);
        }
        let World { starting, on_air, delay, .. } = &self.world;
        let beginning = starting.iter().filter_map(|from| on_air[from.index()].beginning());
        if *delay == Dur::ZERO {
            // The node that begins to send does so before it hears what begins with it.
            beginning.clone().for_each(|frame| meter.sends(frame.from, now, now + frame.airtime));
        }
        // Of what begins together a radio pays first for what is meant for it, whichever is listed first.
        let simultaneous = beginning.clone().nth(1).is_some();
        for wanted in if simultaneous { &[Some(true), Some(false)][..] } else { &[None] } {
            for frame in beginning.clone() {
                for link in self.links.begin(frame.from, now).iter().filter(|link| link.sensed) {
                    let addressed = frame.to == NodeId::BROADCAST
                        || frame.to == link.to
                        || frame.second.is_some_and(|part| part.to == link.to);
                    let mine = addressed && link.decodable;
                    if wanted.is_none_or(|wanted| wanted == mine) {
                        meter.hears(link.to, now, now + frame.airtime, mine);
                    }
                }
            }
        }
    }
}
