//! What [`Flight`] makes of an ACK.

use super::losses::Around;
use super::machine::Flight;
use super::repairing::Place;
use super::spurious::{Shown, Standing};
use crate::tcp::config::{Loss, SackRule};
use crate::tcp::frto::Heard;
use crate::tcp::loss::{DUP_THRESH, Input, LossDecision, LossDetector, Marking, Trigger};
use crate::tcp::recovery::{Recovery, Repeated};
use crate::tcp::rto::RtoEstimator;
use crate::tcp::sendlog::{Measured, SendLog};
use crate::tcp::window::{AckSample, PathSample};
use crate::units::{Dur, SimTime};
use crate::wire::Segment;

/// An ACK as it has come, before anything is made of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived<'a> {
    pub(crate) segment: &'a Segment,
    /// It has no block and says nothing but that some segment has arrived.
    pub(crate) duplicate: bool,
    /// It says that a segment has come twice.
    pub(crate) twice: bool,
    /// Time until the next segment may leave.
    pub(crate) until_next: Dur,
}

impl Flight {
    /// Takes note of the blocks of an ACK; returns whether they tell anything new.
    pub(crate) fn take_blocks(&mut self, segment: &Segment) -> bool {
        self.losses.take_blocks(segment, &self.stream)
    }

    /// What the log of sent segments makes of an ACK, if one is kept. Losses are marked, and congestion control hears
    /// of it.
    #[inline(never)]
    pub(crate) fn measure(
        &mut self,
        now: SimTime,
        arrived: &Arrived<'_>,
        rto: &mut RtoEstimator,
    ) -> Option<Measured> {
        let Arrived { segment, duplicate, twice, until_next } = *arrived;
        let path = self.losses.measure(now, segment, &self.stream, duplicate, twice)?;
        rto.hear(now, path.timed);
        let full = self.stream.segment();
        let lost = if self.losses.are_marked() {
            self.mark_losses(now, Trigger::Ack(&path), rto.srtt())
        } else {
            let lost = self.losses.mark_by_board(full);
            self.tell_losses(now);
            lost
        };
        if path.newly == 0 {
            return Some(path);
        }
        let (una, top) = (segment.ack.max(self.stream.una()), self.stream.max_sent());
        let sample = PathSample {
            ack: AckSample {
                una,
                segments: self.stream.segments(una - self.stream.una()),
                outstanding: self.stream.segments(top - una),
                ..self.ack_sample(now, 0.0, rto.srtt())
            },
            path,
            in_flight: self.losses.in_flight(una, &self.stream),
            lost,
            lost_since: self.losses.lost_since(&path),
            segment: full,
            recovering: self.is_recovering(),
            until_next,
        };
        self.control.on_path(&sample);
        if self.control.holds_back() {
            self.losses.limit(una, &self.stream);
        }
        Some(path)
    }

    /// A detector that marks losses does so, in the log of sent segments; returns how many bytes are newly lost.
    pub(super) fn mark_losses(&mut self, now: SimTime, trigger: Trigger<'_>, srtt: Option<Dur>) -> u64 {
        let seen = Marking {
            trigger,
            now,
            una: self.stream.una(),
            segment: self.stream.segment(),
            srtt,
            recovering: self.is_recovering(),
        };
        let lost = self.losses.mark(seen);
        self.tell_losses(now);
        lost
    }

    /// Tells the window rule of each segment that is newly lost, if it wants to hear of them.
    fn tell_losses(&mut self, now: SimTime) {
        while let Some(lost) = self.losses.next_lost_segment() {
            self.control.on_lost(now, &lost);
        }
    }

    /// What the evidence says now.
    pub(crate) fn detect(&mut self, now: SimTime, input: Input, srtt: Option<Dur>) -> LossDecision {
        let around = Around {
            stream: &self.stream,
            cwnd: self.control.window().cwnd,
            srtt,
            recovering: self.is_recovering(),
        };
        self.losses.detect(now, input, &around)
    }

    /// The loss detector's timer has fired.
    pub(crate) fn detect_late(&mut self, now: SimTime, srtt: Option<Dur>) -> LossDecision {
        self.losses.fired();
        self.note_arrivals();
        self.mark_losses(now, Trigger::Timer, srtt);
        self.detect(now, Input::Timer, srtt)
    }

    /// When the loss detector's timer is to fire, if that has changed.
    #[inline]
    pub(crate) fn rearm(&mut self) -> Option<SimTime> {
        if self.losses.detector().observes_all_acks() { self.losses.rearm() } else { None }
    }

    /// The ACK says that these bytes have come twice.
    #[cold]
    pub(crate) fn came_twice(&mut self, (start, end): (u64, u64)) {
        self.spurious.came_twice(end, (end - start).div_ceil(self.stream.segment()));
    }

    /// An ACK echoes a time (Eifel, RFC 3522).
    pub(crate) fn hear_echo(&mut self, segment: &Segment) {
        let advances = segment.ack > self.stream.una();
        self.spurious.hear_echo(if advances { segment.times.echo() } else { 0 });
    }

    /// Whether an ACK shows that a timeout was needless (RFC 5682 §3.1), if that is in doubt. `original`: least end of
    /// what has arrived and was sent once; `new`: there are new data that may be sent.
    #[inline]
    pub(crate) fn shows_needless_timeout(
        &mut self,
        segment: &Segment,
        fresh: bool,
        original: Option<u64>,
        new: bool,
    ) -> bool {
        let stream = &self.stream;
        self.spurious.doubts_timeout()
            && self.spurious.judge_timeout(&Heard {
                una: segment.ack.max(stream.una()),
                advanced: segment.ack > stream.una(),
                fresh,
                original,
                max_sent: stream.max_sent(),
                new,
            })
    }

    /// Whether all that was sent again in a recovery has come twice (RFC 3708 §3.2; Linux `tcp_try_undo_dsack`).
    pub(crate) fn shows_needless_recovery(&self) -> bool {
        self.spurious.is_shown() && !self.losses.repairs_timeout(self.stream.una())
    }

    /// Whether an ACK that advances shows that the last reduction was needless.
    #[inline]
    pub(crate) fn advance_shows_needless(&mut self) -> bool {
        self.spurious.is_pending() && self.judge_advance()
    }

    #[cold]
    #[inline(never)]
    fn judge_advance(&mut self) -> bool {
        let standing = Standing {
            repairs_timeout: self.losses.repairs_timeout(self.stream.una()),
            recovering: self.is_recovering(),
            under_way: self.losses.repairs_are_under_way(),
        };
        let shown = self.spurious.judge(standing);
        if shown == Shown::OutOfOrder {
            self.losses.note_late(self.stream.una());
        }
        shown != Shown::Nothing
    }

    /// All below `ack` has arrived; returns how many segments that says have arrived, and how recovery stands.
    /// `delivered`: so many bytes have, if those count that SACK tells of.
    #[inline]
    pub(crate) fn acked(&mut self, now: SimTime, ack: u64, delivered: Option<u64>) -> (f64, Place) {
        let afresh = !self.is_recovering() && self.recovery.forgets_with_acks();
        let held = self.losses.acked(ack, afresh);
        let acked = self.stream.acked(now, ack) - self.stream.segments(held);
        let segments = delivered.map_or(acked, |bytes| self.stream.segments(bytes));
        (segments, self.place())
    }

    /// A new ACK outside recovery brings news of what the receiver holds, or the loss detector sees all: a loss may
    /// show.
    #[inline]
    pub(crate) fn looks_for_loss(&mut self, fresh: bool) -> bool {
        let tells = fresh && self.config.sack_rule != SackRule::Ns2;
        let looks = tells || self.losses.detector().observes_all_acks();
        if looks {
            self.losses.count(u32::from(tells));
        }
        looks
    }

    /// A new ACK outside recovery lets the window grow.
    #[inline]
    pub(crate) fn grow(&mut self, now: SimTime, segments: f64, srtt: Option<Dur>) {
        if self.losses.detector().holds_window() {
            return;
        }
        let sample = self.ack_sample(now, segments, srtt);
        self.control.on_ack(&sample);
    }

    /// An ACK outside recovery brings nothing but SACK: the window grows if segments arrive out of order by more than
    /// three (Linux, `tcp_may_raise_cwnd`).
    #[cold]
    pub(crate) fn grow_by_sack(&mut self, now: SimTime, newly: u64, srtt: Option<Dur>) {
        let far = u64::from(DUP_THRESH) * self.stream.segment();
        let extent = self.losses.log().map_or(0, SendLog::extent);
        if self.is_steady() && extent > far && newly > 0 {
            self.grow(now, self.stream.segments(newly), srtt);
        }
    }

    /// Whether an ACK that acknowledges nothing new is a duplicate, by its number, its blocks and its window. `moved`:
    /// the window is another one.
    pub(crate) fn is_duplicate(&self, fresh: bool, moved: bool) -> bool {
        let repeated = Repeated {
            standard: match self.config.loss {
                Loss::DupAcks => !moved,                                       // RFC 5681 §2
                Loss::Sack => fresh || self.config.sack_rule == SackRule::Ns2, // RFC 6675 §2
            },
            fresh,
            recovering: self.is_recovering(),
            timed_out: self.losses.waits_after_timeout(&self.stream),
        };
        self.recovery.is_duplicate(&repeated) && self.stream.outstanding() > 0
    }

    /// A duplicate ACK has come; returns whether recovery is under way, and takes it as a sign that a segment has left.
    pub(crate) fn on_duplicate(&mut self) -> bool {
        self.losses.count(self.losses.dupacks() + 1);
        if self.is_recovering() {
            if self.config.loss == Loss::DupAcks {
                self.control.window_mut().inflation += 1;
            }
            self.recovery.on_duplicate();
        }
        self.is_recovering()
    }
}
