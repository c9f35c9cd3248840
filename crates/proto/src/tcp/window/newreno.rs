//! NewReno (RFC 6582): fast recovery until everything that was outstanding at the loss is acknowledged.
//!
//! §3.2 step 3: a partial ACK shows the next hole, which is sent at once; the window is deflated by what was
//! acknowledged. `partial-deflation = false` gives the older form that takes all inflation back.

use super::contract::Rule;
use super::{Congestion, LossResponse, PartialAck, reno::Reno};
use crate::tcp::config::TcpConfig;

/// Fast recovery that survives partial ACKs.
pub(super) struct NewReno;

impl Rule for NewReno {
    fn on_loss(congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        Reno::on_loss(congestion, dupacks)
    }

    fn on_partial_ack(congestion: &mut Congestion, config: &TcpConfig, segments: f64) -> PartialAck {
        if config.partial_deflation {
            let inflation = f64::from(congestion.inflation);
            // One segment is added back for the one that the ACK lets go.
            let back = u32::from(segments >= 1.0);
            if inflation > segments {
                // Fewer than the inflation, which is a count: exact.
                congestion.inflation = (inflation - segments) as u32 + back;
            } else {
                congestion.cwnd = (congestion.cwnd - (segments - inflation)).max(1.0);
                congestion.inflation = back;
            }
        } else {
            congestion.inflation = 0;
        }
        PartialAck::Stay
    }
}
