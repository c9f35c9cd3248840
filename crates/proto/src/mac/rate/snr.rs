//! Rates by the ratio of signal to noise: the way from the neighbour is taken for the way to it.
//!
//! ```text
//!   1 Mb/s ──≥ least-2mbps──► 2 Mb/s ──≥ least-5mbps──► 5.5 Mb/s ──≥ least-11mbps──► 11 Mb/s
//!     ▲                                                                                │
//!     └──────────── each frame of the neighbour that is received moves the ratio ──────┘
//! ```
//!
//! A neighbour that was never heard gets the lowest rate.

use super::config::{LADDER, SnrConfig};
use crate::units::{Decibel, NodeId, Power};

/// The rates of one station by what it hears.
#[derive(Clone, Debug)]
pub struct Snr {
    config: SnrConfig,
    /// Place of the highest rate in the ladder.
    top: usize,
    noise: Power,
    /// Neighbours, and the average ratio at which each was heard \[dB\].
    heard: Vec<(NodeId, f64)>,
}

impl Snr {
    /// A station without noise that uses the rates up to this place in the ladder.
    #[must_use]
    pub const fn new(config: SnrConfig, top: usize) -> Self {
        Self { config, top, noise: Power::new(0.0), heard: Vec::new() }
    }

    /// Sets the noise power of its receiver.
    pub const fn set_noise(&mut self, noise: Power) {
        self.noise = noise;
    }

    /// The place in the ladder of the rate at which a frame goes to a neighbour now.
    #[must_use]
    pub fn rung(&self, to: NodeId) -> usize {
        let Some(&(_, ratio)) = self.heard.iter().find(|(node, _)| *node == to) else { return 0 };
        let steps: [Decibel; LADDER.len() - 1] = self.config.steps();
        steps.iter().take_while(|least| ratio >= least.get()).count().min(self.top)
    }

    /// A frame of a neighbour was received at this power \[W\].
    pub fn heard(&mut self, from: NodeId, power: f64) {
        let ratio = 10.0 * libm::log10(power / self.noise.get().max(f64::MIN_POSITIVE));
        match self.heard.iter_mut().find(|(node, _)| *node == from) {
            Some((_, average)) => *average += (ratio - *average) * self.config.weight,
            None => self.heard.push((from, ratio)),
        }
    }

    /// The station forgets all neighbours.
    pub fn forget(&mut self) {
        self.heard.clear();
    }
}
