//! Sets of half-open ranges: what a receiver holds beyond a hole, what a sender knows to have arrived.

/// Disjoint, sorted, non-adjacent ranges `[start, end)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeSet {
    ranges: Vec<(u64, u64)>,
}

impl RangeSet {
    /// Adds `[start, end)`; returns whether any of it is new. Empty ranges change nothing.
    pub fn insert(&mut self, start: u64, end: u64) -> bool {
        if start >= end || self.covers(start, end) {
            return false;
        }
        let from = self.ranges.partition_point(|&(_, to)| to < start);
        let until = self.ranges.partition_point(|&(begin, _)| begin <= end);
        let merged = self.ranges[from..until]
            .iter()
            .fold((start, end), |(low, high), &(begin, to)| (low.min(begin), high.max(to)));
        self.ranges.splice(from..until, [merged]);
        true
    }

    /// Whether the whole of `[start, end)` is in the set.
    #[must_use]
    pub fn covers(&self, start: u64, end: u64) -> bool {
        let at = self.ranges.partition_point(|&(_, to)| to <= start);
        self.ranges.get(at).is_some_and(|&(begin, to)| begin <= start && end <= to)
    }

    /// Whether the set has this number.
    #[must_use]
    pub fn contains(&self, number: u64) -> bool {
        self.covers(number, number.saturating_add(1))
    }

    /// Removes everything below `floor`.
    pub fn remove_below(&mut self, floor: u64) {
        let gone = self.ranges.partition_point(|&(_, to)| to <= floor);
        self.ranges.drain(..gone);
        if let Some(first) = self.ranges.first_mut() {
            first.0 = first.0.max(floor);
        }
    }

    /// Takes out the range that starts at or below `floor`, if any, and returns its end.
    pub fn take_front(&mut self, floor: u64) -> Option<u64> {
        let &(start, end) = self.ranges.first()?;
        (start <= floor).then(|| {
            self.ranges.remove(0);
            end
        })
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.ranges.clear();
    }

    /// The ranges in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.ranges.iter().copied()
    }

    /// Whether nothing is in the set.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(u64, u64)]) -> RangeSet {
        let mut set = RangeSet::default();
        for &(start, end) in ranges {
            set.insert(start, end);
        }
        set
    }

    #[test]
    fn merges_what_touches() {
        let set = set(&[(200, 300), (400, 500), (300, 400), (10, 20)]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [(10, 20), (200, 500)]);
        assert!(set.contains(200) && !set.contains(500));
    }

    #[test]
    fn says_what_is_new() {
        let mut set = set(&[(100, 200)]);
        assert!(!set.insert(120, 180));
        assert!(set.insert(150, 250));
        assert!(!set.insert(7, 7));
    }

    #[test]
    fn forgets_from_below() {
        let mut set = set(&[(0, 10), (20, 30), (40, 50)]);
        set.remove_below(25);
        assert_eq!(set.iter().collect::<Vec<_>>(), [(25, 30), (40, 50)]);
        assert_eq!(set.take_front(24), None);
        assert_eq!(set.take_front(25), Some(30));
    }
}
