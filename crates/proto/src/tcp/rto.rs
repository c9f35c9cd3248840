//! Retransmission timeout: RFC 6298, with floor, ceiling and back-off as parameters.

use std::collections::VecDeque;

use super::config::{RtoBackOff, RttSamples, TcpConfig};
use super::smoothed::SmoothedRtt;
use crate::units::{Dur, SimTime};

/// Timeout of the first data after a SYN that timed out (RFC 6298 §5.7).
const SYN_LOST: Dur = Dur::from_secs(3);
/// Most doublings under [`RtoBackOff::FloorLast`].
const FLOOR_LAST_DOUBLINGS: u32 = 6;
/// The doubling at which the smoothed round-trip time is forgotten, where it is.
const CLOBBERING: u32 = 4;
/// Doublings beyond which nothing grows any more: the ceiling is below 2^63 ns.
const MOST_DOUBLINGS: u32 = 62;

/// Where round trips are measured, but for that of the first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Here.
    Timed,
    /// In the log of sent segments; if an ACK gives none there, by its timestamp.
    Log,
    /// By timestamps.
    Echo,
}

/// Round-trip estimator and timeout of one sender. Samples follow Karn's rule: none is taken of a segment that may
/// have been sent twice, or that waited at the receiver for one that was.
#[derive(Clone, Debug)]
pub struct RtoEstimator {
    initial: Dur,
    min: Dur,
    max: Dur,
    back_off: RtoBackOff,
    every: bool,
    /// Whether each sample of a round trip counts in whole, however many there are of it.
    whole: bool,
    source: Source,
    clobbers: bool,
    smoothed: SmoothedRtt,
    /// The timeout that follows from the round trips, before floor, ceiling and back-off (§2.3); without any, the
    /// initial one.
    measured: Option<Dur>,
    /// Set from outside, until the next sample.
    set: Option<Dur>,
    /// Timeouts in a row without a new sample: the timeout is doubled for each (§5.5).
    doublings: u32,
    /// No echo for data below this byte tells a round trip: they were outstanding at a timeout.
    doubtful: u64,
    /// Ends of the segments that are being timed, and when they were sent.
    timed: VecDeque<(u64, SimTime)>,
    /// Sum and number of samples, for the mean, and the least of them.
    sum: Dur,
    samples: u64,
    least: Dur,
}

impl RtoEstimator {
    /// An estimator without samples.
    #[must_use]
    pub const fn new(config: &TcpConfig) -> Self {
        let sacked = matches!(config.rtt_samples, RttSamples::Sacked);
        let source = if sacked && config.marks_losses() {
            Source::Log
        } else if config.timestamps {
            Source::Echo
        } else {
            Source::Timed
        };
        Self {
            initial: config.initial_rto,
            min: config.min_rto,
            max: config.max_rto,
            back_off: config.rto_back_off,
            every: matches!(source, Source::Timed) && !matches!(config.rtt_samples, RttSamples::One),
            whole: matches!(config.rtt_samples, RttSamples::Every),
            source,
            clobbers: config.clobber_srtt,
            smoothed: SmoothedRtt::new(config.rto_arithmetic, config.tick, config.rto_variation),
            measured: None,
            set: None,
            doublings: 0,
            doubtful: 0,
            timed: VecDeque::new(),
            sum: Dur::ZERO,
            samples: 0,
            least: Dur::MAX,
        }
    }

    /// New data up to `end` are sent (a SYN ends at 0); they are timed, unless something else is and one is enough.
    #[inline]
    pub fn sent(&mut self, now: SimTime, end: u64) {
        if self.every || self.timed.is_empty() && (self.source == Source::Timed || end == 0) {
            self.timed.push_back((end, now));
        }
    }

    /// Something may have been sent twice: what is being timed is void (§3).
    #[inline]
    pub fn void(&mut self) {
        self.timed.clear();
    }

    /// Data up to `ack` are acknowledged; the last timed segment among them gives a sample.
    pub fn acked(&mut self, now: SimTime, ack: u64) {
        let mut sent = None;
        while let Some(&(end, at)) = self.timed.front()
            && end <= ack
        {
            self.timed.pop_front();
            sent = Some(at);
        }
        if let Some(at) = sent {
            self.sample(at, now, 1);
        }
    }

    /// A round trip was measured between these instants, one of so many in a round trip.
    fn sample(&mut self, sent: SimTime, now: SimTime, samples: u64) {
        self.doublings = 0;
        self.set = None;
        let took = now - sent;
        self.sum += took;
        self.samples += 1;
        self.least = self.least.min(took);
        self.measured = Some(self.smoothed.sample(sent, now, samples));
    }

    /// What was sent at this instant has arrived; a sample if round trips come from the log of sent segments.
    #[inline]
    pub fn hear(&mut self, now: SimTime, sent: Option<SimTime>) {
        if let Some(sent) = sent.filter(|_| self.source == Source::Log) {
            self.sample(sent, now, 1);
        }
    }

    /// The least round-trip time of all that were measured.
    #[must_use]
    pub fn least(&self) -> Option<Dur> {
        (self.samples > 0).then_some(self.least)
    }

    /// Whether round trips come from the log of sent segments, where it has some.
    #[must_use]
    pub const fn goes_by_log(&self) -> bool {
        matches!(self.source, Source::Log)
    }

    /// A new ACK up to this byte echoes the time that it took, with so many segments outstanding; half of them have an
    /// ACK (RFC 7323 §4.2). The log of sent segments has given none.
    pub fn echoed(&mut self, now: SimTime, ack: u64, rtt: Dur, outstanding: u64) {
        let sent = SimTime::ZERO + (now.saturating_since(SimTime::ZERO + rtt));
        match self.source {
            Source::Timed => {}
            Source::Log => self.sample(sent, now, 1),
            Source::Echo if self.whole && ack <= self.doubtful => {}
            Source::Echo if self.whole => self.sample(sent, now, 1),
            Source::Echo => self.sample(sent, now, outstanding.div_ceil(2).max(1)),
        }
    }

    /// The timer has fired (§5.5).
    pub fn back_off(&mut self) {
        self.void();
        if self.doublings < MOST_DOUBLINGS && self.rto() < self.max {
            self.doublings += 1;
        }
        if self.clobbers && self.doublings == CLOBBERING {
            self.smoothed.forget();
        }
    }

    /// Data below this byte were outstanding as it fired.
    pub const fn doubt(&mut self, max_sent: u64) {
        self.doubtful = max_sent;
    }

    /// The SYN is acknowledged. If it had timed out with less than 3 s, the path may be slower than was assumed: data
    /// begin with 3 s (§5.7).
    pub fn handshake_over(&mut self) {
        if self.doublings > 0 && self.initial < SYN_LOST {
            self.initial = SYN_LOST;
            self.doublings = 0;
        }
    }

    /// Sets the timeout from outside; it holds until a round trip has been measured.
    pub const fn set(&mut self, rto: Dur) {
        self.set = Some(rto);
        self.doublings = 0;
    }

    /// The timeout to use now.
    #[must_use]
    pub fn rto(&self) -> Dur {
        let base = self.set.or(self.measured).unwrap_or(self.initial);
        match self.back_off {
            RtoBackOff::Rfc6298 => doubled(base.max(self.min), self.doublings, self.max),
            RtoBackOff::FloorLast => {
                doubled(base, self.doublings.min(FLOOR_LAST_DOUBLINGS), self.max).max(self.min.min(self.max))
            }
        }
    }

    /// How often the timeout has been doubled since the last sample.
    #[must_use]
    pub const fn doublings(&self) -> u32 {
        self.doublings
    }

    /// Largest timeout.
    #[must_use]
    pub const fn max(&self) -> Dur {
        self.max
    }

    /// Smoothed round-trip time, once measured.
    #[must_use]
    pub fn srtt(&self) -> Option<Dur> {
        self.smoothed.mean()
    }

    /// Sum and number of all samples.
    #[must_use]
    pub const fn samples(&self) -> (Dur, u64) {
        (self.sum, self.samples)
    }
}

/// `base` doubled so many times, at most `most`.
#[inline]
fn doubled(base: Dur, times: u32, most: Dur) -> Dur {
    Dur::from_ns(base.as_ns().saturating_mul(1 << times)).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> TcpConfig {
        TcpConfig {
            tick: Dur::from_ms(10),
            initial_rto: Dur::from_secs(3),
            min_rto: Dur::from_ms(200),
            max_rto: Dur::from_secs(60),
            ..TcpConfig::default()
        }
    }

    fn estimator() -> RtoEstimator {
        RtoEstimator::new(&config())
    }

    /// Sends and acknowledges one segment, so that `ms` are measured.
    fn measure(rto: &mut RtoEstimator, ms: u64) {
        rto.sent(SimTime::ZERO, 100);
        rto.acked(SimTime::from_ms(ms), 100);
    }

    /// Timeouts in ms: the present one, and those after so many expiries.
    fn timeouts(rto: &mut RtoEstimator, count: usize) -> Vec<u64> {
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(rto.rto().as_ns() / 1_000_000);
            rto.back_off();
        }
        all
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

    /// The intervals at which ns-2.35 sends a segment again that never arrives, after a round trip of 100 ms.
    #[test]
    fn doubles_from_the_floor_up_to_the_ceiling() {
        let mut rto = estimator();
        measure(&mut rto, 50);
        assert_eq!(
            timeouts(&mut rto, 12),
            [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000, 60_000]
        );
        measure(&mut rto, 50);
        assert_eq!(rto.rto(), Dur::from_ms(200), "a fresh sample ends it");
    }

    /// As ns-2 with `rfc2988_` off: the intervals after a round trip of 100 ms in ticks of 100 ms end at 19.2 s.
    #[test]
    fn an_older_rule_doubles_what_was_measured_and_applies_the_floor_last() {
        let old = TcpConfig {
            tick: Dur::from_ms(100),
            min_rto: Dur::from_secs(1),
            max_rto: Dur::from_secs(100_000),
            rto_back_off: RtoBackOff::FloorLast,
            ..config()
        };
        let mut rto = RtoEstimator::new(&old);
        measure(&mut rto, 100); // srtt 1 tick, rttvar 0.5: 3 ticks
        assert_eq!(timeouts(&mut rto, 9), [1000, 1000, 1200, 2400, 4800, 9600, 19_200, 19_200, 19_200]);
    }

    /// ns-2 after a long outage: the timeout in force stays, and the next round trip alone makes the one after it.
    #[test]
    fn the_fourth_doubling_may_forget_the_smoothed_round_trip() {
        for (clobber_srtt, after) in [(false, 2660), (true, 6000)] {
            let mut rto = RtoEstimator::new(&TcpConfig { clobber_srtt, ..config() });
            measure(&mut rto, 300);
            assert_eq!(timeouts(&mut rto, 6), [900, 1800, 3600, 7200, 14_400, 28_800]);
            assert_eq!(rto.srtt().is_some(), !clobber_srtt);
            measure(&mut rto, 2000);
            assert_eq!(rto.rto(), Dur::from_ms(after), "{clobber_srtt}");
        }
    }

    #[test]
    fn a_timeout_that_is_set_holds_until_the_next_sample() {
        let mut rto = estimator();
        measure(&mut rto, 50);
        rto.back_off();
        rto.set(Dur::from_secs(5));
        assert_eq!(timeouts(&mut rto, 2), [5000, 10_000]);
        measure(&mut rto, 50);
        assert_eq!(rto.rto(), Dur::from_ms(200));
    }

    /// Linux: 200 ms above the smoothed round trip, however steady that is.
    #[test]
    fn the_variation_may_have_a_floor_of_its_own() {
        let mut rto = RtoEstimator::new(&TcpConfig { rto_variation: Dur::from_ms(200), ..config() });
        for _ in 0..40 {
            measure(&mut rto, 100);
        }
        assert_eq!(rto.rto(), Dur::from_ms(300));
        rto.back_off();
        assert_eq!(rto.rto(), Dur::from_ms(600));
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

    /// RFC 7323 §4.2: with timestamps an ACK for what was sent twice gives a sample too; of four in flight two have an
    /// ACK.
    #[test]
    fn times_by_echoes_if_there_are_any() {
        let config = TcpConfig { timestamps: true, tick: Dur::from_ms(1), ..config() };
        let mut rto = RtoEstimator::new(&config);
        rto.sent(SimTime::from_ms(100), 100);
        rto.void();
        rto.acked(SimTime::from_ms(500), 100);
        rto.echoed(SimTime::from_ms(500), 1000, Dur::from_ms(160), 1);
        assert_eq!((rto.samples(), rto.srtt()), ((Dur::from_ms(160), 1), Some(Dur::from_ms(160))));
        rto.echoed(SimTime::from_ms(900), 2000, Dur::from_ms(320), 4);
        assert_eq!(rto.srtt(), Some(Dur::from_ms(170)));
        let mut whole = RtoEstimator::new(&TcpConfig { rtt_samples: RttSamples::Every, ..config });
        whole.echoed(SimTime::from_ms(500), 1000, Dur::from_ms(160), 1);
        whole.echoed(SimTime::from_ms(900), 2000, Dur::from_ms(320), 4);
        assert_eq!(whole.srtt(), Some(Dur::from_ms(180)), "an eighth of the difference, not a sixteenth");
        whole.back_off();
        whole.doubt(5000);
        whole.echoed(SimTime::from_ms(1900), 5000, Dur::from_ms(900), 4);
        assert_eq!(
            (whole.srtt(), whole.doublings()),
            (Some(Dur::from_ms(180)), 1),
            "sent before the timeout"
        );
        whole.echoed(SimTime::from_ms(2000), 6000, Dur::from_ms(180), 4);
        assert_eq!((whole.samples().1, whole.doublings()), (3, 0));
    }

    #[test]
    fn times_every_segment_if_told_to() {
        for (rtt_samples, samples) in [(RttSamples::One, 1), (RttSamples::Every, 3)] {
            let mut rto = RtoEstimator::new(&TcpConfig { rtt_samples, ..config() });
            for segment in 1..=4 {
                rto.sent(SimTime::from_ms(10 * segment), 100 * segment);
            }
            rto.acked(SimTime::from_ms(110), 100);
            rto.acked(SimTime::from_ms(120), 200);
            rto.acked(SimTime::from_ms(140), 400); // two at once: the later one counts
            assert_eq!(rto.samples(), (Dur::from_ms(100) * samples, samples), "{rtt_samples:?}");
        }
    }
}
