//! Retransmission timeout: RFC 6298, with the clock granularity, floor and ceiling as parameters.

use super::config::TcpConfig;
use crate::units::{Dur, SimTime};

/// Timeout of the first data after a SYN that timed out (RFC 6298 §5.7).
const SYN_LOST: Dur = Dur::from_secs(3);

/// Round-trip estimator and timeout of one sender. Samples follow Karn's rule: one segment is timed at a time,
/// and none that may have been sent twice.
#[derive(Clone, Debug)]
pub struct RtoEstimator {
    tick: Dur,
    initial: Dur,
    min: Dur,
    max: Dur,
    /// Smoothed round-trip time and its variation, in ticks (§2.2, §2.3).
    srtt: Option<(f64, f64)>,
    /// Timeouts in a row without a new sample: the timeout is doubled for each (§5.5).
    backoff: u32,
    timed: Option<(u64, SimTime)>,
    /// Sum and number of samples, for the mean.
    sum: Dur,
    samples: u64,
}

impl RtoEstimator {
    /// An estimator without samples.
    #[must_use]
    pub const fn new(config: &TcpConfig) -> Self {
        Self {
            tick: config.tick,
            initial: config.initial_rto,
            min: config.min_rto,
            max: config.max_rto,
            srtt: None,
            backoff: 0,
            timed: None,
            sum: Dur::ZERO,
            samples: 0,
        }
    }

    /// New data up to `end` are sent; they are timed if nothing else is.
    #[inline]
    pub fn sent(&mut self, now: SimTime, end: u64) {
        if self.timed.is_none() {
            self.timed = Some((end, now));
        }
    }

    /// Something may have been sent twice: the running measurement is void (§3).
    #[inline]
    pub const fn void(&mut self) {
        self.timed = None;
    }

    /// Data up to `ack` are acknowledged; takes the sample if the timed segment is among them.
    pub fn acked(&mut self, now: SimTime, ack: u64) {
        let Some((end, at)) = self.timed else { return };
        if ack < end {
            return;
        }
        self.timed = None;
        self.backoff = 0;
        let sample = now - at;
        self.sum += sample;
        self.samples += 1;
        let ticks = libm::round(sample.as_ns() as f64 / self.tick.as_ns() as f64).max(1.0);
        self.srtt = Some(match self.srtt {
            None => (ticks, ticks / 2.0),
            Some((srtt, rttvar)) => {
                let error = ticks - srtt;
                (srtt + error / 8.0, rttvar + (error.abs() - rttvar) / 4.0)
            }
        });
    }

    /// The timer has fired (§5.5).
    pub const fn back_off(&mut self) {
        self.timed = None;
        // 2^6 is as far as the doubling goes; the ceiling usually binds earlier.
        if self.backoff < 6 {
            self.backoff += 1;
        }
    }

    /// The SYN is acknowledged. If it had timed out with less than 3 s, the path may be slower than was assumed: data
    /// begin with 3 s (§5.7).
    pub fn handshake_over(&mut self) {
        if self.backoff > 0 && self.initial < SYN_LOST {
            self.initial = SYN_LOST;
            self.backoff = 0;
        }
    }

    /// The timeout to use now.
    #[must_use]
    pub fn rto(&self) -> Dur {
        let base = match self.srtt {
            None => self.initial,
            // At least one tick of variation (§2.3, clock granularity G).
            Some((srtt, rttvar)) => self.tick.mul_f64(libm::floor(srtt + (4.0 * rttvar).max(1.0))),
        };
        (base.max(self.min) * (1 << self.backoff)).min(self.max)
    }

    /// Smoothed round-trip time, once measured.
    #[must_use]
    pub fn srtt(&self) -> Option<Dur> {
        self.srtt.map(|(srtt, _)| self.tick.mul_f64(srtt))
    }

    /// Sum and number of all samples.
    #[must_use]
    pub const fn samples(&self) -> (Dur, u64) {
        (self.sum, self.samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator() -> RtoEstimator {
        RtoEstimator::new(&TcpConfig {
            tick: Dur::from_ms(10),
            initial_rto: Dur::from_secs(3),
            min_rto: Dur::from_ms(200),
            max_rto: Dur::from_secs(60),
            ..TcpConfig::default()
        })
    }

    #[test]
    fn follows_rfc_6298() {
        let mut rto = estimator();
        assert_eq!(rto.rto(), Dur::from_secs(3));
        rto.sent(SimTime::ZERO, 100);
        rto.acked(SimTime::from_ms(300), 100); // srtt 30 ticks, rttvar 15
        assert_eq!(rto.rto(), Dur::from_ms(900));
        rto.sent(SimTime::from_secs(1), 200);
        rto.acked(SimTime::from_ms(1300), 200); // rttvar 11.25
        assert_eq!(rto.rto(), Dur::from_ms(750));
    }

    #[test]
    fn doubles_until_a_fresh_sample() {
        let mut rto = estimator();
        rto.sent(SimTime::ZERO, 100);
        rto.acked(SimTime::from_ms(50), 100);
        assert_eq!(rto.rto(), Dur::from_ms(200)); // the floor
        rto.back_off();
        rto.back_off();
        assert_eq!(rto.rto(), Dur::from_ms(800));
        for _ in 0..20 {
            rto.back_off();
        }
        assert_eq!(rto.rto(), Dur::from_ms(12_800));
        rto.sent(SimTime::from_secs(1), 200);
        rto.acked(SimTime::from_ms(1050), 200);
        assert_eq!(rto.rto(), Dur::from_ms(200));
    }

    #[test]
    fn times_one_segment_at_a_time_and_none_that_was_sent_twice() {
        let mut rto = estimator();
        rto.sent(SimTime::ZERO, 100);
        rto.sent(SimTime::from_ms(10), 200);
        rto.void();
        rto.acked(SimTime::from_ms(500), 200);
        assert_eq!(rto.samples(), (Dur::ZERO, 0));
    }
}
