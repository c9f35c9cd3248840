//! The rate control of a station: what the DCF asks and tells it.

use super::config::RateControlKind;
use super::{Arf, Snr};
use crate::mac::config::DcfConfig;
use crate::phy::TxVector;
use crate::units::{NodeId, Power, SimTime, counters};
use crate::wire::{Frame, FrameKind};

/// How the rate is chosen.
#[derive(Clone, Debug)]
enum Rule {
    Arf(Arf),
    Snr(Snr),
}

/// The rate control of a station.
#[derive(Clone, Debug)]
pub struct RateControl {
    rule: Rule,
    /// What it chooses among, the slowest first.
    ladder: Vec<TxVector>,
    /// Place in the ladder of the frame in service.
    rung: usize,
    counters: RateCounters,
    /// Neighbours and the place of the last frame to each.
    last: Vec<(NodeId, usize)>,
}

counters! {
    /// Frames that went at another rate than the one before.
    pub struct RateCounters {
        /// Upwards.
        pub ups = "mac.rate-up",
        /// Downwards.
        pub downs = "mac.rate-down",
    }
}

impl RateControl {
    /// The rate control of a configuration, if the rate is not fixed.
    #[must_use]
    pub fn new(config: &DcfConfig) -> Option<Box<Self>> {
        let ladder = config.ladder();
        let top = ladder.len().saturating_sub(1);
        let rule = match config.rate_control {
            RateControlKind::Fixed => return None,
            RateControlKind::Arf => Rule::Arf(Arf::new(config.arf, top)),
            RateControlKind::Snr => Rule::Snr(Snr::new(config.snr, top)),
        };
        Some(Box::new(Self { rule, ladder, rung: top, counters: RateCounters::default(), last: Vec::new() }))
    }

    /// Sets the noise power of the receiver.
    pub const fn set_noise(&mut self, noise: Power) {
        if let Rule::Snr(snr) = &mut self.rule {
            snr.set_noise(noise);
        }
    }

    /// Whether it wants to know at what power frames are received.
    #[must_use]
    pub const fn minds_power(&self) -> bool {
        matches!(self.rule, Rule::Snr(_))
    }

    /// What an attempt that is about to be made to a neighbour is sent with.
    pub fn choose(&mut self, now: SimTime, to: NodeId) -> TxVector {
        self.rung = match &mut self.rule {
            Rule::Arf(arf) => arf.rung(now, to),
            Rule::Snr(snr) => snr.rung(to),
        };
        match self.last.iter_mut().find(|(node, _)| *node == to) {
            Some((_, last)) => {
                self.counters.ups += u64::from(self.rung > *last);
                self.counters.downs += u64::from(self.rung < *last);
                *last = self.rung;
            }
            None => self.last.push((to, self.rung)),
        }
        self.ladder[self.rung]
    }

    /// The mode of the frame in service, by its place in [`crate::phy::MODES`].
    #[must_use]
    pub fn mode(&self) -> usize {
        self.ladder[self.rung].mode()
    }

    /// The frame in service was acknowledged.
    pub fn acknowledged(&mut self, to: NodeId) {
        if let Rule::Arf(arf) = &mut self.rule {
            arf.acknowledged(to);
        }
    }

    /// An attempt got no ACK.
    pub fn lost(&mut self, now: SimTime, to: NodeId) {
        if let Rule::Arf(arf) = &mut self.rule {
            arf.lost(now, to);
        }
    }

    /// A frame was received by node `me` at this power \[W\]. CTS and ACK do not name their sender (IEEE 802.11-2020
    /// §9.3.1.3, §9.3.1.4): only the station that they answer knows.
    pub fn heard(&mut self, frame: &Frame, me: NodeId, power: f64) {
        let known = matches!(frame.kind, FrameKind::Rts | FrameKind::Data) || frame.to == me;
        if let Rule::Snr(snr) = &mut self.rule
            && known
        {
            snr.heard(frame.from, power);
        }
    }

    /// The station goes down and forgets what it knew.
    pub fn forget(&mut self) {
        match &mut self.rule {
            Rule::Arf(arf) => arf.forget(),
            Rule::Snr(snr) => snr.forget(),
        }
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
