//! Freeze-TCP (Goff, Moronski, Phatak, Gupta, INFOCOM 2000): a receiver that expects to be cut off closes its window,
//! and the sender's own persist state keeps window and timeout until it opens again. Nothing is changed at the sender.
//!
//! ```text
//!                 a warning: window 0, told twice
//!          ┌──────────────────────────────────────┐
//!          │                                      ▼
//!      CONNECTED                               FROZEN   every ACK says window 0
//!          ▲                                      │
//!          └──────────────────────────────────────┘
//!             it is over: the true window, told three times
//! ```
//!
//! Where the warning comes from is not the paper's matter. Here it is either an oracle's, which knows the events of the
//! scenario ([`Notice::Outage`]), or that of signals that are weak and grow weaker: over when they no longer do.

use super::contract::{Action, Beginning, Input, Shim, Verdict};
use super::counters::Counters;
use crate::contract::{Control, Cx, End, NodeState, Notice};
use crate::keys;
use crate::units::range::LONGEST;
use crate::units::{Dur, SimTime};

keys! {
    /// Freeze-TCP's receiver.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FreezeTcpConfig {
        /// How long before a `node-down` or `link-down` of the scenario that cuts it off a receiver is told; 0: never.
        /// The authors recommend a round-trip time.
        pub warning: Dur = Dur::from_ms(250) => within(Dur::ZERO, LONGEST),
        /// A segment is weak below this many times `air.receive-threshold`: weak segments that grow weaker are a
        /// warning too; 0: they are none.
        pub margin: f64 = 2.0 => within(0.0, 1e6),
    }
}

/// Copies of the ACK that closes the window, and of the one that opens it: the authors' three are to be a fast
/// retransmit, but to TCP the first of them is a window update (RFC 5681 §2).
const CLOSING: usize = 2;
const OPENING: usize = 3;

/// The receiver of one flow.
#[derive(Clone, Debug)]
pub struct FreezeTcp {
    /// Power below which a signal is weak \[W\].
    weak: f64,
    /// Moving average (weight 1/8) of the power of segments \[W\]; 0 before the first.
    power: f64,
    frozen: Option<Frozen>,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frozen {
    since: SimTime,
    /// The oracle has said so: it will also say when it is over.
    told: bool,
}

impl FreezeTcp {
    /// A connected receiver.
    #[must_use]
    pub fn new(config: FreezeTcpConfig, beginning: Beginning) -> Self {
        let weak = config.margin * beginning.receive_threshold;
        Self { weak, power: 0.0, frozen: None, counters: Counters::default() }
    }
}

impl Shim for FreezeTcp {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        if !matches!(end, End::Receiver(_)) {
            return Verdict::Pass;
        }
        match input {
            Input::Notice(Notice::Outage { ahead: true, .. }) => self.freeze(cx.now, true, out),
            Input::Notice(Notice::Outage { ahead: false, .. }) => self.thaw(cx.now, out),
            Input::Arriving { .. } if node_state.received_power > 0.0 => {
                match (self.is_fading(node_state.received_power), self.frozen) {
                    (true, None) => self.freeze(cx.now, false, out),
                    (false, Some(Frozen { told: false, .. })) => self.thaw(cx.now, out),
                    _ => {}
                }
            }
            _ => {}
        }
        Verdict::Pass
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl FreezeTcp {
    /// Whether segments come weak, and weaker than before.
    fn is_fading(&mut self, power: f64) -> bool {
        let before = if self.power > 0.0 { self.power } else { power };
        self.power = before + (power - before) / 8.0;
        self.power < before && self.power < self.weak
    }

    fn freeze(&mut self, now: SimTime, told: bool, out: &mut Vec<Action>) {
        if let Some(frozen) = &mut self.frozen {
            frozen.told |= told;
            return;
        }
        self.frozen = Some(Frozen { since: now, told });
        self.counters.freezes += 1;
        out.push(Action::Control(Control::SetWindow { bytes: Some(0) }));
        out.extend([Action::Control(Control::Acknowledge); CLOSING]);
    }

    fn thaw(&mut self, now: SimTime, out: &mut Vec<Action>) {
        let Some(frozen) = self.frozen.take() else { return };
        self.counters.thawed(now, frozen.since);
        out.push(Action::Control(Control::SetWindow { bytes: None }));
        out.extend([Action::Control(Control::Acknowledge); OPENING]);
    }
}
