//! ADTCP's sender: what it makes of a retransmission timeout.
//!
//! ```text
//!                  timeout, and no ACK for longer than the timeout: stop, freeze, probe
//!             ┌─────────────────────────────────────────────────────┐
//!             │                                                     ▼
//!          CONNECTED                                          DISCONNECTED   every timeout: a probe
//!             ▲                                                     │
//!             └─────────────────────────────────────────────────────┘
//!                     any ACK: the first unacknowledged segment, thaw
//!
//!   CONNECTED, timeout, and the last ACK said
//!      channel error    the first segment again, the window as it is
//!      route change     the same, the window at most what the last round trip got through
//!      anything else    a timeout as ever
//! ```

use crate::contract::{Control, Cx, End, NodeState, Phase, RoundTrip, TcpView};
use crate::shim::contract::{Action, Input, Shim, Verdict};
use crate::shim::counters::Counters;
use crate::units::SimTime;
use crate::wire::{PathOption, PathState, Segment, flags};

/// The sender of one flow.
#[derive(Clone, Debug)]
pub struct AdtcpSender {
    state: PathState,
    /// When the last ACK came.
    heard: SimTime,
    round_trip: RoundTrip,
    /// Since when it is disconnected, and when the next probe is due.
    frozen: Option<(SimTime, SimTime)>,
    counters: Counters,
}

impl Default for AdtcpSender {
    fn default() -> Self {
        Self {
            state: PathState::Normal,
            heard: SimTime::ZERO,
            round_trip: RoundTrip::default(),
            frozen: None,
            counters: Counters::default(),
        }
    }
}

impl Shim for AdtcpSender {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let End::Sender(tcp) = end else { return Verdict::Pass };
        match input {
            Input::Arriving { segment, .. } if segment.flags & flags::ACK != 0 => {
                self.hear(cx.now, segment, tcp, out);
                Verdict::Pass
            }
            Input::Leaving(segment) => Verdict::Replace(Segment { path: PathOption::Sent, ..*segment }),
            Input::Timeout if matches!(tcp.phase, Phase::Open | Phase::Recovery) => {
                self.time_out(cx.now, tcp, out)
            }
            Input::Timer => {
                match self.frozen {
                    Some((since, probe_at)) if probe_at <= cx.now => self.probe(cx.now, since, tcp, out),
                    Some((_, probe_at)) => out.push(Action::Arm(probe_at)),
                    None => {}
                }
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl AdtcpSender {
    /// An ACK.
    fn hear(&mut self, now: SimTime, segment: &Segment, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        let una = tcp.una.max(segment.ack);
        self.heard = now;
        if let PathOption::State(state) = segment.path {
            self.state = state;
        }
        self.round_trip.acked(now, una, tcp.srtt);
        let Some((since, _)) = self.frozen.take() else { return };
        self.counters.thawed(now, since);
        out.push(Action::Arm(SimTime::MAX));
        if una < tcp.max_sent {
            self.counters.retransmissions += 1;
            out.push(Action::Control(Control::Retransmit { seq: una }));
        }
        out.push(Action::Control(Control::Thaw));
    }

    fn time_out(&mut self, now: SimTime, tcp: &TcpView<'_>, out: &mut Vec<Action>) -> Verdict {
        if now > self.heard + tcp.rto {
            self.counters.freezes += 1;
            out.push(Action::Control(Control::Freeze));
            self.probe(now, now, tcp, out);
        } else if matches!(self.state, PathState::ChannelError | PathState::RouteChange) {
            if let Some(bytes) =
                self.round_trip.got_through().filter(|_| self.state == PathState::RouteChange)
            {
                let segments = (bytes as f64 / f64::from(tcp.segment)).min(tcp.cwnd);
                out.push(Action::Control(Control::SetCwnd { segments }));
            }
            self.counters.retransmissions += 1;
            out.push(Action::Control(Control::Retransmit { seq: tcp.una }));
            out.push(Action::Control(Control::RestartTimer));
        } else {
            return Verdict::Pass;
        }
        self.counters.timeouts_hidden += 1;
        Verdict::Swallow
    }

    /// Asks whether there is a path again; once more after a timeout.
    fn probe(&mut self, now: SimTime, since: SimTime, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        self.counters.probes += 1;
        out.push(Action::Control(Control::Probe));
        self.frozen = Some((since, now + tcp.rto));
        out.push(Action::Arm(now + tcp.rto));
    }
}
