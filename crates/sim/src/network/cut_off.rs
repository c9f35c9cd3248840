//! Transmissions that are cut off: their nodes go down in the middle of them.

use multihop_proto::units::{Dur, NodeId};

/// What is left of such transmissions.
pub(super) struct CutOff {
    /// Stations whose last transmission goes on as noise where it was heard to begin.
    noise: Vec<NodeId>,
    /// Airtime of each station that was counted, and never was sent.
    unsent: Vec<Dur>,
}

impl CutOff {
    /// None yet, of so many stations.
    pub(super) fn none(stations: usize) -> Self {
        Self { noise: Vec::new(), unsent: vec![Dur::ZERO; stations] }
    }

    /// A station goes down with so much left to send; `heard`: others have heard its transmission begin.
    pub(super) fn cut(&mut self, station: NodeId, left: Dur, heard: bool) {
        self.unsent[station.index()] += left;
        if heard {
            self.noise.push(station);
        }
    }

    /// The noise of a station ends; returns whether there was any.
    pub(super) fn end(&mut self, station: NodeId) -> bool {
        let place = self.noise.iter().position(|&other| other == station);
        place.map(|place| self.noise.swap_remove(place)).is_some()
    }

    /// Airtime of a station that was counted, and never was sent.
    pub(super) fn unsent(&self, station: NodeId) -> Dur {
        self.unsent[station.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A station that goes down twice: what it did not send adds up, and each noise ends once.
    #[test]
    fn noise_ends_once_and_unsent_airtime_adds_up() {
        let (station, other) = (NodeId(1), NodeId(0));
        let mut cut_off = CutOff::none(2);
        assert!(!cut_off.end(station));
        cut_off.cut(station, Dur::from_us(300), true);
        assert!(!cut_off.end(other) && cut_off.end(station) && !cut_off.end(station));
        cut_off.cut(station, Dur::from_us(200), false);
        assert!(!cut_off.end(station), "no node has heard it begin");
        assert_eq!([station, other].map(|it| cut_off.unsent(it)), [Dur::from_us(500), Dur::ZERO]);
    }
}
