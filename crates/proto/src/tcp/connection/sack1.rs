//! What ns-2's `Sack1` does otherwise than RFC 6675: its pipe is a count of packets (Fall & Floyd, *Simulation-based
//! comparisons of Tahoe, Reno, and SACK TCP*, 1996), and what it knows of blocks it forgets with each new ACK. Every rule
//! was seen in traces of two wired nodes, from which packets of a list were lost.

use super::Action;
use super::sender::{Phase, Sender};
use crate::contract::Sink;
use crate::tcp::config::{Loss, SackRule};
use crate::tcp::loss::{AnyLossDetector, DUP_THRESH};
use crate::units::SimTime;

impl Sender {
    /// Whether it is one. Loss detectors that need to know more of losses do not forget.
    pub(super) const fn is_sack1(&self) -> bool {
        matches!((self.config.loss, self.config.sack_rule), (Loss::Sack, SackRule::Ns2))
            && matches!(self.loss_detector, AnyLossDetector::Sack(_))
    }

    /// An ACK for the same byte is a duplicate if its blocks tell something new since the last new ACK; in recovery any is;
    /// after a timeout none is before the next new ACK.
    pub(super) fn is_duplicate_for_sack1(&self, fresh: bool) -> bool {
        match self.phase {
            Phase::Recovery { .. } => true,
            _ => fresh && self.timed_out != Some(self.una),
        }
    }

    /// Whether its pipe governs what is sent now.
    pub(super) fn sends_as_sack1(&self) -> bool {
        self.is_sack1() && self.sends_by_pipe()
    }

    /// Recovery begins: what is outstanding but for what three duplicates tell of. The packet that is sent again at once
    /// stands for the one that was lost.
    pub(super) fn count_outstanding(&mut self) {
        let outstanding = (self.max_sent - self.una).div_ceil(self.segment());
        self.pipe = outstanding.cast_signed() - i64::from(DUP_THRESH);
    }

    /// While the pipe is below the whole window: any hole below a block that has not been sent again, then new data.
    pub(super) fn send_as_sack1<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        while self.budget > 0 && self.pipe < self.congestion.cwnd as i64 {
            if let Some((start, end)) = self.rescue() {
                self.transmit(now, start, end, out);
                self.scoreboard.retransmitted(end);
            } else if self.may_send_new() {
                self.send_next(now, out);
            } else {
                break;
            }
            self.pipe += 1;
        }
    }
}
