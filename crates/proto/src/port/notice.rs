//! Notices between layers, and what a shim may tell its TCP to do.

use crate::units::{Dur, FlowId, NodeId, SimTime};

/// Something that one layer tells the others of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The MAC gave up on a neighbour.
    LinkFailed {
        /// The neighbour.
        neighbour: NodeId,
    },
    /// There is no route to a destination any more.
    RouteLost {
        /// The destination.
        destination: NodeId,
    },
    /// There is a route to a destination again.
    RouteFound {
        /// The destination.
        destination: NodeId,
        /// Its hop count.
        hops: u32,
    },
    /// The interface queue can take packets again after having been full.
    QueueSpace,
    /// The node itself went down or came back.
    Power {
        /// Whether it is up now.
        up: bool,
    },
}

/// What a shim tells the TCP above it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// Stop sending and stop the timers; keep the state.
    Freeze,
    /// Go on from the kept state.
    Thaw,
    /// Set the congestion window.
    SetCwnd {
        /// New window in segments.
        segments: f64,
    },
    /// Send the segment that starts here again, without any window change.
    Retransmit {
        /// First byte.
        seq: u64,
    },
    /// Start the retransmission timer afresh with its present value.
    RestartTimer,
}

/// A read-only view of a TCP sender for shims and gates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpView {
    /// Its flow.
    pub flow: FlowId,
    /// First unacknowledged byte.
    pub una: u64,
    /// Next byte to send.
    pub nxt: u64,
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
    /// Smoothed round-trip time, once measured.
    pub srtt: Option<Dur>,
    /// Present retransmission timeout, backed off.
    pub rto: Dur,
    /// Duplicate acknowledgments in a row.
    pub dupacks: u32,
    /// When the retransmission timer fires; `SimTime::MAX` when it is off.
    pub timer: SimTime,
}
