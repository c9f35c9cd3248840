//! Which segments that TCP sent again were needless: an earlier copy of them arrived (RFC 3522 §1: spurious
//! retransmission).

use std::collections::VecDeque;

use multihop_proto::units::SimTime;

use super::losses::REMEMBERED;

/// The repairs of one flow: segments that were sent again.
#[derive(Clone, Debug, Default)]
pub struct Repairs {
    /// Those with an earlier copy that is on its way.
    open: Vec<Repair>,
    /// Needless ones among those that were sent in the measured time.
    pub needless: u64,
    /// The latest that were needed, by their first byte: no earlier copy of them arrived.
    needed: VecDeque<u64>,
}

/// A segment that was sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// First byte.
    pub seq: u64,
    /// When: copies that were made before are earlier ones.
    pub sent: SimTime,
    /// Whether that is in the measured time.
    pub counts: bool,
}

/// What was known of a segment as it was sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Its receiver has it.
    Arrived,
    /// An earlier copy is on its way.
    UnderWay,
    /// No copy is left.
    Lost,
}

impl Repairs {
    /// Whether it is known of all whether they are needless.
    #[inline]
    #[must_use]
    pub const fn are_settled(&self) -> bool {
        self.open.is_empty()
    }

    /// A segment is sent again.
    pub fn sent(&mut self, repair: Repair, known: Known) {
        match known {
            Known::Arrived => self.needless += u64::from(repair.counts),
            Known::UnderWay => self.open.push(repair),
            Known::Lost => self.note_needed(repair.seq),
        }
    }

    /// Copies have come to an end. Where no earlier one is left, the last has arrived, unless it has just been `lost`.
    pub fn settle(&mut self, lost: Option<u64>, is_left: impl Fn(&Repair) -> bool) {
        let Self { open, needless, .. } = self;
        let mut needed = None;
        open.retain(|repair| {
            let left = is_left(repair);
            if !left && lost == Some(repair.seq) {
                needed = lost;
            } else if !left {
                *needless += u64::from(repair.counts);
            }
            left
        });
        if let Some(seq) = needed {
            self.note_needed(seq);
        }
    }

    /// Whether a segment was lost before it was sent again.
    #[must_use]
    pub fn were_needed(&self, seq: u64) -> bool {
        self.needed.contains(&seq)
    }

    fn note_needed(&mut self, seq: u64) {
        if self.needed.len() == REMEMBERED {
            self.needed.pop_front();
        }
        self.needed.push_back(seq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64) -> Repair {
        Repair { seq: 1000 * second, sent: SimTime::from_secs(second), counts: true }
    }

    fn needless(known: Known, counts: bool, act: impl Fn(&mut Repairs)) -> (u64, bool) {
        let mut repairs = Repairs::default();
        repairs.sent(Repair { counts, ..at(1) }, known);
        act(&mut repairs);
        (repairs.needless, repairs.are_settled())
    }

    #[test]
    fn what_the_receiver_has_needs_no_repair_and_what_is_lost_does() {
        assert_eq!(needless(Known::Arrived, true, |_| {}), (1, true));
        assert_eq!(needless(Known::Arrived, false, |_| {}), (0, true), "before the measured time");
        assert_eq!(needless(Known::Lost, true, |_| {}), (0, true));
    }

    /// A copy is on its way as the segment is sent again: what becomes of it decides.
    #[test]
    fn the_fate_of_an_earlier_copy_decides() {
        assert_eq!(needless(Known::UnderWay, true, |it| it.settle(None, |_| true)), (0, false));
        assert_eq!(needless(Known::UnderWay, true, |it| it.settle(None, |_| false)), (1, true));
        assert_eq!(needless(Known::UnderWay, true, |it| it.settle(Some(1000), |_| false)), (0, true));
        assert_eq!(needless(Known::UnderWay, true, |it| it.settle(Some(2000), |_| false)), (1, true));
        assert_eq!(needless(Known::UnderWay, false, |it| it.settle(None, |_| false)), (0, true));
    }

    #[test]
    fn what_was_needed_is_remembered_as_such() {
        let were = |known, lost| {
            let mut repairs = Repairs::default();
            repairs.sent(at(1), known);
            repairs.settle(lost, |_| false);
            [1000, 2000].map(|seq| repairs.were_needed(seq))
        };
        assert_eq!(were(Known::Lost, None), [true, false]);
        assert_eq!(were(Known::UnderWay, Some(1000)), [true, false], "the earlier copy is lost later");
        assert_eq!(were(Known::UnderWay, Some(2000)), [false, false]);
        assert_eq!(were(Known::Arrived, None), [false, false]);
        let mut repairs = Repairs::default();
        (0..=REMEMBERED as u64).for_each(|second| repairs.sent(at(second), Known::Lost));
        assert_eq!([0, 1000].map(|seq| repairs.were_needed(seq)), [false, true], "the latest of them");
    }

    #[test]
    fn each_is_judged_alone() {
        let mut repairs = Repairs::default();
        [1, 2, 3].into_iter().for_each(|second| repairs.sent(at(second), Known::UnderWay));
        repairs.settle(Some(2000), |repair| repair.seq == 3000);
        assert_eq!((repairs.needless, repairs.are_settled()), (1, false));
    }
}
