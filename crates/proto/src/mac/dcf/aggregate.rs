//! Frames of several MPDUs: what the exchange asks and tells [`Aggregation`] (IEEE 802.11-2020 §10.23.2, §10.25).
//!
//! ```text
//!   packets of a neighbour join its window while the station contends; the frame is settled when it may send
//!
//!   contend ──(RTS, CTS)── A-MPDU ──SIFS── block ack: what it acknowledges is done, the rest goes again
//!                             └─ none came: all go again, or a block ack request asks for it
//! ```
//!
//! The contention window widens when no answer came, and narrows at any block ack. No count of failures ends the
//! attempts for a frame: MPDUs are given up one by one.

use super::job::Job;
use super::machine::Dcf;
use super::sequence::Sequence;
use super::{Answer, Others};
use crate::contract::{Cause, Cx, Held, Offer, Outcome, Sink, Supply, drop_packet};
use crate::mac::aggregate::{Aggregation, Departing, Fates, Peer, Pending, UnderWay};
use crate::mac::{Action, Timer};
use crate::phy::TxVector;
use crate::units::{Bytes, NodeId, SimTime};
use crate::wire::{BatchId, DropReason, Frame, FrameKind};

/// A block ack request, compressed (§9.3.1.7).
pub(super) const REQUEST: Bytes = Bytes(24);

impl<O: Others> Dcf<O> {
    /// How the next packet is given that may join what is contended for, if one may.
    #[cold]
    #[inline(never)]
    pub(in crate::mac) fn may_take(&self, aggregation: &Aggregation, job: Option<Job>) -> Option<Supply> {
        job.map_or(Some(Supply::Next), |job| {
            aggregation.supply(job.peer(), self.exchange.times.vector(job.to))
        })
    }

    /// A packet joins the window of its neighbour.
    #[cold]
    #[inline(never)]
    pub(super) fn join<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, offer: Offer, out: &mut S) {
        self.take_in(cx, offer);
        if self.exchange.sequence().is_own() {
            return;
        }
        let priority = cx.packets[offer.packet].priority;
        match self.job {
            // It goes behind what waits there already, and so that neighbour has waited longest as before.
            Some(job) if job.peer() == (Peer { node: offer.to, priority }) => {
                self.job = Some(Job::to(job.peer(), self.exchange.times.vector(offer.to)));
            }
            _ => self.contend_anew(cx.now, out),
        }
    }

    /// A packet is in the MAC's hands.
    pub(in crate::mac) fn take_in(&mut self, cx: &Cx<'_>, offer: Offer) {
        let (size, tx) =
            (self.exchange.times.mpdu_to(offer.size, offer.to), self.exchange.times.vector(offer.to));
        let Some(aggregation) = &mut self.aggregation else { return };
        let packet = &cx.packets[offer.packet];
        let to = Peer { node: offer.to, priority: packet.priority };
        aggregation.take(to, tx, offer.packet, size, packet.enqueued);
    }

    /// A packet has joined: it may be the one that has waited longest.
    pub(in crate::mac) fn contend_anew<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        let contends = self.job.is_some();
        self.choose();
        if !contends {
            self.exchange.contend(now, &mut self.retry, out);
        }
    }

    /// Contends for the neighbour whose packets have waited longest, if there is one.
    pub(in crate::mac) fn choose(&mut self) {
        let category = self.exchange.access.others.on_turn();
        let next = self.aggregation.as_ref().and_then(|it| it.next(category));
        self.job = next.map(|to| Job::to(to, self.exchange.times.vector(to.node)));
    }

    /// Sends what was settled.
    pub(super) fn transmit_settled<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        job: Job,
        out: &mut S,
    ) {
        match self.aggregation.as_ref().map(|it| it.turn.under_way()) {
            Some(UnderWay::Request) => self.transmit_request(cx.now, job, out),
            _ => self.transmit_mpdus(cx, job, out),
        }
    }

    #[cold]
    #[inline(never)]
    fn transmit_mpdus<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, job: Job, out: &mut S) {
        let category = self.exchange.access.others.on_turn();
        let answer = *self.exchange.times.answer(job.tx);
        let Some(aggregation) = &mut self.aggregation else { return };
        let UnderWay::Frame(load) = aggregation.turn.under_way() else { return };
        let departing = aggregation.depart(job.peer(), job.tx, load.count);
        let Departing { mpdus, packed } = &departing;
        let Some(&first) = mpdus.first() else { return };
        let (count, several) = (mpdus.len(), mpdus.len() > 1 || !packed.is_empty());
        let batch = if several { cx.packets.batch(mpdus, packed) } else { BatchId::NONE };
        aggregation.reuse(departing);
        if let Some(rates) = &mut self.rates
            && job.to != NodeId::BROADCAST
        {
            rates.sent(job.peer(), count);
        }
        let now = cx.now;
        let beyond_ack = answer.beyond_ack(aggregation.turn.wants_block_ack());
        let own = answer.after_data + beyond_ack;
        let reserved = aggregation.turn.reservation(category, now + job.airtime, own);
        let answer = (self.exchange.times.timeout(&answer, beyond_ack), reserved);
        let duration = self.exchange.begin_data(now, job, answer, out);
        let control =
            self.exchange.control(FrameKind::Data, job.to, job.mpdu, duration, (job.tx, job.airtime));
        let priority = job.priority;
        let (packet, sequence, retry) = (first.packet, first.number, first.retry);
        self.exchange.transmit(now, Frame { packet, batch, priority, sequence, retry, ..control }, out);
    }

    /// Asks for a block ack, or tells where the window begins.
    fn transmit_request<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, job: Job, out: &mut S) {
        let to = job.peer();
        let category = self.exchange.access.others.on_turn();
        let answer = *self.exchange.times.answer(job.tx);
        let Some(aggregation) = &mut self.aggregation else { return };
        let beyond_ack = answer.beyond_ack(aggregation.turn.wants_block_ack());
        let sequence = aggregation.request(to);
        let airtime = job.airtime;
        let timeout = self.exchange.times.timeout(&answer, beyond_ack);
        self.exchange.enter(now, Sequence::AwaitAck, now + airtime + timeout, true, out);
        let own = answer.after_data + beyond_ack;
        let duration = aggregation.turn.reservation(category, now + airtime, own);
        let request = self.exchange.control(
            FrameKind::BlockAckRequest,
            to.node,
            REQUEST,
            duration,
            (answer.tx, airtime),
        );
        self.exchange.transmit(now, Frame { sequence, priority: to.priority, ..request }, out);
    }

    /// The block ack for the frame under way, or for a request, has arrived.
    #[cold]
    #[inline(never)]
    pub(super) fn on_block_ack<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        frame: &Frame,
        out: &mut S,
    ) {
        let (Sequence::AwaitAck, Some(job), Some(aggregation)) =
            (self.exchange.sequence(), self.job, &mut self.aggregation)
        else {
            return;
        };
        if job.peer() != (Peer { node: frame.from, priority: frame.priority }) {
            return;
        }
        let fates = aggregation.acknowledged(job.peer(), frame.sequence, cx.packets.map(frame.batch), cx.now);
        if let Some(rates) = &mut self.rates {
            rates.report(cx.now, job.peer(), fates.done.len());
        }
        out.put(Action::Arm(Timer::Sequence, SimTime::MAX));
        self.retry.delivered();
        self.go_on(cx.now, &fates, (Cause::DataLimit, true), out);
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.reuse_fates(fates);
        }
    }

    /// The one MPDU under way is acknowledged, or was sent to all.
    #[cold]
    #[inline(never)]
    pub(super) fn finish_single<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, job: Job, out: &mut S) {
        let Some(aggregation) = &mut self.aggregation else { return };
        let UnderWay::Frame(load) = aggregation.turn.under_way() else { return };
        if load.count != 1 {
            return; // an ACK answers no A-MPDU
        }
        let done = aggregation.originator(job.peer()).take_first().into_iter().collect();
        if let Some(rates) = &mut self.rates {
            rates.report(now, job.peer(), 1);
        }
        out.put(Action::Arm(Timer::Sequence, SimTime::MAX));
        self.retry.delivered();
        self.go_on(now, &Fates { done, lost: Vec::new() }, (Cause::DataLimit, true), out);
    }

    /// No answer came: to the frame or a request, or (`Cause::RtsLimit`) to the RTS before it. The retry limit, whose
    /// last attempt that may have been, ends nothing under a block ack agreement.
    #[cold]
    #[inline(never)]
    pub(super) fn attempt_failed<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        job: Job,
        (cause, last): (Cause, bool),
        out: &mut S,
    ) {
        let most_requests = self.exchange.config().short_retry_limit;
        let Some(aggregation) = &mut self.aggregation else { return };
        let fates = aggregation.missed(job.peer(), (cause == Cause::DataLimit, last), most_requests, now);
        if cause == Cause::DataLimit
            && !aggregation.asks(job.peer())
            && let Some(rates) = &mut self.rates
        {
            rates.report(now, job.peer(), 0);
        }
        let lost = Fates::packets(&fates.lost) as u64;
        match cause {
            Cause::RtsLimit => self.exchange.counters.given_up_rts += lost,
            Cause::DataLimit => self.exchange.counters.given_up_data += lost,
        }
        self.go_on(now, &fates, (cause, false), out);
    }

    /// An exchange is over: the next frame of a transmit opportunity if this one got through, or a back-off; and the
    /// next neighbour. What has come to its end is told.
    fn go_on<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        fates: &Fates,
        (cause, through): (Cause, bool),
        out: &mut S,
    ) {
        let category = self.exchange.access.others.on_turn();
        if let Some(aggregation) = &mut self.aggregation {
            if let Some(job) = self.job {
                aggregation.note_fates(job.peer(), now, fates);
            }
            aggregation.open(category);
            if O::SEVERAL {
                aggregation.by_category.note(category, fates);
            }
        }
        let next = if through { self.next_job(now) } else { None };
        if next.is_some() {
            self.job = next;
            self.exchange.enter_for_sifs(now, Sequence::NextDue, true, out);
        } else if through && self.gives_back(now) {
            self.exchange.enter_for_sifs(now, Sequence::EndDue, self.job.is_some(), out);
        } else {
            let slots = self.retry.draw();
            self.exchange.access.back_off(now, slots);
            self.choose();
            self.exchange.free(now, self.job.is_some(), out);
        }
        fates.tell_done(out);
        fates.tell_lost(cause, out);
    }

    /// MPDUs for this station, whose answer is due. Returns whether they went up, each in its turn.
    #[cold]
    #[inline(never)]
    pub(super) fn accept<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        frame: &Frame,
        out: &mut S,
    ) -> bool {
        let early = self.aggregation.as_mut().and_then(|it| it.accept(cx, frame, out));
        if early == Some(true) {
            self.exchange.access.medium.came_before_the_end(cx.now);
        }
        early.is_some()
    }

    /// The release timer ends.
    #[cold]
    pub(super) fn on_release<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.recipients.release(now, out);
        }
    }

    /// A neighbour asks for a block ack.
    #[cold]
    #[inline(never)]
    pub(super) fn on_request<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        frame: &Frame,
        out: &mut S,
    ) {
        self.make_way(cx, out);
        let free = matches!(self.exchange.sequence(), Sequence::Idle | Sequence::AwaitData);
        let Some(aggregation) = self.aggregation.as_mut().filter(|_| free) else { return };
        let from = Peer { node: frame.from, priority: frame.priority };
        let answer = Sequence::BlockAckDue { to: from, data: frame.tx };
        self.exchange.enter_for_sifs(cx.now, answer, self.job.is_some(), out);
        aggregation.accept_request(cx.now, frame, out);
    }

    /// The block ack goes out whatever the medium does.
    #[cold]
    #[inline(never)]
    pub(super) fn transmit_block_ack<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        to: Peer,
        data: TxVector,
        out: &mut S,
    ) {
        let Answer { tx, block_ack: airtime, .. } = *self.exchange.times.answer(data);
        let Some(aggregation) = &mut self.aggregation else { return };
        let (sequence, map) = aggregation.recipients.answer(to);
        let size = aggregation.block_ack();
        let now = cx.now;
        let duration =
            aggregation.recipients.reserved().saturating_sub(self.exchange.config().sifs + airtime);
        let batch = cx.packets.block_ack(map);
        let control = self.exchange.control(FrameKind::BlockAck, to.node, size, duration, (tx, airtime));
        let block_ack = Frame { sequence, batch, priority: to.priority, ..control };
        self.exchange.end_with(now, block_ack, self.job.is_some(), out);
    }

    /// The station goes down: the queue has back what it gave, and what waited to go up is lost.
    #[cold]
    pub(super) fn end_aggregation<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        let Some(aggregation) = &mut self.aggregation else { return };
        let (waiting, kept) = aggregation.restart();
        self.job = None;
        for copy in kept {
            out.put(Action::Dropped(drop_packet(cx, copy, DropReason::NodeDown)));
        }
        for msdu in waiting.iter().flat_map(Pending::msdus) {
            out.put(Action::Outcome(msdu.packet, Outcome::Held(Held::NoRoute)));
        }
    }
}
