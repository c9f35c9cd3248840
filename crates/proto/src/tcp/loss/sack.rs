//! The SACK scoreboard: RFC 6675 §4 (Update, IsLost, SetPipe, NextSeg).

use super::DUP_THRESH;
use crate::wire::RangeSet;

/// What the receiver has selectively acknowledged, and what recovery has sent again.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    /// Acknowledged above the cumulative ACK.
    sacked: RangeSet,
    /// Highest byte retransmitted in this recovery (RFC 6675 HighRxt).
    high_rxt: u64,
}

impl Scoreboard {
    /// Takes in one block.
    pub fn update(&mut self, start: u64, end: u64) {
        self.sacked.insert(start, end);
    }

    /// Forgets what is below the cumulative ACK.
    pub fn advance(&mut self, una: u64) {
        self.sacked.remove_below(una);
        self.high_rxt = self.high_rxt.max(una);
    }

    /// Forgets everything (after a timeout, RFC 6675 §5.1: the receiver may have reneged).
    pub fn clear(&mut self, una: u64) {
        self.sacked.clear();
        self.high_rxt = una;
    }

    /// Recovery begins: nothing has been sent again yet.
    pub const fn begin(&mut self, una: u64) {
        self.high_rxt = una;
    }

    /// A hole up to `end` has been sent again.
    pub const fn retransmitted(&mut self, end: u64) {
        if end > self.high_rxt {
            self.high_rxt = end;
        }
    }

    /// IsLost: three segments (in bytes or in discontiguous ranges) above `seq` have been selectively acknowledged.
    #[must_use]
    pub fn is_lost(&self, seq: u64, segment: u64) -> bool {
        let above = self.sacked.iter().filter(|&(from, _)| from > seq);
        let (ranges, bytes) = above.fold((0u32, 0u64), |(n, bytes), (from, to)| (n + 1, bytes + (to - from)));
        ranges >= DUP_THRESH || bytes > u64::from(DUP_THRESH - 1) * segment
    }

    /// Whether the receiver has the byte.
    #[must_use]
    pub fn has(&self, seq: u64) -> bool {
        self.sacked.contains(seq)
    }

    /// SetPipe: bytes believed to be in the network between `una` and `nxt`.
    #[must_use]
    pub fn pipe(&self, una: u64, nxt: u64, segment: u64) -> u64 {
        let mut pipe = 0;
        let mut seq = una;
        while seq < nxt {
            let end = (seq + segment).min(nxt);
            if !self.has(seq) {
                let in_flight = u64::from(!self.is_lost(seq, segment)) + u64::from(seq < self.high_rxt);
                pipe += in_flight * (end - seq);
            }
            seq = end;
        }
        pipe
    }

    /// NextSeg rules 1 and 3: the next hole to send again; with `rescue`, also one not yet judged lost.
    #[must_use]
    pub fn next_hole(&self, una: u64, segment: u64, rescue: bool) -> Option<u64> {
        let (_, highest) = self.sacked.iter().next_back()?;
        let mut seq = una.max(self.high_rxt);
        while seq < highest {
            if !self.has(seq) && (rescue || self.is_lost(seq, segment)) {
                return Some(seq);
            }
            seq += segment;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_loss_and_counts_the_pipe() {
        let mut board = Scoreboard::default();
        // 0 lost, 100..400 received, 400 lost?, 500..600 received, 600..800 in flight
        board.update(100, 400);
        board.update(500, 600);
        assert!(board.is_lost(0, 100));
        assert!(!board.is_lost(400, 100));
        assert_eq!(board.pipe(0, 800, 100), 100 + 200);
        assert_eq!(board.next_hole(0, 100, false), Some(0));
        board.retransmitted(100);
        assert_eq!(board.next_hole(0, 100, false), None);
        assert_eq!(board.next_hole(0, 100, true), Some(400));
        assert_eq!(board.pipe(0, 800, 100), 100 + 100 + 200);
    }
}
