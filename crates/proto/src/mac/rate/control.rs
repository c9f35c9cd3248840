//! The rate control of a station: what the DCF asks and tells it.

use super::config::RateControlKind;
use super::{Arf, Attempt, Minstrel, Snr};
use crate::mac::aggregate::Peer;
use crate::mac::config::DcfConfig;
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, NodeId, Power, Rng, SimTime, counters};
use crate::wire::{Frame, FrameKind};

/// How the rate is chosen.
#[derive(Clone, Debug)]
enum Rule {
    Arf(Arf),
    Snr(Snr),
    Minstrel(Box<Minstrel>),
}

/// The rate control of a station.
#[derive(Clone, Debug)]
pub struct RateControl {
    rule: Rule,
    /// What it chooses among, the slowest first.
    ladder: Vec<TxVector>,
    /// Place in the ladder of the frame in service.
    rung: usize,
    /// What Minstrel said of it.
    attempt: Attempt,
    /// MPDUs of the frame whose fate is not known, and where they went.
    undecided: Option<(Peer, usize)>,
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
    pub fn new(config: &DcfConfig, rng: impl FnOnce() -> Rng) -> Option<Box<Self>> {
        let ladder = config.ladder();
        let top = ladder.len().saturating_sub(1);
        let rule = match config.rate_control {
            RateControlKind::Fixed => return None,
            RateControlKind::Arf => Rule::Arf(Arf::new(config.arf, top)),
            RateControlKind::Snr => Rule::Snr(Snr::new(config.snr, top)),
            RateControlKind::MinstrelHt => {
                let overhead = |tx| overhead(config, tx);
                Rule::Minstrel(Box::new(Minstrel::new(config.minstrel_ht, &ladder, overhead, rng())))
            }
        };
        let attempt = Attempt { rung: top, probe: false, fallback: false };
        let counters = RateCounters::default();
        let last = Vec::new();
        Some(Box::new(Self { rule, ladder, rung: top, attempt, undecided: None, counters, last }))
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
        if let Some((before, _)) = self.undecided {
            self.report(now, before, 0); // its block ack is still asked for
        }
        self.rung = match &mut self.rule {
            Rule::Arf(arf) => arf.rung(now, to),
            Rule::Snr(snr) => snr.rung(to),
            Rule::Minstrel(minstrel) => {
                self.attempt = minstrel.choose(now, to);
                self.attempt.rung
            }
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

    /// The frame in service tries a rate: it has one MPDU.
    #[must_use]
    pub const fn probes(&self) -> bool {
        self.attempt.probe
    }

    /// A rate before that of the frame in service has failed: RTS goes first.
    #[must_use]
    pub const fn falls_back(&self) -> bool {
        self.attempt.fallback
    }

    /// A frame with so many MPDUs goes out.
    pub const fn sent(&mut self, to: Peer, mpdus: usize) {
        self.undecided = Some((to, mpdus));
    }

    /// So many MPDUs of the frame that went to a neighbour were acknowledged.
    pub fn report(&mut self, now: SimTime, to: Peer, acknowledged: usize) {
        if let Rule::Minstrel(minstrel) = &mut self.rule
            && let Some((_, sent)) = self.undecided.take_if(|(peer, _)| *peer == to)
        {
            minstrel.report(now, to.node, self.attempt, (sent, acknowledged.min(sent)));
        }
    }

    /// What is expected of the link to a neighbour \[bit/s\], if that is known.
    #[must_use]
    pub fn expected_throughput(&self, to: NodeId) -> Option<f64> {
        match &self.rule {
            Rule::Minstrel(minstrel) => Some(minstrel.expected_throughput(to)),
            Rule::Arf(_) | Rule::Snr(_) => None,
        }
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
        self.undecided = None;
        match &mut self.rule {
            Rule::Arf(arf) => arf.forget(),
            Rule::Snr(snr) => snr.forget(),
            Rule::Minstrel(minstrel) => minstrel.forget(),
        }
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
        if let Rule::Minstrel(minstrel) = &self.rule {
            tell(Self::PROBES, minstrel.probes());
        }
    }

    /// Name of the counter of frames that tried a rate.
    pub(in crate::mac) const PROBES: &str = "mac.rate-probes";
}

/// What an exchange takes beside the payload of its frame: AIFS, the mean back-off, preamble, SIFS and the block ack.
fn overhead(config: &DcfConfig, tx: TxVector) -> Dur {
    let slots = u64::from(config.aifsn) * 2 + u64::from(config.cw_min);
    let answer = config.response_to(tx).airtime(config.aggregation.block_ack());
    config.sifs * 2 + config.slot * slots / 2 + tx.airtime(Bytes::ZERO) + answer
}
