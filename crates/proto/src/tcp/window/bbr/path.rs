//! BBR's model of the path: the delivery rate, the least round-trip time, and what the two say of the window.

use super::phases::{DRAIN, PROBE_RTT, STARTUP};
use crate::tcp::window::phase::Phase;
use crate::tcp::window::windowed::WindowedMax;
use crate::units::{Dur, SimTime};

/// Rounds whose rates count, besides the present one.
const ROUNDS: u64 = 10;
/// Life of a least round-trip time.
pub(super) const MIN_RTT_LIFE: Dur = Dur::from_secs(10);
/// Least window while it probes.
pub(super) const LEAST: f64 = 4.0;
/// Rate below which a quantum is one segment, in bytes a second.
const SLOW: f64 = 150_000.0;
/// Parts of a segment a microsecond that rates are counted in.
const BW_UNIT: f64 = (1 << 24) as f64;

/// What BBR does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Finds the rate.
    Startup,
    /// Empties the queue that this has built.
    Drain,
    /// Cycles about the rate.
    ProbeBw,
    /// Measures the least round-trip time.
    ProbeRtt,
}

impl Mode {
    /// All, in this order.
    pub const ALL: [Self; 4] = [Self::Startup, Self::Drain, Self::ProbeBw, Self::ProbeRtt];

    /// Its name, and what it is.
    #[must_use]
    pub const fn phase(self) -> Phase {
        match self {
            Self::Startup => STARTUP,
            Self::Drain => DRAIN,
            Self::ProbeBw => Phase::later(
                "PROBE_BW",
                "BBR sends at the rate of the path; each eight round trips it tries a quarter more, then a quarter less.",
            ),
            Self::ProbeRtt => PROBE_RTT,
        }
    }

    /// Its number in tables: 1 to 4, in the order above.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }
}

/// The model.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// Largest delivery rate in segments a second.
    pub(super) rate: WindowedMax,
    pub(super) rounds: u64,
    /// Delivered bytes with which the present round ends.
    pub(super) next_round: u64,
    /// Whether the last ACK began a round.
    pub(super) round: bool,
    pub(super) min_rtt: Option<Dur>,
    pub(super) min_rtt_at: SimTime,
    full: f64,
    full_rounds: u32,
    /// Whether the rate has stopped growing.
    pub(super) is_full: bool,
}

impl Path {
    /// An ACK ends a round if what it acknowledges was sent after the last round's end.
    pub(super) fn count(&mut self, prior_delivered: Option<u64>, delivered: u64) {
        self.round = prior_delivered.is_some_and(|prior| prior >= self.next_round);
        if self.round {
            self.next_round = delivered;
            self.rounds += 1;
        }
    }

    /// A rate was measured, in segments a second.
    pub(super) fn add_rate(&mut self, rate: f64) {
        self.rate.add(self.rounds, rate, self.rounds.saturating_sub(ROUNDS));
    }

    /// Three rounds without a quarter more: the rate is found. Rounds in which the application had too little to send
    /// do not count.
    pub(super) fn judge_full(&mut self, limited: bool) {
        if self.is_full || !self.round || limited {
            return;
        }
        if self.rate.get() >= self.full * 1.25 {
            (self.full, self.full_rounds) = (self.rate.get(), 0);
            return;
        }
        self.full_rounds += 1;
        self.is_full = self.full_rounds >= 3;
    }

    /// After a timeout the rate may grow again before it counts as found.
    pub(super) const fn forget_full(&mut self) {
        self.full = 0.0;
    }

    /// Segments that the path holds at this rate, times a gain; without a round-trip time the initial window.
    pub(super) fn holds(&self, rate: f64, gain: f64, initial: f64) -> f64 {
        self.min_rtt.map_or(initial, |rtt| libm::ceil(rate * rtt.as_secs_f64() * gain))
    }
}

/// Segments a second, of so many in this time, as they are counted: in units of 2⁻²⁴ segments a microsecond, rounded
/// down (Linux, `BW_UNIT`).
pub(super) fn counted(segments: f64, interval: Dur) -> f64 {
    let units = libm::floor(segments * BW_UNIT / (interval.as_ns() / 1000).max(1) as f64);
    units * 1e6 / BW_UNIT
}

/// Segments that a sender hands over at once at this rate: those of a millisecond (Linux, `bbr_tso_segs_goal`).
pub(super) fn quantum(rate: f64, segment: f64) -> f64 {
    let bytes = rate * segment;
    let least = if bytes < SLOW { 1.0 } else { 2.0 };
    libm::floor(bytes / 1024.0 / segment).clamp(least, 127.0)
}

/// A window that keeps such a sender busy: three of these quanta more, and an even number.
pub(super) fn with_quanta(segments: f64, rate: f64, segment: f64) -> f64 {
    2.0 * libm::ceil((segments + 3.0 * quantum(rate, segment)) / 2.0)
}
