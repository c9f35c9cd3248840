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
        let stream = self.sending.flight().stream();
        if segment.flags & flags::ACK == 0 || segment.ack > stream.max_sent() {
            return self.on_senseless(now, segment, out);
        }
        let syn = segment.flags & flags::SYN != 0;
        match self.phase {
            Phase::Opening if syn => {
                self.sending.room_mut().hear_window(segment.window);
                return self.on_syn_ack(now, segment, out);
            }
            Phase::Closed | Phase::Opening => return,
            Phase::Open if syn => return, // RFC 5681 §2: no duplicate ACK
            Phase::Open if segment.ack < stream.una() => return self.on_old_ack(now, segment, out),
            Phase::Open => {}
        }
        if segment.flags & flags::ECE != 0 && !self.sending.flight().ecn().counts_marks() {
            self.sending.on_echo(now, segment.ack, 0);
        }
        let moved = self.sending.room_mut().hear_window(segment.window);
        let elaborate = !segment.sack.are_absent()
            || self.sending.flight().losses().log().is_some()
            || self.sending.timing().is_stamped();
        let Evidence { fresh, newly } =
            if elaborate { self.hear_evidence(now, segment, moved, out) } else { Evidence::default() };
        let said = AckInfo { fresh, flags: self.heard_flags(now, segment), path: segment.path };
        if segment.ack > self.sending.flight().stream().una() {
            let delivered = newly.filter(|_| self.config.counts_sacked());
            return self.on_new_ack(now, segment.ack, delivered, said, out);
        }
        if fresh {
            self.hear_blocks(now, newly.unwrap_or(0), out);
        }
        if moved {
            self.sending.on_window_update(now, out);
        }
        if self.sending.flight().is_duplicate(fresh, moved) {
            self.on_duplicate_ack(now, segment, said, out);
        }
        if moved {
            self.sending.send_more(now, out); // once it is known what is lost
        }
    }

    /// What an ACK says besides its number: SACK and DSACK, what the log of sent segments makes of it, timestamps, and
    /// what became of probes and of a timeout. `moved`: the window is another one.
    #[inline(never)]
    fn hear_evidence<S: Sink<Action>>(
        &mut self,
        now: SimTime,
        segment: &Segment,
        moved: bool,
        out: &mut S,
    ) -> Evidence {
        let sending = &mut self.sending;
        sending.flight_mut().note_arrivals();
        let fresh = !segment.sack.is_empty() && sending.flight_mut().take_blocks(segment);
        let twice = if segment.sack.is_empty() { None } else { segment.sack.duplicate(segment.ack) };
        if let Some(range) = twice {
            sending.flight_mut().came_twice(range);
        }
        let until_next = sending.room().opens_in(now);
        let (flight, timing) = sending.parts();
        let path = flight.measure(
            now,
            &Arrived {
                segment,
                duplicate: !moved && segment.len == 0,
                twice: twice.is_some_and(|(_, end)| !timing.has_repeated(end)), // no probe
                until_next,
            },
            timing.rto_mut(),
        );
        if timing.is_stamped() {
            timing.hear_clock(segment);
            flight.hear_echo(segment);
            let timed = path.is_some_and(|path| path.timed.is_some());
            if !timed || !timing.rto().goes_by_log() {
                timing.hear_echo(now, segment, flight.stream());
            }
        }
        let original = path.and_then(|path| path.original);
        let new = sending.room().holds_next(sending.flight().stream());
        if sending.flight_mut().shows_needless_timeout(segment, fresh, original, new) {
            sending.take_back(true, out);
        }
        if sending.timing().awaits_probe() {
            sending.judge_tail_probe(segment, twice);
        }
        if twice.is_some() && sending.flight().shows_needless_recovery() {
            sending.take_back(false, out);
            if segment.ack <= sending.flight().stream().una() {
                sending.send_more(now, out);
            }
        }
        Evidence { fresh, newly: path.map(|path| path.newly) }
    }

    /// A segment without the ACK bit says nothing; one that acknowledges what was never sent is answered (RFC 9293
    /// §3.10.7.4).
    #[cold]
    #[inline(never)]
    fn on_senseless<S: Sink<Action>>(&self, now: SimTime, segment: &Segment, out: &mut S) {
        let sending = &self.sending;
        let acknowledges = segment.flags & (flags::ACK | flags::SYN) == flags::ACK;
        if self.is_open() && !sending.timing().is_frozen() && acknowledges {
            out.put(Action::Send(sending.bare(now, sending.flight().stream().max_sent())));
        }
    }

    /// An ACK that others have overtaken: RFC 9293 §3.10.7.4 ignores it, but its blocks may be news, and then it is a
    /// duplicate ACK (RFC 6675 §2).
    #[cold]
    #[inline(never)]
    fn on_old_ack<S: Sink<Action>>(&mut self, now: SimTime, segment: &Segment, out: &mut S) {
        let sending = &mut self.sending;
        if self.config.loss != Loss::Sack || self.config.sack_rule == SackRule::Ns2 {
            return;
        }
        sending.flight_mut().note_arrivals();
        if sending.flight_mut().take_blocks(segment) {
            let until_next = sending.room().opens_in(now);
            let arrived = Arrived { segment, duplicate: false, twice: false, until_next };
            let (flight, timing) = sending.parts();
            flight.measure(now, &arrived, timing.rto_mut());
            let said = AckInfo { fresh: true, flags: segment.flags, path: segment.path };
            self.on_duplicate_ack(now, segment, said, out);
        }
    }

    /// An ACK brings news by its blocks alone.
    #[cold]
    fn hear_blocks<S: Sink<Action>>(&mut self, now: SimTime, newly: u64, out: &mut S) {
        let sending = &mut self.sending;
        let behind =
            sending.flight().restarts_with_repairs() && sending.flight().losses().shows_earlier_than_first();
        if behind && !sending.timing().is_probing() {
            sending.timing_mut().start(now, out); // what is ahead of the repair still arrives
        }
        if self.config.counts_sacked() {
            let srtt = sending.timing().srtt();
            sending.flight_mut().grow_by_sack(now, newly, srtt);
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
        self.sending.timing_mut().rto_mut().acked(now, ack);
        if self.sending.flight_mut().advance_shows_needless() {
            self.sending.take_back(true, out);
        }
        let (segments, place) = self.sending.flight_mut().acked(now, ack, delivered);
        self.sending.room_mut().acked(ack);
        match place {
            Place::Outside => self.on_open_ack(now, segments, said, out),
            Place::Marked => drop(self.shows_no_loss(now, said, out)),
            Place::Within if self.sending.timing().is_frozen() => {}
            Place::Within => self.on_partial_ack(now, segments, said, out),
            Place::AtEnd => {
                if !self.sending.flight_mut().end_recovery() {
                    self.sending.take_back(false, out);
                }
                if self.sending.flight().opens_with_last_ack() {
                    self.on_open_ack(now, segments, said, out);
                } else {
                    self.sending.restart_timer(now, out);
                }
            }
        }
        if self.sending.flight_mut().stream_mut().completes() {
            out.put(Action::Event(Event::Completed));
        }
        self.sending.send_more(now, out);
    }

    /// A new ACK outside recovery: the window opens, unless its blocks say that something was lost (RFC 6675 §5).
    fn on_open_ack<S: Sink<Action>>(&mut self, now: SimTime, segments: f64, said: AckInfo, out: &mut S) {
        let calm = self.shows_no_loss(now, said, out);
        if calm && (said.flags & flags::ECE == 0 || !self.sending.flight().ecn().is_on()) {
            self.sending.grow(now, segments); // RFC 3168 §6.1.2: not in response to an echo
        }
    }

    /// What a new ACK outside recovery says of losses; returns whether the window may grow by it.
    #[inline(always)]
    fn shows_no_loss<S: Sink<Action>>(&mut self, now: SimTime, said: AckInfo, out: &mut S) -> bool {
        let sending = &mut self.sending;
        sending.restart_timer(now, out);
        if sending.timing().is_frozen() {
            return false;
        }
        if sending.flight_mut().looks_for_loss(said.fresh) {
            match sending.detect(now, loss::Input::NewAck(said)) {
                LossDecision::Lost => {
                    sending.enter_recovery(now, out);
                    return false;
                }
                LossDecision::SlowDown => {
                    sending.flight_mut().slow_down(false); // not a reason to grow
                    return false;
                }
                other => sending.apply_loss_decision(now, other, out),
            }
        }
        true
    }

    /// A new ACK in recovery that stops short of its end. A detector that observes all ACKs hears of it too.
    fn on_partial_ack<S: Sink<Action>>(&mut self, now: SimTime, segments: f64, said: AckInfo, out: &mut S) {
        let sending = &mut self.sending;
        if sending.flight().losses().detector().observes_all_acks() {
            let decision = sending.detect(now, loss::Input::NewAck(said));
            sending.apply_loss_decision(now, decision, out);
        }
        let step = sending.flight_mut().on_partial_ack(segments);
        if step.restarts {
            sending.restart_timer(now, out);
        }
        if step.grows {
            sending.grow(now, segments);
        }
        if step.repairs {
            let una = sending.flight().stream().una();
            sending.repair(now, una, out);
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
        let sending = &mut self.sending;
        if sending.room().peer_window() == 0 || segment.len != 0 || sending.timing().is_frozen() {
            return;
        }
        if sending.flight_mut().on_duplicate() {
            return sending.send_more(now, out);
        }
        match sending.detect(now, loss::Input::Duplicate(said)) {
            LossDecision::Lost => sending.enter_recovery(now, out),
            LossDecision::Wait => sending.limited_transmit(now, out),
            other => sending.apply_loss_decision(now, other, out),
        }
    }

    /// The flags of an ACK for those that read an echo: of counters, whether they have moved.
    fn heard_flags(&mut self, now: SimTime, ack: &Segment) -> u8 {
        let sending = &mut self.sending;
        if !sending.flight().ecn().counts_marks() {
            return ack.flags;
        }
        let marked = sending.flight_mut().hear_counts(ack);
        if marked > 0 {
            sending.on_echo(now, ack.ack, marked);
        }
        ack.flags & !(flags::ECE | flags::CWR) | if marked > 0 { flags::ECE } else { 0 }
    }
}
