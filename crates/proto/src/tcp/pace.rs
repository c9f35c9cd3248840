//! Pace: segments leave at a rate instead of as the window opens.
//!
//! `next = max(now, next) + size / rate`. A pause saves up no credit. What leaves before its time, as orders of shims
//! do, is owed for no longer than its own gap from now on.

use crate::keys;
use crate::units::{Bitrate, Bytes, Dur, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Pace.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PaceConfig {
        /// Which rate. A window rule that sets one of its own, as BBR does, is always paced by it.
        pub rule: Pace = Pace::Off,
        /// Share of the window per round trip in slow start, up to half of the threshold (Linux: 2).
        pub slow_start_gain: f64 = 2.0 => positive(100.0),
        /// The same afterwards (Linux: 1.2; RFC 9002 §7.7: 1.25).
        pub gain: f64 = 1.2 => positive(100.0),
        /// Segments that may leave at once.
        pub quantum: u32 = 1 => within(1, 1_000),
    }
}

impl PaceConfig {
    /// The rate at which a window of segments of so many bytes leaves in a round trip; `starting`: slow start, up to
    /// half of the threshold. None if it is below one bit a second.
    #[must_use]
    pub fn rate(&self, window: f64, segment: u64, starting: bool, srtt: Dur) -> Option<Bitrate> {
        let gain = if starting { self.slow_start_gain } else { self.gain };
        let bits = gain * window * segment as f64 * 8.0 / srtt.as_secs_f64();
        // Positive and far below 2^64; `as` saturates.
        (bits >= 1.0).then_some(Bitrate::from_bps(bits as u64))
    }
}

/// Which rate segments leave at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// As the window opens.
    Off,
    /// The window per smoothed round-trip time, times a gain.
    Window,
}

/// The pacer of one sender.
#[derive(Clone, Copy, Debug)]
pub struct Pacer {
    quantum: u32,
    /// From then on a whole quantum may leave.
    next: SimTime,
    /// How much earlier than `next` a segment may leave.
    slack: Dur,
    /// Instant at which the timer is to fire, as asked last.
    armed: SimTime,
}

impl Pacer {
    /// A pacer that lets so many segments leave at once.
    #[must_use]
    pub const fn new(quantum: u32) -> Self {
        Self { quantum, next: SimTime::ZERO, slack: Dur::ZERO, armed: SimTime::MAX }
    }

    /// When the next segment may leave.
    #[must_use]
    pub fn opens(&self) -> SimTime {
        SimTime::ZERO + self.next.saturating_since(SimTime::ZERO + self.slack)
    }

    /// Whether a segment may leave now.
    #[must_use]
    pub fn is_open(&self, now: SimTime) -> bool {
        self.opens() <= now
    }

    /// A segment of so many bytes leaves at this rate; without one, the next may follow at once.
    pub fn sent(&mut self, now: SimTime, bytes: u64, rate: Option<Bitrate>) {
        let size = Bytes(u32::try_from(bytes).unwrap_or(u32::MAX));
        let gap = rate.filter(|rate| rate.as_bps() > 0).map_or(Dur::ZERO, |rate| rate.airtime(size));
        let rested = self.next <= now;
        self.next = if self.is_open(now) { self.next.max(now) + gap } else { self.next.max(now + gap) };
        let slack = Dur::from_ns(gap.as_ns().saturating_mul(u64::from(self.quantum - 1)));
        self.slack = if rested { slack } else { self.slack.min(slack) }; // a lower rate brings no second quantum
    }

    /// When the timer is to fire, if that has moved; `SimTime::MAX` for never.
    pub fn rearm(&mut self, now: SimTime) -> Option<SimTime> {
        let at = if self.is_open(now) { SimTime::MAX } else { self.opens() };
        (at != std::mem::replace(&mut self.armed, at)).then_some(at)
    }

    /// The timer has fired.
    pub const fn fired(&mut self) {
        self.armed = SimTime::MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> SimTime {
        SimTime::ZERO + Dur::from_us(us)
    }

    const RATE: Option<Bitrate> = Some(Bitrate::from_mbps(2));

    /// 1500 bytes at 2 Mb/s are 6 ms, and 4.8 ms at a gain of 1.25.
    #[test]
    fn gaps_are_size_over_rate() {
        let mut pacer = Pacer::new(1);
        for number in 0..4 {
            assert!(
                pacer.is_open(at(6000 * number)) && (number == 0 || !pacer.is_open(at(6000 * number - 1)))
            );
            pacer.sent(at(6000 * number), 1500, RATE);
            assert_eq!(pacer.opens(), at(6000 * (number + 1)));
        }
        let mut pacer = Pacer::new(1);
        pacer.sent(at(0), 1500, Some(Bitrate::from_bps(2_500_000)));
        assert_eq!(pacer.opens(), at(4800));
    }

    #[test]
    fn a_pause_saves_up_no_credit() {
        let mut pacer = Pacer::new(1);
        pacer.sent(at(0), 1500, RATE);
        pacer.sent(at(1_000_000), 1500, RATE);
        assert_eq!(pacer.opens(), at(1_006_000));
    }

    /// A shim has all that is outstanding sent again, at a pace of 6 ms.
    #[test]
    fn what_leaves_before_its_time_runs_up_no_debt() {
        let mut pacer = Pacer::new(1);
        (0..100).for_each(|_| pacer.sent(at(0), 1500, RATE));
        assert_eq!(pacer.opens(), at(6000));
        pacer.sent(at(5000), 1500, RATE);
        assert_eq!(pacer.opens(), at(11_000));
    }

    #[test]
    fn a_quantum_leaves_at_once_and_the_mean_rate_stays() {
        let mut pacer = Pacer::new(3);
        let mut left = 0;
        for tick in 0..=60 {
            while pacer.is_open(at(tick * 1000)) {
                pacer.sent(at(tick * 1000), 1500, RATE);
                left += 1;
            }
        }
        assert!((11..=13).contains(&left), "{left} in 60 ms");
    }

    /// Two of three have left as the rate falls to a fifth: one more goes, and then one for each of its gaps.
    #[test]
    fn a_lower_rate_brings_no_second_quantum() {
        let mut pacer = Pacer::new(3);
        let slow = Some(Bitrate::from_bps(400_000));
        pacer.sent(at(0), 1500, RATE);
        pacer.sent(at(0), 1500, RATE);
        let mut left = Vec::new();
        for ms in 0..=100 {
            while pacer.is_open(at(ms * 1000)) {
                pacer.sent(at(ms * 1000), 1500, slow);
                left.push(ms);
            }
        }
        assert_eq!(left, [0, 30, 60, 90]);
    }

    #[test]
    fn the_timer_is_asked_for_once() {
        let mut pacer = Pacer::new(1);
        assert_eq!(pacer.rearm(at(0)), None);
        pacer.sent(at(0), 1500, RATE);
        assert_eq!(pacer.rearm(at(0)), Some(at(6000)));
        assert_eq!(pacer.rearm(at(1)), None);
        pacer.fired();
        assert_eq!(pacer.rearm(at(6000)), None);
    }
}
