//! What a sender knows of losses: what the receiver holds, what was sent when, its loss detector, duplicate ACKs, and
//! the marks that keep one loss from being detected twice.

use crate::tcp::config::{Loss, SackRule, TcpConfig};
use crate::tcp::loss::{AnyLossDetector, Evidence, Input, LossDecision, LossDetector, Marking, Scoreboard};
use crate::tcp::sendlog::{LostSegment, Measured, SendLog};
use crate::tcp::stream::Stream;
use crate::units::{Dur, SimTime};
use crate::wire::Segment;

/// State of loss detection.
#[derive(Debug)]
pub(crate) struct Losses {
    detector: AnyLossDetector,
    scoreboard: Scoreboard,
    /// What was sent, if something asks for it.
    log: Option<Box<SendLog>>,
    /// Instant at which the detector's timer is to fire, as asked last.
    armed: SimTime,
    dupacks: u32,
    /// Highest byte sent at the last loss event: no second reaction below it (RFC 6582 `recover`, RFC 6675 §5.1).
    recover: Option<u64>,
    /// First unacknowledged byte when the last loss was detected: one detection for each.
    last_detected: Option<u64>,
    /// First byte of the segment that timed out last.
    timed_out: Option<u64>,
    /// Bytes that had arrived before the ACK that is being heard, if recovery counts what it brings.
    arrived: u64,
    recover_guard: bool,
    loss: Loss,
    sack_rule: SackRule,
    marked: bool,
    /// Whether what SACK told outlasts a timeout though losses are not marked.
    keeps: bool,
    /// Whether what is sent outside of recovery is what the pipe has room for: losses are marked, or a timeout is being
    /// repaired with what SACK told.
    by_pipe: bool,
}

/// What a detector is shown besides.
pub(super) struct Around<'a> {
    pub(super) stream: &'a Stream,
    pub(super) cwnd: f64,
    pub(super) srtt: Option<Dur>,
    pub(super) recovering: bool,
}

impl Losses {
    pub(super) fn new(config: &TcpConfig) -> Self {
        let detector = AnyLossDetector::new(config);
        Self {
            marked: detector.marks(),
            keeps: config.keep_sacked,
            by_pipe: detector.marks(),
            detector,
            scoreboard: Scoreboard::default(),
            log: None,
            armed: SimTime::MAX,
            dupacks: 0,
            recover: None,
            last_detected: None,
            timed_out: None,
            arrived: 0,
            recover_guard: config.careful,
            loss: config.loss,
            sack_rule: config.sack_rule,
        }
    }

    /// Another detector than is configured.
    pub(super) fn set_detector(&mut self, detector: Box<dyn LossDetector>) {
        self.marked = detector.marks();
        self.by_pipe = self.marked;
        self.detector = AnyLossDetector::Custom(detector);
    }

    /// The detector.
    #[inline]
    pub(crate) const fn detector(&self) -> &AnyLossDetector {
        &self.detector
    }

    /// Duplicate ACKs in a row.
    #[inline]
    pub(crate) const fn dupacks(&self) -> u32 {
        self.dupacks
    }

    /// So many duplicate ACKs have come in a row.
    #[inline]
    pub(super) const fn count(&mut self, dupacks: u32) {
        self.dupacks = dupacks;
    }

    /// What SACK says.
    #[inline]
    pub(crate) const fn board(&self) -> &Scoreboard {
        &self.scoreboard
    }

    /// What SACK says, for recovery, which notes what it sends again.
    #[inline]
    pub(super) const fn board_mut(&mut self) -> &mut Scoreboard {
        &mut self.scoreboard
    }

    /// The log of sent segments, if one is kept.
    #[inline]
    pub(crate) fn log(&self) -> Option<&SendLog> {
        self.log.as_deref()
    }

    /// The same, if what is lost is marked in it.
    #[inline]
    pub(super) fn marks(&self) -> Option<&SendLog> {
        self.log.as_deref().filter(|_| self.marked)
    }

    /// A log is kept from now on, if something `else_wanted` it or the detector marks.
    pub(super) fn keep_log(&mut self, else_wanted: bool) {
        if (else_wanted || self.marked) && self.log.is_none() {
            self.log = Some(Box::<SendLog>::default());
        }
    }

    /// The log notes each segment that is lost from now on.
    pub(super) fn note_each(&mut self) {
        if let Some(log) = &mut self.log {
            log.note_losses();
        }
    }

    /// The next of them that was not handed over.
    pub(super) fn next_lost_segment(&mut self) -> Option<LostSegment> {
        self.log.as_mut()?.next_lost_segment()
    }

    /// `[seq, end)` leaves; `idle`: nothing else is in the network. Returns whether it begins the connection, or ends a
    /// time in which the application had nothing to send, as far as the log knows.
    #[inline]
    pub(super) fn sent(&mut self, now: SimTime, seq: u64, end: u64, idle: bool) -> bool {
        let Some(log) = &mut self.log else { return false };
        log.sent(now, seq, end, idle);
        idle && (log.is_limited() || log.is_new())
    }

    /// Update of RFC 6675 §4; returns whether the blocks tell anything new.
    pub(super) fn take_blocks(&mut self, segment: &Segment, stream: &Stream) -> bool {
        let (floor, top) = (segment.ack.max(stream.una()), stream.max_sent());
        let mut fresh = false;
        for (start, end) in segment.sack.around(segment.ack).filter(|&(start, end)| start < end && end <= top)
        {
            fresh |= self.scoreboard.update(start.max(floor), end);
        }
        fresh
    }

    /// An ACK is about to be heard, or a timer has fired.
    pub(super) fn note_arrivals(&mut self, una: u64) {
        self.arrived = una + self.scoreboard.held();
    }

    /// Bytes that have arrived since then, at most what was in flight.
    pub(super) fn brought(&self, stream: &Stream) -> u64 {
        let arrived = stream.una() + self.scoreboard.held();
        arrived.saturating_sub(self.arrived).min(stream.flight().max(stream.outstanding()))
    }

    /// What the log makes of an ACK that has come. `duplicate`: it has no block and says nothing but that some segment
    /// has arrived. `twice`: it says that a segment has come twice.
    pub(super) fn measure(
        &mut self,
        now: SimTime,
        segment: &Segment,
        stream: &Stream,
        duplicate: bool,
        twice: bool,
    ) -> Option<Measured> {
        let (una, top) = (segment.ack.max(stream.una()), stream.max_sent());
        let log = self.log.as_mut()?;
        log.begin();
        for (start, end) in segment.sack.around(segment.ack).filter(|&(_, end)| end <= top) {
            if start.max(una) < end {
                log.sacked(now, start.max(una), end);
            }
        }
        if una > stream.una() {
            log.acked(now, una);
        } else if duplicate && self.loss == Loss::DupAcks {
            log.duplicate(now, stream.segment());
        }
        Some(Measured { twice, ..log.measure() })
    }

    /// Without a detector that marks, the scoreboard says what is lost; returns how many bytes are newly so.
    pub(super) fn mark_by_board(&mut self, segment: u64) -> u64 {
        let mark = self.scoreboard.lost_below(segment);
        self.log.as_mut().map_or(0, |log| log.lose(|record| !record.again && record.end <= mark))
    }

    /// All below `ack` has arrived; returns how many bytes of it the receiver was known to hold. `afresh`: what it
    /// holds above is forgotten.
    #[inline]
    pub(super) fn acked(&mut self, ack: u64, afresh: bool) -> u64 {
        let held = self.scoreboard.held_below(ack);
        self.dupacks = 0;
        if afresh {
            self.scoreboard.clear(ack);
        } else {
            self.scoreboard.advance(ack);
        }
        held
    }

    /// Bytes above this one that are believed to be in the network.
    pub(super) fn in_flight(&self, una: u64, stream: &Stream) -> u64 {
        if let Some(log) = self.marks() {
            return log.in_flight();
        }
        let nxt = stream.nxt().max(una);
        if self.loss == Loss::Sack {
            return self.scoreboard.pipe(una, nxt, stream.segment());
        }
        let left = u64::from(self.dupacks) * stream.segment();
        (nxt - una).saturating_sub(left)
    }

    /// Bytes that were found to be lost since the newest segment that an ACK told of was sent.
    pub(super) fn lost_since(&self, path: &Measured) -> u64 {
        self.log.as_ref().map_or(0, |log| log.lost_in_all() - path.prior_lost)
    }

    /// The application has nothing to send though the window has `room` for so many bytes.
    pub(super) fn note_idleness(&mut self, stream: &Stream, room: u64) {
        if self.in_flight(stream.una(), stream) < room {
            self.limit(stream.una(), stream);
        }
    }

    /// Rates say nothing of the path until what is in the network above this byte has arrived.
    pub(super) fn limit(&mut self, una: u64, stream: &Stream) {
        let in_flight = self.in_flight(una, stream);
        if let Some(log) = &mut self.log {
            log.limit(in_flight);
        }
    }

    /// The first segment that is believed to be lost; none if losses are marked and all of them were sent again.
    pub(super) fn first_lost(&self, una: u64) -> Option<u64> {
        match self.marks() {
            Some(log) => log.next_lost().map(|(start, _)| start),
            None => Some(una),
        }
    }

    /// All that is outstanding is taken for lost.
    pub(super) fn lose_all(&mut self) {
        if let Some(log) = &mut self.log {
            log.lose(|_| true);
        }
    }

    /// The retransmission timer has fired. Without marks, what the receiver holds is forgotten, unless it is to be
    /// kept; so it is if the receiver says that it holds the first byte that it does not acknowledge: it has dropped
    /// what it held (RFC 2018 §8). Returns whether what the receiver does not hold is sent again, and no more.
    pub(super) fn doubt_held(&mut self, stream: &Stream) -> bool {
        let una = stream.una();
        let reneged = self.scoreboard.hole_from(una).0 > una;
        if reneged || !self.marked && !self.keeps {
            self.scoreboard.clear(una);
        }
        let doubts = reneged && (self.marked || self.keeps);
        if let Some(log) = self.log.as_mut().filter(|_| doubts) {
            log.forget_held();
        }
        if self.marked {
            return true;
        }
        let keeps = self.keeps && !reneged;
        if keeps {
            self.scoreboard.time_out(una, stream.max_sent());
            self.by_pipe = true;
        }
        keeps
    }

    /// Whether the pipe says what may be sent outside of recovery.
    #[inline]
    pub(crate) const fn sends_by_pipe(&self) -> bool {
        self.by_pipe
    }

    /// The window's edge says so again, once what was lost at a timeout has arrived.
    #[cold]
    pub(super) fn end_repairs(&mut self, una: u64) {
        self.by_pipe = self.marked || self.scoreboard.repairs_timeout(una);
    }

    /// Whether a segment that was lost was sent again and has not arrived, as far as the log knows.
    pub(super) fn repairs_are_under_way(&self) -> bool {
        self.marks().is_some_and(|log| log.repairs() > 0)
    }

    /// The first segment has arrived though it was believed to be lost: it came out of order.
    pub(super) fn note_late(&mut self, una: u64) {
        if let Some(log) = &mut self.log {
            log.note_late(una);
        }
    }

    /// Whether the newest segment that SACK tells of was sent before the first outstanding one was sent last.
    pub(crate) fn shows_earlier_than_first(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.shows_earlier_than_first())
    }

    /// What the evidence says.
    pub(super) fn detect(&mut self, now: SimTime, input: Input, around: &Around<'_>) -> LossDecision {
        let evidence = Evidence {
            now,
            una: around.stream.una(),
            max_sent: around.stream.max_sent(),
            segment: around.stream.segment(),
            dupacks: self.dupacks,
            cwnd: around.cwnd,
            srtt: around.srtt,
            recovering: around.recovering,
            recover: self.recover,
            last_detected: self.last_detected,
            recover_guard: self.recover_guard,
            sack_rule: self.sack_rule,
            scoreboard: &self.scoreboard,
            marked: self.log.as_deref().map_or(0, SendLog::unrepaired),
        };
        self.detector.detect(input, &evidence)
    }

    /// Whether losses are marked in the log of sent segments, and not read off the scoreboard.
    #[inline]
    pub(crate) const fn are_marked(&self) -> bool {
        self.marked
    }

    /// A detector that marks losses does so, in the log; returns how many bytes are newly lost.
    pub(super) fn mark(&mut self, seen: Marking<'_>) -> u64 {
        let recovering = seen.recovering || self.repairs_timeout(seen.una);
        match &mut self.log {
            Some(log) if self.marked => self.detector.mark(log, &Marking { recovering, ..seen }),
            _ => 0,
        }
    }

    /// Whether data that were outstanding at a timeout still are.
    pub(super) fn repairs_timeout(&self, una: u64) -> bool {
        self.timed_out.is_some() && self.recover.is_some_and(|mark| una < mark)
    }

    /// A loss was detected at the first unacknowledged byte.
    pub(super) const fn detected(&mut self, stream: &Stream) {
        self.recover = Some(stream.max_sent());
        self.last_detected = Some(stream.una());
    }

    /// All that is outstanding will be sent again.
    pub(super) const fn go_back(&mut self, stream: &Stream) {
        self.recover = Some(stream.max_sent());
        self.dupacks = 0;
    }

    /// The first unacknowledged segment has timed out; returns whether it is the one that did so last.
    pub(super) fn time_out(&mut self, stream: &Stream) -> bool {
        self.recover = Some(stream.max_sent());
        self.last_detected = None;
        self.timed_out.replace(stream.una()) == Some(stream.una())
    }

    /// Whether nothing was acknowledged since the last timeout.
    pub(super) fn waits_after_timeout(&self, stream: &Stream) -> bool {
        self.timed_out == Some(stream.una())
    }

    /// Nothing is lost after all; `all`: whatever was believed to be.
    pub(super) fn trust(&mut self, all: bool) {
        (self.recover, self.last_detected, self.timed_out) = (None, None, None);
        self.dupacks = 0;
        if all {
            self.scoreboard.forget_timeout();
        }
        if let Some(log) = self.log.as_mut().filter(|_| all) {
            log.trust();
        }
        self.detector.on_recovery_end(true);
    }

    /// A recovery is over, and it was not needless.
    pub(super) fn end_recovery(&mut self) {
        self.detector.on_recovery_end(false);
    }

    /// The recovery point has done its work (RFC 6675 §5 (A)).
    pub(super) const fn forget_recovery_point(&mut self) {
        self.recover = None;
    }

    /// The detector's timer has fired.
    pub(super) const fn fired(&mut self) {
        self.armed = SimTime::MAX;
    }

    /// When the detector's timer is to fire, if that has changed.
    #[inline]
    pub(super) fn rearm(&mut self) -> Option<SimTime> {
        let at = self.detector.deadline();
        (std::mem::replace(&mut self.armed, at) != at).then_some(at)
    }
}
