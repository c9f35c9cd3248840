//! What the channel does to frames besides overlap: errors, by the draws that each receiver has of its own.

use multihop_proto::units::{Entity, NodeId, Purpose, Rng, SimTime};
use multihop_proto::wire::{Bitmap, Frame, Mpdu};

use crate::air::{Bursts, ErrorModel, Harm, Jam, Link, Links, Position, Struck};
use crate::scenario::{Happening, Resolved};

/// Errors of frames at their receivers.
pub(super) struct FrameErrors {
    model: ErrorModel,
    draws: Vec<Rng>,
}

impl FrameErrors {
    /// Errors of the whole air, of listed links, and room for those that events bring.
    pub(super) fn new(scenario: &Resolved, links: &Links, run: u64) -> Self {
        let scheduled =
            scenario.events.iter().any(|(_, it)| matches!(it, Happening::Loss(..) | Happening::Jam(..)));
        let local = scheduled || !links.losses().is_empty();
        let config = &scenario.config;
        let mut model = ErrorModel::new(&config.air, local);
        let names = scenario.station_names(&scenario.stations());
        let seed = config.run.inner_seed();
        let own = |name: &String| Rng::stream(seed, run, Entity::Node(name), Purpose::FrameError);
        let draws = names.iter().map(own).collect();
        if let Some(burst) = &config.air.burst {
            // The channel is an outside process, the same under all techniques.
            model.set_bursts(Bursts::new(burst, names, config.run.seed, run));
        }
        if config.air.noise_errors {
            model.set_noise(&config.air);
        }
        let mut errors = Self { model, draws };
        for &(from, to, loss) in links.losses() {
            errors.set_link(links, (from, to), loss);
        }
        errors
    }

    /// Whether there are errors at all.
    #[inline]
    pub(super) const fn strike_any(&self) -> bool {
        self.model.strikes()
    }

    /// What damages a frame that ends now at a node, which is at a `place`.
    #[inline]
    pub(super) fn strike(
        &mut self,
        frame: &Frame,
        link: Link,
        now: SimTime,
        place: impl FnOnce() -> Option<Position>,
    ) -> Option<Harm> {
        let (way, time) = ((frame.from, link.to), (now - frame.airtime, now));
        let draws = &mut self.draws[link.to.index()];
        self.model.hits((frame.size, frame.tx), way, time, link.power, place, draws)
    }

    /// Which MPDUs are left of those of an A-MPDU that came through overlap and noise; it ends now at a node, which is
    /// at a `place`. With `any` it matters only whether one is left.
    pub(super) fn strike_each(
        &mut self,
        (frame, mpdus): (&Frame, &[Mpdu]),
        link: Link,
        now: SimTime,
        place: Option<Position>,
        (map, any): (Bitmap, bool),
    ) -> Struck {
        let (way, time) = ((frame.from, link.to), (now - frame.airtime, now));
        let draws = &mut self.draws[link.to.index()];
        self.model.strike_each((mpdus, frame.tx), (way, link.power), time, place, (map, any), draws)
    }

    /// From now on frames from one node to another are lost with this probability, besides all other errors.
    pub(super) fn set_link(&mut self, links: &Links, (from, to): (NodeId, NodeId), loss: f64) {
        links.pairs(from, to).into_iter().for_each(|(from, to)| self.model.set_link(from, to, loss));
    }

    /// From now on a region is jammed so.
    pub(super) fn set_jam(&mut self, jam: Jam) {
        self.model.set_jam(jam);
    }
}
