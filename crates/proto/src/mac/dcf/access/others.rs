//! The back-offs of a station beside the one that is on turn.

use super::{BackOff, Medium};
use crate::units::SimTime;
use crate::wire::Category;

/// What contends in the same station.
pub trait Others: std::fmt::Debug + Send {
    /// Whether there are any.
    const SEVERAL: bool;

    /// Does something to each of their back-offs; the second value is whether a frame waits for it.
    fn each(&mut self, act: impl FnMut(&mut BackOff, bool));

    /// The category that is on turn.
    fn on_turn(&self) -> Category;

    /// When the first of those with a frame behind it will end; `SimTime::MAX` if there is none.
    fn deadline(&self, medium: &Medium) -> SimTime;
}

/// Nothing: the station has one back-off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Others for Alone {
    const SEVERAL: bool = false;

    #[inline(always)]
    fn each(&mut self, _act: impl FnMut(&mut BackOff, bool)) {}

    #[inline(always)]
    fn on_turn(&self) -> Category {
        Category::BestEffort
    }

    #[inline(always)]
    fn deadline(&self, _medium: &Medium) -> SimTime {
        SimTime::MAX
    }
}
