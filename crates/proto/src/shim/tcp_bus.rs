//! TCP-BuS's source (Kim, Toh, Choi, ICC 2000): it stops when the node at a break says so, and when that node has found
//! a route it sends again only what was lost beyond the break; the rest has waited in the nodes.
//!
//! ```text
//!               ERDN: stop, keep the window
//!      ┌──────────────────────────────────────────┐
//!      │                                          ▼
//!    ACTIVE  duplicate ACKs are swallowed       FROZEN   timer: a probe, in case that no node can tell
//!      ▲     until what was lost is repaired      │
//!      └──────────────────────────────────────────┘
//!        ERSN: timeout doubled, what was lost beyond the break again
//!        an ACK after a query's time, or after a probe: the same, and all of the window again
//! ```
//!
//! An answer that passes the node at the break makes it say ERSN first. One that comes without has taken another way,
//! so what waits there may stay there.

use super::contract::{Action, Input, Shim, Verdict};
use super::counters::Counters;
use crate::contract::{Control, Cx, End, NodeState, Phase, TcpView, is_duplicate_ack};
use crate::keys;
use crate::units::range::LONGEST;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{Signal, SignalKind, flags};

keys! {
    /// TCP-BuS's source.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct TcpBusConfig {
        /// Longest wait for word of the node at the break; then it probes, and so on.
        pub guard: Dur = Dur::from_secs(10) => within(Dur::from_ms(1), LONGEST),
        /// Time between probes if the break is at the source itself: no other node looks for a route there. Where
        /// another node does, an ACK that comes so long after its word answers a query of that node, and was not on its
        /// way already.
        pub query: Dur = Dur::from_secs(2) => within(Dur::from_ms(1), LONGEST),
    }
}

/// The source of one flow.
#[derive(Clone, Debug)]
pub struct TcpBus {
    config: TcpBusConfig,
    state: State,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Below this byte all is being sent again: duplicate ACKs tell nothing new.
    Active { repaired: u64 },
    Frozen {
        since: SimTime,
        /// The node at the break waits with everything from this byte on; none if the break is at the source.
        pivot: Option<u64>,
        /// When a probe is due.
        probe_at: SimTime,
        /// From then on an ACK is an answer, to a query or a probe; before, it was on its way already.
        answers_from: SimTime,
    },
}

impl TcpBus {
    /// An active source.
    #[must_use]
    pub fn new(config: TcpBusConfig) -> Self {
        Self { config, state: State::Active { repaired: 0 }, counters: Counters::default() }
    }
}

impl Shim for TcpBus {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let Some(tcp) = end.sender() else { return Verdict::Pass };
        match (self.state, input) {
            (State::Active { .. }, Input::Signal { signal, from })
                if signal.kind == SignalKind::Disconnected =>
            {
                self.freeze(cx.now, signal, from, out);
            }
            (State::Frozen { pivot, .. }, Input::Signal { signal, .. })
                if matches!(signal.kind, SignalKind::Reconnected { .. }) =>
            {
                self.go_on(cx.now, signal.sequence, pivot, tcp, out);
            }
            (State::Frozen { probe_at, .. }, Input::Timer) if cx.now < probe_at => {
                out.push(Action::Arm(probe_at));
            }
            (State::Frozen { since, pivot, answers_from, .. }, Input::Timer) => {
                self.counters.probes += 1;
                out.push(Action::Control(Control::Probe));
                self.wait(cx.now, since, pivot, answers_from.min(cx.now), out);
            }
            (State::Frozen { answers_from, .. }, Input::Arriving { segment, .. })
                if answers_from <= cx.now && segment.flags & flags::ACK != 0 =>
            {
                self.go_on(cx.now, segment.ack, None, tcp, out);
            }
            (State::Active { repaired }, Input::Arriving { segment, .. })
                if is_duplicate_ack(segment, (tcp.una, tcp.max_sent), tcp.peer_window, false)
                    && segment.ack < repaired =>
            {
                self.counters.dupacks_hidden += 1;
                return Verdict::Swallow;
            }
            _ => {}
        }
        Verdict::Pass
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}

impl TcpBus {
    fn freeze(&mut self, now: SimTime, signal: &Signal, from: NodeId, out: &mut Vec<Action>) {
        self.counters.freezes += 1;
        out.push(Action::Control(Control::Freeze));
        // What this node itself could not send on waits nowhere else.
        let pivot = (from != signal.source).then_some(signal.sequence);
        self.wait(now, now, pivot, now + self.config.query, out);
    }

    /// Frozen, until a probe is due.
    fn wait(
        &mut self,
        now: SimTime,
        since: SimTime,
        pivot: Option<u64>,
        answers_from: SimTime,
        out: &mut Vec<Action>,
    ) {
        let probe_at = now + if pivot.is_some() { self.config.guard } else { self.config.query };
        self.state = State::Frozen { since, pivot, probe_at, answers_from };
        out.push(Action::Arm(probe_at));
    }

    /// There is a route; the receiver expects this byte.
    fn go_on(
        &mut self,
        now: SimTime,
        expected: u64,
        pivot: Option<u64>,
        tcp: &TcpView<'_>,
        out: &mut Vec<Action>,
    ) {
        let State::Frozen { since, .. } = self.state else { return };
        self.counters.thawed(now, since);
        out.push(Action::Arm(SimTime::MAX));
        let open = matches!(tcp.phase, Phase::Open | Phase::Recovery);
        let from = expected.clamp(tcp.una, tcp.max_sent);
        let until = if open { pivot.unwrap_or(tcp.max_sent).clamp(from, tcp.max_sent) } else { from };
        self.state = State::Active { repaired: until };
        if open {
            // What has waited in the nodes arrives later than the timer would think.
            out.push(Action::Control(Control::SetRto { rto: tcp.rto + tcp.rto }));
        }
        let size = u64::from(tcp.segment.max(1));
        for seq in (from..until).step_by(size as usize) {
            // as long as a segment, which is 32 bits
            self.counters.retransmissions += 1;
            out.push(Action::Control(Control::Retransmit { seq }));
        }
        out.push(Action::Control(Control::Thaw));
    }
}
