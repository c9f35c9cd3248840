//! ATCP (Liu & Singh, IEEE JSAC 2001; states as in Sridhara & Subramanya, section 5), its modification (sections 7 and
//! 9) and the variant that knows the holes from SACK.
//!
//! ```text
//!              3rd duplicate ACK, timeout: freeze, send again
//!     NORMAL ───────────────────────────────────────────────────► LOSS   duplicate ACK: swallowed
//!     │ ▲ ▲ ◄─────────────────────────────────────────────────────  │    timer: send again; once too often: TCP's own
//!     │ │ │                       new ACK: thaw                     │
//!     │ │ │ ECN echo                                       ECN echo │
//!     │ │ └──────────── CONGESTED ◄─────────────────────────────────┘
//!     │ │   new segment
//!     │ │ answer to a probe: window of one, thaw
//!     ▼ │
//!   DISCONNECTED ◄── host unreachable, in any state: freeze; probes with back-off
//! ```

use super::config::{AtcpConfig, Reconnect, Retransmit};
use super::probes::{LONGEST, Probes, doubled};
use crate::contract::{Control, Cx, DUP_THRESH, End, NodeState, Phase, TcpView, is_duplicate_ack};
use crate::shim::contract::{Action, Input, Shim, Verdict};
use crate::shim::counters::Counters;
use crate::shim::holes::Holes;
use crate::units::{Dur, SimTime, counters};
use crate::wire::{Segment, SignalKind, flags};

/// The sender's layer of one flow.
#[derive(Clone, Debug)]
pub struct Atcp {
    config: AtcpConfig,
    state: State,
    /// Since when TCP is stopped.
    since: SimTime,
    dupacks: u32,
    /// Timeouts handled since the last new ACK.
    timeouts: u32,
    /// End of the highest segment that has left.
    highest: u64,
    /// What was outstanding at the last loss; ACKs below it tell of further holes.
    recover: u64,
    /// What was outstanding when all of it was sent again last: duplicates up to it come of that (RFC 6582 §3.2).
    mark: u64,
    holes: Holes,
    counters: Counters,
    own: AtcpCounters,
}

counters! {
    /// What ATCP counts beside what every shim does.
    pub struct AtcpCounters {
        /// Longest time between two probes of one pause, or between its beginning and the first.
        pub longest_probe_gap: Dur = "shim.longest-probe-gap-ms",
        /// Times that an ECN echo left congestion to TCP.
        pub congested = "shim.congested",
        /// Of these, those that a new segment ended.
        pub congested_ended = "shim.congested-ended",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Normal,
    /// TCP is frozen; a retransmission is due then.
    Loss {
        at: SimTime,
    },
    Congested,
    /// TCP is frozen; probes are sent.
    Disconnected(Probes),
}

impl Atcp {
    /// In its normal state.
    #[must_use]
    pub fn new(config: AtcpConfig) -> Self {
        Self {
            config,
            state: State::Normal,
            since: SimTime::ZERO,
            dupacks: 0,
            timeouts: 0,
            highest: 0,
            recover: 0,
            mark: 0,
            holes: Holes::default(),
            counters: Counters::default(),
            own: AtcpCounters::default(),
        }
    }
}

impl Shim for Atcp {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let Some(tcp) = end.sender() else { return Verdict::Pass };
        if let Input::Leaving(segment) = input {
            self.on_leaving(segment);
        }
        if !matches!(tcp.phase, Phase::Open | Phase::Recovery) {
            return Verdict::Pass; // it does nothing until there is a connection
        }
        match input {
            Input::Arriving { segment, created }
                if segment.flags & (flags::ACK | flags::SYN) == flags::ACK =>
            {
                return self.on_ack(cx.now, segment, created, tcp, out);
            }
            Input::Timeout => return self.on_timeout(cx.now, tcp, out),
            Input::Timer => self.on_timer(cx.now, tcp, out),
            Input::Signal { signal, .. } if signal.kind == SignalKind::Unreachable => {
                self.disconnect(cx.now, tcp, out);
            }
            _ => {}
        }
        Verdict::Pass
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
        self.own.each(tell);
    }
}

impl Atcp {
    /// TCP sends something: a new segment says that it has reacted to congestion.
    fn on_leaving(&mut self, segment: &Segment) {
        let end = segment.seq.saturating_add(u64::from(segment.len));
        if segment.len > 0 && end > self.highest {
            self.highest = end;
            if self.state == State::Congested {
                self.own.congested_ended += 1;
                self.state = State::Normal;
            }
        }
    }

    fn on_ack(
        &mut self,
        now: SimTime,
        segment: &Segment,
        created: SimTime,
        tcp: &TcpView<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let congested = segment.flags & flags::ECE != 0;
        let new = segment.ack > tcp.una;
        let by_blocks = self.config.retransmit == Retransmit::Holes;
        let duplicate = is_duplicate_ack(segment, (tcp.una, tcp.max_sent), tcp.peer_window, by_blocks);
        let lost = by_blocks && Holes::lost(segment, tcp);
        if new {
            (self.dupacks, self.timeouts) = (0, 0);
        }
        match self.state {
            // It was under way already, and says nothing of a route.
            State::Disconnected(probes)
                if probes.have_not_begun() && self.config.reconnect == Reconnect::Answer =>
            {
                Verdict::Pass
            }
            State::Disconnected(_) => {
                self.reconnect(now, congested, tcp, out);
                Verdict::Pass
            }
            State::Loss { .. } if congested => {
                self.own.congested += 1;
                self.dupacks = 0;
                // TCP shall react before it sends anything.
                out.push(Action::Deliver { segment: *segment, created });
                self.resume(now, State::Congested, out);
                Verdict::Swallow
            }
            State::Loss { .. } if new => {
                self.repair_on(now, segment, tcp, out);
                // TCP shall open its window for it, which a frozen one does not.
                self.resume(now, State::Normal, out);
                out.push(Action::Deliver { segment: *segment, created });
                Verdict::Swallow
            }
            State::Loss { .. } if duplicate => self.on_duplicate_in_loss(now, segment, tcp, out),
            State::Normal | State::Congested if congested => {
                self.own.congested += u64::from(self.state == State::Normal);
                (self.state, self.dupacks) = (State::Congested, 0);
                Verdict::Pass
            }
            State::Normal if duplicate => self.on_duplicate(now, (segment, created), lost, tcp, out),
            // TCP shall not learn from its blocks that something is lost.
            State::Normal if new && lost => self.hide((segment, created), now, tcp, out),
            State::Normal if new => {
                self.repair_on(now, segment, tcp, out);
                Verdict::Pass
            }
            State::Normal | State::Congested | State::Loss { .. } => Verdict::Pass,
        }
    }

    /// A duplicate ACK while all is well: the third is not for TCP. What was sent again makes duplicates of its own.
    fn on_duplicate(
        &mut self,
        now: SimTime,
        (segment, created): (&Segment, SimTime),
        lost: bool,
        tcp: &TcpView<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        self.dupacks += 1;
        if self.dupacks < DUP_THRESH && !lost {
            return Verdict::Pass;
        }
        self.counters.dupacks_hidden += 1;
        if segment.ack <= self.mark && !lost {
            return Verdict::Swallow;
        }
        self.hide((segment, created), now, tcp, out)
    }

    /// An ACK reports a loss that TCP shall not see.
    fn hide(
        &mut self,
        (segment, created): (&Segment, SimTime),
        now: SimTime,
        tcp: &TcpView<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        self.stop(now, out);
        if self.config.retransmit == Retransmit::Holes {
            // What it says of holes is noted by a TCP that cannot react to it.
            out.push(Action::Deliver { segment: *segment, created });
        }
        self.lose(now, tcp.rto, Some(segment), tcp, out);
        Verdict::Swallow
    }

    fn on_duplicate_in_loss(
        &mut self,
        now: SimTime,
        segment: &Segment,
        tcp: &TcpView<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict {
        self.counters.dupacks_hidden += 1;
        if self.config.retransmit != Retransmit::Holes {
            return Verdict::Swallow;
        }
        self.send_holes(now, Some(segment), tcp, out);
        Verdict::Pass // frozen, it takes note of the holes and of nothing else
    }

    /// TCP's retransmission timer is about to fire.
    fn on_timeout(&mut self, now: SimTime, tcp: &TcpView<'_>, out: &mut Vec<Action>) -> Verdict {
        if self.state != State::Normal || tcp.una == tcp.max_sent || tcp.peer_window == 0 {
            return Verdict::Pass;
        }
        if self.is_spent() {
            (self.timeouts, self.recover) = (0, 0);
            return Verdict::Pass;
        }
        self.counters.timeouts_hidden += 1;
        self.timeouts += 1;
        self.holes.forget();
        self.stop(now, out);
        self.lose(now, self.backed_off(tcp.rto), None, tcp, out);
        Verdict::Swallow
    }

    fn on_timer(&mut self, now: SimTime, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        match self.state {
            State::Loss { at } if now < at => out.push(Action::Arm(at)),
            State::Disconnected(probes) if now < probes.next_at() => {
                out.push(Action::Arm(probes.next_at()));
            }
            State::Loss { .. } if self.is_spent() => {
                // Once too often: it may be congestion, and no echo says so.
                (self.timeouts, self.recover) = (0, 0);
                out.push(Action::Control(Control::TimeOut));
                self.resume(now, State::Normal, out);
            }
            State::Loss { .. } => {
                self.counters.timeouts_hidden += 1;
                self.timeouts += 1;
                self.holes.forget();
                self.lose(now, self.backed_off(tcp.rto), None, tcp, out);
            }
            State::Disconnected(mut probes) => {
                self.counters.probes += 1;
                let gap = probes.send(now, self.config.probe_back_off);
                self.own.longest_probe_gap = self.own.longest_probe_gap.max(gap);
                out.push(Action::Control(Control::Probe));
                self.state = State::Disconnected(probes);
                out.push(Action::Arm(probes.next_at()));
            }
            State::Normal | State::Congested => {}
        }
    }

    /// The route is gone: probes only.
    fn disconnect(&mut self, now: SimTime, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        match self.state {
            State::Disconnected(_) => return,
            State::Loss { .. } => {}
            State::Normal | State::Congested => self.stop(now, out),
        }
        let probes = Probes::begin(now, tcp.rto);
        self.state = State::Disconnected(probes);
        out.push(Action::Arm(probes.next_at()));
    }

    /// The receiver is heard again: a new path, and nothing is known about it.
    fn reconnect(&mut self, now: SimTime, congested: bool, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        (self.dupacks, self.timeouts, self.recover) = (0, 0, 0);
        self.mark = tcp.max_sent;
        self.own.congested += u64::from(congested);
        out.push(Action::Control(Control::SetCwnd { segments: 1.0 }));
        out.push(Action::Control(Control::GoBack));
        self.resume(now, if congested { State::Congested } else { State::Normal }, out);
    }

    /// A loss, or one more try to repair it; the next is due after this time.
    fn lose(
        &mut self,
        now: SimTime,
        patience: Dur,
        segment: Option<&Segment>,
        tcp: &TcpView<'_>,
        out: &mut Vec<Action>,
    ) {
        self.recover = tcp.max_sent;
        match self.config.retransmit {
            Retransmit::All => {
                self.mark = tcp.max_sent;
                self.send_again(Control::RetransmitAll, out);
            }
            Retransmit::FirstLost => self.send_again(Control::Retransmit { seq: tcp.una }, out),
            Retransmit::Holes => self.send_holes(now, segment, tcp, out),
        }
        let at = now + patience.min(LONGEST);
        self.state = State::Loss { at };
        out.push(Action::Arm(at));
    }

    /// A new ACK that stops short of what was outstanding at the loss tells of the next hole.
    fn repair_on(&mut self, now: SimTime, segment: &Segment, tcp: &TcpView<'_>, out: &mut Vec<Action>) {
        if segment.ack >= self.recover {
            return self.holes.forget();
        }
        match self.config.retransmit {
            Retransmit::All => {} // all of it is under way
            Retransmit::FirstLost => self.send_again(Control::Retransmit { seq: segment.ack }, out),
            Retransmit::Holes => self.send_holes(now, Some(segment), tcp, out),
        }
    }

    fn send_holes(
        &mut self,
        now: SimTime,
        segment: Option<&Segment>,
        tcp: &TcpView<'_>,
        out: &mut Vec<Action>,
    ) {
        for seq in self.holes.due(now, segment, tcp) {
            self.send_again(Control::Retransmit { seq }, out);
        }
    }

    fn send_again(&mut self, control: Control, out: &mut Vec<Action>) {
        self.counters.retransmissions += 1;
        out.push(Action::Control(control));
    }

    fn stop(&mut self, now: SimTime, out: &mut Vec<Action>) {
        self.since = now;
        self.counters.freezes += 1;
        out.push(Action::Control(Control::Freeze));
    }

    fn resume(&mut self, now: SimTime, state: State, out: &mut Vec<Action>) {
        self.counters.thawed(now, self.since);
        self.state = state;
        out.push(Action::Arm(SimTime::MAX));
        out.push(Action::Control(Control::Thaw));
    }

    /// Whether the next timeout is TCP's.
    fn is_spent(&self) -> bool {
        self.config.timeout_threshold.is_some_and(|most| self.timeouts >= most)
    }

    /// TCP's timeout, doubled for each that ATCP has handled: TCP, which does not hear of them, does not double it.
    fn backed_off(&self, rto: Dur) -> Dur {
        doubled(rto, self.timeouts)
    }
}
