//! The blocks of SACK in a TCP header.

use super::MarkedBytes;

/// Up to three selective-acknowledgment blocks, RFC 2018 §3, most recent first. Numbers are kept as the option carries
/// them, modulo 2^32: packets are copied at every hop. Two blocks if the option of accurate ECN stands beside them,
/// which takes the place of the third.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(u32, u32); 3],
    count: u8,
    /// Whether the third block is the two counters of accurate ECN.
    counted: bool,
}

impl SackBlocks {
    /// Appends a block `[start, start + len)`; further ones than three are left out, as the option has no room.
    pub fn push(&mut self, start: u64, len: u32) {
        let room = self.blocks.len() - usize::from(self.counted);
        if let Some(slot) = self.blocks[..room].get_mut(usize::from(self.count)) {
            *slot = (start as u32, len); // modulo 2^32
            self.count += 1;
        }
    }

    /// The blocks as `(start, end)` byte ranges: those numbers that lie nearest to the segment's `ack`. One that would
    /// begin before the stream does is left out.
    pub fn around(&self, ack: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.blocks[..usize::from(self.count)].iter().filter_map(move |&(start, len)| {
            let ahead = start.wrapping_sub(ack as u32).cast_signed();
            let start = ack.checked_add_signed(i64::from(ahead))?;
            Some((start, start.saturating_add(u64::from(len))))
        })
    }

    /// The bytes that the receiver says came twice (RFC 2883 §4): a first block below `ack`, or within the second one.
    #[must_use]
    pub fn duplicate(&self, ack: u64) -> Option<(u64, u64)> {
        let mut blocks = self.around(ack);
        let (start, end) = blocks.next()?;
        let within = blocks.next().is_some_and(|(from, to)| from <= start && end <= to);
        (start < ack || within).then_some((start, end))
    }

    /// At most so many of the blocks, the first ones.
    #[must_use]
    pub const fn first(self, most: u8) -> Self {
        Self { count: if self.count < most { self.count } else { most }, ..self }
    }

    /// The first two of the blocks, with the option of accurate ECN beside them.
    #[must_use]
    pub const fn beside(self, counts: MarkedBytes) -> Self {
        let [first, second, _] = self.blocks;
        let count = if self.count < 2 { self.count } else { 2 };
        Self { blocks: [first, second, (counts.ect0, counts.ce)], count, counted: true }
    }

    /// The option of accurate ECN, if it is there.
    #[must_use]
    pub const fn marked_bytes(&self) -> Option<MarkedBytes> {
        let [_, _, (ect0, ce)] = self.blocks;
        if self.counted { Some(MarkedBytes { ect0, ce }) } else { None }
    }

    /// Whether neither option is there.
    #[inline]
    #[must_use]
    pub const fn are_absent(&self) -> bool {
        self.count == 0 && !self.counted
    }

    /// How many blocks there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is no block.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(starts: &[u64]) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        starts.iter().for_each(|&start| blocks.push(start, 100));
        blocks
    }

    #[test]
    fn two_blocks_stand_beside_the_counters_of_accurate_ecn() {
        let counts = MarkedBytes { ect0: 4001, ce: 2000 };
        let blocks = of(&[5000, 3000, 1000]).beside(counts);
        assert_eq!(blocks.around(0).collect::<Vec<_>>(), [(5000, 5100), (3000, 3100)]);
        assert_eq!((blocks.len(), blocks.marked_bytes()), (2, Some(counts)));
        let mut few = of(&[]).beside(counts);
        assert!(few.is_empty() && !few.are_absent());
        (0..3).for_each(|start| few.push(start, 1));
        assert_eq!((few.len(), few.marked_bytes()), (2, Some(counts)), "they stay as they are");
        assert_eq!((of(&[1, 2, 3, 4]).len(), of(&[]).are_absent(), of(&[1]).marked_bytes()), (3, true, None));
    }
}
