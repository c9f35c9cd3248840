//! What a station does with the medium that it has won.

use super::limits::Load;
use super::rules::{Opportunity, Rules};
use crate::units::{Dur, SimTime};
use crate::wire::Category;

/// What the station sends, or contends for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnderWay {
    /// A frame with so many MPDUs, or with one to all.
    Frame(Load),
    /// A block ack request.
    Request,
}

/// The transmit opportunity, and what is sent in it.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    rules: Rules,
    opportunity: Opportunity,
    under_way: UnderWay,
}

impl Turn {
    /// None, of a station with these rules.
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, opportunity: Opportunity::default(), under_way: UnderWay::Request }
    }

    /// A category wins the medium.
    pub fn win(&mut self, now: SimTime, category: Category) {
        self.opportunity = Opportunity::won(now, category, &self.rules);
    }

    /// The station goes down.
    pub(super) fn end(&mut self) {
        self.opportunity = Opportunity::default();
    }

    /// This is sent now.
    pub(super) const fn settle(&mut self, under_way: UnderWay) {
        self.under_way = under_way;
    }

    /// What is sent, or contended for.
    #[must_use]
    pub const fn under_way(&self) -> UnderWay {
        self.under_way
    }

    /// Whether what is under way is answered by a block ack.
    #[must_use]
    pub const fn wants_block_ack(&self) -> bool {
        match self.under_way {
            UnderWay::Request => true,
            UnderWay::Frame(load) => load.count > 1,
        }
    }

    /// Whether a category may send several frames when it has won the medium.
    #[must_use]
    pub fn has_opportunities(&self, category: Category) -> bool {
        self.rules.has_opportunities(category)
    }

    /// Whether frames of a category reserve all that is left of their transmit opportunity.
    #[must_use]
    pub fn reserves_all(&self, category: Category) -> bool {
        self.rules.reserves_all(category)
    }

    /// How long a frame of a category may last that begins now, if `around` has to fit beside it.
    #[must_use]
    pub fn left(&self, now: SimTime, around: Dur, category: Category) -> Dur {
        self.opportunity.left(now, around, self.rules.longest(category))
    }

    /// Whether another exchange may follow that takes so long.
    #[must_use]
    pub fn has(&self, now: SimTime, exchange: Dur) -> bool {
        self.opportunity.has(now, exchange)
    }

    /// For how long a frame of a category that ends at `end` reserves the medium, if its own exchange needs so much.
    #[must_use]
    pub fn reservation(&self, category: Category, end: SimTime, exchange: Dur) -> Dur {
        if self.reserves_all(category) { self.opportunity.rest(end, exchange) } else { exchange }
    }
}
