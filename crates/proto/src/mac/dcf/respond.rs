//! The answering side of the DCF: overheard reservations, CTS, Ack, delivery (IEEE 802.11-2020 §10.3.2.4,
//! §10.3.2.8, §10.3.2.9, §10.3.2.14).

use super::exchange::Exchange;
use super::flow_control::deliver_forced;
use super::machine::Dcf;
use super::sequence::Sequence;
use super::{DuplicateFilter, Others};
use crate::contract::{Cx, Sink};
use crate::mac::Action;
use crate::mac::aggregate::Peer;
use crate::mac::config::{DcfConfig, FlowRule, FrameProtection};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{BatchId, Frame, FrameKind};

/// What the answering side remembers of others.
#[derive(Debug, Default)]
pub(super) struct Answering {
    filter: DuplicateFilter,
    /// Whose RTS was not answered last, and until when the medium was reserved then.
    refused: Option<(NodeId, SimTime)>,
}

impl Answering {
    /// Notes a data frame; returns whether it had come before.
    #[inline(always)]
    fn is_duplicate(&mut self, frame: &Frame) -> bool {
        self.filter.is_duplicate(frame.from, frame.sequence, frame.retry)
    }

    /// Whether a station has asked in vain during this reservation, and that makes it the holder of the transmit
    /// opportunity.
    #[cold]
    fn is_asked_again<O: Others>(&mut self, exchange: &Exchange<O>, by: NodeId) -> bool {
        let call = (by, exchange.access.medium.reserved_until());
        let config = exchange.config();
        let minds = config.cts_if_asked_again && config.standard.generation().is_some();
        minds && self.refused.replace(call) == Some(call)
    }

    /// Answers an RTS that reserves the medium for so long, if the medium lets it.
    #[inline(always)]
    pub(super) fn transmit_cts<O: Others, S: Sink<Action> + ?Sized>(
        &mut self,
        exchange: &mut Exchange<O>,
        now: SimTime,
        (to, rts): (NodeId, Dur),
        waits: bool,
        out: &mut S,
    ) {
        if !exchange.may_answer(now) && !self.is_asked_again(exchange, to) {
            return exchange.free(now, waits, out);
        }
        exchange.transmit_cts(now, (to, rts), waits, out);
    }
}

impl<O: Others> Dcf<O> {
    /// A frame was received whole.
    #[inline(always)]
    pub(super) fn receive<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        if self.exchange.access.correct_frame(cx.now) {
            self.exchange.rearm(self.job.is_some(), out);
        }
        if frame.to == self.exchange.me() {
            self.receive_own(cx, frame, out);
        } else if frame.to == NodeId::BROADCAST {
            if frame.kind == FrameKind::CfEnd {
                return self.exchange.on_end(cx.now, self.job.is_some(), out);
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
        if self.exchange.overheard_matters(frame.kind) {
            if let Some(doze) = &mut self.nav_doze
                && frame.kind != FrameKind::Data
                && doze.doze_through(&mut self.exchange, now, until, self.job.is_some(), out)
            {
                return;
            }
            if frame.kind == FrameKind::Rts && self.exchange.config().nav_reset {
                return self.exchange.access.reserve_if_used(
                    now,
                    until,
                    now + self.exchange.times.nav_timeout(),
                );
            }
            if let (FrameKind::Data, Some(flow)) = (frame.kind, &mut self.flow) {
                flow.overhear_sender(now, frame.from, out);
            }
        }
        self.exchange.access.reserve(now, until);
    }

    #[inline(never)]
    fn on_rts<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        self.make_way(cx, out);
        // After a CTS that was lost no data comes: a real station answers the next RTS, ns-2's waits in vain.
        let awaits = matches!(self.exchange.sequence(), Sequence::AwaitData | Sequence::AwaitForced);
        let in_vain = awaits && self.exchange.config().respond_while_waiting;
        if self.exchange.sequence() == Sequence::Idle || in_vain {
            let step = Sequence::CtsDue { to: frame.from, duration: frame.duration, forced: frame.more };
            self.exchange.enter_for_sifs(cx.now, step, self.job.is_some(), out);
        }
    }

    /// A data frame for this station: Ack, then delivery, unless it was delivered before.
    #[inline(never)]
    fn on_data<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        self.make_way(cx, out);
        let forced = match self.exchange.sequence() {
            Sequence::Idle => false,
            Sequence::AwaitData | Sequence::AwaitForced => {
                self.retry.cts_answered();
                self.exchange.sequence() == Sequence::AwaitForced
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
        self.exchange.enter_for_sifs(cx.now, answer, self.job.is_some(), out);
        if self.aggregation.is_some() && self.accept(cx, frame, out) {
            return;
        }
        if self.answering.is_duplicate(frame) {
            cx.packets.receive_duplicate(frame.packet);
        } else if forced {
            deliver_forced(cx, frame, out);
        } else {
            self.deliver(cx, frame, out);
        }
    }

    /// A valid frame that is not the expected response counts as its absence.
    pub(super) fn make_way<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if self.exchange.config().respond_while_waiting
            && matches!(self.exchange.sequence(), Sequence::AwaitCts | Sequence::AwaitAck)
        {
            self.on_sequence(cx, out);
        }
    }

    fn deliver<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, frame: &Frame, out: &mut S) {
        if let Some(packet) = frame.part_for(self.exchange.me()) {
            let packet = cx.packets.receive(packet);
            out.put(Action::Deliver { packet, from: frame.from });
        }
    }
}

/// Which overheard frames mean more than the time they reserve: an RTS whose data do not follow, data that make room in
/// a queue that was full, an exchange that can be slept through.
pub(super) fn overheard_matters(config: &DcfConfig) -> [bool; FrameKind::COUNT] {
    let mut overheard_matters = [false; FrameKind::COUNT];
    overheard_matters[FrameKind::Rts as usize] = config.nav_reset || config.nav_doze;
    // A CTS to its own sender may go before a frame for this station.
    let names_receiver = config.protection != FrameProtection::CtsToSelf;
    overheard_matters[FrameKind::Cts as usize] = config.nav_doze && names_receiver;
    overheard_matters[FrameKind::Data as usize] = config.flow_control.rule == FlowRule::FlaggedCts;
    overheard_matters
}
