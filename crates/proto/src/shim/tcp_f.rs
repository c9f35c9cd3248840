//! TCP-F's source (Chandran, Raghunathan, Venkatesan, Prakash, ICDCS 1998; states as in Sridhara & Subramanya, section
//! 3).
//!
//! ```text
//!                 RFN: stop, freeze
//!        ┌────────────────────────────────┐
//!        │                                ▼
//!     ACTIVE                            SNOOZE   RFN: as before; ACK: taken note of
//!        ▲                                │
//!        └────────────────────────────────┘
//!          RRN, or the route-failure timer: all unacknowledged again
//! ```

use super::contract::{Action, Beginning, Input, Shim, Verdict};
use super::counters::Counters;
use crate::contract::{Control, Cx, End, NodeState, TcpView};
use crate::keys;
use crate::units::range::LONGEST;
use crate::units::{Dur, SimTime};
use crate::wire::{SignalKind, flags};

keys! {
    /// TCP-F's source.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct TcpFConfig {
        /// Longest wait for the notification that there is a route again. The paper names the worst time that routing
        /// needs; this is AODV's longest wait for a reply.
        pub route_failure_timer: Dur = Dur::from_secs(10) => within(Dur::from_ms(1), LONGEST),
        /// Whether the source probes instead of waiting for the notification.
        pub probe: bool = false,
        /// Time between probes.
        pub probe_interval: Dur = Dur::from_secs(2) => within(Dur::from_ms(1), LONGEST),
        /// Whether window and threshold begin anew when it goes on, and are not those from before.
        pub reset_on_resume: bool = false,
    }
}

/// The source of one flow.
#[derive(Clone, Debug)]
pub struct TcpF {
    config: TcpFConfig,
    beginning: Beginning,
    /// Since when it snoozes, and until when at most.
    snooze: Option<(SimTime, SimTime)>,
    /// When the next probe is due; `SimTime::MAX` without probes.
    probe_at: SimTime,
    counters: Counters,
}

impl TcpF {
    /// An active source.
    #[must_use]
    pub fn new(config: TcpFConfig, beginning: Beginning) -> Self {
        Self { config, beginning, snooze: None, probe_at: SimTime::MAX, counters: Counters::default() }
    }
}

impl Shim for TcpF {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let Some(tcp) = end.sender() else { return Verdict::Pass };
        match (self.snooze, input) {
            (None, Input::Signal { signal, .. })
                if matches!(signal.kind, SignalKind::RouteFailure { .. }) =>
            {
                self.fall_asleep(cx.now, out);
            }
            (Some(_), Input::Signal { signal, .. }) if signal.kind == SignalKind::RouteRestored => {
                self.resume(cx.now, tcp, out);
            }
            (Some((_, until)), Input::Timer) => {
                if until <= cx.now {
                    self.resume(cx.now, tcp, out);
                } else {
                    self.probe(cx.now, until, out);
                }
            }
            (Some(_), Input::Arriving { segment, .. })
                if self.config.probe && segment.flags & flags::ACK != 0 =>
            {
                self.resume(cx.now, tcp, out);
            }
            _ => {}
        }
        Verdict::Pass
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl TcpF {
    fn fall_asleep(&mut self, now: SimTime, out: &mut Vec<Action>) {
        // The node that probes needs no other end of the wait.
        let until = if self.config.probe { SimTime::MAX } else { now + self.config.route_failure_timer };
        self.snooze = Some((now, until));
        self.counters.freezes += 1;
        out.push(Action::Control(Control::Freeze));
        self.probe_at = if self.config.probe { now + self.config.probe_interval } else { SimTime::MAX };
        out.push(Action::Arm(until.min(self.probe_at)));
    }

    fn probe(&mut self, now: SimTime, until: SimTime, out: &mut Vec<Action>) {
        if self.probe_at <= now {
            self.counters.probes += 1;
            self.probe_at = now + self.config.probe_interval;
            out.push(Action::Control(Control::Probe));
        }
        out.push(Action::Arm(until.min(self.probe_at)));
    }

    /// There is a route again, or it is time to see.
    fn resume(&mut self, now: SimTime, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        if let Some((since, _)) = self.snooze.take() {
            self.counters.thawed(now, since);
        }
        out.push(Action::Arm(SimTime::MAX));
        if self.config.reset_on_resume {
            out.push(Action::Control(Control::SetCwnd { segments: 1.0 }));
            out.push(Action::Control(Control::SetSsthresh { segments: self.beginning.ssthresh }));
            out.push(Action::Control(Control::GoBack));
        } else if tcp.una < tcp.max_sent {
            self.counters.retransmissions += 1;
            out.push(Action::Control(Control::RetransmitAll));
        }
        out.push(Action::Control(Control::Thaw));
    }
}
