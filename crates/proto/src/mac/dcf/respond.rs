//! The answering side of the DCF: overheard reservations, CTS, Ack, delivery (IEEE 802.11-2020 §10.3.2.4,
//! §10.3.2.8, §10.3.2.9, §10.3.2.14).

use super::machine::{Dcf, Sequence};
use super::times;
use super::{Answer, Others};
use crate::contract::{Cx, Sink};
use crate::mac::Action;
use crate::mac::aggregate::Peer;
use crate::mac::config::{DcfConfig, FlowRule, FrameProtection};
use crate::phy::TxVector;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{BatchId, Frame, FrameKind};

impl<O: Others> Dcf<O> {
    /// A frame was received whole.
    #[inline(always)]
    pub(super) fn receive<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        if self.access.correct_frame(cx.now) {
            self.rearm(out);
        }
        if frame.to == self.me {
            self.receive_own(cx, frame, out);
        } else if frame.to == NodeId::BROADCAST {
            if frame.kind == FrameKind::CfEnd {
                return self.on_end(cx.now, out);
            }
            self.deliver(cx, frame, out);
        } else {
            self.overhear(cx.now, frame, out);
        }
    }

    /// A frame for this station.
    #[inline(always)]
    fn receive_own<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        match frame.kind {
            FrameKind::Rts => self.on_rts(cx, frame, out),
            FrameKind::Cts => self.on_cts(cx.now, frame.more, out),
            FrameKind::Data => self.on_data(cx, frame, out),
            FrameKind::Ack => self.on_ack(cx.now, out),
            FrameKind::BlockAck => self.on_block_ack(cx, frame, out),
            FrameKind::BlockAckRequest => self.on_request(cx, frame, out),
            FrameKind::CfEnd => {} // is to all
        }
    }

    /// A frame between others reserves the medium.
    fn overhear<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, frame: &Frame, out: &mut S) {
        let until = now + frame.duration;
        if self.overheard_matters[frame.kind as usize] {
            if self.nav_doze.is_some() && frame.kind != FrameKind::Data && self.doze_through(now, until, out)
            {
                return;
            }
            if frame.kind == FrameKind::Rts && self.config.nav_reset {
                return self.access.reserve_if_used(now, until, now + self.times.nav_timeout());
            }
            if frame.kind == FrameKind::Data {
                self.overhear_sender(now, frame.from, out);
            }
        }
        self.access.reserve(now, until);
    }

    /// Which overheard frames mean more than the time they reserve: an RTS whose data do not follow, data that make
    /// room in a queue that was full, an exchange that can be slept through.
    pub(super) fn overheard_matters(config: &DcfConfig) -> [bool; FrameKind::COUNT] {
        let mut overheard_matters = [false; FrameKind::COUNT];
        overheard_matters[FrameKind::Rts as usize] = config.nav_reset || config.nav_doze;
        // A CTS to its own sender may go before a frame for this station.
        let names_receiver = config.protection != FrameProtection::CtsToSelf;
        overheard_matters[FrameKind::Cts as usize] = config.nav_doze && names_receiver;
        overheard_matters[FrameKind::Data as usize] = config.flow_control.rule == FlowRule::FlaggedCts;
        overheard_matters
    }

    #[inline(never)]
    fn on_rts<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        self.make_way(cx, out);
        // After a CTS that was lost no data comes: a real station answers the next RTS, ns-2's waits in vain.
        let awaits = matches!(self.sequence, Sequence::AwaitData | Sequence::AwaitForced);
        let in_vain = awaits && self.config.respond_while_waiting;
        if self.sequence == Sequence::Idle || in_vain {
            let step = Sequence::CtsDue { to: frame.from, duration: frame.duration, forced: frame.more };
            self.enter(cx.now, step, cx.now + self.config.sifs, out);
        }
    }

    /// A data frame for this station: Ack, then delivery, unless it was delivered before.
    #[inline(never)]
    fn on_data<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        self.make_way(cx, out);
        let forced = match self.sequence {
            Sequence::Idle => false,
            Sequence::AwaitData | Sequence::AwaitForced => {
                self.retry.cts_answered();
                self.sequence == Sequence::AwaitForced
            }
            _ => return, // a half-duplex station in an exchange of its own; the sender will try again
        };
        let several = frame.batch != BatchId::NONE && cx.packets.mpdus(frame.batch).len() > 1;
        let to = frame.from;
        let answer = if several {
            Sequence::BlockAckDue { to: Peer { node: to, priority: frame.priority }, data: frame.tx }
        } else {
            Sequence::AckDue { to, data: frame.tx }
        };
        self.enter(cx.now, answer, cx.now + self.config.sifs, out);
        if self.aggregation.is_some() && self.accept(cx, frame, out) {
            return;
        }
        if self.filter.is_duplicate(frame.from, frame.sequence, frame.retry) {
            cx.packets.receive_duplicate(frame.packet);
        } else if forced {
            self.deliver_forced(cx, frame, out);
        } else {
            self.deliver(cx, frame, out);
        }
    }

    pub(super) fn make_way<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if self.config.respond_while_waiting {
            self.on_other_frame(cx, out);
        }
    }

    fn deliver<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        if let Some(packet) = frame.part_for(self.me) {
            let packet = cx.packets.receive(packet);
            out.put(Action::Deliver { packet, from: frame.from });
        }
    }

    /// Whether the medium lets it answer an RTS.
    pub(super) fn may_answer(&self, now: SimTime) -> bool {
        if self.config.cts_needs_idle {
            self.access.medium.is_idle(now)
        } else {
            self.access.medium.is_unreserved(now)
        }
    }

    /// Whether this station has asked in vain during this reservation, and that makes it the holder of the transmit
    /// opportunity.
    #[cold]
    fn is_asked_again(&mut self, by: NodeId) -> bool {
        let call = (by, self.access.medium.reserved_until());
        let minds = self.config.cts_if_asked_again && self.config.standard.generation().is_some();
        minds && self.refused.replace(call) == Some(call)
    }

    #[inline(always)]
    pub(super) fn transmit_cts<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        to: NodeId,
        rts: Dur,
        out: &mut S,
    ) {
        if !self.may_answer(now) && !self.is_asked_again(to) {
            return self.free(now, out);
        }
        self.counters.cts += 1;
        let sent = (self.times.basic, self.times.cts);
        let duration = rts.saturating_sub(self.times.until_cts_ends);
        let data = duration.saturating_sub(self.times.after_fastest());
        self.enter(now, Sequence::AwaitData, now + (self.times.await_data + data), out);
        self.transmit(now, self.control(FrameKind::Cts, to, times::CTS, duration, sent), out);
    }

    /// What is left of the reservation of the frame that is answered, after an answer that takes so long.
    #[cold]
    fn left_after(&self, answer: Dur) -> Dur {
        let reserved = self.aggregation.as_ref().map_or(Dur::ZERO, |it| it.reserved);
        reserved.saturating_sub(self.config.sifs + answer)
    }

    /// The Ack goes out whatever the medium does (§10.3.2.9).
    pub(super) fn transmit_ack<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        to: NodeId,
        data: TxVector,
        out: &mut S,
    ) {
        self.counters.ack += 1;
        let &Answer { tx, ack, .. } = self.times.answer(data);
        let duration = if self.aggregation.is_some() { self.left_after(ack) } else { Dur::ZERO };
        // Nothing can reach the station while it sends: the exchange needs no timer for its end.
        self.sequence = Sequence::Idle;
        self.access.release_at(now, now + ack);
        self.transmit(now, self.control(FrameKind::Ack, to, times::ACK, duration, (tx, ack)), out);
        self.rearm(out);
    }
}
