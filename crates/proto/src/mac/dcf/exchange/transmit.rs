//! What a station sends: the frames of an exchange (IEEE 802.11-2020 §9.3.1, §10.3.2).

use super::Exchange;
use crate::contract::Sink;
use crate::mac::Action;
use crate::mac::dcf::job::Job;
use crate::mac::dcf::sequence::Sequence;
use crate::mac::dcf::{Answer, Others, times};
use crate::phy::TxVector;
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{BatchId, Frame, FrameKind, PacketId, UserPriority};

impl<O: Others> Exchange<O> {
    /// Sends a frame.
    #[inline(always)]
    pub(in crate::mac::dcf) fn transmit<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        frame: Frame,
        out: &mut S,
    ) {
        self.counters.airtime += frame.airtime;
        self.access.deafened(now, now + frame.airtime);
        out.put(Action::Transmit(frame));
    }

    /// Sends the last frame of an exchange. Nothing can reach the station while it sends: the exchange needs no timer
    /// for its end.
    #[inline(always)]
    pub(in crate::mac::dcf) fn end_with<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        frame: Frame,
        waits: bool,
        out: &mut S,
    ) {
        self.sequence = Sequence::Idle;
        self.access.release_at(now, now + frame.airtime);
        self.transmit(now, frame, out);
        self.rearm(waits, out);
    }

    /// A frame that carries no packet.
    pub(in crate::mac::dcf) const fn control(
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

    /// An RTS that reserves the medium for so long after its end; `more`: it must be answered.
    #[inline(always)]
    pub(in crate::mac::dcf) fn transmit_rts<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        (to, more): (NodeId, bool),
        duration: Dur,
        out: &mut S,
    ) {
        self.counters.rts += 1;
        let sent = (self.times.basic, self.times.rts);
        self.enter(now, Sequence::AwaitCts, now + self.times.await_cts, true, out);
        let rts = self.control(FrameKind::Rts, to, times::RTS, duration, sent);
        self.transmit(now, Frame { more, ..rts }, out);
    }

    /// Answers an RTS that reserves the medium for so long.
    #[inline(always)]
    pub(in crate::mac::dcf) fn transmit_cts<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        (to, rts): (NodeId, Dur),
        waits: bool,
        out: &mut S,
    ) {
        self.counters.cts += 1;
        let sent = (self.times.basic, self.times.cts);
        let duration = rts.saturating_sub(self.times.until_cts_ends);
        let data = duration.saturating_sub(self.times.after_fastest());
        self.enter(now, Sequence::AwaitData, now + (self.times.await_data + data), waits, out);
        self.transmit(now, self.control(FrameKind::Cts, to, times::CTS, duration, sent), out);
    }

    /// Answers an RTS with a CTS that is flagged: nothing follows it.
    pub(in crate::mac::dcf) fn transmit_flagged<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        to: NodeId,
        waits: bool,
        out: &mut S,
    ) {
        self.counters.cts += 1;
        let sent = (self.times.basic, self.times.cts);
        let cts = self.control(FrameKind::Cts, to, times::CTS, Dur::ZERO, sent);
        self.end_with(now, Frame { more: true, ..cts }, waits, out);
    }

    /// A data frame begins: it is for all, or an answer is awaited, for so long after its end. The answer reserves the
    /// medium for so long. Returns for how long the frame reserves it.
    #[inline(always)]
    pub(in crate::mac::dcf) fn begin_data<S: Sink<Action> + ?Sized>(
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
            self.enter(now, Sequence::Broadcasting, end, true, out);
            return Dur::ZERO;
        }
        self.counters.data += 1;
        self.enter(now, Sequence::AwaitAck, end + timeout, true, out);
        reserved
    }

    /// A data frame of one MPDU.
    #[inline(always)]
    pub(in crate::mac::dcf) fn transmit_data<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        job: Job,
        out: &mut S,
    ) {
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

    /// The Ack goes out whatever the medium does (§10.3.2.9); `reserved`: by the frame that it answers, if what is left
    /// of that goes on.
    pub(in crate::mac::dcf) fn transmit_ack<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        (to, data): (NodeId, TxVector),
        reserved: Option<Dur>,
        waits: bool,
        out: &mut S,
    ) {
        self.counters.ack += 1;
        let &Answer { tx, ack, .. } = self.times.answer(data);
        let duration = reserved.map_or(Dur::ZERO, |it| it.saturating_sub(self.config().sifs + ack));
        let ack = self.control(FrameKind::Ack, to, times::ACK, duration, (tx, ack));
        self.end_with(now, ack, waits, out);
    }
}
