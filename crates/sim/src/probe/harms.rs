//! What the channel did to the attempts of a frame, counted.

use crate::air::Harm;

/// Attempts by what harmed them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Harms([u32; Harm::ALL.len()]);

impl Harms {
    /// One more attempt failed so.
    pub fn add(&mut self, harm: Harm) {
        self.0[harm as usize] += 1;
    }

    /// Whether nothing was harmed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What harmed most attempts, if at least half of those that a node was there to hear were harmed.
    #[must_use]
    pub fn most(&self, heard: u32) -> Option<Harm> {
        let all: u64 = self.0.iter().copied().map(u64::from).sum();
        if all == 0 || all * 2 < u64::from(heard) {
            return None;
        }
        // Of several that did so equally often the first by name in the list.
        Harm::ALL.into_iter().rev().max_by_key(|&harm| self.0[harm as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harms(counts: [u32; 4]) -> Harms {
        Harms(counts)
    }

    #[test]
    fn half_of_what_was_heard_decides_whatever_they_met() {
        assert_eq!(harms([0, 0, 0, 0]).most(0), None);
        assert_eq!(harms([1, 0, 0, 2]).most(7), None);
        assert_eq!(harms([1, 0, 1, 2]).most(8), Some(Harm::Fade), "together half, and most of that");
        assert_eq!(harms([2, 2, 0, 0]).most(8), Some(Harm::Bits), "the first of two");
        assert_eq!(harms([0, 0, 1, 0]).most(0), Some(Harm::Jam), "a response that was lost");
    }
}
