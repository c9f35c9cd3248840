//! The smoothed round-trip time and its variation (RFC 6298 §2.2, §2.3), in ticks of the clock.

use super::config::RtoArithmetic;
use crate::units::{Dur, SimTime};

/// Mean and variation, once measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    Real {
        srtt: f64,
        rttvar: f64,
    },
    /// The mean in eighths, the variation in quarters. A mean of 0 has been forgotten: the next sample starts anew.
    Integer {
        srtt: i64,
        rttvar: i64,
    },
}

/// The estimator.
#[derive(Clone, Debug)]
pub(super) struct SmoothedRtt {
    tick: Dur,
    arithmetic: RtoArithmetic,
    /// The least that four variations count.
    least: Dur,
    known: Option<Known>,
}

impl SmoothedRtt {
    /// Nothing has been measured.
    pub(super) const fn new(arithmetic: RtoArithmetic, tick: Dur, least: Dur) -> Self {
        Self { tick, arithmetic, least, known: None }
    }

    /// A round trip was measured between these instants, one of so many `samples` in a round trip: each counts for its
    /// share (RFC 7323 §4.2), but for integers. Returns the timeout that follows (§2.3), with at least one tick of
    /// variation.
    pub(super) fn sample(&mut self, sent: SimTime, acked: SimTime, samples: u64) -> Dur {
        let tick = self.tick.as_ns();
        let known = match self.arithmetic {
            RtoArithmetic::Real => {
                let ticks = libm::round((acked - sent).as_ns() as f64 / tick as f64).max(1.0);
                self.real(ticks, samples as f64)
            }
            RtoArithmetic::Integer => {
                // Instants are below 2^63 ns.
                self.integer((acked.as_ns() / tick - sent.as_ns() / tick).max(1).cast_signed())
            }
        };
        self.known = Some(known);
        match known {
            Known::Real { srtt, rttvar } => {
                self.tick.mul_f64(libm::floor(srtt + (4.0 * rttvar).max(self.least_variation())))
            }
            Known::Integer { srtt, rttvar } => self.ticks((srtt + 8 * rttvar.max(1)) >> 3),
        }
    }

    /// In ticks.
    fn least_variation(&self) -> f64 {
        (self.least.as_ns() as f64 / self.tick.as_ns() as f64).max(1.0)
    }

    fn real(&self, ticks: f64, samples: f64) -> Known {
        let (srtt, rttvar) = match self.known {
            Some(Known::Real { srtt, rttvar }) => {
                let error = ticks - srtt;
                (srtt + error / (8.0 * samples), rttvar + (error.abs() - rttvar) / (4.0 * samples))
            }
            _ => (ticks, ticks / 2.0),
        };
        Known::Real { srtt, rttvar }
    }

    fn integer(&self, ticks: i64) -> Known {
        match self.known {
            Some(Known::Integer { srtt, rttvar }) if srtt > 0 => {
                let error = ticks - (srtt >> 3);
                Known::Integer { srtt: (srtt + error).max(1), rttvar: rttvar + error.abs() - (rttvar >> 2) }
            }
            _ => Known::Integer { srtt: ticks << 3, rttvar: ticks << 1 },
        }
    }

    /// The mean is forgotten; the timeout in force is not touched. Integers keep it as variation meanwhile.
    pub(super) const fn forget(&mut self) {
        self.known = match self.known {
            Some(Known::Integer { srtt, rttvar }) => {
                Some(Known::Integer { srtt: 0, rttvar: rttvar + (srtt >> 3) })
            }
            _ => None,
        };
    }

    /// The mean, once measured and not forgotten.
    pub(super) fn mean(&self) -> Option<Dur> {
        match self.known? {
            Known::Real { srtt, .. } => Some(self.tick.mul_f64(srtt)),
            Known::Integer { srtt, .. } => {
                let eighths = u64::try_from(srtt).unwrap_or(0);
                (srtt > 0).then(|| Dur::from_ns(self.tick.as_ns() * eighths / 8))
            }
        }
    }

    fn ticks(&self, count: i64) -> Dur {
        Dur::from_ns(self.tick.as_ns() * u64::try_from(count).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Dur = Dur::from_ms(10);

    fn ms(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    #[test]
    fn a_clock_counts_its_ticks() {
        let mut rtt = SmoothedRtt::new(RtoArithmetic::Integer, TICK, Dur::ZERO);
        assert_eq!(rtt.sample(ms(9), ms(10), 1), Dur::from_ms(30), "one tick fell between: 1 + 4 halves");
        let mut rtt = SmoothedRtt::new(RtoArithmetic::Integer, TICK, Dur::ZERO);
        assert_eq!(rtt.sample(ms(10), ms(19), 1), Dur::from_ms(30), "none did, and yet it is one");
        let mut rtt = SmoothedRtt::new(RtoArithmetic::Real, TICK, Dur::ZERO);
        assert_eq!(rtt.sample(ms(0), ms(14), 1), Dur::from_ms(30), "nearer to one than to two");
    }

    #[test]
    fn integers_are_cut() {
        let mut rtt = SmoothedRtt::new(RtoArithmetic::Integer, TICK, Dur::ZERO);
        // 30 ticks: 240 eighths, 60 quarters.
        assert_eq!(rtt.sample(ms(0), ms(300), 1), Dur::from_ms(900));
        // 33: error 3, 243 eighths; 60 + 3 - 15 = 48 quarters; (243 + 384) >> 3 = 78.
        assert_eq!(rtt.sample(ms(1000), ms(1330), 1), Dur::from_ms(780));
        assert_eq!(rtt.mean(), Some(Dur::from_us(303_750)));
    }

    #[test]
    fn what_was_forgotten_starts_anew_with_the_next_sample() {
        for arithmetic in [RtoArithmetic::Integer, RtoArithmetic::Real] {
            let mut rtt = SmoothedRtt::new(arithmetic, TICK, Dur::ZERO);
            rtt.sample(ms(0), ms(300), 1);
            rtt.forget();
            assert_eq!(rtt.mean(), None);
            assert_eq!(rtt.sample(ms(1000), ms(3000), 1), Dur::from_secs(6), "{arithmetic:?}");
        }
    }

    /// RFC 7323 §4.2: two samples in a round trip count half each.
    #[test]
    fn each_of_several_samples_counts_for_its_share() {
        let mut rtt = SmoothedRtt::new(RtoArithmetic::Real, Dur::from_ms(1), Dur::ZERO);
        rtt.sample(ms(0), ms(160), 1);
        rtt.sample(ms(0), ms(320), 2); // error 160: 160 / 16, (160 - 80) / 8
        assert_eq!(rtt.mean(), Some(Dur::from_ms(170)));
        assert_eq!(rtt.sample(ms(0), ms(170), 1), Dur::from_ms(170 + 4 * 90 * 3 / 4));
    }
}
