//! An end of a TCP connection as its shim steers it: what the shim is asked about, and how its orders are carried out.
//! Without a shim none of this runs.

use super::contract::Action;
use crate::contract::{Arrival, Cx, End, NodeState, Sink};
use crate::shim::{self, AnyShim, Shim, Verdict};
use crate::tcp;
use crate::units::SimTime;
use crate::wire::Segment;

/// The timers that share an endpoint's one; `SimTime::MAX` for those that do not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timers {
    pub(super) tcp: SimTime,
    pub(super) judgement: SimTime,
    pub(super) pace: SimTime,
    pub(super) shim: SimTime,
}

impl Timers {
    pub(super) const OFF: Self =
        Self { tcp: SimTime::MAX, judgement: SimTime::MAX, pace: SimTime::MAX, shim: SimTime::MAX };

    /// The earliest of them.
    #[inline]
    pub(super) fn next(&self) -> SimTime {
        self.tcp.min(self.judgement).min(self.pace).min(self.shim)
    }

    /// Whether a timer has fired, which stops it.
    #[inline]
    pub(super) fn is_due(timer: &mut SimTime, now: SimTime) -> bool {
        let due = *timer <= now;
        if due {
            *timer = SimTime::MAX;
        }
        due
    }

    #[inline]
    fn set(&mut self, timer: tcp::Timer, at: SimTime) {
        match timer {
            tcp::Timer::Retransmit | tcp::Timer::DelayedAck => self.tcp = at,
            tcp::Timer::LossDetector => self.judgement = at,
            tcp::Timer::Pace => self.pace = at,
        }
    }
}

/// What TCP asks for goes straight to the node: there is no shim.
pub(super) struct Direct<'a, S> {
    pub(super) out: &'a mut S,
    pub(super) timers: &'a mut Timers,
}

impl<S: Sink<Action>> Sink<tcp::Action> for Direct<'_, S> {
    #[inline(always)]
    fn put(&mut self, action: tcp::Action) {
        match action {
            tcp::Action::Send(segment) => self.out.put(Action::Segment(segment)),
            tcp::Action::Arm(timer, at) => {
                self.timers.set(timer, at);
                self.out.put(Action::Arm(self.timers.next()));
            }
            tcp::Action::Event(event) => self.out.put(Action::Event(event)),
        }
    }
}

/// An end of a connection with a shim.
pub(super) trait Steered {
    /// The shim, and what it sees of its end.
    fn parts(&mut self) -> (&mut AnyShim, End<'_>);
    /// The timers of this end.
    fn timers(&mut self) -> &mut Timers;
    /// TCP itself acts; a segment for it is said to be something to it.
    fn act(
        &mut self,
        now: SimTime,
        node_state: &NodeState,
        input: tcp::Input,
        told: &mut Vec<tcp::Action>,
    ) -> Arrival;

    /// Asks the shim.
    fn ask(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: shim::Input<'_>,
        asked: &mut Vec<shim::Action>,
    ) -> Verdict {
        let (shim, end) = self.parts();
        shim.handle(cx, node_state, input, &end, asked)
    }

    /// Tells the shim something on which no verdict is due.
    #[inline]
    fn tell_shim<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: shim::Input<'_>,
        out: &mut S,
    ) {
        if !self.parts().0.is_none() {
            let mut asked = Vec::new();
            self.ask(cx, node_state, input, &mut asked);
            self.apply_shim_actions(cx, &mut { *node_state }, asked, out);
        }
    }

    /// A segment from the network.
    #[cold]
    fn receive_steered<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        segment: &Segment,
        created: SimTime,
        out: &mut S,
    ) -> Arrival {
        let mut node_state = *node_state;
        let mut asked = Vec::new();
        let arrival = match self.ask(cx, &node_state, shim::Input::Arriving { segment, created }, &mut asked)
        {
            Verdict::Pass => self.feed_steered(cx, &mut node_state, tcp::Input::Segment(*segment), out),
            Verdict::Replace(other) => {
                self.feed_steered(cx, &mut node_state, tcp::Input::Segment(other), out)
            }
            Verdict::Swallow => Arrival::Suppressed,
        };
        self.apply_shim_actions(cx, &mut node_state, asked, out);
        arrival
    }

    /// TCP's retransmission timer has fired.
    #[cold]
    fn time_out<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, out: &mut S) {
        let mut node_state = *node_state;
        let mut asked = Vec::new();
        if self.ask(cx, &node_state, shim::Input::Timeout, &mut asked) != Verdict::Swallow {
            self.feed_steered(cx, &mut node_state, tcp::Input::Timer(tcp::Timer::Retransmit), out);
        }
        self.apply_shim_actions(cx, &mut node_state, asked, out);
    }

    /// Lets TCP act, and shows the shim what it sends. What the shim then asks for comes after all of it.
    #[cold]
    fn feed_steered<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &mut NodeState,
        input: tcp::Input,
        out: &mut S,
    ) -> Arrival {
        let mut told = Vec::new();
        let mut asked = Vec::new();
        let arrival = self.act(cx.now, node_state, input, &mut told);
        for action in told {
            match action {
                tcp::Action::Send(segment) => {
                    match self.ask(cx, node_state, shim::Input::Leaving(&segment), &mut asked) {
                        Verdict::Pass => send(segment, node_state, out),
                        Verdict::Replace(other) => send(other, node_state, out),
                        Verdict::Swallow => {}
                    }
                }
                tcp::Action::Arm(timer, at) => self.timers().set(timer, at),
                tcp::Action::Event(event) => out.put(Action::Event(event)),
            }
        }
        out.put(Action::Arm(self.timers().next()));
        self.apply_shim_actions(cx, node_state, asked, out);
        arrival
    }

    /// Does what the shim asks for.
    fn apply_shim_actions<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &mut NodeState,
        asked: Vec<shim::Action>,
        out: &mut S,
    ) {
        for action in asked {
            match action {
                shim::Action::Control(control) => {
                    self.feed_steered(cx, node_state, tcp::Input::Control(control), out);
                }
                shim::Action::Send(segment) => send(segment, node_state, out),
                shim::Action::Deliver { segment, created } => {
                    let arrival = self.feed_steered(cx, node_state, tcp::Input::Segment(segment), out);
                    if let Arrival::New { readable } = arrival {
                        out.put(Action::Readable(readable, created));
                    }
                }
                shim::Action::Arm(at) => {
                    self.timers().shim = at;
                    out.put(Action::Arm(self.timers().next()));
                }
            }
        }
    }
}

/// Sends a segment; the gate of what follows in the same call knows that it takes a place in the queue.
fn send<S: Sink<Action>>(segment: Segment, node_state: &mut NodeState, out: &mut S) {
    node_state.queue_length = node_state.queue_length.saturating_add(1);
    node_state.queue_free = node_state.queue_free.saturating_sub(1);
    out.put(Action::Segment(segment));
}
