//! A TCP of Linux steered by the machine that steers the simulator's: ELFN's source or TCP-F's. The machine hears the
//! signals of the simulated network and the acknowledgments, and says when TCP stops, what probes the way, and when TCP
//! goes on.

use multihop_proto::contract::{Control, Cx, End, NodeState, Phase, TcpView};
use multihop_proto::shim::{Action, AnyShim, Input, Shim};
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{PacketStore, RangeSet, Segment, Signal, flags};

use super::contract::Step;
use super::held::{ALL, Held};

/// Timeout before Linux has measured one (RFC 6298 §2.1).
const FIRST_RTO: Dur = Dur::from_secs(1);

/// The machine of one connection.
#[derive(Debug)]
pub(super) struct Steered {
    shim: AnyShim,
    /// When its timer fires; `SimTime::MAX` when it is off.
    at: SimTime,
    /// Most segments that go at once when TCP goes on.
    window: usize,
}

impl Steered {
    pub(super) const fn new(shim: AnyShim) -> Self {
        Self { shim, at: SimTime::MAX, window: ALL }
    }

    pub(super) const fn next_at(&self) -> SimTime {
        self.at
    }

    /// A signal about a segment of the connection.
    pub(super) fn signal(&mut self, step: &mut Step<'_>, held: &mut Held, signal: &Signal, from: NodeId) {
        if held.is_answered() {
            self.ask(step, held, Input::Signal { signal, from });
        }
    }

    /// The receiver says something.
    pub(super) fn answered(&mut self, step: &mut Step<'_>, held: &mut Held) {
        let segment = Segment { ack: held.in_flight().0, flags: flags::ACK, ..Segment::default() };
        let created = step.now;
        self.ask(step, held, Input::Arriving { segment: &segment, created });
    }

    /// Its timer.
    pub(super) fn due(&mut self, step: &mut Step<'_>, held: &mut Held) {
        if self.at <= step.now {
            self.at = SimTime::MAX;
            self.ask(step, held, Input::Timer);
        }
    }

    /// Lets the machine decide, and does what it says. It speaks of a TCP that begins again itself: what it would have
    /// TCP send again, the layer sends, as it alone has that.
    fn ask(&mut self, step: &mut Step<'_>, held: &mut Held, input: Input<'_>) {
        let (sacked, mut actions) = (RangeSet::default(), Vec::new());
        let rto = step.times.map_or(FIRST_RTO, |times| times.rto);
        let (una, max_sent) = held.in_flight();
        let end = End::Sender(TcpView {
            flow: FlowId::NONE,
            segment: 0,
            phase: Phase::Open,
            una,
            nxt: max_sent,
            max_sent,
            peer_window: 0,
            sacked: &sacked,
            cwnd: 1.0,
            ssthresh: 2.0,
            srtt: step.times.map(|times| times.srtt),
            rto,
            doublings: 0,
            dupacks: 0,
            timer: SimTime::MAX,
            frozen: held.is_stopped(),
        });
        let mut packets = PacketStore::default();
        let mut cx = Cx { now: step.now, packets: &mut packets };
        self.shim.handle(&mut cx, &NodeState::default(), input, &end, &mut actions);
        let goes_on = actions.contains(&Action::Control(Control::Thaw));
        for action in actions {
            match action {
                Action::Arm(at) => self.at = at,
                Action::Control(Control::Freeze) => {
                    self.window = ALL;
                    held.stop(step);
                }
                Action::Control(Control::Probe) => held.probe(step),
                // A probe of ELFN; when TCP goes on, all is sent again in any case.
                Action::Control(Control::Retransmit { seq }) if !goes_on => held.probe_with(step, seq),
                Action::Control(Control::SetCwnd { segments }) => self.window = segments as usize,
                Action::Control(Control::Thaw) => held.go_on(step, self.window, rto),
                _ => {}
            }
        }
    }
}
