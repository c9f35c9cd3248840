//! ADTCP's sender (Fu, Greenstein, Meng & Lu, ICNP 2002): a loss is what the receiver takes the path for, which every
//! ACK says. The timeout is the shim's matter, `shim/adtcp`.
//!
//! ```text
//!   a loss, and the ACK says     congestion, normal, disconnected    loss recovery, the window halved
//!                                channel error                       REPAIRING, the window as it is
//!                                route change                        REPAIRING, the window at most what the last
//!                                                                    round trip got through
//!   REPAIRING                    a further hole                      sent again; while the ACK says congestion:
//!                                                                    loss recovery, the window halved
//!                                all of it acknowledged              NORMAL
//!   a new ACK without a loss says congestion                         the window halved, once for a window of data
//! ```

use super::config::Loss;
use super::contract::{Evidence, Input, LossDecision, LossDetector};
use super::counters::Counters;
use super::{k_sack::lost_from, sack};
use crate::contract::{DUP_THRESH, RoundTrip};
use crate::wire::{PathOption, PathState};

/// The detector that follows the path state that the receiver reports.
#[derive(Clone, Debug)]
pub struct Adtcp {
    loss: Loss,
    state: PathState,
    round_trip: RoundTrip,
    /// Up to where losses are repaired without loss recovery.
    repairing: Option<u64>,
    /// Holes below this byte have been sent again.
    repaired: u64,
    /// Nothing below this byte halves the window without a loss.
    slowed: u64,
    counters: Counters,
}

impl Adtcp {
    /// It finds losses by what `loss` names.
    #[must_use]
    pub fn new(loss: Loss) -> Self {
        Self {
            loss,
            state: PathState::Normal,
            round_trip: RoundTrip::default(),
            repairing: None,
            repaired: 0,
            slowed: 0,
            counters: Counters::default(),
        }
    }
}

impl LossDetector for Adtcp {
    fn detect(&mut self, input: Input, seen: &Evidence<'_>) -> LossDecision {
        let (said, new) = match input {
            Input::Timer => return LossDecision::Wait,
            Input::Timeout => {
                (self.repairing, self.repaired, self.slowed) = (None, seen.una, seen.max_sent);
                return LossDecision::Wait;
            }
            Input::Duplicate(said) => (said, false),
            Input::NewAck(said) => (said, true),
        };
        if let PathOption::State(state) = said.path {
            self.state = state;
        }
        self.round_trip.acked(seen.now, seen.una, seen.srtt);
        if seen.recovering || self.repairing.is_some_and(|end| seen.una >= end) {
            self.repairing = None;
        }
        if seen.recovering {
            return LossDecision::Wait;
        }
        match self.repairing {
            Some(_) => self.repair_on(seen, new),
            None if self.is_lost(seen) => self.lost(seen),
            None if new && self.state == PathState::Congestion && seen.una > self.slowed => {
                self.slowed = seen.max_sent;
                self.counters.slowed += 1;
                LossDecision::SlowDown
            }
            None => LossDecision::Wait,
        }
    }

    fn repaired(&self) -> u64 {
        self.repaired
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl Adtcp {
    /// A loss outside recovery.
    fn lost(&mut self, seen: &Evidence<'_>) -> LossDecision {
        if !matches!(self.state, PathState::ChannelError | PathState::RouteChange) {
            return self.congested(seen);
        }
        self.repairing = Some(seen.max_sent);
        self.repaired = seen.una;
        let LossDecision::Retransmit { seq } = self.repair(seen, true) else { return LossDecision::Wait };
        match self.round_trip.got_through() {
            Some(bytes) if self.state == PathState::RouteChange => {
                let segments = bytes as f64 / seen.segment as f64;
                LossDecision::RetransmitWithin { seq, segments }
            }
            _ => LossDecision::Retransmit { seq },
        }
    }

    fn congested(&mut self, seen: &Evidence<'_>) -> LossDecision {
        (self.repairing, self.slowed) = (None, seen.max_sent);
        LossDecision::Lost
    }

    /// An ACK below the end of what is repaired.
    fn repair_on(&mut self, seen: &Evidence<'_>, new: bool) -> LossDecision {
        let repaired = self.repaired;
        let answer = self.repair(seen, new);
        if answer != LossDecision::Wait && self.state == PathState::Congestion {
            self.repaired = repaired; // recovery sends it
            return self.congested(seen);
        }
        match answer {
            // The segment that has left the network makes room for another one.
            LossDecision::Wait if !new => LossDecision::SendNew,
            answer => answer,
        }
    }

    /// The first hole that has not been sent again. Without SACK a partial ACK ends at one (RFC 6582 §3.2).
    fn repair(&mut self, seen: &Evidence<'_>, partial: bool) -> LossDecision {
        let hole = match self.loss {
            Loss::DupAcks => partial.then(|| (seen.una, seen.una.saturating_add(seen.segment))),
            Loss::Sack => lost_from(seen, self.repaired),
        };
        let Some((seq, end)) = hole else { return LossDecision::Wait };
        self.repaired = end;
        self.counters.repairs += 1;
        LossDecision::Retransmit { seq }
    }

    /// What the standard would call a loss.
    fn is_lost(&self, seen: &Evidence<'_>) -> bool {
        match self.loss {
            Loss::DupAcks => seen.dupacks >= DUP_THRESH && seen.is_news_by(self.loss),
            Loss::Sack => sack::is_lost(seen),
        }
    }
}
