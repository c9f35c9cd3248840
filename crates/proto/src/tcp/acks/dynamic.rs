//! Dynamic delayed ACK (Altman & Jiménez, PWC 2003, LNCS 2775): the further a transfer has come, the more segments one
//! ACK is for. The first few must not wait: the sender's window is small, and ACKs are all that opens it.

use super::contract::{AckPolicy, InOrder, When};
use super::every::advertised;
use crate::contract::ReceiverView;
use crate::tcp::config::ReceiveBuffer;
use crate::units::Dur;
use crate::wire::RangeSet;

/// The rule, and how often it acted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dynamic {
    /// Segment numbers from which on an ACK is for one segment more.
    steps: Vec<u32>,
    /// Bytes of a full segment.
    segment: u32,
    delay: Dur,
    buffer: ReceiveBuffer,
    /// Segments whose ACK was left to a later one or to the timer.
    merged: u64,
}

impl Dynamic {
    /// Names of its counters.
    pub const NAMES: [&'static str; 1] = ["acks.merged"];

    /// A rule with these steps, for segments of so many bytes; no ACK waits longer than `delay`.
    #[must_use]
    pub const fn new(steps: Vec<u32>, segment: u32, delay: Dur, buffer: ReceiveBuffer) -> Self {
        Self { steps, segment, delay, buffer, merged: 0 }
    }
}

impl AckPolicy for Dynamic {
    fn when<'a>(&mut self, segment: &InOrder, _receiver: &dyn Fn() -> ReceiverView<'a>) -> When {
        let number = segment.seq / u64::from(self.segment.max(1)) + 1;
        let passed = self.steps.iter().take_while(|&&step| number >= u64::from(step)).count();
        if segment.pending as usize > passed {
            return When::Now;
        }
        self.merged += 1;
        When::Within(self.delay)
    }

    fn window(&self, most: u32, waiting: &RangeSet) -> u32 {
        advertised(self.buffer, most, waiting)
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        tell(Self::NAMES[0], self.merged);
    }
}
