//! The notifier of a node: from losses, give-ups and notices to signals.

use std::sync::Arc;

use super::config::SignalsConfig;
use super::contract::{Action, Input, Loss, Verdict};
use super::route_failure::RouteFailure;
use crate::port::Cx;
use crate::units::{FlowId, NodeId};
use crate::wire::{PacketId, PacketKind, Payload, Signal, SignalKind};

/// Source and destination of every flow, by its number: what the headers of its packets say.
pub type Flows = Arc<[(NodeId, NodeId)]>;

/// How many signals of each kind were made, in the order of [`SignalKind::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters([u64; SignalKind::ALL.len()]);

impl Counters {
    /// The name of each counter.
    pub const NAMES: [&'static str; SignalKind::ALL.len()] = [
        "signals.unreachable",
        "signals.elfn",
        "signals.rfn",
        "signals.rrn",
        "signals.erdn",
        "signals.ersn",
        "signals.ebsn",
    ];

    fn count(&mut self, kind: SignalKind) {
        let place = SignalKind::ALL.iter().position(|one| one.icmp() == kind.icmp());
        self.0[place.unwrap_or(0)] += 1;
    }

    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut impl FnMut(&'static str, u64)) {
        Self::NAMES.iter().zip(self.0).for_each(|(name, count)| tell(name, count));
    }
}

/// One node's notifier.
#[derive(Clone, Debug)]
pub struct Notifier {
    config: SignalsConfig,
    flows: Flows,
    route_failure: Option<RouteFailure>,
    counters: Counters,
}

impl Notifier {
    /// A notifier that knows these flows.
    #[must_use]
    pub fn new(config: &SignalsConfig, flows: Flows) -> Self {
        let route_failure = config.rfn.then(|| RouteFailure::new(&config.route_failure));
        Self { config: config.clone(), flows, route_failure, counters: Counters::default() }
    }

    /// Whether it wants to see what passes.
    #[must_use]
    pub const fn watches(&self) -> bool {
        self.route_failure.is_some()
    }

    /// Takes one input.
    pub fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) -> Verdict {
        let before = out.len();
        match input {
            Input::Lost(loss) if loss.is_of_route() => self.on_loss(cx, loss, out),
            Input::GaveUp(loss) if self.config.ebsn => self.tell(loss, SignalKind::BadState, out),
            Input::Lost(_) | Input::GaveUp(_) | Input::Passing { .. } | Input::Notice(_) | Input::Timer => {}
        }
        let verdict = self.relay(cx, input, out);
        for action in &out[before..] {
            if let Action::Signal { signal, .. } = action {
                self.counters.count(signal.kind);
            }
        }
        verdict
    }

    /// The packets in its custody.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.route_failure.iter().flat_map(RouteFailure::packets)
    }

    /// The node goes down: all is forgotten; it hands over what it has in custody.
    pub fn flush(&mut self) -> Vec<PacketId> {
        self.route_failure.as_mut().map(RouteFailure::flush).unwrap_or_default()
    }

    /// How many signals it has made.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: Loss, out: &mut Vec<Action>) {
        if self.config.unreachable {
            self.tell(loss, SignalKind::Unreachable, out);
        }
        if self.config.elfn {
            self.tell(loss, SignalKind::LinkFailure, out);
        }
        if loss.kind == PacketKind::TcpData
            && let Some(&ends) = self.flows.get(loss.flow.index())
            && let Some(machine) = &mut self.route_failure
        {
            machine.failed(cx.now, loss.flow, ends, loss.sequence, out);
        }
    }

    /// Tells the source of a segment something about it.
    fn tell(&self, loss: Loss, kind: SignalKind, out: &mut Vec<Action>) {
        let Some(&(from, to)) = self.flows.get(loss.flow.index()) else { return };
        let (source, destination) = match loss.kind {
            PacketKind::TcpData => (from, to),
            PacketKind::TcpAck => (to, from),
            _ => return, // no signal about a signal, nor about what is no segment
        };
        let signal = Signal { kind, source, destination, sequence: loss.sequence };
        out.push(Action::Signal { flow: loss.flow, to: source, signal });
    }

    /// What nodes on the path do besides.
    fn relay(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) -> Verdict {
        let Some(machine) = &mut self.route_failure else { return Verdict::Pass };
        match input {
            Input::Passing { packet, from, next } => {
                let (flow, payload, kind) =
                    (cx.packets[packet].flow, cx.packets[packet].payload, cx.packets[packet].kind());
                let Some(&ends) = self.flows.get(flow.index()) else { return Verdict::Pass };
                match payload {
                    Payload::Signal(signal) => {
                        machine.signal(cx.now, (flow, ends), &signal, (from, next), out)
                    }
                    Payload::Tcp(segment) if kind == PacketKind::TcpData => {
                        machine.segment(cx.now, (flow, ends), packet, segment.seq, out)
                    }
                    _ => Verdict::Pass,
                }
            }
            Input::Notice(notice) => {
                machine.notice(cx.now, notice, out);
                Verdict::Pass
            }
            Input::Timer => {
                machine.expire(cx.now, out);
                Verdict::Pass
            }
            Input::Lost(_) | Input::GaveUp(_) => Verdict::Pass,
        }
    }
}

/// A flow and its ends.
pub(super) type Of = (FlowId, (NodeId, NodeId));
