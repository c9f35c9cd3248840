//! The contract of window rules.

use super::state::{Congestion, LossResponse, PartialAck};
use crate::tcp::sendlog::{LostSegment, Measured};
use crate::tcp::undo::Before;
use crate::units::{Bitrate, Dur, SimTime};

/// What an ACK says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AckSample {
    /// When it came.
    pub now: SimTime,
    /// Full segments that it acknowledges, besides those that it acknowledges selectively.
    pub segments: f64,
    /// Segments that are outstanding still.
    pub outstanding: f64,
    /// Segments that were outstanding before it came.
    pub flight: f64,
    /// First unacknowledged byte.
    pub una: u64,
    /// First byte that has never been sent.
    pub max_sent: u64,
    /// Smoothed round-trip time, once measured.
    pub srtt: Option<Dur>,
}

impl AckSample {
    /// Whether the window was what held the sender back, so that a larger one would have been used (RFC 9438 §5.8; in
    /// slow start half of it is enough, as it doubles meanwhile).
    #[must_use]
    pub fn is_limited(&self, congestion: &Congestion) -> bool {
        if congestion.cwnd < congestion.ssthresh {
            2.0 * self.flight > congestion.cwnd
        } else {
            self.flight + 1.0 > congestion.cwnd
        }
    }
}

/// What the path shows, for rules that want it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathSample {
    /// The ACK, duplicate or not.
    pub ack: AckSample,
    /// What the log of sent segments makes of it.
    pub path: Measured,
    /// Bytes believed to be in the network.
    pub in_flight: u64,
    /// Bytes that this ACK shows to be lost.
    pub lost: u64,
    /// Bytes that were found to be lost since the newest segment that it acknowledges was sent.
    pub lost_since: u64,
    /// Bytes of a full segment.
    pub segment: u64,
    /// Whether loss recovery is under way.
    pub recovering: bool,
    /// Time until the pacer lets the next segment leave.
    pub until_next: Dur,
}

/// What the receiver's counters say of marks (RFC 9768).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkSample {
    /// First unacknowledged byte, by the ACK.
    pub una: u64,
    /// First byte that has never been sent.
    pub max_sent: u64,
    /// Bytes that have newly arrived.
    pub arrived: u64,
    /// Those of them that were marked.
    pub marked: u64,
}

/// What a rule knows of the path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RuleView {
    /// Largest delivery rate that it goes by.
    pub delivery_rate: Option<Bitrate>,
    /// Least round-trip time that it goes by.
    pub min_rtt: Option<Dur>,
    /// What it does, by its own count from 1 on; 0 for rules without phases.
    pub phase: u8,
}

/// How the congestion window reacts. What a rule does not say is RFC 5681's.
pub trait WindowRule: std::fmt::Debug + Send {
    /// A new ACK outside recovery: the window grows.
    fn on_ack(&mut self, congestion: &mut Congestion, sample: &AckSample) {
        congestion.open(sample.segments);
    }

    /// Whether it wants to see each ACK, with what the log of sent segments makes of it.
    fn wants_path(&self) -> bool {
        false
    }

    /// An ACK has come that says that data have arrived, in recovery or not. Only for rules that want it; before
    /// [`Self::on_ack`].
    fn on_path(&mut self, _congestion: &mut Congestion, _sample: &PathSample) {}

    /// The connection is open, and opening it took one round trip of so long, if it was measured. Only for rules that
    /// want the path.
    fn on_open(&mut self, _now: SimTime, _rtt: Option<Dur>) {}

    /// Whether it wants to hear of each segment that is believed to be lost. Only for rules that want the path.
    fn wants_losses(&self) -> bool {
        false
    }

    /// A segment is believed to be lost. Only for rules that want to hear of it; before [`Self::on_path`].
    fn on_lost(&mut self, _congestion: &Congestion, _now: SimTime, _lost: &LostSegment) {}

    /// Whether it sends less on purpose than the path carries, so that rates measured now say nothing of it.
    fn holds_back(&self) -> bool {
        false
    }

    /// A segment is lost without a timeout; `dupacks` have arrived so far.
    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse;

    /// A new ACK of so many segments arrives in recovery and stops short of its end.
    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck;

    /// The retransmission timer has fired; `hold`: for the same segment again, so that the threshold stays
    /// (RFC 5681 §3.1). Takes back the inflation.
    fn on_timeout(&mut self, congestion: &mut Congestion, hold: bool) {
        congestion.on_timeout(hold);
    }

    /// The first echo of a mark among a window of data (RFC 3168 §6.1.2).
    fn on_echo(&mut self, congestion: &mut Congestion) {
        congestion.on_echo();
    }

    /// An ACK says how many bytes have arrived, and how many of them were marked, maybe none. Only with accurate ECN;
    /// before [`Self::on_echo`], which comes as before.
    fn on_marks(&mut self, _congestion: &mut Congestion, _sample: &MarkSample) {}

    /// A reduction was needless: the window is as before, unless it is larger already (RFC 4015 §3.2).
    fn on_undo(&mut self, congestion: &mut Congestion, before: Before) {
        congestion.restore(before);
    }

    /// The first data leave, or data after a time in which the application had none and nothing was outstanding. Only
    /// for rules that want the path.
    fn on_restart(&mut self, _congestion: &mut Congestion, _now: SimTime) {}

    /// Data leave while nothing is outstanding.
    fn on_idle_end(&mut self, _now: SimTime) {}

    /// Whether it says at which rate segments leave.
    fn is_paced(&self) -> bool {
        false
    }

    /// The rate at which segments leave, once it knows one.
    fn send_rate(&self) -> Option<Bitrate> {
        None
    }

    /// What it knows of the path, for series.
    fn view(&self) -> RuleView {
        RuleView::default()
    }

    /// Tells every counter by its public name.
    fn each_counter(&self, _tell: &mut dyn FnMut(&'static str, u64)) {}
}
