//! A station with four access categories (IEEE 802.11-2020 §10.23.2).
//!
//! ```text
//!   queues      VO    VI    BE    BK
//!               │     │     │     │      each: AIFS, contention window, back-off, count of failures
//!               ▼     ▼     ▼     ▼
//!               first of the back-offs that end; at the same instant the higher category
//!                           │            the lower one widens its window, and draws anew: internal collision
//!                           ▼
//!               one exchange of the DCF at a time; in a transmit opportunity several, SIFS apart
//! ```
//!
//! The exchange itself is that of the DCF, which has one contender: that of the category on turn. The others are
//! parked, and change places with it.

use std::mem::swap;

use super::config::{Parameters, Protection};
use super::parked::{Contender, Parked};
use crate::contract::{Backlog, Cause, Cx, Offer, Sink, Supply};
use crate::mac::aggregate::{Fates, Peer, PeerCounters, Rule, Rules};
use crate::mac::config::{AggregationConfig, DcfConfig};
use crate::mac::dcf::{BackOff, Dcf, Job, Retry};
use crate::mac::rate::LeastRatio;
use crate::mac::{Action, Counters, Input, Mac, Older, Sensed, Timer};
use crate::phy::TxVector;
use crate::units::{Bitrate, Bytes, Dur, NodeId, Power, Rng, SimTime};
use crate::wire::{Category, Frame, PacketId};

/// One station.
#[derive(Debug)]
pub struct Edca {
    dcf: Dcf<Parked>,
}

impl Edca {
    /// A station `me` that draws its back-offs from `rng`.
    #[must_use]
    pub fn new(config: &DcfConfig, me: NodeId, mut rng: Rng) -> Self {
        let parameters = |category| config.edca.parameters(category);
        let of = |category| {
            let Parameters { aifsn, cw_min, cw_max, .. } = parameters(category);
            DcfConfig { aifsn, cw_min, cw_max, ..config.clone() }
        };
        let rules = Rules::by_category(|category| {
            let Parameters { aggregate, txop, .. } = parameters(category);
            let AggregationConfig { on, amsdu_length, .. } = config.aggregation;
            let packs = aggregate && amsdu_length > Bytes::ZERO;
            Rule { aggregates: on && aggregate, packs, opportunity: txop }
        });
        let rules = rules.protected(config.edca.protection == Protection::Multiple);
        let on_turn = Category::BestEffort;
        let mut contender = |category| {
            let of = of(category);
            let difs = of.sifs + of.slot * u64::from(of.aifsn);
            Contender { back_off: BackOff::new(difs), retry: Retry::new(&of, rng.split()), job: None }
        };
        let all = [Category::Background, Category::BestEffort, Category::Video, Category::Voice];
        let parked = Parked { of: all.map(&mut contender), on_turn };
        Self { dcf: Dcf::beside(parked, rules, of(on_turn), me, rng) }
    }

    /// A category takes its turn: its contender changes places with the one that has it.
    fn turn_to(&mut self, category: Category) {
        let parked = &mut self.dcf.exchange.access.others;
        let before = std::mem::replace(&mut parked.on_turn, category);
        if before == category {
            return;
        }
        for place in [before, category] {
            let it = &mut parked.of[place.index()];
            swap(&mut it.back_off, &mut self.dcf.exchange.access.back_off);
            swap(&mut it.retry, &mut self.dcf.retry);
            swap(&mut it.job, &mut self.dcf.job);
        }
    }

    /// What a category contends for.
    const fn job(&self, category: Category) -> Option<Job> {
        let parked = &self.dcf.exchange.access.others;
        if parked.on_turn.index() == category.index() {
            self.dcf.job
        } else {
            parked.of[category.index()].job
        }
    }

    /// When the back-off of a category that contends ends.
    fn deadline(&self, category: Category) -> SimTime {
        let access = &self.dcf.exchange.access;
        let parked = &access.others;
        let back_off =
            if parked.on_turn == category { &access.back_off } else { &parked.of[category.index()].back_off };
        self.job(category).map_or(SimTime::MAX, |_| back_off.deadline(&access.medium))
    }

    /// A packet has come out of the queue of its category.
    fn send<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, offer: Offer, out: &mut S) {
        let category = cx.packets[offer.packet].priority.category();
        let on_turn = self.dcf.exchange.access.others.on_turn;
        let in_exchange = self.dcf.exchange.sequence().is_own();
        self.turn_to(category);
        self.dcf.take_in(cx, offer);
        if category != on_turn || !in_exchange {
            self.dcf.contend_anew(cx.now, out);
        }
        if in_exchange {
            self.turn_to(on_turn);
        }
    }

    /// A back-off may have ended. Of several that end now the highest category sends.
    fn on_access<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let mut ready = Category::ALL.into_iter().filter(|&it| self.deadline(it) <= cx.now);
        let Some(first) = ready.next() else {
            self.dcf.exchange.access.armed = SimTime::MAX;
            return self.dcf.exchange.rearm(self.dcf.job.is_some(), out);
        };
        let lower: Vec<Category> = ready.collect();
        for category in lower {
            self.turn_to(category);
            self.collide(cx.now, out);
        }
        self.turn_to(first);
        self.dcf.on_access(cx, out);
    }

    /// The category on turn gives way to a higher one, as if its frame had collided, but nothing was on the air
    /// (§10.23.2.4).
    fn collide<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let dcf = &mut self.dcf;
        let (Some(job), Some(aggregation)) = (dcf.job, &mut dcf.aggregation) else { return };
        aggregation.by_category.internal_collisions += 1;
        let last = dcf.retry.data_failed(false).is_some();
        let mut fates = Fates::default();
        if last && !aggregation.aggregates(job.peer()) {
            fates.lost.extend(aggregation.originator(job.peer()).take_first());
            aggregation.by_category.note(job.peer().priority.category(), &fates);
            aggregation.note_fates(job.peer(), now, &fates);
            dcf.choose();
        }
        dcf.exchange.access.back_off.expire();
        let slots = dcf.retry.draw();
        dcf.exchange.access.back_off(now, slots);
        fates.tell_lost(Cause::DataLimit, out);
    }

    /// The station goes down or comes back.
    fn power<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, up: bool, out: &mut S) {
        self.dcf.power(cx, up, out);
        if !up {
            for it in &mut self.dcf.exchange.access.others.of {
                it.job = None;
                it.retry.reset();
            }
        }
    }
}

// Not in line: what a caller has of the plain DCF shall stay as small as if this were not there.
impl Mac for Edca {
    #[inline(never)]
    fn handle<B: Backlog, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        behind: &B,
        mut out: S,
    ) {
        match input {
            Input::Send(offer) => self.send(cx, offer, &mut out),
            Input::Timer(Timer::Access) => self.on_access(cx, &mut out),
            Input::Power(up) => self.power(cx, up, &mut out),
            Input::Receive(_) | Input::Timer(_) => self.dcf.handle(cx, input, behind, out),
        }
    }

    #[inline(never)]
    fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        self.dcf.sense(now, sensed)
    }

    fn wants_frame(&self) -> bool {
        Category::ALL.into_iter().any(|category| self.supply_for(category).is_some())
    }

    fn supply(&self) -> Supply {
        Supply::ByCategory
    }

    fn supply_for(&self, category: Category) -> Option<Supply> {
        let aggregation = self.dcf.aggregation.as_ref().filter(|_| self.dcf.is_up())?;
        self.dcf.may_take(aggregation, self.job(category))
    }

    fn kept(&self) -> Vec<PacketId> {
        self.dcf.kept()
    }

    #[inline(never)]
    fn try_update_nav(&mut self, now: SimTime, frame: &Frame) -> bool {
        self.dcf.try_update_nav(now, frame)
    }

    #[inline(never)]
    fn only_broadcast_payload(&self, now: SimTime) -> bool {
        self.dcf.only_broadcast_payload(now)
    }

    fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        self.dcf.set_rate(to, rate);
    }

    fn set_noise(&mut self, noise: Power) {
        self.dcf.set_noise(noise);
    }

    fn sifs(&self) -> Dur {
        self.dcf.sifs()
    }

    fn minds_reception(&self) -> bool {
        self.dcf.minds_reception()
    }

    fn add_older(&mut self, older: &Older) {
        self.dcf.add_older(older);
    }

    fn set_least(&mut self, least: &LeastRatio<'_>) {
        self.dcf.set_least(least);
    }

    fn expected_throughput(&self, to: NodeId) -> Option<f64> {
        self.dcf.expected_throughput(to)
    }

    fn minds_power(&self) -> bool {
        self.dcf.minds_power()
    }

    fn note_power(&mut self, frame: &Frame, me: NodeId, power: f64) {
        self.dcf.note_power(frame, me, power);
    }

    fn counters(&self) -> Option<Counters> {
        self.dcf.counters()
    }

    fn busy_time(&self, now: SimTime) -> Dur {
        self.dcf.busy_time(now)
    }

    fn each_peer(&self, tell: &mut dyn FnMut(Peer, PeerCounters)) {
        self.dcf.each_peer(tell);
    }

    fn each_rate(&self, tell: &mut dyn FnMut(TxVector, u64)) {
        self.dcf.each_rate(tell);
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.dcf.each_counter(tell);
    }
}
