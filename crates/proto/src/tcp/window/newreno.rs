//! NewReno (RFC 6582): fast recovery until everything that was outstanding at the loss is acknowledged.
//!
//! §3.2 step 3: a partial ACK shows the next hole, which is sent at once; the window is deflated by what was
//! acknowledged. `partial-deflation = false` gives the older form that takes all inflation back.

use super::contract::WindowRule;
use super::reno::Reno;
use super::state::{Congestion, LossResponse, PartialAck};

/// Fast recovery that survives partial ACKs.
#[derive(Clone, Copy, Debug)]
pub struct NewReno {
    /// Whether a partial ACK takes back only as much inflation as it acknowledges.
    pub deflates_partly: bool,
}

impl WindowRule for NewReno {
    fn on_loss(&mut self, congestion: &mut Congestion, dupacks: u32) -> LossResponse {
        Reno.on_loss(congestion, dupacks)
    }

    fn on_partial_ack(&mut self, congestion: &mut Congestion, segments: f64) -> PartialAck {
        if self.deflates_partly {
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
