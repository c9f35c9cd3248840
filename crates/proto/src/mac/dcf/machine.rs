//! The DCF exchange: RTS, CTS, data, Ack (IEEE 802.11-2020 §10.3.2, §10.3.4).
//!
//! Clauses: §10.3.2.4 (virtual carrier sense), §10.3.2.9 (Ack procedure), §10.3.2.7/8 (RTS, CTS), §10.3.3 (retry),
//! §10.3.4.3 (back-off), §10.3.6 (RTS threshold), §10.3.7 (broadcast).
//!
//! Deviation: with `data-needs-idle`, data after a CTS goes out only on an idle medium (ns-2).
//! Not modelled: fragmentation, PCF, power save. Of several access categories one is on turn here: `mac/edca`.

use super::exchange::Exchange;
use super::flow_control::FlowControl;
use super::job::Job;
use super::nav_doze::{NavDoze, wake};
use super::pacing::Pacing;
use super::protection::Protection;
use super::respond::{Answering, overheard_matters};
use super::sequence::Sequence;
use super::{Alone, Others, Retry};
use crate::contract::{Cx, Held, Offer, Outcome, Sink};
use crate::mac::Action;
use crate::mac::aggregate::{Aggregation, Rules};
use crate::mac::config::DcfConfig;
use crate::mac::rate::RateControl;
use crate::units::{NodeId, Rng};
use crate::wire::UserPriority;

/// One station's coordination function. What signals and overheard frames touch comes first.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Dcf<O = Alone> {
    pub(in crate::mac) exchange: Exchange<O>,
    next_number: u16,
    pub(super) up: bool,
    /// Whether what is sent, or what goes before it, is settled when the medium is won.
    careful: bool,
    pub(in crate::mac) job: Option<Job>,
    pub(super) answering: Answering,
    pub(in crate::mac) retry: Retry,
    pub(super) pacing: Option<Box<Pacing>>,
    pub(super) flow: Option<Box<FlowControl>>,
    pub(super) nav_doze: Option<Box<NavDoze>>,
    /// Where frames carry several MPDUs.
    pub(in crate::mac) aggregation: Option<Box<Aggregation>>,
    /// Where something goes before frames that not all stations understand.
    pub(super) protection: Option<Box<Protection>>,
    /// Where the rate of data frames is not fixed.
    pub(super) rates: Option<Box<RateControl>>,
}

impl Dcf {
    /// A station `me` that draws its back-offs from `rng`.
    #[must_use]
    pub fn new(config: DcfConfig, me: NodeId, rng: Rng) -> Self {
        let rules = Rules::without_categories(&config.aggregation);
        Self::beside(Alone, rules, config, me, rng)
    }
}

impl<O: Others> Dcf<O> {
    /// A station with other contenders, whose frames follow `rules`.
    pub(in crate::mac) fn beside(
        others: O,
        rules: Rules,
        config: DcfConfig,
        me: NodeId,
        mut rng: Rng,
    ) -> Self {
        let rates = RateControl::new(&config, || rng.split());
        let aggregation = Aggregation::new(&config.aggregation, rules);
        let protection = Protection::new(&config);
        Self {
            careful: aggregation.is_some() || protection.is_some(),
            protection,
            answering: Answering::default(),
            job: None,
            retry: Retry::new(&config, rng),
            pacing: Pacing::new(&config.pacing),
            flow: FlowControl::new(&config.flow_control),
            nav_doze: NavDoze::new(config.nav_doze),
            aggregation,
            rates,
            next_number: 0,
            up: true,
            exchange: Exchange::new(&config, overheard_matters(&config), me, others),
        }
    }

    /// Whether the station is switched on.
    pub(in crate::mac) const fn is_up(&self) -> bool {
        self.up
    }

    /// Present contention window in slots.
    #[must_use]
    pub const fn window(&self) -> u32 {
        self.retry.window()
    }

    pub(super) fn send<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, offer: Offer, out: &mut S) {
        if self.aggregation.is_some() {
            return self.join(cx, offer, out);
        }
        debug_assert!(self.job.is_none() && offer.second.is_none(), "one frame of one part at a time");
        let broadcast = offer.to == NodeId::BROADCAST;
        let mpdu = self.exchange.times.mpdu(offer.size);
        // A frame that was given up and kept is offered under its old number, with the retry bit, so that a
        // receiver that had got it (only the Ack was lost) filters it.
        cx.packets[offer.packet].forced = false; // that was the hop before
        let sequence = &mut cx.packets.stay_mut(offer.packet).mac_sequence;
        let kept = *sequence;
        let number = if kept == 0 {
            self.next_number = (self.next_number + 1) & 0xfff;
            *sequence = self.next_number + 1;
            self.next_number
        } else {
            kept - 1
        };
        let tx = if self.rates.is_some() {
            self.chosen(cx.now, offer.to)
        } else {
            self.exchange.times.vector(offer.to)
        };
        self.job = Some(Job {
            packet: offer.packet,
            to: offer.to,
            priority: UserPriority::BEST_EFFORT,
            mpdu,
            tx,
            airtime: tx.airtime(mpdu),
            number,
            long: !broadcast && mpdu > self.exchange.config().rts_threshold,
            retry: kept != 0,
            rts: 0,
            attempts: 0,
        });
        self.exchange.contend(cx.now, &mut self.retry, out);
    }

    /// The back-off may have ended: deadlines that moved later are found out here.
    #[inline]
    pub(in crate::mac) fn on_access<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let now = cx.now;
        if !self.exchange.is_won(now, self.job.is_some(), out) {
            return;
        }
        if let Some(job) = self.job {
            if self.exchange.access.is_interrupted() {
                return self.exchange.draw_after_all(&mut self.retry, out);
            }
            self.exchange.access.back_off.expire();
            if self.careful {
                return self.begin_carefully(cx, job, out);
            }
            if job.long { self.transmit_plain_rts(now, job, out) } else { self.transmit_data(now, job, out) }
        }
    }

    /// The next step of the exchange is due, or the response is missing.
    pub(super) fn on_sequence<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let now = cx.now;
        match self.exchange.sequence() {
            Sequence::CtsDue { to, duration, .. } => {
                let waits = self.job.is_some();
                self.answering.transmit_cts(&mut self.exchange, now, (to, duration), waits, out);
            }
            Sequence::AckDue { to, data } => {
                let reserved = self.aggregation.as_ref().map(|it| it.recipients.reserved());
                self.exchange.transmit_ack(now, (to, data), reserved, self.job.is_some(), out);
            }
            Sequence::BlockAckDue { to, data } => self.transmit_block_ack(cx, to, data, out),
            Sequence::AwaitData | Sequence::AwaitForced => self.exchange.free(now, self.job.is_some(), out),
            Sequence::Idle => {}
            Sequence::Dozing => wake(&mut self.exchange, now, self.job.is_some(), out),
            Sequence::EndDue => self.transmit_end(now, out),
            Sequence::DataDue
            | Sequence::NextDue
            | Sequence::AwaitCts
            | Sequence::AwaitAck
            | Sequence::Broadcasting => {
                if let Some(job) = self.job {
                    self.own_step(cx, job, out);
                }
            }
        }
    }

    /// Going down ends every exchange; the queue hears that its frame was not sent.
    pub(in crate::mac) fn power<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, up: bool, out: &mut S) {
        self.up = up;
        if !up {
            self.exchange.restart();
            self.retry.reset();
            if let Some(rates) = &mut self.rates {
                rates.forget();
            }
            if self.aggregation.is_some() {
                self.end_aggregation(cx, out);
            }
            if let Some(job) = self.job.take() {
                out.put(Action::Outcome(job.packet, Outcome::Held(Held::NoRoute)));
            }
        }
    }
}
