//! The back-offs of a station beside the one that is on turn.

use super::{BackOff, Medium};
use crate::units::SimTime;

/// What contends in the same station.
pub trait Others: std::fmt::Debug + Send {
    /// Does something to each of their back-offs; the second value is whether a frame waits for it.
    fn each(&mut self, act: impl FnMut(&mut BackOff, bool));

    /// When the first of those with a frame behind it will end; `SimTime::MAX` if there is none.
    fn deadline(&self, medium: &Medium) -> SimTime;
}

/// Nothing: the station has one back-off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Others for Alone {
    #[inline(always)]
    fn each(&mut self, _act: impl FnMut(&mut BackOff, bool)) {}

    #[inline(always)]
    fn deadline(&self, _medium: &Medium) -> SimTime {
        SimTime::MAX
    }
}
