//! The notifier of a node: from losses, give-ups and notices to signals.

use std::sync::Arc;

use super::config::{SignalsConfig, Unreachable};
use super::contract::{Action, Input, Loss, Verdict};
use super::tcp_bus_relay::TcpBusRelay;
use super::tcp_f_relay::TcpFRelay;
use crate::contract::{Cx, Notice};
use crate::units::{NodeId, SimTime, counters};
use crate::wire::{DropReason, PacketId, PacketKind, Payload, Signal, SignalKind};

/// Source and destination of every flow, by its number: what the headers of its packets say.
pub type Flows = Arc<[(NodeId, NodeId)]>;

counters! {
    /// Signals that were made, by kind.
    pub struct Counters {
        /// Host unreachable.
        pub unreachable = "signals.unreachable",
        /// ELFN.
        pub elfn = "signals.elfn",
        /// Route failure notifications of TCP-F.
        pub rfn = "signals.rfn",
        /// Route re-establishment notifications of TCP-F.
        pub rrn = "signals.rrn",
        /// Explicit route disconnection notifications of TCP-BuS.
        pub erdn = "signals.erdn",
        /// Explicit route successful notifications of TCP-BuS.
        pub ersn = "signals.ersn",
        /// Explicit bad state notifications.
        pub ebsn = "signals.ebsn",
        /// Notices of a random loss, of ENIC.
        pub loss = "signals.loss",
    }
}

impl Counters {
    const fn count(&mut self, kind: SignalKind) {
        *match kind {
            SignalKind::Unreachable => &mut self.unreachable,
            SignalKind::LinkFailure => &mut self.elfn,
            SignalKind::RouteFailure { .. } => &mut self.rfn,
            SignalKind::RouteRestored => &mut self.rrn,
            SignalKind::Disconnected => &mut self.erdn,
            SignalKind::Reconnected { .. } => &mut self.ersn,
            SignalKind::BadState => &mut self.ebsn,
            SignalKind::SegmentLost => &mut self.loss,
        } += 1;
    }
}

/// One node's notifier.
#[derive(Clone, Debug)]
pub struct Notifier {
    config: SignalsConfig,
    me: NodeId,
    flows: Flows,
    /// Whether routing takes a packet that the MAC gives up for a broken link.
    feedback: bool,
    /// Whether routing looks for a route only when its source needs one.
    on_demand: bool,
    tcp_f: Option<TcpFRelay>,
    tcp_bus: Option<TcpBusRelay>,
    /// For when it has asked to be woken; `SimTime::MAX`: not at all.
    armed: SimTime,
    counters: Counters,
}

impl Notifier {
    /// The notifier of node `me`, which knows these flows.
    #[must_use]
    pub fn new(config: &SignalsConfig, me: NodeId, flows: Flows) -> Self {
        let tcp_f = config.rfn.then(|| TcpFRelay::new(&config.route_failure));
        let tcp_bus = config.erdn.then(|| TcpBusRelay::new(&config.pivot));
        Self {
            config: config.clone(),
            me,
            flows,
            feedback: true,
            on_demand: false,
            tcp_f,
            tcp_bus,
            armed: SimTime::MAX,
            counters: Counters::default(),
        }
    }

    /// The same where routing finds broken links otherwise, by hellos or updates that fail to appear: there a packet
    /// that the MAC gives up is lost, and its route stands.
    #[must_use]
    pub fn without_feedback(self) -> Self {
        Self { feedback: false, ..self }
    }

    /// The same where a source looks for a route when it needs one: another node without a route is not the last word.
    #[must_use]
    pub fn on_demand(self) -> Self {
        Self { on_demand: true, ..self }
    }

    /// Whether a source is to hear that its host is unreachable.
    fn is_unreachable(&self, loss: Loss) -> bool {
        let no_route = matches!(loss.reason, DropReason::NoRoute | DropReason::RouteTimeout);
        match self.config.unreachable_when {
            _ if !self.config.unreachable => false,
            Unreachable::Lost => true,
            Unreachable::NoRoute => {
                no_route && (!self.on_demand || self.ends(loss).is_some_and(|(source, _)| source == self.me))
            }
        }
    }

    /// Source and destination of a lost packet.
    fn ends(&self, loss: Loss) -> Option<(NodeId, NodeId)> {
        let &(from, to) = self.flows.get(loss.flow.index())?;
        match loss.kind {
            // A rate is the source's, whichever way the path of its transport is broken.
            PacketKind::TcpData | PacketKind::Transport => Some((from, to)),
            PacketKind::TcpAck => Some((to, from)),
            _ => None, // no signal about a signal, nor about what is no segment
        }
    }

    /// Whether a link or a route was gone, as far as this node can tell.
    fn is_of_route(&self, loss: Loss) -> bool {
        loss.is_of_route() && (self.feedback || !loss.is_give_up())
    }

    /// Whether it wants to see what passes.
    #[must_use]
    pub const fn watches(&self) -> bool {
        self.tcp_f.is_some() || self.tcp_bus.is_some()
    }

    /// Takes one input.
    pub fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut Vec<Action>) -> Verdict {
        let before = out.len();
        let verdict = match input {
            Input::Lost(loss) if self.is_of_route(loss) => {
                self.on_loss(cx, loss, out);
                Verdict::Pass
            }
            Input::LostOnTheAir(loss) => {
                if self.config.loss && loss.kind == PacketKind::TcpData {
                    self.tell(loss, SignalKind::SegmentLost, out);
                }
                Verdict::Pass
            }
            Input::Taken(loss) => {
                self.tcp_bus_broken_here(cx, loss, out);
                Verdict::Pass
            }
            Input::GaveUp(loss) if self.config.ebsn => {
                self.tell(loss, SignalKind::BadState, out);
                Verdict::Pass
            }
            Input::Lost(_) | Input::GaveUp(_) => Verdict::Pass,
            Input::Passing { packet, from, next } => self.on_passing(cx, packet, (from, next), out),
            Input::Notice(notice) => {
                self.on_notice(cx, notice, out);
                Verdict::Pass
            }
            Input::Timer => {
                self.on_timer(cx, out);
                Verdict::Pass
            }
        };
        for action in &out[before..] {
            if let Action::Signal { signal, .. } = action {
                self.counters.count(signal.kind);
            }
        }
        self.arm(out);
        verdict
    }

    /// Asks to be woken when something is due next, if that is another instant than before.
    fn arm(&mut self, out: &mut Vec<Action>) {
        let of_route = self.tcp_f.as_ref().map(TcpFRelay::deadline);
        let of_path = self.tcp_bus.as_ref().map(TcpBusRelay::deadline);
        let deadline = of_route.into_iter().chain(of_path).min().unwrap_or(SimTime::MAX);
        if deadline != self.armed {
            self.armed = deadline;
            if deadline < SimTime::MAX {
                out.push(Action::Arm(deadline));
            }
        }
    }

    /// Whether it takes a packet into custody that would be lost here for this reason: segments that pass, with
    /// TCP-BuS.
    pub fn takes(&mut self, cx: &Cx<'_>, packet: PacketId, reason: DropReason) -> bool {
        let it = &cx.packets[packet];
        if !self.is_of_route(Loss::of(it, reason)) {
            return false;
        }
        let Some(tcp_bus) = &mut self.tcp_bus else { return false };
        let (Payload::Tcp(segment), PacketKind::TcpData) = (&it.payload, it.kind()) else { return false };
        let Some(&ends) = self.flows.get(it.flow.index()) else { return false };
        ends.0 != self.me && tcp_bus.keeps((it.flow, ends), packet, segment)
    }

    /// Where the way of a lost packet would lead, if it matters whether there is one.
    #[must_use]
    pub fn asks_for(&self, input: Input) -> Option<NodeId> {
        match input {
            Input::Lost(loss) if self.config.loss && loss.is_give_up() => {
                self.flows.get(loss.flow.index()).map(|&(_, destination)| destination)
            }
            _ => None,
        }
    }

    /// The packets in its custody.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        let waiting = self.tcp_f.iter().flat_map(TcpFRelay::packets);
        waiting.chain(self.tcp_bus.iter().flat_map(TcpBusRelay::packets))
    }

    /// The node goes down: all is forgotten; it hands over what it has in custody.
    pub fn flush(&mut self) -> Vec<PacketId> {
        let mut all = self.tcp_f.as_mut().map(TcpFRelay::flush).unwrap_or_default();
        all.extend(self.tcp_bus.as_mut().map(TcpBusRelay::flush).unwrap_or_default());
        self.armed = SimTime::MAX;
        all
    }

    /// How many signals it has made.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: Loss, out: &mut Vec<Action>) {
        if self.is_unreachable(loss) {
            self.tell(loss, SignalKind::Unreachable, out);
        }
        if self.config.elfn {
            self.tell(loss, SignalKind::LinkFailure, out);
        }
        if loss.kind == PacketKind::TcpData
            && let Some(&ends) = self.flows.get(loss.flow.index())
            && let Some(machine) = &mut self.tcp_f
        {
            machine.failed(cx.now, loss.flow, ends, loss.sequence, out);
        }
        self.tcp_bus_broken_here(cx, loss, out);
    }

    /// The path of a segment is broken here.
    fn tcp_bus_broken_here(&mut self, cx: &Cx<'_>, loss: Loss, out: &mut Vec<Action>) {
        let Some(tcp_bus) = &mut self.tcp_bus else { return };
        let Some(&ends) = self.flows.get(loss.flow.index()) else { return };
        if loss.kind != PacketKind::TcpData {
            return;
        }
        if ends.0 == self.me {
            self.tell(loss, SignalKind::Disconnected, out); // its own segments wait in its TCP
        } else {
            tcp_bus.failed(cx.now, (loss.flow, ends), loss.sequence, out);
        }
    }

    /// Tells the source of a segment something about it.
    fn tell(&self, loss: Loss, kind: SignalKind, out: &mut Vec<Action>) {
        let Some((source, destination)) = self.ends(loss) else { return };
        let signal = Signal { kind, source, destination, sequence: loss.sequence };
        out.push(Action::Signal { flow: loss.flow, to: source, signal });
    }

    /// What nodes on the path do with what passes.
    fn on_passing(
        &mut self,
        cx: &mut Cx<'_>,
        packet: PacketId,
        (from, next): (NodeId, Option<NodeId>),
        out: &mut Vec<Action>,
    ) -> Verdict {
        let it = &cx.packets[packet];
        let (flow, payload, kind, position) = (it.flow, it.payload, it.kind(), it.position());
        let Some(&ends) = self.flows.get(flow.index()) else { return Verdict::Pass };
        let (now, of) = (cx.now, (flow, ends));
        if let Some(machine) = &mut self.tcp_f {
            let verdict = match payload {
                Payload::Signal(signal) => machine.signal(now, of, &signal, (from, next), out),
                _ if kind == PacketKind::TcpData => {
                    machine.segment(now, of, packet, position.unwrap_or(0), out)
                }
                _ => Verdict::Pass,
            };
            if verdict != Verdict::Pass {
                return verdict;
            }
        }
        if let Some(tcp_bus) = &mut self.tcp_bus {
            match payload {
                Payload::Signal(signal) => tcp_bus.signal(cx, of, &signal, out),
                Payload::Tcp(segment) if kind == PacketKind::TcpData => {
                    return tcp_bus.segment(now, of, packet, &segment, out);
                }
                Payload::Tcp(segment) => tcp_bus.ack(cx, of, &segment, out),
                _ => {}
            }
        }
        Verdict::Pass
    }

    fn on_notice(&mut self, cx: &Cx<'_>, notice: Notice, out: &mut Vec<Action>) {
        if let Some(machine) = &mut self.tcp_f {
            machine.notice(cx.now, notice, out);
        }
        match (&mut self.tcp_bus, notice) {
            (Some(tcp_bus), Notice::RouteFound { destination, hops }) => {
                tcp_bus.found(cx.now, destination, hops, out);
            }
            (Some(tcp_bus), Notice::RouteLost { destination }) => tcp_bus.lost(destination),
            _ => {}
        }
    }

    fn on_timer(&mut self, cx: &mut Cx<'_>, out: &mut Vec<Action>) {
        if let Some(machine) = &mut self.tcp_f {
            machine.expire(cx.now, out);
        }
        if let Some(tcp_bus) = &mut self.tcp_bus {
            tcp_bus.expire(cx, out);
        }
    }
}
