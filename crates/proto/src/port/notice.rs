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

/// What a shim tells the TCP above it. To restore a window or a timeout, keep it from the [`TcpView`] and set it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// Send nothing more of your own accord and stop the timer; keep the state.
    Freeze,
    /// Go on with what was under way: opening, recovery, back-off.
    Thaw,
    /// As [`Self::Freeze`], but ask the receiver for an ACK from time to time: header-only probes, the first after one
    /// retransmission timeout, then at doubling intervals.
    Persist,
    /// The end of [`Self::Persist`], as [`Self::Thaw`].
    Resume,
    /// Set the congestion window, at least one segment.
    SetCwnd {
        /// New window in segments.
        segments: f64,
    },
    /// Set the slow-start threshold, at least two segments.
    SetSsthresh {
        /// New threshold in segments.
        segments: f64,
    },
    /// Use this retransmission timeout, not backed off, until a round trip has been measured.
    SetRto {
        /// New timeout; the configured floor and ceiling hold.
        rto: Dur,
    },
    /// Send the segment that starts here again, without any window change; also while frozen.
    Retransmit {
        /// First byte.
        seq: u64,
    },
    /// Send everything unacknowledged again, but for what the receiver has said that it holds; also while frozen.
    RetransmitAll,
    /// Send a header-only segment just below the window, to which the receiver must answer; also while frozen.
    Probe,
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
    /// First byte that has never been sent.
    pub max_sent: u64,
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
    /// When the retransmission or persist timer fires; `SimTime::MAX` when neither runs.
    pub timer: SimTime,
    /// Whether a shim has stopped it.
    pub halted: bool,
}
