//! The contract of loss detectors.

use super::config::{Loss, SackRule};
use super::scoreboard::Scoreboard;
use crate::tcp::sendlog::{Measured, SendLog};
use crate::units::{Dur, SimTime};
use crate::wire::PathOption;

/// What an ACK says besides its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckInfo {
    /// Whether its blocks of SACK tell something new.
    pub fresh: bool,
    /// Its header's flags ([`crate::wire::flags`]); others than TCP's own are for experiments.
    pub flags: u8,
    /// What ADTCP's receiver says.
    pub path: PathOption,
}

/// Input of a loss detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A duplicate ACK has come, outside recovery.
    Duplicate(AckInfo),
    /// New data are acknowledged.
    NewAck(AckInfo),
    /// The retransmission timer has fired: all that was known of losses is void.
    Timeout,
    /// The detector's own timer has fired.
    Timer,
}

impl Input {
    /// Whether the standard rules look for a loss now: at a duplicate ACK, and at a new ACK whose blocks tell something
    /// new.
    pub(super) const fn may_show_a_loss(self) -> bool {
        matches!(self, Self::Duplicate(_) | Self::NewAck(AckInfo { fresh: true, .. }))
    }
}

/// What a loss detector may read.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The present instant.
    pub now: SimTime,
    /// First unacknowledged byte.
    pub una: u64,
    /// First byte that has never been sent.
    pub max_sent: u64,
    /// Bytes of a full segment.
    pub segment: u64,
    /// Duplicate ACKs in a row, the present one included.
    pub dupacks: u32,
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Smoothed round-trip time, once measured.
    pub srtt: Option<Dur>,
    /// Whether loss recovery is under way.
    pub recovering: bool,
    /// Highest byte sent at the last loss event (RFC 6582 `recover`, RFC 6675 `RecoveryPoint`).
    pub recover: Option<u64>,
    /// First unacknowledged byte when the last loss was detected.
    pub last_detected: Option<u64>,
    /// Whether a loss below `recover` is no new one (RFC 6582 §3.2).
    pub recover_guard: bool,
    /// What begins recovery with SACK.
    pub sack_rule: SackRule,
    /// What SACK says.
    pub scoreboard: &'a Scoreboard,
    /// Bytes that are marked as lost, or were and have not arrived since.
    pub marked: u64,
}

/// Why a detector marks.
#[derive(Clone, Copy, Debug)]
pub enum Trigger<'a> {
    /// An ACK says that something has arrived.
    Ack(&'a Measured),
    /// The detector's own timer has fired.
    Timer,
    /// The retransmission timer has fired.
    Timeout,
}

/// What a detector may read as it marks.
#[derive(Clone, Copy, Debug)]
pub struct Marking<'a> {
    /// Why.
    pub trigger: Trigger<'a>,
    /// The present instant.
    pub now: SimTime,
    /// First unacknowledged byte.
    pub una: u64,
    /// Bytes of a full segment.
    pub segment: u64,
    /// Smoothed round-trip time, once measured.
    pub srtt: Option<Dur>,
    /// Whether a loss is being repaired, in recovery or after a timeout.
    pub recovering: bool,
}

impl Evidence<'_> {
    /// Whether a loss at `una` would be a new one; `past`: what was outstanding at the last one is acknowledged.
    pub(super) fn is_news(&self, past: bool) -> bool {
        self.last_detected != Some(self.una) && (past || !self.recover_guard)
    }

    /// The same: whether there is a hole, and none that was repaired already (RFC 6582 §3.2, RFC 6675 §5).
    pub(super) fn is_news_by(&self, loss: Loss) -> bool {
        self.is_news(self.recover.is_none_or(|mark| match loss {
            Loss::DupAcks => self.una > mark,
            Loss::Sack => self.una > mark || self.una == mark && self.sack_rule != SackRule::Ns2,
        }))
    }
}

/// What the evidence says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossDecision {
    /// Nothing is lost, or it is too early to say; the first two duplicate ACKs let out what is configured.
    Wait,
    /// As [`Self::Wait`], and the ACK lets out a new segment if the receiver's window has room (RFC 3042's rule without
    /// its limit of two).
    SendNew,
    /// The segment at `una` is lost: fast retransmit, and the window rule reacts. Outside recovery only.
    Lost,
    /// The segment that starts here is lost, and it is no sign of congestion: it is sent again, and that is all.
    Retransmit {
        /// Its first byte.
        seq: u64,
    },
    /// As [`Self::Retransmit`], and the path is another one: the congestion window is not above what it is known to
    /// hold.
    RetransmitWithin {
        /// First byte of the segment.
        seq: u64,
        /// Largest window in segments.
        segments: f64,
    },
    /// Nothing is lost, and the path is congested: the window rule takes it for the echo of a mark (RFC 3168 §6.1.2).
    SlowDown,
}

/// How a sender decides that a segment is lost. What recovery sends, once begun, stays a matter of the key `loss`.
pub trait LossDetector: std::fmt::Debug + Send {
    /// Decides what the input means.
    fn detect(&mut self, input: Input, evidence: &Evidence<'_>) -> LossDecision;

    /// Whether it wants to hear everything: every new ACK, every timeout, a timer of its own.
    fn observes_all_acks(&self) -> bool {
        true
    }

    /// Whether it marks what is lost in the log of sent segments. Then recovery, and what follows a timeout, send what
    /// is marked.
    fn marks(&self) -> bool {
        false
    }

    /// Marks what is lost; returns how many bytes are newly so. Called before [`Self::detect`], and only if it marks.
    fn mark(&mut self, _log: &mut SendLog, _seen: &Marking<'_>) -> u64 {
        0
    }

    /// A recovery is over; `undone`: it was needless.
    fn on_recovery_end(&mut self, _undone: bool) {}

    /// When its timer shall fire; asked after every call of the sender. `SimTime::MAX`: never.
    fn deadline(&self) -> SimTime {
        SimTime::MAX
    }

    /// Whether the window must not grow now.
    fn holds_window(&self) -> bool {
        false
    }

    /// Holes below this byte were retransmitted before recovery: recovery need not begin with them.
    fn repaired(&self) -> u64 {
        0
    }

    /// Tells every counter by its public name; those of [`super::Counters::NAMES`], if it has any.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}
