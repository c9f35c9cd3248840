//! EBSN's source (Bakshi, Krishna, Vaidya, Pradhan, ICDCS 1997): a link on the path is being retried, so the timer
//! starts afresh with the same value, and nothing else happens.
//!
//! ```text
//!   NORMAL ──┐ EBSN: restart the timer
//!      ▲     │
//!      └─────┘
//! ```

use super::contract::{Action, Input, Shim, Verdict};
use super::counters::Counters;
use crate::contract::{Control, Cx, End, NodeState};
use crate::units::SimTime;
use crate::wire::SignalKind;

/// The source of one flow; it has no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ebsn {
    counters: Counters,
}

impl Shim for Ebsn {
    fn handle(
        &mut self,
        _cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        if let Input::Signal { signal, .. } = input
            && signal.kind == SignalKind::BadState
            && end.sender().is_some_and(|tcp| tcp.timer < SimTime::MAX)
        {
            self.counters.restarts += 1;
            out.push(Action::Control(Control::RestartTimer));
        }
        Verdict::Pass
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
