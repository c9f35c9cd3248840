//! An ACK for every so many segments, or after a delay (RFC 1122 §4.2.3.2).

use super::contract::{AckPolicy, InOrder, When};
use crate::contract::ReceiverView;
use crate::tcp::config::ReceiveBuffer;
use crate::units::Dur;
use crate::wire::RangeSet;

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Every {
    /// Segments that one ACK is for.
    pub segments: u32,
    /// Longest delay of an ACK.
    pub delay: Dur,
    /// What the window is.
    pub buffer: ReceiveBuffer,
}

impl AckPolicy for Every {
    #[inline]
    fn when<'a>(&mut self, segment: &InOrder, _receiver: &dyn Fn() -> ReceiverView<'a>) -> When {
        if segment.pending < self.segments { When::Within(self.delay) } else { When::Now }
    }

    #[inline]
    fn may_wait(&self) -> bool {
        self.segments > 1
    }

    #[inline]
    fn window(&self, most: u32, waiting: &RangeSet) -> u32 {
        advertised(self.buffer, most, waiting)
    }
}

/// Window that a buffer of `most` bytes allows while `waiting` stand beyond a gap.
#[inline]
pub(super) fn advertised(buffer: ReceiveBuffer, most: u32, waiting: &RangeSet) -> u32 {
    match buffer {
        ReceiveBuffer::Window => most,
        ReceiveBuffer::FreeSpace => {
            let waits: u64 = waiting.iter().map(|(start, end)| end - start).sum();
            most.saturating_sub(u32::try_from(waits).unwrap_or(u32::MAX))
        }
    }
}
