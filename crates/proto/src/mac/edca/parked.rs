//! The categories of a station that are not on turn.

use crate::mac::dcf::{BackOff, Job, Medium, Others, Retry};
use crate::units::SimTime;
use crate::wire::Category;

/// What one category contends with.
#[derive(Debug)]
pub(in crate::mac) struct Contender {
    pub(super) back_off: BackOff,
    /// Its contention window and its count of failures.
    pub(super) retry: Retry,
    /// What it contends for.
    pub(super) job: Option<Job>,
}

/// All categories, each at its place. The place of the one on turn has nothing that counts: its contender stands in the
/// machine of the exchange.
#[derive(Debug)]
pub(in crate::mac) struct Parked {
    pub(super) of: [Contender; Category::COUNT],
    pub(super) on_turn: Category,
}

impl Parked {
    /// Those that contend, beside the one on turn.
    fn waiting(&self) -> impl Iterator<Item = &Contender> {
        let on_turn = self.on_turn.index();
        self.of.iter().enumerate().filter(move |&(place, _)| place != on_turn).map(|(_, it)| it)
    }
}

impl Others for Parked {
    const SEVERAL: bool = true;

    #[inline]
    fn each(&mut self, mut act: impl FnMut(&mut BackOff, bool)) {
        let on_turn = self.on_turn.index();
        for (place, it) in self.of.iter_mut().enumerate() {
            if place != on_turn {
                act(&mut it.back_off, it.job.is_some());
            }
        }
    }

    fn on_turn(&self) -> Category {
        self.on_turn
    }

    #[inline]
    fn deadline(&self, medium: &Medium) -> SimTime {
        let ready = self.waiting().filter(|it| it.job.is_some());
        ready.map(|it| it.back_off.deadline(medium)).min().unwrap_or(SimTime::MAX)
    }
}
