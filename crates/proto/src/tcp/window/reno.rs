//! Reno (RFC 5681 §3.2): fast retransmit, fast recovery until the first new ACK.

use super::contract::WindowRule;
use super::state::{Congestion, LossResponse, PartialAck};

/// Fast recovery that ends with the first new ACK.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl WindowRule for Reno {
    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        congestion.halve();
        congestion.inflation = dupacks;
        LossResponse::FastRecovery
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, _segments: f64) -> PartialAck {
        congestion.leave_recovery();
        PartialAck::Leave
    }
}
