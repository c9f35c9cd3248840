//! RACK (RFC 8985 §6): what was sent before something that has arrived, and some time ago, is lost; retransmissions
//! too.
//!
//! ```text
//!   newest: the segment sent last of all that have arrived         rtt: its round trip
//!   lost:   sent before it, and longer ago than rtt + window
//!   window: 0 in recovery or with three segments held, if nothing was ever seen out of order; else a share of the
//!           least round trip, which grows with each round that shows a needless retransmission
//! ```
//!
//! It marks segments in the log; recovery sends what is marked.

use super::config::Loss;
use super::contract::{Evidence, Input, LossDecision, LossDetector, Marking, Trigger};
use super::counters::RackCounters;
use crate::contract::DUP_THRESH;
use crate::keys;
use crate::tcp::sendlog::{Measured, SendLog};
use crate::units::{Dur, SimTime};

keys! {
    /// RACK.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RackConfig {
        /// How much later than those sent after it a segment may arrive, as a share of the least round-trip time
        /// (RFC 8985 §6.2 step 4: a quarter).
        pub window: f64 = 0.25 => within(0.0, 100.0),
        /// How much later than that the timer fires that finds it lost if no ACK does (Linux: two ticks of its clock).
        pub slack: Dur = Dur::ZERO => within(Dur::ZERO, Dur::from_secs(1)),
    }
}

/// How many recoveries a grown reordering window lasts (RFC 8985 §6.2 step 4).
const PERSIST: u32 = 16;
/// How far it grows (Linux: 255 steps).
const MOST_STEPS: u32 = 255;

/// The detector that goes by times.
#[derive(Clone, Debug)]
pub struct Rack {
    config: RackConfig,
    /// When the segment sent last of all that have arrived was sent, and its end.
    newest: Option<(SimTime, u64)>,
    /// Its round-trip time.
    rtt: Dur,
    /// Whether a segment ever arrived after one sent later.
    reordering: bool,
    /// When the next of those that may be late is lost.
    deadline: SimTime,
    /// How often the share of the round trip counts in the window (step 4), and how many recoveries it still does so.
    steps: u32,
    persist: u32,
    /// Bytes that had arrived as it grew last: it grows once a round.
    grown_at: u64,
    /// Whether a retransmission was needless and the window has not grown for it yet.
    needless: bool,
    /// Whether a retransmission is lost since the last call of [`LossDetector::detect`].
    again: bool,
    counters: RackCounters,
}

impl Rack {
    /// Nothing has arrived yet.
    #[must_use]
    pub fn new(config: RackConfig) -> Self {
        Self {
            config,
            newest: None,
            rtt: Dur::ZERO,
            reordering: false,
            deadline: SimTime::MAX,
            steps: 1,
            persist: 0,
            grown_at: 0,
            needless: false,
            again: false,
            counters: RackCounters::default(),
        }
    }

    /// Steps 2 and 3.
    fn hear(&mut self, path: &Measured) {
        self.reordering |= path.reordered;
        self.widen(path);
        if let Some((sent_at, end, rtt)) = path.latest {
            self.rtt = rtt;
            self.newest = self.newest.max(Some((sent_at, end)));
        }
    }

    /// Step 4: once a round that shows a needless retransmission, with the next ACK that something has arrived.
    fn widen(&mut self, path: &Measured) {
        self.needless |= path.twice && self.reordering;
        let Some(prior) = path.prior_delivered else { return };
        self.needless &= prior >= self.grown_at;
        if std::mem::take(&mut self.needless) {
            self.steps = (self.steps + 1).min(MOST_STEPS);
            (self.persist, self.grown_at) = (PERSIST, path.delivered);
        } else if self.persist == 0 {
            self.steps = 1;
        }
    }

    /// Step 4.
    fn window(&self, log: &SendLog, seen: &Marking<'_>) -> Dur {
        let three = log.held() >= u64::from(DUP_THRESH) * seen.segment;
        if !self.reordering && (seen.recovering || three) {
            return Dur::ZERO;
        }
        let least = log.min_rtt().unwrap_or(self.rtt).mul_f64(self.config.window * f64::from(self.steps));
        seen.srtt.map_or(least, |srtt| least.min(srtt))
    }
}

impl LossDetector for Rack {
    fn detect(&mut self, input: Input, seen: &Evidence<'_>) -> LossDecision {
        let again = std::mem::take(&mut self.again);
        let news = seen.is_news_by(Loss::Sack) || again && seen.last_detected != Some(seen.una);
        let lost = !seen.recovering && seen.marked > 0 && news;
        if lost && input != Input::Timeout { LossDecision::Lost } else { LossDecision::Wait }
    }

    fn deadline(&self) -> SimTime {
        self.deadline
    }

    fn marks(&self) -> bool {
        true
    }

    fn mark(&mut self, log: &mut SendLog, seen: &Marking<'_>) -> u64 {
        if let Trigger::Ack(path) = seen.trigger {
            self.hear(path);
        }
        let patience = self.rtt + self.window(log, seen);
        self.deadline = SimTime::MAX;
        if let Trigger::Timeout = seen.trigger {
            // §6.3: the first one, and those that are old enough.
            let (una, now) = (seen.una, seen.now);
            return log.lose(|it| it.start == una || now - it.sent_at >= patience);
        }
        let Some(newest) = self.newest else { return 0 };
        let found = log.lose_overtaken(seen.now, newest, patience);
        if found.wait > Dur::ZERO {
            self.deadline = seen.now + found.wait + self.config.slack;
        }
        self.again |= found.again > 0;
        self.counters.marked += found.bytes.div_ceil(seen.segment);
        self.counters.again += found.again.div_ceil(seen.segment);
        found.bytes
    }

    fn on_recovery_end(&mut self, undone: bool) {
        self.persist = if undone { (self.persist + 1).min(PERSIST) } else { self.persist.saturating_sub(1) };
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::loss::contract::Trigger;

    /// What an ACK says that comes with so many bytes delivered, for a segment that left with `prior` of them.
    fn hear(rack: &mut Rack, prior: u64, delivered: u64, twice: bool) -> u32 {
        rack.hear(&Measured {
            prior_delivered: Some(prior),
            delivered,
            twice,
            reordered: true,
            ..Measured::default()
        });
        rack.steps
    }

    /// RFC 8985 §6.2 step 4: one step for each round with a DSACK; 16 recoveries without one take all back.
    #[test]
    fn the_window_grows_once_a_round_and_lasts_sixteen_recoveries() {
        let mut rack = Rack::new(RackConfig::default());
        assert_eq!(hear(&mut rack, 0, 1000, true), 2);
        assert_eq!(hear(&mut rack, 500, 1500, true), 2, "the same round");
        assert_eq!(hear(&mut rack, 1000, 2000, true), 3);
        for recovery in 1..16 {
            rack.on_recovery_end(false);
            assert_eq!(hear(&mut rack, 2000, 3000, false), 3, "{recovery} recoveries");
        }
        rack.on_recovery_end(true);
        rack.on_recovery_end(false);
        assert_eq!(hear(&mut rack, 2000, 3000, false), 3, "a needless recovery does not count, nor the next");
        rack.on_recovery_end(false);
        assert_eq!(hear(&mut rack, 2000, 3000, false), 1);
        assert_eq!(hear(&mut rack, 3000, 4000, true), 2, "and it grows anew");
    }

    /// It is at most the smoothed round trip, and without reordering it does not grow.
    #[test]
    fn the_window_is_bounded_by_the_smoothed_round_trip() {
        let mut rack = Rack::new(RackConfig::default());
        let mut log = SendLog::default();
        log.sent(SimTime::ZERO, 0, 1000, true);
        log.begin();
        log.acked(SimTime::from_ms(100), 1000);
        let path = log.measure();
        rack.hear(&Measured { twice: true, ..path });
        assert_eq!(rack.steps, 1, "nothing was seen out of order");
        let srtt = Some(Dur::from_ms(140));
        let now = SimTime::from_ms(100);
        let seen =
            Marking { trigger: Trigger::Timer, now, una: 1000, segment: 1000, srtt, recovering: false };
        for (steps, ms) in [(1, 25), (2, 50), (5, 125), (6, 140), (255, 140)] {
            rack.steps = steps;
            assert_eq!(rack.window(&log, &seen), Dur::from_ms(ms), "{steps} steps");
        }
        assert_eq!(rack.window(&log, &Marking { recovering: true, ..seen }), Dur::ZERO);
        rack.reordering = true;
        assert_eq!(rack.window(&log, &Marking { recovering: true, ..seen }), Dur::from_ms(140));
    }
}
