//! What a rule of rate control is told, and what it answers.

use crate::phy::TxVector;
use crate::units::{Bytes, Decibel, NodeId, Power, SimTime};

/// At what an attempt is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Place of the rate in the ladder.
    pub rung: usize,
    /// It tries the rate.
    pub probe: bool,
    /// With one MPDU.
    pub alone: bool,
    /// A rate before it in the chain has failed: RTS goes first.
    pub fallback: bool,
}

impl Attempt {
    /// An attempt at a rate that has nothing special.
    #[must_use]
    pub const fn at(rung: usize) -> Self {
        Self { rung, probe: false, alone: false, fallback: false }
    }
}

/// The least ratio of signal to noise in 20 MHz at which frames that are sent so, of this length, are lost with no more
/// than this probability.
pub type LeastRatio<'a> = dyn Fn(TxVector, Bytes, f64) -> Decibel + 'a;

/// A rule of rate control.
///
/// Contract: a rate is a place in the ladder that the rule was made with. What is chosen depends on what was told and
/// on draws alone. A rule that has forgotten knows of no neighbour.
pub trait RateRule: std::fmt::Debug + Send {
    /// At what the next attempt to a neighbour is made.
    fn choose(&mut self, now: SimTime, to: NodeId) -> Attempt;

    /// So many MPDUs went to a neighbour in an attempt, and so many were acknowledged; one of one where frames carry
    /// one.
    fn report(&mut self, now: SimTime, to: NodeId, attempt: Attempt, mpdus: (usize, usize));

    /// A new frame to a neighbour is in service: the one before it got through, or was given up.
    fn begin(&mut self, _to: NodeId) {}

    /// Whether it wants to know at what power frames are received.
    fn minds_power(&self) -> bool {
        false
    }

    /// A frame of a neighbour was received at this power \[W\].
    fn heard(&mut self, _from: NodeId, _power: f64) {}

    /// Sets the noise power of the receiver.
    fn set_noise(&mut self, _noise: Power) {}

    /// Says what the rates of the ladder need.
    fn set_least(&mut self, _least: &LeastRatio<'_>) {}

    /// What is expected of the link to a neighbour \[bit/s\], if the rule keeps statistics.
    fn expected_throughput(&self, _to: NodeId) -> Option<f64> {
        None
    }

    /// Frames that tried a rate, if it tries any.
    fn probes(&self) -> Option<u64> {
        None
    }

    /// The station goes down and forgets all neighbours.
    fn forget(&mut self);
}
