//! The rate control of a station: what the DCF asks and tells it.

use super::contract::{Attempt, LeastRatio, RateRule};
use super::older::OlderRates;
use super::set::AnyRateRule;
use crate::mac::aggregate::Peer;
use crate::mac::config::DcfConfig;
use crate::phy::{MODES, TxVector};
use crate::units::{NodeId, Power, Rng, SimTime, counters};
use crate::wire::{Frame, FrameKind};

/// The rate control of a station.
#[derive(Debug)]
pub struct RateControl {
    rule: AnyRateRule,
    /// What it chooses among, the slowest first.
    ladder: Vec<TxVector>,
    /// What the rule said of the frame in service.
    attempt: Attempt,
    /// MPDUs of the frame whose fate is not known, and where they went.
    undecided: Option<(Peer, usize)>,
    counters: RateCounters,
    /// Frames sent at each of them, when their fate is known.
    sent: Vec<u64>,
    /// Neighbours and the place of the last frame to each.
    last: Vec<(NodeId, usize)>,
    /// For neighbours of older amendments, which have other rates.
    older: OlderRates<Self>,
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
        let rule = AnyRateRule::new(config, &ladder, rng)?;
        let attempt = Attempt::at(ladder.len().saturating_sub(1));
        let (counters, last, older) = (RateCounters::default(), Vec::new(), OlderRates::default());
        let sent = vec![0; ladder.len()];
        Some(Box::new(Self { rule, ladder, attempt, undecided: None, counters, sent, last, older }))
    }

    /// A neighbour is of an older amendment, and frames go to it `towards` it.
    pub fn add_older(&mut self, node: NodeId, towards: &DcfConfig, rng: impl FnOnce() -> Rng) {
        self.older.add(node, towards, || Self::new(towards, rng));
    }

    /// Sets the noise power of the receiver.
    pub fn set_noise(&mut self, noise: Power) {
        self.rule.set_noise(noise);
        self.older.each(|it| it.set_noise(noise));
    }

    /// Says what rates need.
    pub fn set_least(&mut self, least: &LeastRatio<'_>) {
        self.rule.set_least(least);
        self.older.each(|it| it.set_least(least));
    }

    /// Whether it wants to know at what power frames are received.
    #[must_use]
    pub fn minds_power(&self) -> bool {
        self.rule.minds_power()
    }

    /// What an attempt that is about to be made to a neighbour is sent with.
    pub fn choose(&mut self, now: SimTime, to: NodeId) -> TxVector {
        if let Some(older) = self.older.serve(to) {
            return older.choose(now, to);
        }
        if let Some((before, _)) = self.undecided {
            self.report(now, before, 0); // its block ack is still asked for
        }
        self.attempt = self.rule.choose(now, to);
        let rung = self.attempt.rung;
        match self.last.iter_mut().find(|(node, _)| *node == to) {
            Some((_, last)) => {
                self.counters.ups += u64::from(rung > *last);
                self.counters.downs += u64::from(rung < *last);
                *last = rung;
            }
            None => self.last.push((to, rung)),
        }
        self.ladder[rung]
    }

    /// That of the frame in service.
    fn serving(&self) -> &Self {
        self.older.serving().unwrap_or(self)
    }

    /// Counts the frame in service.
    fn count(&mut self) {
        match self.older.serving_mut() {
            Some(older) => older.sent[older.attempt.rung] += 1,
            None => self.sent[self.attempt.rung] += 1,
        }
    }

    /// The frame in service has one MPDU.
    #[must_use]
    pub fn goes_alone(&self) -> bool {
        self.serving().attempt.alone
    }

    /// A rate before that of the frame in service has failed: RTS goes first.
    #[must_use]
    pub fn falls_back(&self) -> bool {
        self.serving().attempt.fallback
    }

    /// A frame with so many MPDUs goes out.
    pub fn sent(&mut self, to: Peer, mpdus: usize) {
        self.count();
        self.await_fate(to, mpdus);
    }

    fn await_fate(&mut self, to: Peer, mpdus: usize) {
        if let Some(older) = self.older.of_mut(to.node) {
            return older.await_fate(to, mpdus);
        }
        self.undecided = Some((to, mpdus));
    }

    /// So many MPDUs of the frame that went to a neighbour were acknowledged.
    pub fn report(&mut self, now: SimTime, to: Peer, acknowledged: usize) {
        if let Some(older) = self.older.of_mut(to.node) {
            return older.report(now, to, acknowledged);
        }
        if let Some((_, sent)) = self.undecided.take_if(|(peer, _)| *peer == to) {
            self.rule.report(now, to.node, self.attempt, (sent, acknowledged.min(sent)));
        }
    }

    /// What is expected of the link to a neighbour \[bit/s\], if the rule keeps statistics.
    #[must_use]
    pub fn expected_throughput(&self, to: NodeId) -> Option<f64> {
        self.older.of(to).unwrap_or(self).rule.expected_throughput(to)
    }

    /// The frame in service, of one MPDU, was acknowledged.
    #[cold]
    #[inline(never)]
    pub fn acknowledged(&mut self, now: SimTime, to: NodeId) {
        self.count();
        self.end(now, to, true);
    }

    /// The frame in service, of one MPDU, was not acknowledged. What the next attempt is sent with, if there is one
    /// `again`: it may go slower.
    #[cold]
    #[inline(never)]
    pub fn failed(&mut self, now: SimTime, to: NodeId, again: bool) -> Option<TxVector> {
        self.count();
        self.end(now, to, false);
        again.then(|| self.choose(now, to))
    }

    fn end(&mut self, now: SimTime, to: NodeId, acknowledged: bool) {
        if let Some(older) = self.older.of_mut(to) {
            return older.end(now, to, acknowledged);
        }
        self.rule.report(now, to, self.attempt, (1, usize::from(acknowledged)));
    }

    /// A new frame to a neighbour is in service. What its first attempt is sent with.
    pub fn first(&mut self, now: SimTime, to: NodeId) -> TxVector {
        self.older.of_mut(to).map_or(&mut self.rule, |it| &mut it.rule).begin(to);
        self.choose(now, to)
    }

    /// A frame was received by node `me` at this power \[W\]. CTS and ACK do not name their sender (IEEE 802.11-2020
    /// §9.3.1.3, §9.3.1.4): only the station that they answer knows.
    pub fn heard(&mut self, frame: &Frame, me: NodeId, power: f64) {
        let known = matches!(frame.kind, FrameKind::Rts | FrameKind::Data) || frame.to == me;
        if known {
            let older = self.older.of_mut(frame.from).map(|it| &mut it.rule);
            older.unwrap_or(&mut self.rule).heard(frame.from, power);
        }
    }

    /// The station goes down and forgets what it knew.
    pub fn forget(&mut self) {
        self.undecided = None;
        self.rule.forget();
        self.older.each(Self::forget);
    }

    /// Frames sent in each of [`MODES`], when their fate is known.
    #[must_use]
    pub fn by_mode(&self) -> [u64; MODES.len()] {
        let mut all = [0; MODES.len()];
        self.each_rate(&mut |tx, frames| all[tx.mode()] += frames);
        all
    }

    /// Tells every rate, and how many frames were sent at it whose fate is known; those to neighbours of older
    /// amendments after the others.
    pub fn each_rate(&self, tell: &mut dyn FnMut(TxVector, u64)) {
        for it in std::iter::once(self).chain(self.older.all()) {
            it.ladder.iter().zip(&it.sent).for_each(|(&tx, &frames)| tell(tx, frames));
        }
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        let older = || self.older.all();
        let mut counters = self.counters;
        for it in older() {
            counters.ups += it.counters.ups;
            counters.downs += it.counters.downs;
        }
        counters.each(tell);
        if let Some(probes) = self.rule.probes() {
            tell(Self::PROBES, probes + older().filter_map(|it| it.rule.probes()).sum::<u64>());
        }
    }

    /// Name of the counter of frames that tried a rate.
    pub(in crate::mac) const PROBES: &str = "mac.rate-probes";
}
