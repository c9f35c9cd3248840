//! The initiating side of the DCF: RTS, data, what follows a response or its absence (IEEE 802.11-2020 §10.3.2.8,
//! §10.3.3, §10.3.4.3).

use super::Others;
use super::job::Job;
use super::machine::Dcf;
use super::sequence::Sequence;
use crate::contract::{Cause, Cx, Outcome, Sink};
use crate::mac::config::ImmediateAccess;
use crate::mac::{Action, Timer};
use crate::units::{Dur, SimTime};

impl<O: Others> Dcf<O> {
    /// The next step of an exchange that this station has begun.
    pub(super) fn own_step<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, job: Job, out: &mut S) {
        let now = cx.now;
        match self.exchange.sequence() {
            Sequence::DataDue
                if self.exchange.config().data_needs_idle && !self.exchange.access.medium.is_idle(now) =>
            {
                self.retry.widen();
                self.try_again(now, out);
            }
            Sequence::DataDue if self.aggregation.is_some() => self.transmit_settled(cx, job, out),
            Sequence::DataDue => self.transmit_data(now, job, out),
            Sequence::NextDue => self.next_frame(cx, job, out),
            Sequence::AwaitCts | Sequence::AwaitAck if self.exchange.may_still_come(now) => {
                out.put(Action::Arm(Timer::Sequence, self.exchange.receiving_until()));
            }
            Sequence::AwaitCts => {
                self.exchange.counters.rts_failures += 1;
                let verdict = self.retry.rts_failed();
                if self.aggregation.is_some() {
                    return self.attempt_failed(now, job, (Cause::RtsLimit, verdict.is_some()), out);
                }
                self.failed(now, job, verdict, out);
            }
            Sequence::AwaitAck => {
                self.exchange.counters.ack_failures += 1;
                self.exchange.counters.long_failures += u64::from(job.long);
                let verdict = self.retry.data_failed(job.long);
                if self.aggregation.is_some() {
                    return self.attempt_failed(now, job, (Cause::DataLimit, verdict.is_some()), out);
                }
                let mut job = Job { retry: true, ..job };
                if let Some(rates) = &mut self.rates
                    && let Some(tx) = rates.failed(now, job.to, verdict.is_none())
                {
                    job.send_with(tx);
                }
                self.failed(now, job, verdict, out);
            }
            Sequence::Broadcasting if self.aggregation.is_some() => self.finish_single(now, job, out),
            Sequence::Broadcasting => self.finish(now, job, out),
            _ => {}
        }
    }

    /// The CTS for our RTS has arrived. `more`: it is flagged.
    pub(super) fn on_cts<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, more: bool, out: &mut S) {
        if self.exchange.sequence() == Sequence::AwaitCts {
            if let Some(flow) = &mut self.flow
                && let Some(job) = self.job
                && flow.is_held_back(&mut self.exchange, now, (job, more), out)
            {
                self.job = None;
                return;
            }
            self.retry.cts_received();
            self.exchange.enter_for_sifs(now, Sequence::DataDue, self.job.is_some(), out);
        }
    }

    /// The Ack for our data has arrived.
    #[inline(never)]
    pub(super) fn on_ack<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        if let (Sequence::AwaitAck, Some(job)) = (self.exchange.sequence(), self.job) {
            if self.aggregation.is_some() {
                return self.finish_single(now, job, out);
            }
            if let Some(rates) = &mut self.rates {
                rates.acknowledged(now, job.to);
            }
            out.put(Action::Arm(Timer::Sequence, SimTime::MAX));
            self.finish(now, job, out);
        }
    }

    /// The frame got through: post-back-off, and the next one may come.
    fn finish<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, job: Job, out: &mut S) {
        self.retry.delivered();
        self.job = None;
        if self.exchange.config().post_backoff {
            let mut slots = self.retry.draw();
            if let Some(pacing) = &mut self.pacing {
                slots += pacing.delivered(&job, &self.exchange.times);
            }
            self.exchange.access.back_off(now, slots);
        }
        self.exchange.free(now, false, out);
        out.put(Action::Outcome(job.packet, Outcome::Delivered { rts: job.rts, attempts: job.attempts }));
    }

    fn failed<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        job: Job,
        verdict: Option<Cause>,
        out: &mut S,
    ) {
        let Some(cause) = verdict else {
            self.job = Some(job);
            return self.try_again(now, out);
        };
        match cause {
            Cause::RtsLimit => self.exchange.counters.given_up_rts += 1,
            Cause::DataLimit => self.exchange.counters.given_up_data += 1,
        }
        self.job = None;
        if let Some(pacing) = &mut self.pacing {
            pacing.gave_up(&job);
        }
        if self.exchange.config().post_backoff
            && self.exchange.config().immediate_access != ImmediateAccess::Never
        {
            // Where every frame draws anyway (ns-2), the next one does.
            let slots = self.retry.draw();
            self.exchange.access.back_off(now, slots);
        }
        self.exchange.free(now, false, out);
        out.put(Action::Outcome(job.packet, Outcome::GaveUp { cause, rts: job.rts, attempts: job.attempts }));
    }

    fn try_again<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        let slots = self.retry.draw();
        self.exchange.access.back_off(now, slots);
        self.exchange.free(now, self.job.is_some(), out);
    }

    /// Announces a frame of one MPDU.
    #[inline(always)]
    pub(super) fn transmit_plain_rts<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        job: Job,
        out: &mut S,
    ) {
        let duration = self.exchange.times.answer(job.tx).around_data + job.airtime;
        self.transmit_rts(now, job, duration, out);
    }

    /// An RTS that reserves the medium for so long after its end.
    #[inline(always)]
    pub(super) fn transmit_rts<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        job: Job,
        duration: Dur,
        out: &mut S,
    ) {
        if let Some(job) = &mut self.job {
            job.rts += 1;
        }
        let more = self.flow.as_mut().is_some_and(|flow| flow.forces(job.to));
        self.exchange.transmit_rts(now, (job.to, more), duration, out);
    }

    pub(super) fn transmit_data<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, job: Job, out: &mut S) {
        if let Some(job) = &mut self.job {
            job.attempts += 1;
        }
        self.exchange.transmit_data(now, job, out);
    }
}
