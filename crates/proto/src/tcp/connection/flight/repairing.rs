//! How [`Flight`] repairs what is lost without a timeout: recovery begins, goes on and ends (RFC 5681 §3.2, RFC 6582,
//! RFC 6675 §5).

use super::super::room::Room;
use super::machine::Flight;
use crate::tcp::config::{Loss, PartialAckRestart, RtoRestart, SackRule};
use crate::tcp::loss::LossDetector;
use crate::tcp::recovery::Recovery;
use crate::tcp::window::{LossResponse, PartialAck};

/// What is sent by another rule than the window's.
#[derive(Clone, Copy, Debug)]
pub(super) enum Episode {
    /// Nothing.
    None,
    /// What a mark takes from the window is spread over a round trip: until more is acknowledged than had been sent.
    Marked { top: u64 },
    /// A recovery is under way.
    Repairing(Repairing),
}

/// A recovery that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repairing {
    /// Highest byte sent when it began.
    recover: u64,
    /// Whether a partial ACK has restarted the timer already.
    restarted: bool,
}

/// Where an ACK stands to a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// None is under way.
    Outside,
    /// None is, but the window is being reduced for a mark.
    Marked,
    /// It stops short of its end.
    Within,
    /// All that was outstanding as it began has arrived.
    AtEnd,
}

/// What a partial ACK leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The retransmission timer starts afresh.
    pub(crate) restarts: bool,
    /// The window grows: recovery is over.
    pub(crate) grows: bool,
    /// The first unacknowledged segment is sent again.
    pub(crate) repairs: bool,
}

impl Flight {
    /// Whether a recovery is under way.
    #[inline(always)]
    pub(crate) const fn is_recovering(&self) -> bool {
        matches!(self.episode, Episode::Repairing(_))
    }

    /// Whether neither a loss nor a mark says how much is sent.
    #[inline(always)]
    pub(super) const fn is_steady(&self) -> bool {
        matches!(self.episode, Episode::None)
    }

    /// Whether the rule of recovery, not the window's edge, says what may be sent.
    #[inline]
    pub(crate) fn sends_by_recovery(&self) -> bool {
        !self.is_steady() && self.recovery.governs()
    }

    #[inline]
    pub(super) fn place(&mut self) -> Place {
        match self.episode {
            Episode::None => Place::Outside,
            Episode::Repairing(Repairing { recover, .. }) if self.stream.una() < recover => Place::Within,
            Episode::Repairing(_) => Place::AtEnd,
            Episode::Marked { top } => self.place_after_mark(top),
        }
    }

    /// The reduction for a mark ends as something is acknowledged that left after it (Linux, `tcp_fastretrans_alert`),
    /// or as nothing is outstanding any more.
    #[cold]
    fn place_after_mark(&mut self, top: u64) -> Place {
        if self.stream.una() <= top && self.stream.outstanding() > 0 {
            return Place::Marked;
        }
        self.episode = Episode::None;
        Place::Outside
    }

    /// A mark has reduced the window to its threshold: what is in the network follows over a round trip.
    pub(super) fn spread_mark(&mut self, room: &Room) {
        if self.is_recovering() || self.stream.outstanding() == 0 {
            return;
        }
        self.episode = Episode::Marked { top: self.stream.max_sent() };
        let mut recovery = self.recovery.clone();
        recovery.begin_for_mark(&self.seen(room));
        self.recovery = recovery;
    }

    /// What is known of arrivals now is no news: an ACK is about to be heard, or a timer has fired.
    pub(crate) fn note_arrivals(&mut self) {
        if self.recovery.counts_arrivals() {
            self.losses.note_arrivals(self.stream.una());
        }
    }

    /// The segment that is lost first: a loss was judged without a timeout.
    pub(crate) fn first_lost(&self) -> Option<u64> {
        self.losses.first_lost(self.stream.una())
    }

    /// First byte of the lost segment for which recovery begins: of those without a repair the first.
    pub(crate) fn found(&self) -> u64 {
        let una = self.stream.una();
        if self.is_unrepaired() {
            return self.first_lost().unwrap_or(una);
        }
        match self.losses.board().hole_from(self.losses.detector().repaired()) {
            (_, u64::MAX) => una,
            (start, _) => start,
        }
    }

    /// The window is reduced for that loss, and a recovery begins, unless all is to be sent again; returns whether one
    /// has. `probed`: a tail loss probe that repeated a segment is out.
    pub(crate) fn lose(&mut self, probed: bool, room: &Room) -> bool {
        let (una, recover) = (self.stream.una(), self.stream.max_sent());
        self.losses.detected(&self.stream);
        self.note_reduction(probed);
        self.spurious.find_loss();
        let answered = self.ecn.has_answered(una);
        match self.control.on_loss(self.losses.dupacks(), answered) {
            LossResponse::GoBack => {
                self.lose_all();
                false
            }
            LossResponse::FastRecovery => {
                let goes_on = answered && !self.is_steady();
                self.episode = Episode::Repairing(Repairing { recover, restarted: false });
                if self.recovery.governs() {
                    self.control.window_mut().inflation = 0;
                    self.stream.go_on();
                    if !goes_on {
                        let mut recovery = self.recovery.clone();
                        recovery.begin(&self.seen(room), self.losses.brought(&self.stream));
                        self.recovery = recovery;
                    }
                    let repaired = self.losses.detector().repaired();
                    self.losses.board_mut().begin(una.max(repaired));
                }
                true
            }
        }
    }

    /// Whether the detector leaves the repair of the first segment to recovery.
    pub(crate) fn is_unrepaired(&self) -> bool {
        self.losses.detector().repaired() <= self.stream.una()
    }

    /// The reduction is told to the receiver with what leaves next.
    pub(crate) const fn tell_reduction(&mut self) {
        self.ecn.reduced(self.stream.max_sent());
    }

    /// Whether more may leave at once than the repair with which recovery began.
    pub(crate) fn sends_at_once(&self) -> bool {
        !self.sends_by_recovery() || self.recovery.sends_at_once()
    }

    /// Whether no loss is being repaired, and SACK shows no gap.
    pub(crate) fn is_calm(&self) -> bool {
        !self.is_recovering()
            && !self.losses.repairs_timeout(self.stream.una())
            && self.losses.board().sacked().is_empty()
    }

    /// Whether a repair of the first segment starts the retransmission timer afresh.
    #[inline]
    pub(crate) fn restarts_with_repairs(&self) -> bool {
        self.config.rto_restart == RtoRestart::Sack && self.losses.are_marked()
    }

    /// What a tail loss probe consists of (RFC 8985 §7.3): new data if there are any that the receiver has room for,
    /// else the last segment, as far as it is known.
    pub(crate) fn tail(&self, room: &Room) -> Option<(u64, u64)> {
        let top = self.stream.max_sent();
        if self.stream.nxt() == top && room.holds_next(&self.stream) {
            return Some((top, self.stream.next_end()));
        }
        let (start, _) = self.losses.log()?.last()?;
        Some((start, top))
    }

    /// Where the hole from this byte on begins, and where its first segment ends.
    pub(crate) fn hole_from(&self, seq: u64) -> (u64, u64) {
        let (start, hole) = self.losses.board().hole_from(seq);
        (start, self.stream.again_end(start, hole))
    }

    /// Where the segment at this byte ends if it is sent again.
    pub(crate) fn again_end(&self, seq: u64) -> u64 {
        let (_, hole) = self.losses.board().hole_from(seq);
        self.stream.again_end(seq, hole)
    }

    /// A lost segment that ends here was sent again, as the rule of recovery says.
    pub(crate) fn repaired(&mut self, end: u64) {
        self.losses.board_mut().retransmitted(end);
    }

    /// The lost segment `[seq, end)` was sent again, out of turn.
    pub(crate) fn repaired_first(&mut self, seq: u64, end: u64) {
        self.repaired(end);
        if self.sends_by_recovery() {
            self.recovery.on_repair(end - seq);
        }
    }

    /// A new ACK of so many segments in recovery that stops short of its end.
    pub(crate) fn on_partial_ack(&mut self, segments: f64) -> Step {
        if self.recovery.governs() {
            self.recovery.on_partial_ack();
            let restarts = self.restarts_in_recovery() || self.is_first_partial_ack();
            return Step { restarts, grows: false, repairs: false };
        }
        match self.control.on_partial_ack(segments) {
            PartialAck::Leave => {
                self.episode = Episode::None;
                Step { restarts: true, grows: true, repairs: false }
            }
            PartialAck::Stay => {
                let every = self.config.partial_ack_restart == PartialAckRestart::Every;
                let restarts = self.is_first_partial_ack() || every;
                Step { restarts, grows: false, repairs: true }
            }
        }
    }

    /// Whether the retransmission timer starts afresh with the first repair, and with each new ACK of a recovery with
    /// SACK.
    pub(crate) fn restarts_in_recovery(&self) -> bool {
        self.config.rto_restart != RtoRestart::Ns3
    }

    /// Whether a partial ACK is the first of its recovery.
    fn is_first_partial_ack(&mut self) -> bool {
        let Episode::Repairing(it) = &mut self.episode else { return true };
        !std::mem::replace(&mut it.restarted, true)
    }

    /// All that was outstanding as recovery began has arrived; returns false, and leaves all as it is, if it was
    /// needless.
    pub(crate) fn end_recovery(&mut self) -> bool {
        let needed = !self.spurious.is_shown();
        if needed {
            self.spurious.repaired();
            self.losses.end_recovery();
            self.leave_recovery();
        }
        needed
    }

    /// Whether the ACK that ends recovery opens the window too.
    pub(crate) fn opens_with_last_ack(&self) -> bool {
        self.recovery.opens_with_last_ack()
    }

    /// With SACK the recovery point has done its work (RFC 6675 §5 (A)); without, and in ns-2, it tells later
    /// duplicates of old segments from a new loss (RFC 6582 §3.2).
    pub(super) fn leave_recovery(&mut self) {
        self.episode = Episode::None;
        self.control.window_mut().leave_recovery();
        if self.config.loss == Loss::Sack && self.config.sack_rule != SackRule::Ns2 {
            self.losses.forget_recovery_point();
        }
    }
}
