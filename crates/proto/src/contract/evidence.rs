//! What ACKs tell of losses, for the sender itself and for those who look over its shoulder.

use crate::wire::{RangeSet, Segment, flags};

/// Duplicate ACKs that signal a loss (RFC 5681 §3.2, RFC 6675 DupThresh).
pub const DUP_THRESH: u32 = 3;

/// Whether a segment is a duplicate ACK to a sender whose bytes `[una, max_sent)` are outstanding: it acknowledges what
/// the last one did, with the same `window` (RFC 5681 §2), or if `by_blocks` with blocks of what has arrived beyond,
/// whatever the window (RFC 6675 §2). A repeated SYN-ACK is none.
#[must_use]
pub fn is_duplicate_ack(
    segment: &Segment,
    (una, max_sent): (u64, u64),
    window: u64,
    by_blocks: bool,
) -> bool {
    let known = by_blocks && !segment.sack.is_empty();
    segment.flags & (flags::ACK | flags::SYN) == flags::ACK
        && segment.ack == una
        && segment.len == 0
        && una < max_sent
        && (known || u64::from(segment.window) == window)
}

/// RFC 6675 §4, IsLost: what is not acknowledged below this byte is lost, as three segments (in bytes or in
/// discontiguous ranges) above it are `held`. What lies above a byte only grows downwards, so that IsLost has one edge.
#[must_use]
pub fn lost_below(held: &RangeSet, segment: u64) -> u64 {
    let (mut ranges, mut bytes) = (0u32, 0u64);
    for (start, end) in held.iter().rev() {
        ranges += 1;
        bytes += end - start;
        if ranges >= DUP_THRESH || bytes > u64::from(DUP_THRESH - 1) * segment {
            return start;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::SackBlocks;

    #[test]
    fn a_duplicate_acknowledges_the_same_and_says_no_more() {
        let ack = Segment { ack: 100, flags: flags::ACK, window: 500, ..Segment::default() };
        let is = |segment: &Segment, by_blocks| is_duplicate_ack(segment, (100, 300), 500, by_blocks);
        assert!(is(&ack, false) && is(&ack, true));
        for other in [
            Segment { ack: 200, ..ack },
            Segment { len: 1, ..ack },
            Segment { flags: 0, ..ack },
            Segment { flags: flags::ACK | flags::SYN, ..ack },
            Segment { window: 400, ..ack },
        ] {
            assert!(!is(&other, true), "{other:?}");
        }
        assert!(!is_duplicate_ack(&ack, (100, 100), 500, true), "nothing is outstanding");
        let mut sack = SackBlocks::default();
        sack.push(200, 100);
        let moved = Segment { window: 400, sack, ..ack };
        assert_eq!((is(&moved, false), is(&moved, true)), (false, true));
    }

    #[test]
    fn three_segments_above_a_byte_say_that_it_is_lost() {
        let set = |ranges: &[(u64, u64)]| {
            let mut set = RangeSet::default();
            ranges.iter().for_each(|&(start, end)| assert!(set.insert(start, end)));
            set
        };
        for (ranges, below) in [
            (&[(100, 300)][..], 0),
            (&[(100, 301)], 100),
            (&[(100, 110), (200, 210)], 0),
            (&[(100, 110), (200, 210), (300, 310)], 100),
            (&[(50, 60), (100, 110), (200, 410)], 200),
        ] {
            assert_eq!(lost_below(&set(ranges), 100), below, "{ranges:?}");
        }
    }
}
