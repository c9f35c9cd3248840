//! Quick ACKs: at the start of a connection each segment is acknowledged at once, so that the sender's window opens
//! sooner.
//!
//! Linux acknowledges each segment as long as the receive window grows, by two segments for each that arrives
//! (`tcp_grow_window`).

use super::contract::{AckPolicy, InOrder, When};
use super::every::Every;
use crate::contract::ReceiverView;
use crate::wire::RangeSet;

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quick {
    /// Segments that are acknowledged at once still.
    pub left: u32,
    /// What comes then.
    pub then: Every,
}

impl AckPolicy for Quick {
    #[inline]
    fn when<'a>(&mut self, segment: &InOrder, receiver: &dyn Fn() -> ReceiverView<'a>) -> When {
        if self.left > 0 {
            self.left -= 1;
            return When::Now;
        }
        self.then.when(segment, receiver)
    }

    #[inline]
    fn may_wait(&self) -> bool {
        self.then.may_wait()
    }

    #[inline]
    fn window(&self, most: u32, waiting: &RangeSet) -> u32 {
        self.then.window(most, waiting)
    }
}
