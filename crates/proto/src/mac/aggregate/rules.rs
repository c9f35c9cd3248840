//! What is so of each access category: whether its frames are aggregated, and for how long it may hold the medium.

use super::config::AggregationConfig;
use crate::units::{Dur, SimTime};
use crate::wire::Category;

/// The rules of one category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Whether its frames are aggregated, under a block ack agreement.
    pub aggregates: bool,
    /// Whether its MPDUs may carry several packets.
    pub packs: bool,
    /// Longest transmit opportunity (IEEE 802.11-2020 §10.23.2.9); zero: one frame.
    pub opportunity: Dur,
}

/// The rules of all categories. Without categories all frames are of [`Category::BestEffort`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    of: [Rule; Category::COUNT],
    take_packets: bool,
    /// All of a transmit opportunity is reserved.
    reserves_all: bool,
}

impl Rules {
    /// Stations without categories, whose frames are aggregated so.
    #[must_use]
    pub const fn without_categories(config: &AggregationConfig) -> Self {
        let rule =
            Rule { aggregates: config.on, packs: config.amsdu_length.get() > 0, opportunity: Dur::ZERO };
        Self { of: [rule; Category::COUNT], take_packets: config.takes_packets(), reserves_all: false }
    }

    /// Stations with a rule for each category.
    #[must_use]
    pub fn by_category(rule: impl Fn(Category) -> Rule) -> Self {
        let nothing = Rule { aggregates: false, packs: false, opportunity: Dur::ZERO };
        let mut of = [nothing; Category::COUNT];
        Category::ALL.into_iter().for_each(|category| of[category.index()] = rule(category));
        Self { of, take_packets: true, reserves_all: false }
    }

    /// The same; whether each frame of a transmit opportunity reserves all that is left of it.
    #[must_use]
    pub const fn protected(self, reserves_all: bool) -> Self {
        Self { reserves_all, ..self }
    }

    /// Whether frames of a category reserve all that is left of their transmit opportunity.
    #[must_use]
    pub fn reserves_all(&self, category: Category) -> bool {
        self.reserves_all && self.has_opportunities(category)
    }

    /// Whether the MAC takes packets out of the queue.
    #[must_use]
    pub const fn take_packets(&self) -> bool {
        self.take_packets
    }

    /// Whether frames of a category are aggregated.
    #[must_use]
    pub const fn aggregates(&self, category: Category) -> bool {
        self.of[category.index()].aggregates
    }

    /// Whether MPDUs of a category may carry several packets.
    #[must_use]
    pub const fn packs(&self, category: Category) -> bool {
        self.of[category.index()].packs
    }

    /// Whether a category may send several frames when it has won the medium.
    #[must_use]
    pub fn has_opportunities(&self, category: Category) -> bool {
        self.of[category.index()].opportunity > Dur::ZERO
    }

    /// How long the longest exchange of a category takes.
    #[must_use]
    pub fn longest(&self, category: Category) -> Dur {
        let limit = self.of[category.index()].opportunity;
        if limit == Dur::ZERO { Dur::MAX } else { limit }
    }
}

/// A transmit opportunity: until when the station may go on sending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opportunity(SimTime);

impl Opportunity {
    /// The medium is won by a category.
    #[must_use]
    pub fn won(now: SimTime, category: Category, rules: &Rules) -> Self {
        Self(if rules.has_opportunities(category) { now + rules.longest(category) } else { now })
    }

    /// How long a frame may last that begins now, if `around` has to fit beside it; `longest` if it has no limit.
    #[must_use]
    pub fn left(self, now: SimTime, around: Dur, longest: Dur) -> Dur {
        if longest == Dur::MAX { longest } else { self.0.saturating_since(now + around) }
    }

    /// What is left when a frame ends, or so much as its exchange needs.
    #[must_use]
    pub fn rest(self, end: SimTime, exchange: Dur) -> Dur {
        exchange.max(self.0.saturating_since(end))
    }

    /// Whether another exchange may follow that takes so long.
    #[must_use]
    pub fn has(self, now: SimTime, exchange: Dur) -> bool {
        now + exchange <= self.0
    }
}
