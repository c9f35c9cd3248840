//! Transmissions that begin to arrive after a delay, and what else a beginning may need.

use multihop_proto::units::{Dur, NodeId};

use super::Network;
use super::driver::announce;
use super::world::{Transmission, World};

impl Network {
    /// With a propagation delay, an energy meter, or where MPDUs are watched.
    #[cold]
    pub(super) fn start_specially(&mut self) {
        self.meter_transmissions();
        if self.world.delay > Dur::ZERO {
            return self.start_delayed();
        }
        self.world.note_arrivals();
        self.start_at_once();
    }

    /// Some transmissions leave, others begin to arrive.
    fn start_delayed(&mut self) {
        self.cut_slots();
        let mut leaving = std::mem::take(&mut self.world.leaving);
        for frame in leaving.drain(..) {
            let World { now, delay, arrivals, recorder, tap, .. } = &mut self.world;
            let end = announce(*now, &frame, recorder, tap, &self.packets);
            arrivals[frame.from.index()].push(*now + *delay, end + *delay);
            self.deafen(frame.from, end);
        }
        self.world.leaving = leaving;
        if self.radios.sums_interference()
            && let Some(node) = self.world.starting.take_only()
        {
            return self.arrive_alone(node);
        }
        let mut simultaneous = std::mem::take(&mut self.simultaneous);
        simultaneous.take(&mut self.world, &self.nodes);
        simultaneous.count_signals(&mut self.links, self.world.now);
        self.begin_signals(&mut simultaneous);
        for &node in simultaneous.stations() {
            let on_air = &mut self.world.on_air[node.index()];
            if let Transmission::Beginning(frame) = *on_air {
                *on_air = Transmission::Arriving(frame);
            }
        }
        self.simultaneous = simultaneous;
    }

    /// If the transmission of a node begins to arrive now, no other one does.
    fn arrive_alone(&mut self, node: NodeId) {
        let Some(&frame) = self.world.on_air[node.index()].beginning() else { return };
        self.begin_signal(node, self.world.now + frame.airtime);
        self.world.on_air[node.index()] = Transmission::Arriving(frame);
    }
}
