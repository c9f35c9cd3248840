//! Tahoe (Jacobson, SIGCOMM 1988): every loss starts slow start again.

use super::contract::WindowRule;
use super::state::{Congestion, LossResponse, PartialAck};

/// Slow start after every loss.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tahoe;

impl WindowRule for Tahoe {
    fn on_loss(&mut self, congestion: &mut Congestion, _dupacks: u32) -> LossResponse {
        congestion.on_timeout(false);
        LossResponse::GoBack
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, _segments: f64) -> PartialAck {
        congestion.leave_recovery();
        PartialAck::Leave
    }
}
