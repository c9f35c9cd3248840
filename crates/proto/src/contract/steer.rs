//! Steering TCP: what those who stand between TCP and the network see of it, and what they may tell it to do.

use crate::units::{Dur, FlowId, SimTime};
use crate::wire::RangeSet;

/// What a shim tells the TCP at its end. To restore a window or a timeout, keep it from the [`TcpView`] and set it.
/// What an end has no use for changes nothing there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// Send nothing more of your own accord and stop the timer; keep the state. A receiver sends no ACKs.
    Freeze,
    /// Go on with what was under way: opening, recovery, back-off. A receiver acknowledges at once.
    Thaw,
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
    /// Send the segment that starts here again, as far as the receiver has not said that it holds it, without any
    /// window change; also while frozen.
    Retransmit {
        /// First byte.
        seq: u64,
    },
    /// Send everything unacknowledged again, but for what the receiver has said that it holds; also while frozen.
    RetransmitAll,
    /// Begin again with the first unacknowledged byte, as the window lets it: what a timeout does, without its window
    /// and its back-off. BSD's persist state does so when it begins.
    GoBack,
    /// Take the retransmission timeout as come: window, threshold and back-off as ever; what is sent thereby waits for
    /// the end of [`Self::Freeze`].
    TimeOut,
    /// Send a header-only segment just below the window, to which the receiver must answer, or the SYN once more; also
    /// while frozen.
    Probe,
    /// Start the retransmission timer afresh with its present value.
    RestartTimer,
    /// Receiver: acknowledge the last byte in order once more, at once; also while frozen.
    Acknowledge,
    /// Receiver: advertise this window from the next ACK on, at most the one that is configured; none: that one.
    SetWindow {
        /// New window.
        bytes: Option<u32>,
    },
}

/// Where a connection stands, seen from its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Not opened yet.
    Closed,
    /// SYN sent, or about to be.
    Opening,
    /// Sending, no loss known.
    Open,
    /// Fast recovery.
    Recovery,
}

/// A read-only view of a TCP sender for shims and gates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpView<'a> {
    /// Its flow.
    pub flow: FlowId,
    /// Payload of a full segment in bytes.
    pub segment: u32,
    /// Where the connection stands; outlasts freezing.
    pub phase: Phase,
    /// First unacknowledged byte.
    pub una: u64,
    /// Next byte to send.
    pub nxt: u64,
    /// First byte that has never been sent.
    pub max_sent: u64,
    /// Last window that the receiver advertised, in bytes.
    pub peer_window: u64,
    /// What the receiver has said that it holds beyond `una`.
    pub sacked: &'a RangeSet,
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
    /// Smoothed round-trip time, once measured.
    pub srtt: Option<Dur>,
    /// Present retransmission timeout, backed off.
    pub rto: Dur,
    /// How often it has been doubled since the last round trip was measured.
    pub doublings: u32,
    /// Duplicate acknowledgments in a row.
    pub dupacks: u32,
    /// When the retransmission or persist timer fires; `SimTime::MAX` when neither runs.
    pub timer: SimTime,
    /// Whether [`Control::Freeze`] holds it.
    pub frozen: bool,
}

impl TcpView<'_> {
    /// What has been sent below the highest block of SACK and not arrived, as far as is known: `[start, end)`, lowest
    /// first. None without SACK.
    pub fn holes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let starts = std::iter::once(self.una).chain(self.sacked.iter().map(|(_, end)| end));
        let ends = self.sacked.iter().map(|(start, _)| start);
        starts.zip(ends).filter(|(start, end)| start < end)
    }
}

/// A read-only view of a TCP receiver for shims.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverView<'a> {
    /// Next byte expected.
    pub expected: u64,
    /// What has arrived beyond it.
    pub waiting: &'a RangeSet,
    /// Segments that have not been acknowledged yet.
    pub pending: u32,
    /// Window that the next ACK advertises, in bytes.
    pub window: u32,
    /// Whether [`Control::Freeze`] holds it.
    pub frozen: bool,
}

/// The end of a connection at which a shim stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End<'a> {
    /// The sender of its data.
    Sender(TcpView<'a>),
    /// The receiver.
    Receiver(ReceiverView<'a>),
}

impl<'a> End<'a> {
    /// The sender, if it is one.
    #[must_use]
    pub const fn sender(&self) -> Option<&TcpView<'a>> {
        match self {
            Self::Sender(view) => Some(view),
            Self::Receiver(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_lie_between_what_is_acknowledged() {
        let sacked: RangeSet = {
            let mut set = RangeSet::default();
            set.insert(300, 400);
            set.insert(600, 700);
            set
        };
        let sender = crate::tcp::Sender::new(crate::tcp::TcpConfig::default(), FlowId(0));
        let view = TcpView { una: 100, max_sent: 900, sacked: &sacked, ..sender.view() };
        assert_eq!(view.holes().collect::<Vec<_>>(), [(100, 300), (400, 600)], "above 700 nothing is known");
        let none = RangeSet::default();
        assert_eq!(TcpView { sacked: &none, ..view }.holes().count(), 0);
    }
}
