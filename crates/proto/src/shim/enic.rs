//! ENIC (Sun & Man, GLOBECOM 2001), both ends. Only its abstract is public: what follows is a reconstruction. What
//! routing learns of a route tells both ends of a connection that it is broken, and that there is one again.
//!
//! ```text
//!           the route is lost: freeze; the sender asks for a route
//!         ┌──────────────────────────────────────────────────┐
//!         │                                                  ▼
//!   ESTABLISHED  segment lost, route alive: again          FROZEN
//!         ▲                                                  │
//!         └──────────────────────────────────────────────────┘
//!           a route is found: timeout and window by its hops, holes first
//!           the guard timer: a timeout of TCP's
//!           (receiver) a segment comes: acknowledge at once
//! ```

use super::contract::{Action, Beginning, Input, Shim, Verdict};
use super::counters::Counters;
use crate::contract::{Control, Cx, End, NodeState, Notice, Phase, TcpView};
use crate::keys;
use crate::units::range::LONGEST;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::SignalKind;

keys! {
    /// Both ends of ENIC.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct EnicConfig {
        /// Longest wait of the sender for a route; then TCP's timer counts as fired.
        pub guard: Dur = Dur::from_secs(10) => within(Dur::from_ms(1), LONGEST),
    }
}

/// One end of one flow.
#[derive(Clone, Debug)]
pub struct Enic {
    config: EnicConfig,
    /// The other end.
    peer: NodeId,
    /// Hops of the route that is known, or was before it broke.
    hops: Option<u32>,
    /// Since when it is frozen, and until when at most.
    frozen: Option<(SimTime, SimTime)>,
    counters: Counters,
}

impl Enic {
    /// The sending and the receiving end.
    #[must_use]
    pub fn ends(config: EnicConfig, beginning: Beginning) -> (Self, Self) {
        let (source, destination) = beginning.ends;
        let end = |peer| Self { config, peer, hops: None, frozen: None, counters: Counters::default() };
        (end(destination), end(source))
    }
}

impl Shim for Enic {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        match input {
            Input::Notice(Notice::RouteLost { destination }) if destination == self.peer => {
                self.freeze(cx.now, end, out);
            }
            Input::Notice(Notice::RouteFound { destination, hops }) if destination == self.peer => {
                let before = self.hops.replace(hops);
                if self.thaw(cx.now, out) {
                    if let End::Sender(tcp) = end {
                        self.adapt(before.zip(Some(hops)), tcp, out);
                    }
                    out.push(Action::Control(Control::Thaw));
                }
            }
            Input::Signal { signal, .. }
                if signal.kind == SignalKind::SegmentLost
                    && self.frozen.is_none()
                    && end.sender().is_some_and(|tcp| (tcp.una..tcp.max_sent).contains(&signal.sequence)) =>
            {
                self.counters.retransmissions += 1;
                out.push(Action::Control(Control::Retransmit { seq: signal.sequence }));
            }
            Input::Timer => self.on_timer(cx.now, out),
            Input::Arriving { .. } if matches!(end, End::Receiver(_)) && self.thaw(cx.now, out) => {
                out.push(Action::Control(Control::Thaw));
            }
            _ => {}
        }
        Verdict::Pass
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl Enic {
    fn freeze(&mut self, now: SimTime, end: &End<'_>, out: &mut Vec<Action>) {
        if self.frozen.is_some() {
            return;
        }
        self.counters.freezes += 1;
        out.push(Action::Control(Control::Freeze));
        let until = match end {
            // A receiver goes on with the next segment.
            End::Receiver(_) => SimTime::MAX,
            End::Sender(_) => now + self.config.guard,
        };
        self.frozen = Some((now, until));
        if let End::Sender(tcp) = end {
            out.push(Action::Arm(until));
            if tcp.phase != Phase::Closed {
                // On-demand routing looks for a route only when there is something to send.
                self.counters.probes += 1;
                out.push(Action::Control(Control::Probe));
            }
        }
    }

    /// The pause is over, if there was one.
    fn thaw(&mut self, now: SimTime, out: &mut Vec<Action>) -> bool {
        let Some((since, until)) = self.frozen.take() else { return false };
        self.counters.thawed(now, since);
        if until < SimTime::MAX {
            out.push(Action::Arm(SimTime::MAX));
        }
        true
    }

    /// A longer route takes longer and holds no more; what is known to be lost goes first.
    fn adapt(&mut self, hops: Option<(u32, u32)>, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        if !matches!(tcp.phase, Phase::Open | Phase::Recovery) {
            return;
        }
        if let Some((old, new)) = hops.filter(|&(old, new)| old != new && old > 0 && new > 0) {
            let ratio = f64::from(new) / f64::from(old);
            out.push(Action::Control(Control::SetRto { rto: tcp.rto.mul_f64(ratio) }));
            if ratio > 1.0 {
                out.push(Action::Control(Control::SetCwnd { segments: tcp.cwnd / ratio }));
            }
        }
        let size = u64::from(tcp.segment.max(1));
        let known: Vec<u64> =
            tcp.holes().flat_map(|(start, end)| (start..end).step_by(size as usize)).collect(); // a segment
        let first = (tcp.una < tcp.max_sent).then_some(tcp.una);
        let holes = if known.is_empty() { first.into_iter().collect() } else { known };
        for seq in holes {
            self.counters.retransmissions += 1;
            out.push(Action::Control(Control::Retransmit { seq }));
        }
    }

    fn on_timer(&mut self, now: SimTime, out: &mut Vec<Action>) {
        match self.frozen {
            Some((_, until)) if now < until => out.push(Action::Arm(until)),
            Some(_) => {
                self.thaw(now, out);
                out.push(Action::Control(Control::TimeOut));
                out.push(Action::Control(Control::Thaw));
            }
            None => {}
        }
    }
}
