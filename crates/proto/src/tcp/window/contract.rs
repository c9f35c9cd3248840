//! The contract of window rules.

use super::state::{Congestion, LossResponse, PartialAck};
use crate::units::{Dur, SimTime};

/// A new ACK outside recovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acked {
    /// When it came.
    pub now: SimTime,
    /// Full segments that it acknowledges.
    pub segments: f64,
    /// Segments that are outstanding still.
    pub outstanding: f64,
    /// Smoothed round-trip time, once measured.
    pub srtt: Option<Dur>,
}

/// How the congestion window reacts. What a rule does not say is RFC 5681's.
pub trait WindowRule: std::fmt::Debug + Send {
    /// A new ACK outside recovery: the window grows.
    fn on_ack(&mut self, congestion: &mut Congestion, acked: &Acked) {
        congestion.open(acked.segments);
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
}
