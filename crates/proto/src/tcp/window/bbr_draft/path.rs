//! The model of the path: rounds, the largest rate of two cycles, and how much the path holds.

use super::sample::Sample;
use crate::tcp::window::bbr::phases::{DRAIN, PROBE_RTT, STARTUP};
use crate::tcp::window::phase::Phase;
use crate::tcp::window::windowed::WindowedMax;
use crate::units::Dur;

/// Cycles of bandwidth probing whose rates count: this one and the one before (§2.11).
const CYCLES: u64 = 2;

/// What the rule does (§3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Finds the rate.
    Startup,
    /// Empties the queue that this has built.
    Drain,
    /// Sends more slowly than data arrive.
    Down,
    /// Sends as fast as data arrive.
    Cruise,
    /// Fills the path before it probes for more.
    Refill,
    /// Probes for more.
    Up,
    /// Measures the least round-trip time.
    ProbeRtt,
}

impl State {
    /// All, in this order.
    pub const ALL: [Self; 7] =
        [Self::Startup, Self::Drain, Self::Down, Self::Cruise, Self::Refill, Self::Up, Self::ProbeRtt];

    /// Its name, and what it is.
    #[must_use]
    pub const fn phase(self) -> Phase {
        match self {
            Self::Startup => STARTUP,
            Self::Drain => DRAIN,
            Self::Down => {
                Phase::later("DOWN", "BBR sends a tenth more slowly than data arrive, so that queues empty.")
            }
            Self::Cruise => Phase::later("CRUISE", "BBR sends as fast as data arrive, until the next probe."),
            Self::Refill => {
                Phase::later("REFILL", "BBR fills the path for a round, before it probes for more.")
            }
            Self::Up => {
                Phase::later("UP", "BBR probes for more: it sends a quarter faster than data arrive.")
            }
            Self::ProbeRtt => PROBE_RTT,
        }
    }

    /// Its number in tables: 1 to 7, in the order above.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Gains of rate and window (§5.6.1).
    pub(super) const fn gains(self) -> (f64, f64) {
        match self {
            Self::Startup => (2.77, 2.0),
            Self::Drain => (0.5, 2.0),
            Self::Down => (0.9, 2.0),
            Self::Cruise | Self::Refill => (1.0, 2.0),
            Self::Up => (1.25, 2.25),
            Self::ProbeRtt => (1.0, 0.5),
        }
    }

    /// Whether it is a phase of PROBE_BW.
    pub(super) const fn probes_rate(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// Whether it sends more than data have arrived, to find out (`IsProbingBW`, §5.3.3.9).
    pub(super) const fn accelerates(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }
}

/// The model.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    rates: WindowedMax,
    cycle: u64,
    /// Rounds so far.
    pub(super) rounds: u64,
    /// Delivered bytes with which the present round ends.
    next_round: u64,
    /// Whether the last ACK began a round.
    pub(super) round: bool,
    /// Bytes delivered so far.
    pub(super) delivered: u64,
    /// The rate that it goes by, in segments a second (`BBR.bw`).
    pub(super) rate: f64,
    /// Least round-trip time of ten seconds.
    pub(super) min_rtt: Option<Dur>,
}

impl Path {
    /// `UpdateMaxBw` (§5.5.5).
    pub(super) fn measure(&mut self, sample: &Sample) {
        self.delivered = sample.total;
        self.round = sample.prior.is_some_and(|prior| prior >= self.next_round);
        if self.round {
            self.start_round(sample.total);
            self.rounds += 1;
        }
        if let Some(rate) = sample.rate
            && (rate >= self.rates.get() || !sample.limited)
        {
            self.rates.add(self.cycle, rate, self.cycle.saturating_sub(CYCLES - 1));
        }
    }

    /// A round begins with so many bytes delivered (§5.5.1).
    pub(super) const fn start_round(&mut self, delivered: u64) {
        self.next_round = delivered;
    }

    /// A cycle of bandwidth probing is over (§5.5.6).
    pub(super) const fn end_cycle(&mut self) {
        self.cycle += 1;
    }

    /// Largest rate of two cycles (`BBR.max_bw`).
    pub(super) fn max_rate(&self) -> f64 {
        self.rates.get()
    }

    /// Segments that the path holds at this rate; none without a round-trip time.
    pub(super) fn holds(&self, rate: f64) -> Option<f64> {
        self.min_rtt.map(|rtt| rate * rtt.as_secs_f64())
    }
}
