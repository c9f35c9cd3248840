//! Rates by the ratio of signal to noise: the way from the neighbour is taken for the way to it.
//!
//! ```text
//!   1 Mb/s ──≥ least-2mbps──► 2 Mb/s ──≥ least-5mbps──► 5.5 Mb/s ──≥ least-11mbps──► 11 Mb/s
//!     ▲                                                                                │
//!     └──────────── each frame of the neighbour that is received moves the ratio ──────┘
//! ```
//!
//! A neighbour that was never heard gets the lowest rate. Among the rates of OFDM and later the fastest is chosen that
//! the ratio is enough for, by the error curve.

use super::config::SnrConfig;
use super::contract::{Attempt, LeastRatio, RateRule};
use crate::phy::TxVector;
use crate::units::{Bytes, NodeId, Power, SimTime};

/// When a ratio is enough for a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// It is half a decibel above that at which 1 % of all frames of 1536 bytes are lost.
    Frames,
    /// Of a million bits no more than one is wrong: ns-3's `IdealWifiManager`.
    Bits,
}

/// The rates of one station by what it hears.
#[derive(Clone, Debug)]
pub struct Snr {
    /// Ratio from which on a rate is used, of all but the lowest \[dB\].
    steps: Vec<f64>,
    /// Weight of the newest frame in the average.
    weight: f64,
    /// What it chooses among where the error curve says what they need, and by what.
    by_curve: Option<(Vec<TxVector>, Criterion)>,
    noise: Power,
    /// Neighbours, and the average ratio at which each was heard \[dB\].
    heard: Vec<(NodeId, f64)>,
}

impl Snr {
    /// A station of 802.11b without noise that uses the rates up to this place in the ladder.
    #[must_use]
    pub fn new(config: SnrConfig, top: usize) -> Self {
        let steps = config.steps().iter().take(top).map(|least| least.get()).collect();
        Self { steps, weight: config.weight, by_curve: None, noise: Power::new(0.0), heard: Vec::new() }
    }

    /// A station that chooses among these, the slowest first, by what they need: it uses the lowest until that is
    /// known.
    #[must_use]
    pub const fn by_curve(weight: f64, ladder: Vec<TxVector>, criterion: Criterion) -> Self {
        let by_curve = Some((ladder, criterion));
        Self { steps: Vec::new(), weight, by_curve, noise: Power::new(0.0), heard: Vec::new() }
    }
}

impl RateRule for Snr {
    fn choose(&mut self, _: SimTime, to: NodeId) -> Attempt {
        let Some(&(_, ratio)) = self.heard.iter().find(|(node, _)| *node == to) else {
            return Attempt::at(0);
        };
        // The rates of several streams are no order of robustness.
        Attempt::at(self.steps.iter().rposition(|&least| ratio >= least).map_or(0, |place| place + 1))
    }

    fn report(&mut self, _: SimTime, _: NodeId, _: Attempt, _: (usize, usize)) {}

    fn minds_power(&self) -> bool {
        true
    }

    fn heard(&mut self, from: NodeId, power: f64) {
        let ratio = 10.0 * libm::log10(power / self.noise.get().max(f64::MIN_POSITIVE));
        match self.heard.iter_mut().find(|(node, _)| *node == from) {
            Some((_, average)) => *average += (ratio - *average) * self.weight,
            None => self.heard.push((from, ratio)),
        }
    }

    fn set_noise(&mut self, noise: Power) {
        self.noise = noise;
    }

    fn set_least(&mut self, least: &LeastRatio<'_>) {
        if let Some((ladder, criterion)) = &self.by_curve {
            let needs = |&tx: &TxVector| match criterion {
                Criterion::Frames => least(tx, Bytes(1536), 0.01).get() + 0.5,
                Criterion::Bits => least(tx, Bytes(1), 8e-6).get(),
            };
            self.steps = ladder.iter().skip(1).map(needs).collect();
        }
    }

    fn forget(&mut self) {
        self.heard.clear();
    }
}
