//! What nodes act on: the clock, the timers, the frames on the air, the record.

use multihop_proto::node::Action;
use multihop_proto::port::Sink;
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::Frame;

use crate::kernel::EventQueue;
use crate::probe::{Recorder, Tap};

/// What a node is sending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Transmission {
    /// Nothing.
    None,
    /// A frame that has not begun to arrive anywhere; only with a propagation delay.
    Leaving(Frame),
    /// A frame that begins to arrive now, or has begun.
    Arriving(Frame),
}

/// Takes what nodes answer.
pub(super) struct World {
    pub(super) now: SimTime,
    /// The node that is being told something.
    pub(super) node: NodeId,
    pub(super) timers: EventQueue,
    /// Nodes whose transmissions leave or begin to arrive at this instant.
    pub(super) starting: Vec<NodeId>,
    /// Time that a signal takes to every listener.
    pub(super) delay: Dur,
    /// What each node is sending.
    pub(super) on_air: Vec<Transmission>,
    pub(super) recorder: Recorder,
    pub(super) tap: Option<Box<dyn Tap>>,
}

impl Sink<Action> for World {
    #[inline(always)]
    fn put(&mut self, action: Action) {
        match action {
            Action::Transmit(frame) => {
                let (next, transmission) = if self.delay == Dur::ZERO {
                    (frame.airtime, Transmission::Arriving(frame))
                } else {
                    (self.delay, Transmission::Leaving(frame))
                };
                self.timers.arm_end(self.node, self.now + next);
                self.on_air[self.node.index()] = transmission;
                self.starting.push(self.node);
            }
            Action::Arm(timer, at) => self.timers.arm(self.node, timer, at),
            Action::Dropped(dropped) => {
                let why = self.recorder.dropped(self.now, self.node, dropped);
                if let Some(tap) = &mut self.tap {
                    tap.dropped(self.now, self.node, &dropped, why);
                }
            }
            Action::GaveUp(cause) => self.recorder.gave_up(self.node, cause),
            Action::Transport { flow, event } => self.recorder.transport(self.now, flow, event),
            Action::Arrived { flow, readable, delay } => {
                self.recorder.arrived(self.now, flow, readable, delay);
            }
        }
    }
}
