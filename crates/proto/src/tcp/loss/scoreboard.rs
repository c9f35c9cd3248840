//! The SACK scoreboard: RFC 6675 §4 (Update, IsLost, SetPipe, NextSeg), per octet.

use crate::contract::lost_below;
use crate::wire::RangeSet;

/// What the receiver has selectively acknowledged, and what recovery has sent again.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    /// Acknowledged above the cumulative ACK.
    sacked: RangeSet,
    /// Highest byte retransmitted in this recovery (RFC 6675 HighRxt).
    high_rxt: u64,
    /// All below this byte that the receiver does not hold was lost at a timeout; 0: nothing was.
    timed_out: u64,
}

impl Scoreboard {
    /// Takes in one block; returns whether any byte of it was not known yet.
    pub fn update(&mut self, start: u64, end: u64) -> bool {
        self.sacked.insert(start, end)
    }

    /// What the receiver has said that it holds above the cumulative ACK.
    #[must_use]
    pub const fn sacked(&self) -> &RangeSet {
        &self.sacked
    }

    /// Forgets what is below the cumulative ACK.
    pub fn advance(&mut self, una: u64) {
        self.sacked.remove_below(una);
        self.high_rxt = self.high_rxt.max(una);
    }

    /// Forgets everything (after a timeout, RFC 6675 §5.1: the receiver may have reneged).
    pub fn clear(&mut self, una: u64) {
        self.sacked.clear();
        (self.high_rxt, self.timed_out) = (una, 0);
    }

    /// All up to `top` that the receiver does not hold is lost, and nothing of it was sent again yet.
    pub const fn time_out(&mut self, una: u64, top: u64) {
        (self.high_rxt, self.timed_out) = (una, top);
    }

    /// Whether anything from this byte on was lost at a timeout.
    #[must_use]
    pub const fn repairs_timeout(&self, una: u64) -> bool {
        una < self.timed_out
    }

    /// What a timeout says of losses does not count any more.
    pub const fn forget_timeout(&mut self) {
        self.timed_out = 0;
    }

    /// Recovery begins: nothing has been sent again yet.
    pub const fn begin(&mut self, una: u64) {
        (self.high_rxt, self.timed_out) = (una, 0);
    }

    /// A hole up to `end` has been sent again.
    pub const fn retransmitted(&mut self, end: u64) {
        if end > self.high_rxt {
            self.high_rxt = end;
        }
    }

    /// IsLost: so much above `seq` has been selectively acknowledged that it is lost.
    #[must_use]
    pub fn is_lost(&self, seq: u64, segment: u64) -> bool {
        seq < self.lost_below(segment)
    }

    /// Bytes that the receiver has said it holds above the cumulative ACK.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.sacked.iter().map(|(start, end)| end - start).sum()
    }

    /// Those of them below this byte.
    #[must_use]
    pub fn held_below(&self, ack: u64) -> u64 {
        self.sacked.iter().map(|(start, end)| end.min(ack).saturating_sub(start)).sum()
    }

    /// First byte that is not lost.
    #[must_use]
    pub fn lost_below(&self, segment: u64) -> u64 {
        lost_below(&self.sacked, segment).max(self.timed_out)
    }

    /// Bytes from `una` on that are lost, whether they were sent again or not.
    #[must_use]
    pub fn lost(&self, una: u64, segment: u64) -> u64 {
        self.missing(una, self.lost_below(segment).max(una))
    }

    /// Bytes of `[from, to)` that the receiver has not said it holds.
    fn missing(&self, from: u64, to: u64) -> u64 {
        let held = |(start, end): (u64, u64)| end.min(to).saturating_sub(start.max(from));
        to.saturating_sub(from) - self.sacked.iter().map(held).sum::<u64>()
    }

    /// SetPipe: bytes believed to be in the network between `una` and `nxt`: those not lost, and those sent again.
    #[must_use]
    pub fn pipe(&self, una: u64, nxt: u64, segment: u64) -> u64 {
        let lost = self.lost_below(segment).clamp(una, nxt);
        self.missing(lost, nxt) + self.missing(una, self.high_rxt.clamp(una, nxt))
    }

    /// End of the last block, or `una` if there is none: the forward acknowledgement of FACK.
    #[must_use]
    pub fn forward(&self, una: u64) -> u64 {
        self.sacked.iter().next_back().map_or(una, |(_, end)| end.max(una))
    }

    /// Bytes from `una` on that were sent again in this recovery and have not arrived, as far as SACK tells.
    #[must_use]
    pub fn repairs(&self, una: u64) -> u64 {
        self.missing(una, self.high_rxt.max(una))
    }

    /// NextSeg rules 1 and 3: the next hole to send again, as `[start, end)` of at most one segment; with `rescue`,
    /// also one not yet judged lost.
    #[must_use]
    pub fn next_hole(&self, una: u64, segment: u64, rescue: bool) -> Option<(u64, u64)> {
        let mut seq = una.max(self.high_rxt);
        for (start, end) in self.sacked.iter() {
            if seq < start {
                let lost = rescue || self.is_lost(seq, segment);
                return lost.then(|| (seq, start.min(seq.saturating_add(segment))));
            }
            seq = seq.max(end);
        }
        (seq < self.timed_out).then(|| (seq, self.timed_out.min(seq.saturating_add(segment))))
    }

    /// The first byte at or above `seq` that the receiver has not said it holds, and where the hole that it opens ends;
    /// `u64::MAX` if no block is above it.
    #[must_use]
    pub fn hole_from(&self, seq: u64) -> (u64, u64) {
        let mut seq = seq;
        for (start, end) in self.sacked.iter() {
            if seq < start {
                return (seq, start);
            }
            seq = seq.max(end);
        }
        (seq, u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn judges_loss_and_counts_the_pipe() {
        let mut board = Scoreboard::default();
        // 0 lost, 100..400 received, 400 lost?, 500..600 received, 600..800 in flight
        board.update(100, 400);
        board.update(500, 600);
        assert!(board.is_lost(0, 100));
        assert!(!board.is_lost(400, 100));
        assert_eq!(board.pipe(0, 800, 100), 100 + 200);
        assert_eq!(board.next_hole(0, 100, false), Some((0, 100)));
        assert_eq!((board.forward(0), board.forward(700), board.repairs(0)), (600, 700, 0));
        board.retransmitted(100);
        assert_eq!((board.repairs(0), board.repairs(100)), (100, 0));
        assert_eq!(board.next_hole(0, 100, false), None);
        assert_eq!(board.next_hole(0, 100, true), Some((400, 500)));
        assert_eq!(board.pipe(0, 800, 100), 100 + 100 + 200);
    }

    /// RFC 6675 §5: HighRxt is that of one recovery; the next one sends the same hole again.
    #[test]
    fn a_new_recovery_begins_with_nothing_sent_again() {
        let mut board = Scoreboard::default();
        board.update(100, 400);
        board.retransmitted(100);
        assert_eq!(board.next_hole(0, 100, false), None);
        board.begin(0);
        assert_eq!(board.next_hole(0, 100, false), Some((0, 100)));
    }

    /// Segments of many lengths: a hole is found wherever it begins, and never reaches into what has arrived.
    #[test]
    fn holes_need_not_lie_on_a_grid_of_segments() {
        let mut board = Scoreboard::default();
        board.update(130, 250);
        board.update(290, 700);
        assert_eq!(board.next_hole(0, 100, false), Some((0, 100)));
        board.retransmitted(100);
        assert_eq!(board.next_hole(0, 100, false), Some((100, 130)));
        board.retransmitted(130);
        assert_eq!(board.next_hole(0, 100, false), Some((250, 290)));
        board.retransmitted(290);
        assert_eq!(board.next_hole(0, 100, true), None);
        assert_eq!(board.pipe(0, 800, 100), 130 + 40 + 100);
        assert_eq!((board.hole_from(140), board.hole_from(700)), ((250, 290), (700, u64::MAX)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// RFC 6675 §4 read byte by byte.
        #[test]
        fn agrees_with_the_definition_octet_by_octet(
            blocks in prop::collection::vec((0u64..200, 1u64..30), 0..8),
            una in 0u64..40,
            high_rxt in 0u64..220,
            segment in 1u64..25,
        ) {
            let mut board = Scoreboard::default();
            let mut held = [false; 256];
            for (start, len) in blocks {
                board.update(start.max(una), (start + len).max(una));
                (start.max(una)..(start + len).max(una)).for_each(|byte| held[byte as usize] = true);
            }
            board.begin(una);
            board.retransmitted(high_rxt);
            let nxt = 240;
            let highest = held.iter().rposition(|&held| held).map_or(0, |byte| byte as u64 + 1);
            let lost = |byte: u64| {
                let above = &held[byte as usize + 1..];
                let bytes = above.iter().filter(|&&held| held).count() as u64;
                let ranges = (1..above.len()).filter(|&at| above[at] && !above[at - 1]).count();
                let ranges = ranges + usize::from(above.first() == Some(&true));
                ranges >= 3 || bytes > 2 * segment
            };
            let missing = |byte: &u64| !held[*byte as usize];
            let pipe = (una..nxt).filter(missing)
                .map(|byte| u64::from(!lost(byte)) + u64::from(byte < high_rxt.max(una)))
                .sum::<u64>();
            prop_assert_eq!(board.pipe(una, nxt, segment), pipe);
            let gone = (una..nxt).filter(missing).filter(|&byte| lost(byte)).count();
            prop_assert_eq!(board.lost(una, segment), gone as u64);
            let arrived = |below: u64| held[..below as usize].iter().filter(|&&held| held).count() as u64;
            prop_assert_eq!((board.held(), board.held_below(100)), (arrived(256), arrived(100)));
            for byte in (una..nxt).filter(missing) {
                prop_assert_eq!(board.is_lost(byte, segment), lost(byte), "{}", byte);
                prop_assert_eq!(byte < board.lost_below(segment), lost(byte), "{}", byte);
            }
            for rescue in [false, true] {
                let next = (una.max(high_rxt)..highest).find(|byte| missing(byte) && (rescue || lost(*byte)));
                let hole = board.next_hole(una, segment, rescue);
                prop_assert_eq!(hole.map(|(start, _)| start), next);
                if let Some((start, end)) = hole {
                    prop_assert!(start < end && end - start <= segment && (start..end).all(|byte| missing(&byte)));
                }
            }
        }
    }
}
