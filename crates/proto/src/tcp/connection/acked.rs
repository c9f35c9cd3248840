//! What a sender makes of an ACK: RFC 9293 §3.10.7.4 (which count), RFC 5681 §2 and RFC 6675 §2 (which are duplicates),
//! RFC 5681 §3 (what they mean).

use super::flight::{Arrived, Place};
use super::sender::{Phase, Sender};
use super::{Action, Event};
use crate::contract::Sink;
use crate::tcp::config::{Loss, SackRule};
use crate::tcp::loss::{self, AckInfo, LossDecision, LossDetector};
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
        let stream = self.flight.stream();
        if segment.flags & flags::ACK == 0 || segment.ack > stream.max_sent() {
            return self.on_senseless(now, segment, out);
        }
        let syn = segment.flags & flags::SYN != 0;
        match self.phase {
            Phase::Opening if syn => {
                self.room.hear_window(segment.window);
                return self.on_syn_ack(now, segment, out);
            }
            Phase::Closed | Phase::Opening => return,
            Phase::Open if syn => return, // RFC 5681 §2: no duplicate ACK
            Phase::Open if segment.ack < stream.una() => return self.on_old_ack(now, segment, out),
            Phase::Open => {}
        }
        if segment.flags & flags::ECE != 0 && !self.flight.ecn().counts_marks() {
            self.on_echo(now, segment.ack);
        }
        let moved = self.room.hear_window(segment.window);
        let elaborate =
            !segment.sack.are_absent() || self.flight.losses().log().is_some() || self.timing.is_stamped();
        let Evidence { fresh, newly } =
            if elaborate { self.hear_evidence(now, segment, moved, out) } else { Evidence::default() };
        let said = AckInfo { fresh, flags: self.heard_flags(now, segment), path: segment.path };
        if segment.ack > self.flight.stream().una() {
            let delivered = newly.filter(|_| self.config.counts_sacked());
            return self.on_new_ack(now, segment.ack, delivered, said, out);
        }
        if fresh {
            self.hear_blocks(now, newly.unwrap_or(0), out);
        }
        if moved {
            self.on_window_update(now, out);
        }
        if self.flight.is_duplicate(fresh, moved) {
            self.on_duplicate_ack(now, segment, said, out);
        }
        if moved {
            self.send_more(now, out); // once it is known what is lost
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
        let fresh = !segment.sack.is_empty() && self.flight.take_blocks(segment);
        let twice = if segment.sack.is_empty() { None } else { segment.sack.duplicate(segment.ack) };
        if let Some(range) = twice {
            self.flight.came_twice(range);
        }
        let path = self.flight.measure(
            now,
            &Arrived {
                segment,
                duplicate: !moved && segment.len == 0,
                twice: twice.is_some_and(|(_, end)| !self.timing.has_repeated(end)), // no probe
                until_next: self.room.opens_in(now),
            },
            self.timing.rto_mut(),
        );
        if self.timing.is_stamped() {
            self.timing.hear_clock(segment);
            self.flight.hear_echo(segment);
            if path.is_none_or(|path| path.timed.is_none()) {
                self.timing.hear_echo(now, segment, self.flight.stream());
            }
        }
        let original = path.and_then(|path| path.original);
        let new = self.room.holds_next(self.flight.stream());
        if self.flight.shows_needless_timeout(segment, fresh, original, new) {
            self.take_back(true, out);
        }
        if self.timing.awaits_probe() {
            self.judge_tail_probe(segment, twice);
        }
        if twice.is_some() && self.flight.shows_needless_recovery() {
            self.take_back(false, out);
            if segment.ack <= self.flight.stream().una() {
                self.send_more(now, out);
            }
        }
        Evidence { fresh, newly: path.map(|path| path.newly) }
    }

    /// A segment without the ACK bit says nothing; one that acknowledges what was never sent is answered (RFC 9293
    /// §3.10.7.4).
    #[cold]
    #[inline(never)]
    fn on_senseless<S: Sink<Action>>(&self, now: SimTime, segment: &Segment, out: &mut S) {
        let acknowledges = segment.flags & (flags::ACK | flags::SYN) == flags::ACK;
        if self.is_open() && !self.timing.is_frozen() && acknowledges {
            out.put(Action::Send(self.bare(now, self.flight.stream().max_sent())));
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
        if self.flight.take_blocks(segment) {
            let until_next = self.room.opens_in(now);
            let arrived = Arrived { segment, duplicate: false, twice: false, until_next };
            self.flight.measure(now, &arrived, self.timing.rto_mut());
            let said = AckInfo { fresh: true, flags: segment.flags, path: segment.path };
            self.on_duplicate_ack(now, segment, said, out);
        }
    }

    /// An ACK brings news by its blocks alone.
    #[cold]
    fn hear_blocks<S: Sink<Action>>(&mut self, now: SimTime, newly: u64, out: &mut S) {
        let behind = self.flight.restarts_with_repairs() && self.flight.losses().shows_earlier_than_first();
        if behind && !self.timing.is_probing() {
            self.timing.start(now, out); // what is ahead of the repair still arrives
        }
        if self.config.counts_sacked() {
            self.flight.grow_by_sack(now, newly, self.timing.srtt());
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
        if self.flight.advance_shows_needless() {
            self.take_back(true, out);
        }
        let (segments, place) = self.flight.acked(now, ack, delivered);
        self.room.acked(ack);
        match place {
            Place::Outside => self.on_open_ack(now, segments, said, out),
            Place::Within if self.timing.is_frozen() => {}
            Place::Within => self.on_partial_ack(now, segments, said, out),
            Place::AtEnd => {
                if !self.flight.end_recovery() {
                    self.take_back(false, out);
                }
                if self.flight.opens_with_last_ack() {
                    self.on_open_ack(now, segments, said, out);
                } else {
                    self.restart_timer(now, out);
                }
            }
        }
        if self.flight.stream_mut().completes() {
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
        if self.flight.looks_for_loss(said.fresh) {
            match self.flight.detect(now, loss::Input::NewAck(said), self.timing.srtt()) {
                LossDecision::Lost => return self.enter_recovery(now, out),
                LossDecision::SlowDown => return self.flight.slow_down(false), // not a reason to grow
                other => self.apply_loss_decision(now, other, out),
            }
        }
        if said.flags & flags::ECE == 0 || !self.flight.ecn().is_on() {
            self.flight.grow(now, segments, self.timing.srtt()); // RFC 3168 §6.1.2: not in response to an echo
        }
    }

    /// A new ACK in recovery that stops short of its end. A detector that observes all ACKs hears of it too.
    fn on_partial_ack<S: Sink<Action>>(&mut self, now: SimTime, segments: f64, said: AckInfo, out: &mut S) {
        if self.flight.losses().detector().observes_all_acks() {
            let decision = self.flight.detect(now, loss::Input::NewAck(said), self.timing.srtt());
            self.apply_loss_decision(now, decision, out);
        }
        let step = self.flight.on_partial_ack(segments);
        if step.restarts {
            self.restart_timer(now, out);
        }
        if step.grows {
            self.flight.grow(now, segments, self.timing.srtt());
        }
        if step.repairs {
            self.repair(now, self.flight.stream().una(), out);
        }
    }

    /// A duplicate ACK, unless it carries data, or a window or a shim holds everything back.
    fn on_duplicate_ack<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        segment: &Segment,
        said: AckInfo,
        out: &mut S,
    ) {
        if self.room.peer_window() == 0 || segment.len != 0 || self.timing.is_frozen() {
            return;
        }
        if self.flight.on_duplicate() {
            return self.send_more(now, out);
        }
        match self.flight.detect(now, loss::Input::Duplicate(said), self.timing.srtt()) {
            LossDecision::Lost => self.enter_recovery(now, out),
            LossDecision::Wait => self.limited_transmit(now, out),
            other => self.apply_loss_decision(now, other, out),
        }
    }

    /// An ACK echoes that a segment was marked.
    #[cold]
    #[inline(never)]
    fn on_echo(&mut self, now: SimTime, ack: u64) {
        let Some(doubles) = self.flight.on_echo(ack) else { return };
        self.counters.ecn_reductions += 1;
        if doubles {
            self.timing.rto_mut().acked(now, ack); // the sample of this ACK must not end the back-off
            self.timing.rto_mut().back_off();
        }
    }

    /// The flags of an ACK for those that read an echo: of counters, whether they have moved.
    fn heard_flags(&mut self, now: SimTime, ack: &Segment) -> u8 {
        if !self.flight.ecn().counts_marks() {
            return ack.flags;
        }
        let marked = self.flight.hear_counts(ack);
        self.counters.ecn_marks += u64::from(marked);
        if marked > 0 {
            self.on_echo(now, ack.ack);
        }
        ack.flags & !(flags::ECE | flags::CWR) | if marked > 0 { flags::ECE } else { 0 }
    }
}
