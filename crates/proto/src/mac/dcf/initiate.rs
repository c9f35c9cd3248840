//! The initiating side of the DCF: RTS, data, what follows a response or its absence (IEEE 802.11-2020 §10.3.2.8,
//! §10.3.3, §10.3.4.3).

use super::Others;
use super::machine::{Dcf, Job, Sequence};
use super::times;
use crate::contract::{Cause, Cx, Outcome, Sink};
use crate::mac::config::{ImmediateAccess, ResponseTimeout};
use crate::mac::{Action, Timer};
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{BatchId, Frame, FrameKind, PacketId, UserPriority};

impl<O: Others> Dcf<O> {
    /// The next step of an exchange that this station has begun.
    pub(super) fn own_step<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, job: Job, out: &mut S) {
        let now = cx.now;
        match self.sequence {
            Sequence::DataDue if self.config.data_needs_idle && !self.access.medium.is_idle(now) => {
                self.retry.widen();
                self.try_again(now, out);
            }
            Sequence::DataDue if self.aggregation.is_some() => self.transmit_settled(cx, job, out),
            Sequence::DataDue => self.transmit_data(now, job, out),
            Sequence::NextDue => self.next_frame(cx, job, out),
            Sequence::AwaitCts | Sequence::AwaitAck if self.may_still_come(now) => {
                out.put(Action::Arm(Timer::Sequence, self.receiving_until));
            }
            Sequence::AwaitCts => {
                self.counters.rts_failures += 1;
                let verdict = self.retry.rts_failed();
                if self.aggregation.is_some() {
                    return self.attempt_failed(now, job, (Cause::RtsLimit, verdict.is_some()), out);
                }
                self.failed(now, job, verdict, out);
            }
            Sequence::AwaitAck => {
                self.counters.ack_failures += 1;
                self.counters.long_failures += u64::from(job.long);
                let verdict = self.retry.data_failed(job.long);
                if self.aggregation.is_some() {
                    return self.attempt_failed(now, job, (Cause::DataLimit, verdict.is_some()), out);
                }
                let mut job = Job { retry: true, ..job };
                if self.rates.is_some() {
                    self.fall_back(now, &mut job, verdict.is_none());
                }
                self.failed(now, job, verdict, out);
            }
            Sequence::Broadcasting if self.aggregation.is_some() => self.finish_single(now, job, out),
            Sequence::Broadcasting => self.finish(now, job, out),
            Sequence::Idle
            | Sequence::CtsDue { .. }
            | Sequence::AckDue { .. }
            | Sequence::BlockAckDue { .. }
            | Sequence::AwaitData
            | Sequence::AwaitForced
            | Sequence::EndDue
            | Sequence::Dozing => {}
        }
    }

    /// Whether the frame that is being received may be the response that is due.
    fn may_still_come(&self, now: SimTime) -> bool {
        self.config.response_timeout == ResponseTimeout::Start && self.receiving_until > now
    }

    /// The CTS for our RTS has arrived. `more`: it is flagged.
    pub(super) fn on_cts<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, more: bool, out: &mut S) {
        if self.sequence == Sequence::AwaitCts {
            if self.flow.is_some() && self.is_held_back(now, more, out) {
                return;
            }
            self.retry.cts_received();
            self.enter(now, Sequence::DataDue, now + self.config.sifs, out);
        }
    }

    /// The Ack for our data has arrived.
    #[inline(never)]
    pub(super) fn on_ack<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        if let (Sequence::AwaitAck, Some(job)) = (self.sequence, self.job) {
            if self.aggregation.is_some() {
                return self.finish_single(now, job, out);
            }
            if self.rates.is_some() {
                self.note_ack(now, job);
            }
            out.put(Action::Arm(Timer::Sequence, SimTime::MAX));
            self.finish(now, job, out);
        }
    }

    /// The frame got through: post-back-off, and the next one may come.
    fn finish<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, job: Job, out: &mut S) {
        self.retry.delivered();
        self.job = None;
        if self.config.post_backoff {
            let mut slots = self.retry.draw();
            if self.pacing.is_some() {
                slots += self.pace(job);
            }
            self.access.back_off(now, slots);
        }
        self.free(now, out);
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
            Cause::RtsLimit => self.counters.given_up_rts += 1,
            Cause::DataLimit => self.counters.given_up_data += 1,
        }
        self.job = None;
        if self.pacing.is_some() {
            self.note_give_up(job);
        }
        if self.config.post_backoff && self.config.immediate_access != ImmediateAccess::Never {
            // Where every frame draws anyway (ns-2), the next one does.
            let slots = self.retry.draw();
            self.access.back_off(now, slots);
        }
        self.free(now, out);
        out.put(Action::Outcome(job.packet, Outcome::GaveUp { cause, rts: job.rts, attempts: job.attempts }));
    }

    fn try_again<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        let slots = self.retry.draw();
        self.access.back_off(now, slots);
        self.free(now, out);
    }

    /// Announces a frame of one MPDU.
    #[inline(always)]
    pub(super) fn transmit_plain_rts<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        job: Job,
        out: &mut S,
    ) {
        let duration = self.times.answer(job.tx).around_data + job.airtime;
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
        self.counters.rts += 1;
        let sent = (self.times.basic, self.times.rts);
        if let Some(job) = &mut self.job {
            job.rts += 1;
        }
        self.enter(now, Sequence::AwaitCts, now + self.times.await_cts, out);
        let more = self.flow.is_some() && self.forces(job.to);
        let rts = self.control(FrameKind::Rts, job.to, times::RTS, duration, sent);
        self.transmit(now, Frame { more, ..rts }, out);
    }

    /// A data frame begins: it is for all, or an answer is awaited, for so long after its end. The answer reserves the
    /// medium for so long. Returns for how long the frame reserves it.
    #[inline(always)]
    pub(super) fn begin_data<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        job: Job,
        (timeout, reserved): (Dur, Dur),
        out: &mut S,
    ) -> Dur {
        self.counters.data_bits += job.mpdu.bits();
        let end = now + job.airtime;
        if job.to == NodeId::BROADCAST {
            self.counters.broadcast += 1;
            self.enter(now, Sequence::Broadcasting, end, out);
            return Dur::ZERO;
        }
        self.counters.data += 1;
        self.enter(now, Sequence::AwaitAck, end + timeout, out);
        reserved
    }

    /// A frame that carries no packet.
    pub(super) const fn control(
        &self,
        kind: FrameKind,
        to: NodeId,
        size: Bytes,
        duration: Dur,
        (tx, airtime): (TxVector, Dur),
    ) -> Frame {
        Frame {
            kind,
            retry: false,
            more: false,
            sequence: 0,
            from: self.me,
            to,
            packet: PacketId::NONE,
            second: None,
            batch: BatchId::NONE,
            priority: UserPriority::BEST_EFFORT,
            size,
            duration,
            tx,
            airtime,
        }
    }

    pub(super) fn transmit_data<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, job: Job, out: &mut S) {
        if let Some(job) = &mut self.job {
            job.attempts += 1;
        }
        let answer = self.times.answer(job.tx);
        let answer = (answer.timeout, answer.after_data);
        let duration = self.begin_data(now, job, answer, out);
        let frame = Frame {
            kind: FrameKind::Data,
            retry: job.retry,
            more: false,
            sequence: job.number,
            from: self.me,
            to: job.to,
            packet: job.packet,
            second: None,
            batch: BatchId::NONE,
            priority: UserPriority::BEST_EFFORT,
            size: job.mpdu,
            duration,
            tx: job.tx,
            airtime: job.airtime,
        };
        self.transmit(now, frame, out);
    }
}
