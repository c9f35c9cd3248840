//! Freeze-TCP at a receiver under Linux (Goff, Moronski, Phatak, Gupta, INFOCOM 2000): the machine of the simulator
//! says when the window is closed. The layer writes that into what the TCP of the host sends, and says it at once.
//!
//! The sender's TCP needs no change. It has to hear of the closed window before the way breaks, and with nothing left
//! in flight: else its retransmission timer goes on.

use std::sync::Arc;

use multihop_proto::contract::{Control, Cx, End, NodeState, Notice, ReceiverView};
use multihop_proto::shim::{Action, AnyShim, Input, Shim};
use multihop_proto::units::{FlowId, SimTime};
use multihop_proto::wire::{PacketStore, RangeSet, Segment, flags};

use super::contract::{Step, Verdict};
use super::forged::{once_more, with_window};

/// The window of one receiver.
#[derive(Debug)]
pub(super) struct Closing {
    shim: AnyShim,
    closed: bool,
    /// Since when.
    since: SimTime,
    /// The last segment that its TCP sent.
    own: Arc<[u8]>,
}

impl Closing {
    /// A window that is open, at the end that sent `syn`.
    pub(super) const fn new(shim: AnyShim, syn: Arc<[u8]>) -> Self {
        Self { shim, closed: false, since: SimTime::ZERO, own: syn }
    }

    /// Since when the window is closed.
    pub(super) fn closed_since(&self) -> Option<SimTime> {
        self.closed.then_some(self.since)
    }

    /// TCP sends a segment.
    pub(super) fn leaving(&mut self, bytes: &Arc<[u8]>) -> Verdict {
        self.own = Arc::clone(bytes);
        let closed = self.closed.then(|| with_window(bytes, 0)).flatten();
        closed.map_or(Verdict::Pass, |bytes| Verdict::Replace(bytes.into()))
    }

    /// Data arrive with this power \[W\].
    pub(super) fn arriving(&mut self, step: &mut Step<'_>, power: f64) {
        let segment = Segment { flags: flags::ACK, ..Segment::default() };
        let created = step.now;
        self.ask(step, power, Input::Arriving { segment: &segment, created });
    }

    /// The receiver is about to be cut off, or has a way again.
    pub(super) fn outage(&mut self, step: &mut Step<'_>, ahead: bool) {
        self.ask(step, 0.0, Input::Notice(Notice::Outage { flow: FlowId::NONE, ahead }));
    }

    fn ask(&mut self, step: &mut Step<'_>, power: f64, input: Input<'_>) {
        let (waiting, mut actions) = (RangeSet::default(), Vec::new());
        let view =
            ReceiverView { expected: 0, waiting: &waiting, pending: 0, window: 0, frozen: self.closed };
        let node_state = NodeState { received_power: power, ..NodeState::default() };
        let mut packets = PacketStore::default();
        let mut cx = Cx { now: step.now, packets: &mut packets };
        self.shim.handle(&mut cx, &node_state, input, &End::Receiver(view), &mut actions);
        for action in actions {
            match action {
                Action::Control(Control::SetWindow { bytes }) => self.set(step, bytes == Some(0)),
                Action::Control(Control::Acknowledge) => self.acknowledge(step),
                _ => {}
            }
        }
    }

    fn set(&mut self, step: &mut Step<'_>, closed: bool) {
        match (self.closed, closed) {
            (false, true) => {
                step.counts.freezes += 1;
                self.since = step.now;
            }
            (true, false) => step.counts.thawed(step.now, self.since),
            _ => {}
        }
        self.closed = closed;
    }

    /// Says once more what has arrived.
    fn acknowledge(&self, step: &mut Step<'_>) {
        step.send(once_more(&self.own, self.closed.then_some(0)));
    }
}
