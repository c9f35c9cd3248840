//! Explicit loss notification (Balakrishnan & Katz, GLOBECOM 1998): the relay notes which bytes never came to it, and
//! tells the source with the ACKs that ask for them: they were lost on the air, not by congestion.
//!
//! ```text
//!             a segment beyond the next one, and the queue here has room
//!   WHOLE ──────────────────────────────────────────────────────────────► GAP ──┐ ACK that asks for
//!     ▲                                                                    │ ◄──┘ the gap: mark it
//!     └────────────────────────────────────────────────────────────────────┘
//!        the gap passes, or is acknowledged
//! ```

use super::contract::{Action, Agent, Input, Towards, Verdict};
use super::counters::Counters;
use super::gaps::Gaps;
use crate::contract::{Cx, NodeState};
use crate::wire::{PacketId, Payload, flags};

/// The relay of one flow.
#[derive(Debug, Default)]
pub struct Eln {
    gaps: Gaps,
    counters: Counters,
}

impl Agent for Eln {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input,
        _: &mut Vec<Action>,
    ) -> Verdict {
        let Input::Passing(id) = input else { return Verdict::Pass };
        let towards = cx.packets[id].towards;
        let Payload::Tcp(segment) = &mut cx.packets[id].payload else { return Verdict::Pass };
        if towards == Towards::Destination && segment.len > 0 {
            self.gaps.passed(node_state, segment.seq, segment.seq + u64::from(segment.len));
        } else if towards == Towards::Source && self.gaps.acknowledged(segment.ack) {
            segment.flags |= flags::ELN_LOST;
            self.counters.marked += 1;
        }
        Verdict::Pass
    }

    fn flush(&mut self, _: &mut Cx<'_>) -> Vec<PacketId> {
        self.gaps = Gaps::default();
        Vec::new()
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
