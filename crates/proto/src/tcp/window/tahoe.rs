//! Tahoe (Jacobson, SIGCOMM 1988): every loss starts slow start again.

use super::contract::Rule;
use super::{Congestion, LossResponse, PartialAck};
use crate::tcp::config::TcpConfig;

/// Slow start after every loss.
pub(super) struct Tahoe;

impl Rule for Tahoe {
    fn on_loss(congestion: &mut Congestion, _dupacks: u32) -> LossResponse {
        congestion.on_timeout(false);
        LossResponse::GoBack
    }

    fn on_partial_ack(congestion: &mut Congestion, _config: &TcpConfig, _segments: f64) -> PartialAck {
        congestion.leave_recovery();
        PartialAck::Leave
    }
}
