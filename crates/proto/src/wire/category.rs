//! User priorities and access categories (IEEE 802.11-2020 §5.1.1.2, table 10-1).

/// A user priority, 0 to 7, which is also the traffic identifier of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserPriority(u8);

impl UserPriority {
    /// Best effort: what has no other, and all frames where there are no categories.
    pub const BEST_EFFORT: Self = Self(0);

    /// The priority of this number, its low three bits.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        Self(number & 7)
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its access category (table 10-1).
    #[must_use]
    pub const fn category(self) -> Category {
        match self.0 {
            1 | 2 => Category::Background,
            4 | 5 => Category::Video,
            6 | 7 => Category::Voice,
            _ => Category::BestEffort,
        }
    }
}

/// An access category; a later one goes before an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// `AC_BK`.
    Background,
    /// `AC_BE`.
    #[default]
    BestEffort,
    /// `AC_VI`.
    Video,
    /// `AC_VO`.
    Voice,
}

impl Category {
    /// How many there are.
    pub const COUNT: usize = 4;

    /// All, the one that goes first first.
    pub const ALL: [Self; Self::COUNT] = [Self::Voice, Self::Video, Self::BestEffort, Self::Background];

    /// Its place in a table of categories.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name, as keys have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Background => "background",
            Self::BestEffort => "best-effort",
            Self::Video => "video",
            Self::Voice => "voice",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_in_the_categories_of_table_10_1() {
        use Category::{Background, BestEffort, Video, Voice};
        let of: Vec<Category> = (0..8).map(|number| UserPriority::new(number).category()).collect();
        assert_eq!(of, [BestEffort, Background, Background, BestEffort, Video, Video, Voice, Voice]);
        assert!(Category::ALL.is_sorted_by(|one, other| one > other));
    }
}
