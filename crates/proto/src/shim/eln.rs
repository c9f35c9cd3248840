//! The source of explicit loss notification (Balakrishnan & Katz, GLOBECOM 1998; with snoop, Ding & Jamalipour,
//! GLOBECOM 2001): a marked ACK says that what it asks for was not lost by congestion.
//!
//! ```text
//!            duplicate ACK with both marks, the first for this byte: send it again, keep the window
//!          ┌──┐
//!          │  ▼
//!         NORMAL ──┐ new ACK with both marks: TCP hears it, and what follows goes again
//!          ▲  ▲────┘
//!          └── duplicate ACK with a mark: TCP does not count it; with the first mark alone the timer starts afresh
//! ```

use super::contract::{Action, Input, Shim, Verdict};
use super::counters::Counters;
use crate::contract::{Control, Cx, End, NodeState};
use crate::wire::{Segment, flags};

/// The source of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Eln {
    /// First byte of the hole that was sent again last.
    repaired: Option<u64>,
    counters: Counters,
}

impl Shim for Eln {
    fn handle(
        &mut self,
        _cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let Some(tcp) = end.sender() else { return Verdict::Pass };
        let Input::Arriving { segment, .. } = input else { return Verdict::Pass };
        if segment.flags & flags::ELN == 0 {
            return Verdict::Pass;
        }
        let lost = segment.flags & flags::ELN_LOST == flags::ELN_LOST;
        let plain = Segment { flags: segment.flags & !flags::ELN_LOST, ..*segment };
        if segment.ack < tcp.una {
            return Verdict::Replace(plain);
        }
        if lost && segment.ack < tcp.max_sent && self.repaired != Some(segment.ack) {
            self.repaired = Some(segment.ack);
            self.counters.retransmissions += 1;
            out.push(Action::Control(Control::Retransmit { seq: segment.ack }));
            out.push(Action::Control(Control::RestartTimer));
        }
        if segment.ack > tcp.una {
            return Verdict::Replace(plain);
        }
        if !lost {
            self.counters.restarts += 1;
            out.push(Action::Control(Control::RestartTimer));
        }
        self.counters.dupacks_hidden += 1;
        Verdict::Swallow
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
