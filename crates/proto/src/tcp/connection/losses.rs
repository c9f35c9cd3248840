//! What a sender knows of losses besides the scoreboard: its loss detector, duplicate ACKs, and the marks that keep one
//! loss from being detected twice.

use super::{Action, Timer};
use crate::contract::Sink;
use crate::tcp::config::{SackRule, TcpConfig};
use crate::tcp::loss::{AnyLossDetector, Evidence, Input, LossDecision, LossDetector, Marking, Scoreboard};
use crate::tcp::sendlog::SendLog;
use crate::tcp::stream::Stream;
use crate::units::{Dur, SimTime};

/// State of loss detection.
#[derive(Debug)]
pub(super) struct Losses {
    detector: AnyLossDetector,
    /// Instant at which the detector's timer is to fire, as asked last.
    armed: SimTime,
    dupacks: u32,
    /// Highest byte sent at the last loss event: no second reaction below it (RFC 6582 `recover`, RFC 6675 §5.1).
    recover: Option<u64>,
    /// First unacknowledged byte when the last loss was detected: one detection for each.
    last_detected: Option<u64>,
    /// First byte of the segment that timed out last.
    timed_out: Option<u64>,
    recover_guard: bool,
    sack_rule: SackRule,
    marked: bool,
}

/// What a detector is shown besides.
pub(super) struct Around<'a> {
    pub(super) stream: &'a Stream,
    pub(super) scoreboard: &'a Scoreboard,
    pub(super) cwnd: f64,
    pub(super) srtt: Option<Dur>,
    pub(super) recovering: bool,
    pub(super) log: Option<&'a SendLog>,
}

impl Losses {
    pub(super) fn new(config: &TcpConfig) -> Self {
        let detector = AnyLossDetector::new(config);
        Self {
            marked: detector.marks(),
            detector,
            armed: SimTime::MAX,
            dupacks: 0,
            recover: None,
            last_detected: None,
            timed_out: None,
            recover_guard: config.careful,
            sack_rule: config.sack_rule,
        }
    }

    /// Another detector than is configured.
    pub(super) fn set_detector(&mut self, detector: Box<dyn LossDetector>) {
        self.marked = detector.marks();
        self.detector = AnyLossDetector::Custom(detector);
    }

    /// The detector.
    #[inline]
    pub(super) const fn detector(&self) -> &AnyLossDetector {
        &self.detector
    }

    /// Duplicate ACKs in a row.
    #[inline]
    pub(super) const fn dupacks(&self) -> u32 {
        self.dupacks
    }

    /// So many duplicate ACKs have come in a row.
    #[inline]
    pub(super) const fn count(&mut self, dupacks: u32) {
        self.dupacks = dupacks;
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
            scoreboard: around.scoreboard,
            marked: around.log.map_or(0, SendLog::unrepaired),
        };
        self.detector.detect(input, &evidence)
    }

    /// Whether losses are marked in the log of sent segments, and not read off the scoreboard.
    #[inline]
    pub(super) const fn are_marked(&self) -> bool {
        self.marked
    }

    /// Marks what is lost; returns how many bytes are newly so.
    pub(super) fn mark(&mut self, log: &mut SendLog, seen: Marking<'_>) -> u64 {
        let recovering = seen.recovering || self.repairs_timeout(seen.una);
        self.detector.mark(log, &Marking { recovering, ..seen })
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

    /// The recovery point has done its work (RFC 6675 §5 (A)).
    pub(super) const fn forget_recovery_point(&mut self) {
        self.recover = None;
    }

    /// The detector's timer has fired.
    pub(super) const fn fired(&mut self) {
        self.armed = SimTime::MAX;
    }

    /// Asks for the detector's timer, if it has moved.
    #[cold]
    pub(super) fn arm<S: Sink<Action>>(&mut self, out: &mut S) {
        let at = self.detector.deadline();
        if at != self.armed {
            self.armed = at;
            out.put(Action::Arm(Timer::LossDetector, at));
        }
    }
}
