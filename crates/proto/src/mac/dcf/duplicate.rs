//! Duplicate detection: IEEE 802.11-2020 §10.3.2.14, keyed by (transmitter, sequence number, retry bit).
//!
//! The filter remembers which of the last 2048 sequence numbers of each transmitter it has received, half of all
//! there are, not only the last one: a queue that keeps a frame over a give-up offers it again after others, under
//! its old number. No such frame moves the window back, however old it is.

use crate::units::NodeId;

/// Half of the sequence numbers: of two of them one is clearly the newer.
const REMEMBERED: u16 = 2048;
const WORDS: usize = REMEMBERED as usize / 64;

/// What has been received from each transmitter.
#[derive(Clone, Debug, Default)]
pub struct DuplicateFilter {
    seen: Vec<Seen>,
}

/// What has been received from one transmitter.
#[derive(Clone, Debug)]
struct Seen {
    from: NodeId,
    /// Highest number, modulo 4096.
    newest: u16,
    /// A bit for each of the [`REMEMBERED`] numbers up to it, at the number's place modulo their count.
    bits: Box<[u64; WORDS]>,
}

impl DuplicateFilter {
    /// Records a frame; returns whether it had been received before. `retry` is its retry bit: a frame without it is
    /// new, and if its number is behind, its transmitter has started its numbers afresh.
    #[inline(always)]
    pub fn is_duplicate(&mut self, from: NodeId, sequence: u16, retry: bool) -> bool {
        let place = self.seen.iter().position(|seen| seen.from == from).unwrap_or_else(|| {
            self.seen.push(Seen { from, newest: sequence, bits: Box::new([0; WORDS]) });
            self.seen.len() - 1
        });
        let seen = &mut self.seen[place];
        let ahead = sequence.wrapping_sub(seen.newest) & (2 * REMEMBERED - 1);
        if ahead < REMEMBERED {
            for skipped in 1..=ahead {
                seen.set(seen.newest.wrapping_add(skipped), false);
            }
            seen.newest = sequence;
        } else if !retry {
            *seen.bits = [0; WORDS];
            seen.newest = sequence;
        }
        seen.set(sequence, true)
    }
}

impl Seen {
    /// Notes whether a number has been received; returns what was noted before.
    #[inline]
    fn set(&mut self, sequence: u16, received: bool) -> bool {
        let place = usize::from(sequence % REMEMBERED);
        let (word, bit) = (&mut self.bits[place / 64], 1u64 << (place % 64));
        let before = *word & bit != 0;
        if received {
            *word |= bit
        } else {
            *word &= !bit
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn remembers_numbers_per_transmitter() {
        let mut filter = DuplicateFilter::default();
        for sequence in 4090..4096 {
            assert!(!filter.is_duplicate(NodeId(1), sequence, false));
        }
        assert!(!filter.is_duplicate(NodeId(1), 3, false)); // wrapped
        assert!(filter.is_duplicate(NodeId(1), 4090, true)); // offered again
        assert!(!filter.is_duplicate(NodeId(1), 0, true)); // skipped until now
        assert!(filter.is_duplicate(NodeId(1), 0, true));
        assert!(!filter.is_duplicate(NodeId(2), 3, true));
    }

    #[test]
    fn a_station_that_restarts_its_numbers_is_heard() {
        let mut filter = DuplicateFilter::default();
        assert!(!filter.is_duplicate(NodeId(1), 2000, false));
        assert!(!filter.is_duplicate(NodeId(1), 1, false));
        assert!(filter.is_duplicate(NodeId(1), 1, true));
    }

    #[test]
    fn a_frame_offered_again_after_many_others_is_known_and_moves_nothing() {
        let mut filter = DuplicateFilter::default();
        for sequence in 0..200 {
            assert!(!filter.is_duplicate(NodeId(1), sequence, false));
        }
        for _ in 0..2 {
            assert!(filter.is_duplicate(NodeId(1), 10, true));
            assert!(filter.is_duplicate(NodeId(1), 199, true));
        }
    }

    proptest::proptest! {
        /// New frames under consecutive numbers, lost or not, and any of the last 2000 offered again in between:
        /// each is new exactly once.
        #[test]
        fn no_frame_passes_twice(steps in proptest::collection::vec((0u16..40, 0u64..2000, proptest::bool::ANY), 1..600)) {
            let (mut filter, mut received, mut newest) = (DuplicateFilter::default(), BTreeSet::new(), 0u64);
            for (ahead, back, lost) in steps {
                let (number, retry) = if ahead > 0 {
                    newest += u64::from(ahead);
                    (newest, false)
                } else {
                    (newest.saturating_sub(back), true)
                };
                if !lost {
                    let duplicate = filter.is_duplicate(NodeId(1), (number % 4096) as u16, retry);
                    proptest::prop_assert_eq!(duplicate, !received.insert(number), "{} of {}", number, newest);
                }
            }
        }
    }
}
