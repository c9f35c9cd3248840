//! Duplicate detection: IEEE 802.11-2020 §10.3.2.14, keyed by (transmitter, sequence number).
//!
//! The filter remembers the last 64 sequence numbers of each transmitter, not only the last one: a queue that
//! keeps a frame over a give-up offers it again after others, under its old number.

use crate::units::NodeId;

const REMEMBERED: u16 = 64;
const NUMBERS: u16 = 4096;

/// What has been received from each transmitter.
#[derive(Clone, Debug, Default)]
pub struct DuplicateFilter {
    /// Per transmitter: highest number seen (modulo 4096), and a bit for each of the 64 up to it.
    seen: Vec<(NodeId, u16, u64)>,
}

impl DuplicateFilter {
    /// Records a frame; returns whether it had been received before.
    pub fn is_duplicate(&mut self, from: NodeId, sequence: u16) -> bool {
        let Some((_, newest, bits)) = self.seen.iter_mut().find(|(node, ..)| *node == from) else {
            self.seen.push((from, sequence, 1));
            return false;
        };
        let ahead = sequence.wrapping_sub(*newest) & (NUMBERS - 1);
        if ahead == 0 || ahead > NUMBERS / 2 {
            let behind = (NUMBERS - ahead) & (NUMBERS - 1);
            if behind >= REMEMBERED {
                // Older than all that is remembered: a transmitter that started afresh.
                (*newest, *bits) = (sequence, 1);
                return false;
            }
            let bit = 1u64 << behind;
            let duplicate = *bits & bit != 0;
            *bits |= bit;
            return duplicate;
        }
        *bits = if ahead >= REMEMBERED { 1 } else { (*bits << ahead) | 1 };
        *newest = sequence;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_64_numbers_per_transmitter() {
        let mut filter = DuplicateFilter::default();
        for sequence in 4090..4096 {
            assert!(!filter.is_duplicate(NodeId(1), sequence));
        }
        assert!(!filter.is_duplicate(NodeId(1), 3)); // wrapped
        assert!(filter.is_duplicate(NodeId(1), 4090)); // re-offered later
        assert!(!filter.is_duplicate(NodeId(1), 0)); // skipped until now
        assert!(filter.is_duplicate(NodeId(1), 0));
        assert!(!filter.is_duplicate(NodeId(2), 3));
    }

    #[test]
    fn a_station_that_restarts_its_numbers_is_heard() {
        let mut filter = DuplicateFilter::default();
        assert!(!filter.is_duplicate(NodeId(1), 2000));
        assert!(!filter.is_duplicate(NodeId(1), 1));
        assert!(filter.is_duplicate(NodeId(1), 1));
    }
}
