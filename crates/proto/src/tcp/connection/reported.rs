//! What a receiver reports besides the cumulative ACK: what it holds beyond a gap (RFC 2018 §4), and what came twice
//! (RFC 2883 §4).

use crate::wire::{RangeSet, SackBlocks};

/// The reports of one receiver.
#[derive(Clone, Debug, Default)]
pub(super) struct Reported {
    /// Whether it uses SACK, and whether it says what came twice.
    sack: bool,
    dsack: bool,
    /// First bytes of segments that arrived out of order, the last one first: one for each range, as RFC 2018 §4 wants
    /// the blocks repeated that were reported most recently.
    recent: Vec<u64>,
    /// What came twice since the last ACK.
    twice: Option<(u64, u64)>,
}

impl Reported {
    /// Nothing has arrived yet.
    pub(super) fn new(sack: bool, dsack: bool) -> Self {
        Self { sack, dsack: sack && dsack, ..Self::default() }
    }

    /// `[start, end)` arrives; all below `expected` and what `waiting` has were here before.
    #[inline]
    pub(super) fn arrives(&mut self, start: u64, end: u64, expected: u64, waiting: &RangeSet) {
        if self.dsack && (start < expected || waiting.covers(start, end)) {
            let end = if start < expected { end.min(expected) } else { end };
            self.twice = (start < end).then_some((start, end));
        }
    }

    /// A segment has arrived out of order at `start`: its range comes first from now on.
    pub(super) fn note(&mut self, start: u64, waiting: &RangeSet) {
        if self.sack {
            let range = waiting.iter().find(|&(from, to)| from <= start && start < to);
            self.recent.retain(|byte| range.is_none_or(|(from, to)| *byte < from || to <= *byte));
            self.recent.insert(0, start);
        }
    }

    /// All below `expected` is acknowledged cumulatively.
    pub(super) fn forget_below(&mut self, expected: u64) {
        self.recent.retain(|&byte| byte > expected);
    }

    /// The blocks of the next ACK.
    #[inline(always)]
    pub(super) fn blocks(&mut self, waiting: &RangeSet) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        if !self.sack {
            return blocks;
        }
        let length = |start: u64, end: u64| u32::try_from(end - start).unwrap_or(u32::MAX);
        if let Some((start, end)) = self.twice.take() {
            blocks.push(start, length(start, end));
        }
        for byte in self.recent.iter().take(3) {
            if let Some((start, end)) = waiting.iter().find(|&(from, to)| from <= *byte && *byte < to) {
                blocks.push(start, length(start, end));
            }
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(reported: &mut Reported, waiting: &RangeSet) -> Vec<(u64, u64)> {
        reported.blocks(waiting).around(1000).collect()
    }

    /// RFC 2883 §4.1: a segment below the ACK that came twice is the first block, once.
    #[test]
    fn what_came_twice_is_the_first_block_of_one_ack() {
        let (mut reported, mut waiting) = (Reported::new(true, true), RangeSet::default());
        waiting.insert(2000, 3000);
        reported.note(2000, &waiting);
        reported.arrives(500, 1000, 1000, &waiting);
        assert_eq!(blocks(&mut reported, &waiting), [(500, 1000), (2000, 3000)]);
        assert_eq!(blocks(&mut reported, &waiting), [(2000, 3000)]);
    }

    /// §4.1.1, §4.2: of a segment that came twice in part, that part; within a held range, that range comes behind it.
    #[test]
    fn a_part_that_came_twice_is_told() {
        let (mut reported, mut waiting) = (Reported::new(true, true), RangeSet::default());
        reported.arrives(900, 1500, 1000, &waiting);
        assert_eq!(blocks(&mut reported, &waiting), [(900, 1000)]);
        waiting.insert(2000, 4000);
        reported.note(2000, &waiting);
        reported.arrives(3000, 3500, 1000, &waiting);
        assert_eq!(reported.clone().blocks(&waiting).duplicate(1000), Some((3000, 3500)));
        assert_eq!(blocks(&mut reported, &waiting), [(3000, 3500), (2000, 4000)]);
        reported.arrives(4000, 5000, 1000, &waiting);
        assert_eq!(reported.blocks(&waiting).duplicate(1000), None);
    }

    #[test]
    fn without_the_option_nothing_is_told_twice() {
        let (mut reported, waiting) = (Reported::new(true, false), RangeSet::default());
        reported.arrives(0, 1000, 1000, &waiting);
        assert_eq!(blocks(&mut reported, &waiting), []);
    }
}
