//! The DCF as a MAC. ns-2's slots, whose length is computed in seconds, are told apart from others here: what a frame
//! that begins at the end of a slot means to stations nearby.

use super::Others;
use super::machine::Dcf;
use crate::contract::{Backlog, Cx, Sink, Supply};
use crate::mac::aggregate::{Peer, PeerCounters};
use crate::mac::config::{ResponseTimeout, SlotCount};
use crate::mac::rate::{LeastRatio, RateControl};
use crate::mac::{Action, Counters, Input, Mac, MacConfig, Older, Sensed, Timer};
use crate::phy::TxVector;
use crate::units::{Bitrate, Dur, NodeId, Power, SimTime};
use crate::wire::{Frame, PacketId};

impl<O: Others> Mac for Dcf<O> {
    #[inline(always)]
    fn handle<B: Backlog, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        behind: &B,
        mut out: S,
    ) {
        let out = &mut out;
        match input {
            Input::Receive(frame) if self.up => self.receive(cx, frame, out),
            Input::Send(offer) => self.send(cx, offer, out),
            Input::Timer(Timer::Access) => self.on_access(cx, out),
            Input::Timer(Timer::Sequence) if self.flow.is_some() => self.on_sequence_if_room(cx, behind, out),
            Input::Timer(Timer::Sequence) => self.on_sequence(cx, out),
            Input::Timer(Timer::Release) => self.on_release(cx.now, out),
            Input::Power(up) => self.power(cx, up, out),
            Input::Receive(_) => {}
        }
    }

    #[inline(always)]
    fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        self.exchange.sense(now, sensed)
    }

    #[inline]
    fn wants_frame(&self) -> bool {
        self.asks().is_some()
    }

    #[inline(always)]
    fn supply(&self) -> Supply {
        if self.aggregation.is_some() { Supply::Next } else { Supply::Head }
    }

    #[inline(always)]
    fn asks(&self) -> Option<Supply> {
        match &self.aggregation {
            None => (self.up && self.job.is_none()).then_some(Supply::Head),
            Some(aggregation) if self.up => self.may_take(aggregation, self.job),
            Some(_) => None,
        }
    }

    fn kept(&self) -> Vec<PacketId> {
        self.aggregation.as_ref().map_or_else(Vec::new, |it| it.recipients.kept().collect())
    }

    #[inline]
    fn try_update_nav(&mut self, now: SimTime, frame: &Frame) -> bool {
        self.exchange.try_update_nav(now, frame)
    }

    #[inline]
    fn only_broadcast_payload(&self, now: SimTime) -> bool {
        !self.exchange.access.minds_correct_frame(now)
    }

    fn sends_at(&self, now: SimTime) -> bool {
        self.job.is_some() && self.exchange.access.sends_at(now)
    }

    fn lose_slot(&mut self) -> Option<SimTime> {
        Some(self.exchange.lose_slot())
    }

    fn counts_in_seconds(&self) -> bool {
        self.exchange.config().slot_count == SlotCount::Seconds
    }

    #[inline]
    fn cut_slot(&mut self, now: SimTime) {
        self.exchange.cut_slot(now);
    }

    fn set_rate(&mut self, to: Option<NodeId>, rate: Bitrate) {
        self.exchange.times.set_rate(to, rate);
    }

    fn set_noise(&mut self, noise: Power) {
        if let Some(rates) = &mut self.rates {
            rates.set_noise(noise);
        }
    }

    fn sifs(&self) -> Dur {
        self.exchange.config().sifs
    }

    fn minds_reception(&self) -> bool {
        self.exchange.config().response_timeout == ResponseTimeout::Start
    }

    fn add_older(&mut self, older: &Older) {
        let MacConfig::Dcf(towards) = &older.mac;
        self.exchange.times.set_older(older.node, towards);
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.singles.add(older.node);
        }
        if let Some(rates) = &mut self.rates {
            rates.add_older(older.node, towards, || self.retry.split());
        }
    }

    fn set_least(&mut self, least: &LeastRatio<'_>) {
        if let Some(rates) = &mut self.rates {
            rates.set_least(least);
        }
    }

    fn expected_throughput(&self, to: NodeId) -> Option<f64> {
        self.rates.as_ref().and_then(|rates| rates.expected_throughput(to))
    }

    fn minds_power(&self) -> bool {
        self.rates.as_deref().is_some_and(RateControl::minds_power)
    }

    #[cold]
    fn note_power(&mut self, frame: &Frame, me: NodeId, power: f64) {
        if let Some(rates) = &mut self.rates {
            rates.heard(frame, me, power);
        }
    }

    fn counters(&self) -> Option<Counters> {
        let counters = self.exchange.counters;
        Some(match &self.rates {
            Some(rates) => Counters { by_mode: rates.by_mode(), ..counters },
            None => counters,
        })
    }

    fn busy_time(&self, now: SimTime) -> Dur {
        self.exchange.access.medium.busy_time(now)
    }

    fn each_peer(&self, tell: &mut dyn FnMut(Peer, PeerCounters)) {
        if let Some(aggregation) = &self.aggregation {
            aggregation.each_peer(tell);
        }
    }

    fn each_rate(&self, tell: &mut dyn FnMut(TxVector, u64)) {
        match &self.rates {
            Some(rates) => rates.each_rate(tell),
            None if self.aggregation.is_none() => {
                let only = self.exchange.times.only_vector();
                only.into_iter().for_each(|tx| tell(tx, self.exchange.counters.data));
            }
            None => {}
        }
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.tell_counters(tell);
    }
}
