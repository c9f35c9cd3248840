//! Delayed duplicate acknowledgements (Vaidya, Mehta, Perkins, Montenegro, Wireless Communications and Mobile Computing
//! 2002): the receiver holds the third and all later duplicate ACKs for a while. If the link repairs the loss meanwhile,
//! TCP sends nothing again.
//!
//! ```text
//!             third duplicate: arm the timer
//!      OPEN ─────────────────────────────────▶ HOLDING   each duplicate waits
//!       ▲                                         │
//!       ├─────────────────────────────────────────┤ a new ACK: what waits is discarded
//!       └─────────────────────────────────────────┘ the timer: what waits is sent
//! ```

use super::contract::{Action, Input, Shim, Verdict};
use super::counters::Counters;
use crate::contract::{Cx, End, NodeState};
use crate::keys;
use crate::units::range::LONGEST;
use crate::units::{Dur, SimTime};
use crate::wire::Segment;

keys! {
    /// A receiver that delays duplicate ACKs.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DelayedDupacksConfig {
        /// How long the third and later duplicate ACKs wait for the lost segment.
        pub wait: Dur = Dur::from_ms(100) => within(Dur::from_ms(1), LONGEST),
    }
}

/// Duplicate ACKs before those that wait (RFC 5681 §3.2: the third starts fast retransmit).
const AT_ONCE: u32 = 2;

/// The receiver of one flow.
#[derive(Clone, Debug, Default)]
pub struct DelayedDupacks {
    wait: Dur,
    /// The latest acknowledgment number, and how often it was repeated.
    latest: Option<u64>,
    repeats: u32,
    /// The timer has fired for this acknowledgment number: nothing waits any more.
    released: bool,
    waiting: Vec<Segment>,
    counters: Counters,
}

impl DelayedDupacks {
    /// A receiver that has sent nothing.
    #[must_use]
    pub fn new(config: DelayedDupacksConfig) -> Self {
        Self { wait: config.wait, ..Self::default() }
    }

    fn leaving(&mut self, now: SimTime, ack: &Segment, out: &mut Vec<Action>) -> Verdict {
        if self.latest != Some(ack.ack) {
            self.latest = Some(ack.ack);
            self.repeats = 0;
            self.released = false;
            if !self.waiting.is_empty() {
                self.counters.dupacks_hidden += self.waiting.len() as u64;
                self.waiting.clear();
                out.push(Action::Arm(SimTime::MAX));
            }
            return Verdict::Pass;
        }
        self.repeats = self.repeats.saturating_add(1);
        if self.repeats <= AT_ONCE || self.released {
            return Verdict::Pass;
        }
        if self.waiting.is_empty() {
            out.push(Action::Arm(now + self.wait));
        }
        self.waiting.push(*ack);
        Verdict::Swallow
    }
}

impl Shim for DelayedDupacks {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        match input {
            Input::Leaving(segment) if matches!(end, End::Receiver(_)) => self.leaving(cx.now, segment, out),
            Input::Timer => {
                self.released = true;
                self.counters.dupacks_released += self.waiting.len() as u64;
                out.extend(self.waiting.drain(..).map(Action::Send));
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
