//! Reno (RFC 5681 §3.2): fast retransmit, fast recovery until the first new ACK.

use super::contract::Rule;
use super::{Congestion, LossResponse, PartialAck};
use crate::tcp::config::TcpConfig;

/// Fast recovery that ends with the first new ACK.
pub(super) struct Reno;

impl Rule for Reno {
    fn on_loss(congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        congestion.halve();
        congestion.inflation = dupacks;
        LossResponse::FastRecovery
    }

    fn on_partial_ack(congestion: &mut Congestion, _config: &TcpConfig, _segments: f64) -> PartialAck {
        congestion.leave_recovery();
        PartialAck::Leave
    }
}
