//! What a path gets through in a round trip.

use crate::units::{Dur, SimTime};

/// Counts what is acknowledged from one round trip to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundTrip {
    /// When the present one began, and with which byte.
    began: Option<(SimTime, u64)>,
    last: Option<u64>,
}

impl RoundTrip {
    /// All bytes below `una` are acknowledged now.
    pub fn acked(&mut self, now: SimTime, una: u64, srtt: Option<Dur>) {
        let (began, first) = *self.began.get_or_insert((now, una));
        if srtt.is_some_and(|srtt| now >= began + srtt) {
            self.last = Some(una.saturating_sub(first));
            self.began = Some((now, una));
        }
    }

    /// Bytes that the last whole one got through.
    #[must_use]
    pub const fn got_through(&self) -> Option<u64> {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_is_over_when_it_has_passed() {
        let mut round_trip = RoundTrip::default();
        let srtt = Some(Dur::from_ms(100));
        for (ms, una, last) in [
            (0, 1000, None),
            (50, 2000, None),
            (99, 4000, None),
            (100, 5000, Some(4000)),
            (150, 9000, Some(4000)),
            (300, 9500, Some(4500)),
        ] {
            round_trip.acked(SimTime::from_ms(ms), una, srtt);
            assert_eq!(round_trip.got_through(), last, "{ms} ms");
        }
        round_trip.acked(SimTime::from_secs(9), 9500, None);
        assert_eq!(round_trip.got_through(), Some(4500), "no round trip has been measured");
    }
}
