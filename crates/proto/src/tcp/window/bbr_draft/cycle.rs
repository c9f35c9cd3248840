//! The phases of PROBE_BW (§5.3.3): when to probe for more, and what the ACKs of a probe are.

use crate::units::{Dur, SimTime};

/// Shortest time between two probes; another second at most is drawn (§5.3.3.8.2).
const WAIT: Dur = Dur::from_secs(2);
/// Rounds after which Reno would have the window back, at most (§5.3.3.8.2).
const ROUNDS: f64 = 63.0;
/// Largest power of two that the bound grows by in a round (§5.3.3.9).
const STEEPEST: u32 = 30;

/// What the ACKs that come in belong to (§2.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Acks {
    /// No probe.
    #[default]
    Plain,
    /// The round before one.
    Refilling,
    /// A probe has begun, and none of its data are acknowledged.
    Starting,
    /// They are.
    Feedback,
    /// The probe is over, and its last data are acknowledged.
    Stopping,
}

/// The cycle under way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    pub(super) acks: Acks,
    /// Whether what arrives, or is lost, was sent in a probe that has had no answer.
    pub(super) is_probe: bool,
    /// Whether the last probe found losses (`BBR.prev_probe_too_high`).
    pub(super) too_high: bool,
    /// Whether it ended early, as the one before had found some (`BBR.prev_probe_precautionary`).
    pub(super) was_careful: bool,
    since: SimTime,
    wait: Dur,
    /// Rounds since the last probe.
    rounds: u64,
    /// Segments acknowledged since the bound grew.
    acked: f64,
    /// It grows by one for each so many; the window divided by this power of two.
    per: f64,
    power: u32,
}

impl Cycle {
    /// A round has begun.
    pub(super) const fn count_round(&mut self) {
        self.rounds += 1;
    }

    /// DOWN begins, and with it the wait for the next probe. The instant draws its length, which is as irregular as a
    /// stream and costs none.
    pub(super) const fn wait_from(&mut self, now: SimTime) {
        let drawn = now.as_ns().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        self.rounds = drawn & 1;
        self.wait = Dur::from_ns(WAIT.as_ns() + drawn % 1_000_000_000);
        self.since = now;
        (self.acks, self.per) = (Acks::Stopping, f64::INFINITY);
    }

    /// Whether it is time for a probe, of a window of so many segments (`IsTimeToProbeBW`, §5.3.3.8.3).
    pub(super) fn is_over(&self, now: SimTime, segments: f64) -> bool {
        now > self.since + self.wait || self.rounds as f64 >= segments.min(ROUNDS)
    }

    /// REFILL begins.
    pub(super) const fn refill(&mut self) {
        (self.power, self.acked) = (0, 0.0);
        (self.was_careful, self.acks) = (false, Acks::Refilling);
    }

    /// UP begins, with a window of so many segments.
    pub(super) fn probe(&mut self, cwnd: f64) {
        self.acks = Acks::Starting;
        self.steepen(cwnd);
    }

    /// `RaiseInflightLongtermSlope`.
    fn steepen(&mut self, cwnd: f64) {
        self.per = (cwnd / f64::from(1u32 << self.power)).max(1.0);
        self.power = (self.power + 1).min(STEEPEST);
    }

    /// `ProbeInflightLongtermUpward`, of a window that is full: so many segments are acknowledged. Returns by how many
    /// the bound grows.
    pub(super) fn grow(&mut self, newly: f64, round: bool, cwnd: f64) -> f64 {
        self.acked += newly;
        let steps = libm::floor(self.acked / self.per);
        self.acked -= if steps > 0.0 { steps * self.per } else { 0.0 };
        if round {
            self.steepen(cwnd);
        }
        steps
    }
}
