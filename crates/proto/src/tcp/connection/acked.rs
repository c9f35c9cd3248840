//! What a sender makes of an ACK: RFC 9293 §3.10.7.4 (which count), RFC 5681 §2 and RFC 6675 §2 (which are duplicates),
//! RFC 5681 §3 (what they mean).

use super::sender::{Phase, Sender};
use super::{Action, Event};
use crate::contract::Sink;
use crate::tcp::config::{Loss, SackRule};
use crate::tcp::loss::{self, AckInfo, DUP_THRESH, LossDecision, LossDetector};
use crate::tcp::recovery::{Recovery, Repeated};
use crate::tcp::sendlog::SendLog;
use crate::units::SimTime;
use crate::wire::{Segment, flags};

/// What an ACK says besides its number.
#[derive(Clone, Copy, Default)]
struct Evidence {
    /// Whether its blocks tell anything new.
    fresh: bool,
    /// Bytes that it says have arrived, if what was sent is logged.
    newly: Option<u64>,
}

impl Sender {
    #[inline(always)]
    pub(super) fn on_segment<S: Sink<Action>>(&mut self, now: SimTime, segment: &Segment, out: &mut S) {
        if segment.flags & flags::ACK == 0 || segment.ack > self.stream.max_sent() {
            return self.on_senseless(now, segment, out);
        }
        let syn = segment.flags & flags::SYN != 0;
        match self.phase {
            Phase::Opening if syn => {
                self.room.hear_window(segment.window);
                return self.on_syn_ack(now, segment, out);
            }
            Phase::Closed | Phase::Opening => return,
            Phase::Open | Phase::Recovery { .. } if syn => return, // RFC 5681 §2: no duplicate ACK
            Phase::Open | Phase::Recovery { .. } if segment.ack < self.stream.una() => {
                return self.on_old_ack(now, segment, out);
            }
            Phase::Open | Phase::Recovery { .. } => {}
        }
        if segment.flags & flags::ECE != 0 && !self.ecn.counts_marks() {
            self.on_echo(now, segment.ack);
        }
        let moved = self.room.hear_window(segment.window);
        let elaborate = !segment.sack.are_absent() || self.losses.log().is_some() || self.timing.is_stamped();
        let Evidence { fresh, newly } =
            if elaborate { self.hear_evidence(now, segment, moved, out) } else { Evidence::default() };
        let said = AckInfo { fresh, flags: self.heard_flags(now, segment), path: segment.path };
        if segment.ack > self.stream.una() {
            let delivered = newly.filter(|_| self.config.counts_sacked());
            return self.on_new_ack(now, segment.ack, delivered, said, out);
        }
        if fresh && self.restarts_with_repairs() {
            self.restart_behind(now, out);
        }
        if fresh && self.config.counts_sacked() {
            self.grow_by_sack(now, newly.unwrap_or(0));
        }
        if moved {
            self.on_window_update(now, out);
        }
        let repeated = Repeated {
            standard: match self.config.loss {
                Loss::DupAcks => !moved,                                       // RFC 5681 §2
                Loss::Sack => fresh || self.config.sack_rule == SackRule::Ns2, // RFC 6675 §2
            },
            fresh,
            recovering: matches!(self.phase, Phase::Recovery { .. }),
            timed_out: self.losses.waits_after_timeout(&self.stream),
        };
        if self.recovery.is_duplicate(&repeated)
            && self.stream.max_sent() > self.stream.una()
            && self.room.peer_window() > 0
            && segment.len == 0
            && !self.timing.is_frozen()
        {
            self.on_duplicate_ack(now, said, out);
        }
    }

    /// What an ACK says besides its number: SACK and DSACK, what the log of sent segments makes of it, timestamps, and what
    /// became of probes and of a timeout. `moved`: the window is another one.
    #[inline(never)]
    fn hear_evidence<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        segment: &Segment,
        moved: bool,
        out: &mut S,
    ) -> Evidence {
        let fresh = !segment.sack.is_empty() && self.losses.take_blocks(segment, &self.stream);
        let twice = if segment.sack.is_empty() { None } else { segment.sack.duplicate(segment.ack) };
        let tells = twice.is_some_and(|range| self.hear_twice(range));
        let mut path = None;
        if self.losses.log().is_some() {
            path = self.measure(now, segment, !moved && segment.len == 0, tells);
        }
        if self.timing.is_stamped() {
            self.hear_times(now, segment, path.is_some_and(|path| path.timed.is_some()));
        }
        if self.spurious.doubts_timeout() {
            self.judge_timeout(segment, fresh, path.as_ref(), out);
        }
        if self.timing.awaits_probe() {
            self.judge_tail_probe(segment, twice);
        }
        if twice.is_some() {
            self.undo_if_needless(now, segment.ack, out);
        }
        Evidence { fresh, newly: path.map(|path| path.newly) }
    }

    /// A segment without the ACK bit says nothing; one that acknowledges what was never sent is answered (RFC 9293
    /// §3.10.7.4).
    #[cold]
    #[inline(never)]
    fn on_senseless<S: Sink<Action>>(&self, now: SimTime, segment: &Segment, out: &mut S) {
        let open = matches!(self.phase, Phase::Open | Phase::Recovery { .. });
        if open && !self.timing.is_frozen() && segment.flags & (flags::ACK | flags::SYN) == flags::ACK {
            out.put(Action::Send(Segment {
                seq: self.stream.max_sent(),
                flags: self.ecn.bare(),
                times: self.timing.stamp(now),
                ae: self.ecn.ae(),
                ..Segment::default()
            }));
        }
    }

    /// An ACK that others have overtaken: RFC 9293 §3.10.7.4 ignores it, but its blocks may be news, and then it is a
    /// duplicate ACK (RFC 6675 §2).
    #[cold]
    #[inline(never)]
    fn on_old_ack<S: Sink<Action>>(&mut self, now: SimTime, segment: &Segment, out: &mut S) {
        if self.config.loss != Loss::Sack || self.config.sack_rule == SackRule::Ns2 {
            return;
        }
        let fresh = self.losses.take_blocks(segment, &self.stream);
        if fresh && self.losses.log().is_some() {
            self.measure(now, segment, false, false);
        }
        if fresh && self.room.peer_window() > 0 && segment.len == 0 && !self.timing.is_frozen() {
            self.on_duplicate_ack(now, AckInfo { fresh, flags: segment.flags, path: segment.path }, out);
        }
    }

    /// `delivered`: bytes that it says have arrived, if those count that SACK tells of.
    fn on_new_ack<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        ack: u64,
        delivered: Option<u64>,
        said: AckInfo,
        out: &mut S,
    ) {
        self.timing.rto_mut().acked(now, ack);
        if self.spurious.is_pending() {
            self.undo_with_new_ack(out);
        }
        let afresh = self.phase == Phase::Open && self.recovery.forgets_with_acks();
        let held = self.losses.acked(ack, afresh);
        let acked = self.stream.acked(now, ack) - self.stream.segments(held);
        let segments = delivered.map_or(acked, |bytes| self.stream.segments(bytes));
        self.room.acked(ack);
        match self.phase {
            Phase::Recovery { recover, restarted } if ack < recover => {
                if !self.timing.is_frozen() {
                    self.detect_in_recovery(now, said, out);
                    self.on_partial_ack(now, segments, recover, restarted, out);
                }
            }
            Phase::Recovery { .. } => {
                self.end_recovery(out);
                if self.recovery.opens_with_last_ack() {
                    self.on_open_ack(now, segments, said, out);
                } else {
                    self.restart_timer(now, out);
                }
            }
            Phase::Closed | Phase::Opening | Phase::Open => self.on_open_ack(now, segments, said, out),
        }
        if self.stream.completes() {
            out.put(Action::Event(Event::Completed));
        }
        self.send_more(now, out);
    }

    /// A new ACK outside recovery: the window opens, unless its blocks say that something was lost (RFC 6675 §5).
    fn on_open_ack<S: Sink<Action>>(&mut self, now: SimTime, segments: f64, said: AckInfo, out: &mut S) {
        self.restart_timer(now, out);
        if self.timing.is_frozen() {
            return;
        }
        let tells = said.fresh && self.config.sack_rule == SackRule::Rfc6675;
        if tells || self.losses.detector().observes_all_acks() {
            self.losses.count(u32::from(tells));
            match self.detect_loss(now, loss::Input::NewAck(said)) {
                LossDecision::Lost => return self.enter_recovery(now, out),
                LossDecision::SlowDown => return self.slow_down(false), // not a reason to grow
                other => self.apply_loss_decision(now, other, out),
            }
        }
        if said.flags & flags::ECE == 0 || !self.ecn.is_on() {
            self.grow(now, segments); // RFC 3168 §6.1.2: not in response to an echo
        }
    }

    /// A new ACK outside recovery lets the window grow.
    pub(super) fn grow(&mut self, now: SimTime, segments: f64) {
        if self.losses.detector().holds_window() {
            return;
        }
        let sample = self.ack_sample(now, segments);
        self.control.on_ack(&sample);
    }

    /// An ACK outside recovery brings nothing but SACK: the window grows if segments arrive out of order by more than three
    /// (Linux, `tcp_may_raise_cwnd`).
    #[cold]
    fn grow_by_sack(&mut self, now: SimTime, newly: u64) {
        let far = u64::from(DUP_THRESH) * self.stream.segment();
        let extent = self.losses.log().map_or(0, SendLog::extent);
        if self.phase == Phase::Open && extent > far && newly > 0 {
            self.grow(now, self.stream.segments(newly));
        }
    }

    fn on_duplicate_ack<S: Sink<Action>>(&mut self, now: SimTime, said: AckInfo, out: &mut S) {
        self.losses.count(self.losses.dupacks() + 1);
        if let Phase::Recovery { .. } = self.phase {
            if self.config.loss == Loss::DupAcks {
                self.control.window_mut().inflation += 1;
            }
            self.recovery.on_duplicate();
            self.send_more(now, out);
            return;
        }
        match self.detect_loss(now, loss::Input::Duplicate(said)) {
            LossDecision::Lost => self.enter_recovery(now, out),
            LossDecision::Wait => self.limited_transmit(now, out),
            other => self.apply_loss_decision(now, other, out),
        }
    }
}
