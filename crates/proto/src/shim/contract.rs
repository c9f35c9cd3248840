//! The contract of shims.

use crate::contract::{Control, Cx, End, NodeState, Notice};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{Segment, Signal};

/// What a shim is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// A segment from the network is about to reach TCP.
    Arriving {
        /// The segment.
        segment: &'a Segment,
        /// When its packet was made, as a timestamp would say (RFC 7323 §3).
        created: SimTime,
    },
    /// TCP sends a segment; what it knows of itself is already as after the sending.
    Leaving(&'a Segment),
    /// TCP's retransmission timer is about to fire.
    Timeout,
    /// The shim's own timer fires.
    Timer,
    /// The node has something to tell.
    Notice(Notice),
    /// A signal about the flow has come to this end.
    Signal {
        /// What it says.
        signal: &'a Signal,
        /// The node that sent it.
        from: NodeId,
    },
}

/// What becomes of a segment or a timeout; an answer that counts for [`Input::Arriving`], [`Input::Leaving`] and
/// [`Input::Timeout`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It goes no further: TCP never hears of it, or the network never has it.
    Swallow,
    /// This segment goes on in its place.
    Replace(Segment),
}

/// What a shim asks for; done after the verdict, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// TCP shall do this. What it sends thereby passes the shim as everything does.
    Control(Control),
    /// Send this segment to the other end. It does not pass the shim.
    Send(Segment),
    /// TCP shall take this segment as if it came from the network now. It does not pass the shim.
    Deliver {
        /// The segment.
        segment: Segment,
        /// When its packet was made.
        created: SimTime,
    },
    /// Wake the shim at this instant; replaces an earlier request. `SimTime::MAX` disarms.
    Arm(SimTime),
}

/// What stands between TCP and the network at one end of a connection.
pub trait Shim: std::fmt::Debug + Send {
    /// Takes one input.
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input<'_>,
        end: &End<'_>,
        out: &mut Vec<Action>,
    ) -> Verdict;

    /// First byte that the destination has not acknowledged itself, where others acknowledge besides.
    fn unacknowledged(&self) -> Option<u64> {
        None
    }

    /// Reports every counter by its public name.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}

/// What a shim has to know of how its TCP begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beginning {
    /// Retransmission timeout before the first measurement.
    pub rto: Dur,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
    /// Source and destination of the flow.
    pub ends: (NodeId, NodeId),
    /// Least power at which a frame is decoded \[W\].
    pub receive_threshold: f64,
}
