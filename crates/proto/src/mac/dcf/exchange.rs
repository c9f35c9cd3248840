//! The station's place on the medium: when it may send, which step of an exchange it is in, and what goes on the air
//! (IEEE 802.11-2020 §10.3.2, §10.3.4).
//!
//! Both sides of an exchange use it, and the techniques between them. Whether a frame waits for the medium is not known
//! here: each call says it (`waits`).

mod transmit;

use super::sequence::Sequence;
use super::{Access, Others, Retry, Times};
use crate::contract::Sink;
use crate::mac::config::{DcfConfig, ImmediateAccess, ResponseTimeout, SlotCount};
use crate::mac::{Action, Counters, Sensed, Timer};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{Frame, FrameKind};

/// The station on the medium. What signals and overheard frames touch comes first.
#[derive(Debug)]
#[repr(C)]
pub(in crate::mac) struct Exchange<O> {
    pub(in crate::mac) access: Access<O>,
    /// Which overheard frames mean more than the time they reserve, by kind.
    overheard_matters: [bool; FrameKind::COUNT],
    me: NodeId,
    sequence: Sequence,
    /// End of the frame that was being received when the sequence timer fired last.
    receiving_until: SimTime,
    eifs: Dur,
    pub(super) counters: Counters,
    pub(super) times: Times,
}

impl<O: Others> Exchange<O> {
    /// The station `me`, with other contenders, on an idle medium. `overheard_matters`: whether overheard frames of a
    /// kind mean more than the time they reserve.
    pub(super) fn new(
        config: &DcfConfig,
        overheard_matters: [bool; FrameKind::COUNT],
        me: NodeId,
        others: O,
    ) -> Self {
        let times = Times::new(config);
        Self {
            access: Access::new(times.access_rules(), others),
            overheard_matters,
            me,
            sequence: Sequence::Idle,
            receiving_until: SimTime::ZERO,
            eifs: times.eifs(),
            counters: Counters::default(),
            times,
        }
    }

    /// The step that the station is in.
    #[inline(always)]
    pub(in crate::mac) const fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// Whose place this is.
    #[inline(always)]
    pub(super) const fn me(&self) -> NodeId {
        self.me
    }

    /// How the station is configured.
    #[inline(always)]
    pub(super) const fn config(&self) -> &DcfConfig {
        self.times.config()
    }

    /// Forgets everything but what is on the air.
    pub(super) fn restart(&mut self) {
        self.sequence = Sequence::Idle;
        self.access.restart();
    }
}

// What the medium tells.
impl<O: Others> Exchange<O> {
    /// A timer that would fire while the medium is certainly busy is moved; others are left, and check their deadline
    /// when they fire.
    #[inline(always)]
    pub(super) fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        match sensed {
            Sensed::Carrier(until) => self.access.carrier(now, until),
            Sensed::Undecodable(end) => self.access.undecodable(now, end),
            Sensed::Captured(end) if self.config().capture_nav => self.access.reserve(now, end + self.eifs),
            Sensed::Captured(_) => return None,
            Sensed::Receiving(until) => {
                self.receiving_until = until;
                return None;
            }
        }
        if self.access.armed < self.access.medium.busy_until() { self.move_timer(now) } else { None }
    }

    /// The access timer stands for an instant at which the medium is busy.
    #[inline(never)]
    fn move_timer(&mut self, now: SimTime) -> Option<SimTime> {
        let deadline = self.access.deadline();
        if deadline <= now || deadline <= self.access.armed {
            return None;
        }
        self.access.armed = deadline;
        Some(deadline)
    }

    /// Whether an overheard frame means more than the time that it reserves.
    #[inline(always)]
    pub(super) const fn overheard_matters(&self, kind: FrameKind) -> bool {
        self.overheard_matters[kind as usize]
    }

    /// A frame between others reserves the medium, unless it means more than that. Returns whether that was all.
    #[inline(always)]
    pub(super) fn try_update_nav(&mut self, now: SimTime, frame: &Frame) -> bool {
        let reserves = !self.overheard_matters(frame.kind) && !self.access.minds_correct_frame(now);
        if reserves {
            self.access.reserve(now, now + frame.duration);
        }
        reserves
    }

    /// Another station that starts now takes a slot that counts in seconds.
    #[inline(always)]
    pub(super) fn cut_slot(&mut self, now: SimTime) {
        let by_seconds = self.config().slot_count == SlotCount::Seconds;
        let Access { back_off, medium, .. } = &mut self.access;
        if by_seconds && back_off.counts_short(medium, now) {
            back_off.lose_slot(medium);
        }
    }

    /// The back-off loses a slot. Returns when it ends then.
    pub(super) fn lose_slot(&mut self) -> SimTime {
        self.access.back_off.lose_slot(&self.access.medium);
        self.access.armed = self.access.deadline();
        self.access.armed
    }

    /// Another station gives back what it had reserved.
    #[cold]
    pub(super) fn on_end<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, waits: bool, out: &mut S) {
        self.access.end_reservation(now);
        self.rearm(waits, out);
    }

    /// Whether the medium lets it answer an RTS.
    pub(super) fn may_answer(&self, now: SimTime) -> bool {
        if self.config().cts_needs_idle {
            self.access.medium.is_idle(now)
        } else {
            self.access.medium.is_unreserved(now)
        }
    }

    /// Whether the frame that is being received may be the response that is due.
    pub(super) fn may_still_come(&self, now: SimTime) -> bool {
        self.config().response_timeout == ResponseTimeout::Start && self.receiving_until > now
    }

    /// End of the frame that is being received.
    pub(super) const fn receiving_until(&self) -> SimTime {
        self.receiving_until
    }
}

// Channel access, and the steps of an exchange.
impl<O: Others> Exchange<O> {
    /// A frame waits for the medium.
    #[inline(always)]
    pub(super) fn contend<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, retry: &mut Retry, out: &mut S) {
        let rule = self.config().immediate_access;
        let Access { back_off, medium, .. } = &mut self.access;
        if let Some(deadline) = back_off.counts_until(medium, now) {
            return self.arm_by(deadline, out);
        }
        let ready = match rule {
            ImmediateAccess::Never => false,
            ImmediateAccess::AfterDifs => back_off.immediate(medium, now),
            ImmediateAccess::IfIdle => back_off.if_idle(medium, now),
            ImmediateAccess::Defer => back_off.defer(medium, now),
        };
        if !ready {
            let slots = retry.draw();
            self.access.back_off(now, slots);
        }
        self.arm_by(self.access.deadline(), out);
    }

    /// The access timer ends. Returns whether a back-off has ended; if not, the timer is asked for again.
    #[inline(always)]
    pub(super) fn is_won<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        waits: bool,
        out: &mut S,
    ) -> bool {
        let deadline = self.access.deadline();
        self.access.armed = SimTime::MAX;
        if deadline > now {
            self.rearm(waits, out);
        }
        deadline <= now
    }

    /// The medium turned busy while the frame was waiting for DIFS alone.
    #[cold]
    pub(super) fn draw_after_all<S: Sink<Action> + ?Sized>(&mut self, retry: &mut Retry, out: &mut S) {
        retry.widen();
        let slots = retry.draw();
        let Access { back_off, medium, .. } = &mut self.access;
        back_off.extend(medium, slots);
        self.rearm(true, out);
    }

    /// The exchange is over; channel access goes on.
    pub(super) fn free<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, waits: bool, out: &mut S) {
        self.sequence = Sequence::Idle;
        self.access.release(now);
        self.rearm(waits, out);
    }

    /// Goes to a step whose timer ends at `until`.
    pub(super) fn enter<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        step: Sequence,
        until: SimTime,
        waits: bool,
        out: &mut S,
    ) {
        self.access.hold(now, waits);
        self.sequence = step;
        if self.access.armed != SimTime::MAX {
            self.access.armed = SimTime::MAX;
            out.put(Action::Arm(Timer::Access, SimTime::MAX));
        }
        out.put(Action::Arm(Timer::Sequence, until));
    }

    /// Goes to a step that ends after SIFS.
    #[inline(always)]
    pub(super) fn enter_for_sifs<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        step: Sequence,
        waits: bool,
        out: &mut S,
    ) {
        let until = now + self.config().sifs;
        self.enter(now, step, until, waits, out);
    }

    /// More is known of the step that the station is in; its timer stays.
    pub(super) fn specify(&mut self, step: Sequence) {
        self.sequence = step;
    }

    /// Asks for the access timer, unless it stands earlier already: then the deadline is checked when it fires.
    pub(in crate::mac) fn rearm<S: Sink<Action> + ?Sized>(&mut self, waits: bool, out: &mut S) {
        let deadline = if waits { self.access.deadline() } else { self.access.others_deadline() };
        self.arm_by(deadline, out);
    }

    #[inline(always)]
    fn arm_by<S: Sink<Action> + ?Sized>(&mut self, deadline: SimTime, out: &mut S) {
        if deadline < self.access.armed {
            self.access.armed = deadline;
            out.put(Action::Arm(Timer::Access, deadline));
        }
    }
}
