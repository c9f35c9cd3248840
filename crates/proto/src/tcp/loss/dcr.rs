//! TCP-DCR (Bhandarkar, Sadry, Reddy & Vaidya, IEEE TMC 2004): a loss is believed in only a round trip after the first
//! duplicate ACK, so that the link layer may repair it. Over several hops: Hamadani & Rakocevic §V (E-DCR).
//!
//! ```text
//!            1st duplicate ACK: timer         timer, fewer than 3
//!   NORMAL ─────────────────────────► DELAY ─────────────────────► EXPIRED
//!     ▲  ▲       new ACK, timeout       │                             │
//!     │  └──────────────────────────────┤                             │
//!     └─────────────────────────────────┼─────── new ACK, timeout ────┤
//!                 timer, 3 or more: loss ▼                             ▼ 3rd duplicate ACK: loss
//! ```

use super::config::Loss;
use super::contract::{Evidence, Input, LossDecision, LossDetector};
use super::counters::Counters;
use super::sack;
use crate::contract::DUP_THRESH;
use crate::keys;
use crate::units::{Dur, SimTime};

keys! {
    /// TCP-DCR.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DcrConfig {
        /// For how many smoothed round-trip times after the first duplicate ACK no loss is believed in.
        pub round_trips: f64 = 1.0 => within(0.0, 100.0),
        /// Whether each duplicate ACK meanwhile lets a new segment out; otherwise as `limited-transmit` says.
        pub send_new: bool = true,
    }
}

/// Delay before the first round trip has been measured.
const UNMEASURED: Dur = Dur::from_secs(1);

/// The detector that waits.
#[derive(Clone, Debug)]
pub struct Dcr {
    config: DcrConfig,
    loss: Loss,
    state: State,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Normal,
    Delay { until: SimTime },
    Expired,
}

impl Dcr {
    /// It waits for what `loss` names.
    #[must_use]
    pub fn new(config: DcrConfig, loss: Loss) -> Self {
        Self { config, loss, state: State::Normal, counters: Counters::default() }
    }
}

impl LossDetector for Dcr {
    fn detect(&mut self, input: Input, seen: &Evidence<'_>) -> LossDecision {
        match input {
            Input::Duplicate(_) => self.on_duplicate(seen),
            Input::NewAck(said) => {
                self.counters.averted += u64::from(self.state != State::Normal);
                self.state = State::Normal;
                // With SACK an ACK may acknowledge data and tell of the next hole.
                if said.fresh && !seen.recovering { self.on_duplicate(seen) } else { LossDecision::Wait }
            }
            Input::Timeout => {
                self.state = State::Normal;
                LossDecision::Wait
            }
            Input::Timer => {
                self.state = State::Expired;
                if self.is_lost(seen) { self.believe() } else { LossDecision::Wait }
            }
        }
    }

    fn deadline(&self) -> SimTime {
        match self.state {
            State::Delay { until } => until,
            State::Normal | State::Expired => SimTime::MAX,
        }
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl Dcr {
    fn on_duplicate(&mut self, seen: &Evidence<'_>) -> LossDecision {
        if !seen.is_news_by(self.loss) {
            return LossDecision::Wait;
        }
        match self.state {
            State::Expired if self.is_lost(seen) => return self.believe(),
            State::Expired | State::Delay { .. } => {}
            State::Normal => {
                let round_trip = seen.srtt.unwrap_or(UNMEASURED);
                // A product of a duration and at most a hundred; `as` saturates.
                let delay = Dur::from_ns((round_trip.as_ns() as f64 * self.config.round_trips) as u64);
                self.state = State::Delay { until: seen.now + delay };
                self.counters.delays += 1;
            }
        }
        if self.config.send_new { LossDecision::SendNew } else { LossDecision::Wait }
    }

    fn believe(&mut self) -> LossDecision {
        self.state = State::Normal;
        LossDecision::Lost
    }

    fn is_lost(&self, seen: &Evidence<'_>) -> bool {
        match self.loss {
            Loss::DupAcks => seen.dupacks >= DUP_THRESH && seen.is_news_by(self.loss),
            Loss::Sack => sack::is_lost(seen),
        }
    }
}
