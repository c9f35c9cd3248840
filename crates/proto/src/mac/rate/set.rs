//! The set of rules of rate control, and which of them a configuration means.

use super::config::RateControlKind;
use super::contract::{Attempt, LeastRatio, RateRule};
use super::snr::Criterion;
use super::{Arf, Minstrel, MinstrelHt, Snr};
use crate::mac::aggregate::AfterMissed;
use crate::mac::config::DcfConfig;
use crate::mac::standard::Standard;
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, NodeId, Power, Rng, SimTime};

dispatch! {
    /// One rule of the set.
    #[derive(Debug)]
    pub enum AnyRateRule: RateRule {
        /// By the ACKs that came and failed to come.
        Arf(Arf),
        /// By what was heard.
        Snr(Snr),
        /// By what became of frames.
        Minstrel(Box<Minstrel>),
        /// By what became of MPDUs.
        MinstrelHt(Box<MinstrelHt>),
        /// One from outside this crate: experiments and tests.
        Custom(Box<dyn RateRule>),
    }

    fn choose(&mut self, now: SimTime, to: NodeId) -> Attempt;
    fn report(&mut self, now: SimTime, to: NodeId, attempt: Attempt, mpdus: (usize, usize));
    fn begin(&mut self, to: NodeId);
    fn minds_power(&self) -> bool;
    fn heard(&mut self, from: NodeId, power: f64);
    fn set_noise(&mut self, noise: Power);
    fn set_least(&mut self, least: &LeastRatio<'_>);
    fn expected_throughput(&self, to: NodeId) -> Option<f64>;
    fn probes(&self) -> Option<u64>;
    fn forget(&mut self);
}

impl AnyRateRule {
    /// The rule of a configuration, if the rate is not fixed.
    #[must_use]
    pub fn new(config: &DcfConfig, ladder: &[TxVector], rng: impl FnOnce() -> Rng) -> Option<Self> {
        let top = ladder.len().saturating_sub(1);
        let by_curve = |criterion| Self::Snr(Snr::by_curve(config.snr.weight, ladder.to_vec(), criterion));
        Some(match config.rate_control {
            RateControlKind::Fixed => return None,
            RateControlKind::Arf => Self::Arf(Arf::new(config.arf, top)),
            RateControlKind::Snr if config.standard == Standard::B => Self::Snr(Snr::new(config.snr, top)),
            RateControlKind::Snr => by_curve(Criterion::Frames),
            RateControlKind::Ideal => by_curve(Criterion::Bits),
            RateControlKind::Minstrel => {
                let answer = |tx| config.sifs + config.response_to(tx).airtime(ACK);
                let (slot, windows) = (config.slot, (config.cw_min, config.cw_max));
                Self::Minstrel(Box::new(Minstrel::new(config.minstrel, ladder, answer, slot, windows, rng())))
            }
            RateControlKind::MinstrelHt => {
                let overhead = |tx| overhead(config, tx);
                let asks = config.aggregation.after_missed == AfterMissed::Request;
                Self::MinstrelHt(Box::new(MinstrelHt::new(config.minstrel_ht, ladder, overhead, asks, rng())))
            }
        })
    }
}

/// An ACK (IEEE 802.11-2020 §9.3.1.4).
const ACK: Bytes = Bytes(14);

/// What an exchange takes beside the payload of its frame: AIFS, the mean back-off, preamble, SIFS and the answer.
fn overhead(config: &DcfConfig, tx: TxVector) -> Dur {
    let slots = u64::from(config.aifsn) * 2 + u64::from(config.cw_min);
    let answer = if config.aggregation.on { config.aggregation.block_ack() } else { ACK };
    let answer = config.response_to(tx).airtime(answer);
    config.sifs * 2 + config.slot * slots / 2 + tx.airtime(Bytes::ZERO) + answer
}
