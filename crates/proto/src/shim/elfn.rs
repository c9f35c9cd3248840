//! Stand-by of ELFN (Holland & Vaidya, `MobiCom` 1999; states as in Sridhara & Subramanya, section 4).
//!
//! ```text
//!               ELFN: stop, freeze, probe
//!        ┌────────────────────────────────┐
//!        │                                ▼
//!     NORMAL                           STAND-BY   timer: probe; ELFN: remember the lowest segment
//!        ▲                                │
//!        └────────────────────────────────┘
//!                any ACK: thaw
//! ```

use super::contract::{Action, Beginning, Input, Shim, Verdict};
use super::counters::Counters;
use crate::contract::{Control, Cx, End, NodeState, Phase, TcpView};
use crate::keys;
use crate::units::range::{LONGEST, MOST};
use crate::units::{Dur, SimTime};
use crate::wire::{SignalKind, flags};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

keys! {
    /// Stand-by of ELFN.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ElfnConfig {
        /// Time between probes.
        pub probe_interval: Dur = Dur::from_secs(2) => within(Dur::from_ms(1), LONGEST),
        /// Time between probes in smoothed round-trip times, once one has been measured; 0: `probe-interval`.
        pub probe_rtts: f64 = 0.0 => within(0.0, f64::from(MOST)),
        /// What is sent as a probe.
        pub probe: Probe = Probe::First,
        /// The window afterwards.
        pub cwnd: Restore = Restore::Saved,
        /// The retransmission timeout afterwards.
        pub rto: Restore = Restore::Saved,
    }
}

/// What is sent as a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// The first segment of the window.
    First,
    /// The lowest segment that a notification reports as lost.
    LowestReported,
    /// A header without data, just below the window.
    Header,
}

/// What a value is after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Restore {
    /// What it was before.
    Saved,
    /// What a connection begins with; of the window, one segment.
    Initial,
}

/// The source of one flow.
#[derive(Clone, Debug)]
pub struct Elfn {
    config: ElfnConfig,
    beginning: Beginning,
    standby: Option<Standby>,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Standby {
    since: SimTime,
    /// Lowest segment reported lost.
    lowest: u64,
    /// When the next probe is due.
    probe_at: SimTime,
}

impl Elfn {
    /// A source in its normal state.
    #[must_use]
    pub fn new(config: ElfnConfig, beginning: Beginning) -> Self {
        Self { config, beginning, standby: None, counters: Counters::default() }
    }
}

impl Shim for Elfn {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let Some(tcp) = end.sender() else { return Verdict::Pass };
        match (&mut self.standby, input) {
            (None, Input::Signal { signal, .. }) if signal.kind == SignalKind::LinkFailure => {
                self.counters.freezes += 1;
                out.push(Action::Control(Control::Freeze));
                self.probe(cx.now, cx.now, signal.sequence, tcp, out);
            }
            (Some(standby), Input::Signal { signal, .. }) if signal.kind == SignalKind::LinkFailure => {
                standby.lowest = standby.lowest.min(signal.sequence);
            }
            (Some(standby), Input::Timer) => {
                if standby.probe_at <= cx.now {
                    let Standby { since, lowest, .. } = *standby;
                    self.probe(cx.now, since, lowest, tcp, out);
                } else {
                    out.push(Action::Arm(standby.probe_at));
                }
            }
            (Some(_), Input::Arriving { segment, .. }) if segment.flags & flags::ACK != 0 => {
                self.thaw(cx.now, tcp, segment.ack, out);
            }
            _ => {}
        }
        Verdict::Pass
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl Elfn {
    /// Sends a probe; the next is due an interval later.
    fn probe(&mut self, now: SimTime, since: SimTime, lowest: u64, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        self.counters.probes += 1;
        // Nothing outstanding, or no connection yet: only a header or a SYN asks for an ACK.
        let bare = tcp.una == tcp.max_sent || matches!(tcp.phase, Phase::Opening | Phase::Closed);
        out.push(Action::Control(match self.config.probe {
            _ if bare => Control::Probe,
            Probe::Header => Control::Probe,
            Probe::First => Control::Retransmit { seq: tcp.una },
            Probe::LowestReported => {
                let known = lowest >= tcp.una && lowest < tcp.max_sent;
                Control::Retransmit { seq: if known { lowest } else { tcp.una } }
            }
        }));
        let probe_at = now + self.interval(tcp);
        self.standby = Some(Standby { since, lowest, probe_at });
        out.push(Action::Arm(probe_at));
    }

    fn interval(&self, tcp: &TcpView<'_>) -> Dur {
        match tcp.srtt {
            Some(srtt) if self.config.probe_rtts > 0.0 => {
                srtt.mul_f64(self.config.probe_rtts).max(Dur::from_ms(1))
            }
            _ => self.config.probe_interval,
        }
    }

    /// The route is there again.
    fn thaw(&mut self, now: SimTime, tcp: &TcpView<'_>, ack: u64, out: &mut Vec<Action>) {
        if let Some(standby) = self.standby.take() {
            self.counters.thawed(now, standby.since);
        }
        out.push(Action::Arm(SimTime::MAX));
        if self.config.cwnd == Restore::Initial {
            out.push(Action::Control(Control::SetCwnd { segments: 1.0 }));
        }
        if self.config.rto == Restore::Initial {
            out.push(Action::Control(Control::SetRto { rto: self.beginning.rto }));
        }
        let una = tcp.una.max(ack);
        if self.config.probe == Probe::Header && una < tcp.max_sent {
            // The other probes have brought this segment already.
            self.counters.retransmissions += 1;
            out.push(Action::Control(Control::Retransmit { seq: una }));
        }
        out.push(Action::Control(Control::Thaw));
    }
}
