//! A shim before a TCP whose state the test says.

use crate::contract::{Control, Cx, End, NodeState, Phase, ReceiverView, TcpView};
use crate::shim::{self, AnyShim, Beginning, Input, Shim, ShimConfig, Verdict};
use crate::tcp::{Sender, TcpConfig};
use crate::units::{Dur, FlowId, NodeId, SimTime};
use crate::wire::{PacketStore, RangeSet, Segment, Signal, SignalKind, flags};

/// Payload of a segment.
pub(super) const MSS: u64 = 1000;
/// TCP's retransmission timeout.
pub(super) const RTO: Dur = Dur::from_secs(1);

/// What a shim answers: a verdict other than to pass, and what it asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Answer {
    Swallowed,
    Replaced(Segment),
    Do(Control),
    Wake(SimTime),
    Deliver(Segment),
    Send(Segment),
}

/// A shim, and what it sees.
#[derive(Debug)]
pub(super) struct Rig {
    pub(super) shim: AnyShim,
    /// Whether it stands before a receiver.
    pub(super) receiver: bool,
    pub(super) una: u64,
    pub(super) max_sent: u64,
    pub(super) peer_window: u64,
    pub(super) cwnd: f64,
    pub(super) phase: Phase,
    pub(super) srtt: Option<Dur>,
    pub(super) rto: Dur,
    pub(super) timer: SimTime,
    pub(super) sacked: RangeSet,
    /// Power of the frames that bring segments [W].
    pub(super) power: f64,
    packets: PacketStore,
}

impl Rig {
    /// The sender's end: ten segments outstanding, from byte 5000.
    pub(super) fn sender(config: &ShimConfig) -> Self {
        Self::new(config, false)
    }

    /// The receiver's end.
    pub(super) fn receiver(config: &ShimConfig) -> Self {
        Self::new(config, true)
    }

    fn new(config: &ShimConfig, receiver: bool) -> Self {
        let (here, there) = config.ends(Beginning {
            rto: Dur::from_secs(3),
            ssthresh: 40.0,
            ends: (NodeId(0), NodeId(4)),
            receive_threshold: 1e-10,
        });
        Self {
            shim: if receiver { there } else { here },
            receiver,
            una: 5 * MSS,
            max_sent: 15 * MSS,
            peer_window: 40 * MSS,
            cwnd: 10.0,
            phase: Phase::Open,
            srtt: Some(Dur::from_ms(200)),
            rto: RTO,
            timer: SimTime::MAX,
            sacked: RangeSet::default(),
            power: 0.0,
            packets: PacketStore::new(1),
        }
    }

    pub(super) fn feed(&mut self, now: SimTime, input: Input<'_>) -> Vec<Answer> {
        let tcp = Sender::new(TcpConfig::default(), FlowId(0));
        let view = TcpView {
            segment: MSS as u32,
            phase: self.phase,
            una: self.una,
            nxt: self.max_sent,
            max_sent: self.max_sent,
            peer_window: self.peer_window,
            sacked: &self.sacked,
            cwnd: self.cwnd,
            srtt: self.srtt,
            rto: self.rto,
            timer: self.timer,
            ..tcp.view()
        };
        let waiting = RangeSet::default();
        let there =
            ReceiverView { expected: self.una, waiting: &waiting, pending: 0, window: 40_000, frozen: false };
        let end = if self.receiver { End::Receiver(there) } else { End::Sender(view) };
        let mut cx = Cx { now, packets: &mut self.packets };
        let mut asked = Vec::new();
        let verdict = self.shim.handle(
            &mut cx,
            &NodeState { received_power: self.power, ..NodeState::default() },
            input,
            &end,
            &mut asked,
        );
        let first = match verdict {
            Verdict::Pass => None,
            Verdict::Swallow => Some(Answer::Swallowed),
            Verdict::Replace(segment) => Some(Answer::Replaced(segment)),
        };
        let asked = asked.into_iter().map(|action| match action {
            shim::Action::Control(control) => Answer::Do(control),
            shim::Action::Send(segment) => Answer::Send(segment),
            shim::Action::Deliver { segment, .. } => Answer::Deliver(segment),
            shim::Action::Arm(at) => Answer::Wake(at),
        });
        first.into_iter().chain(asked).collect()
    }

    /// A counter of the shim.
    pub(super) fn count(&self, name: &str) -> u64 {
        let mut found = None;
        self.shim.each_counter(&mut |known, value| {
            if known == name {
                found = Some(value);
            }
        });
        found.expect("a counter of this name")
    }
}

/// An acknowledgment.
pub(super) fn ack(ack: u64) -> Segment {
    Segment { ack, flags: flags::ACK, window: 40 * MSS as u32, ..Segment::default() }
}

/// A segment from the network.
pub(super) const fn arriving(segment: &Segment) -> Input<'_> {
    Input::Arriving { segment, created: SimTime::ZERO }
}

/// A signal about the segment that begins there.
pub(super) const fn signal(kind: SignalKind, sequence: u64) -> Signal {
    Signal { kind, source: NodeId(0), destination: NodeId(4), sequence }
}

/// A signal from a relay.
pub(super) const fn told(signal: &Signal) -> Input<'_> {
    Input::Signal { signal, from: NodeId(2) }
}

/// The instant so many seconds after zero.
pub(super) const fn s(seconds: u64) -> SimTime {
    SimTime::from_secs(seconds)
}
