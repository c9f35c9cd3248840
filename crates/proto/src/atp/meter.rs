//! What a node of ATP tells the packets that it sends on: how long one waits in its queue, and how long it takes it to
//! get it to the next node, on average over **all** packets that it sends, of whatever flow
//! ([`Sojourn`](crate::queue::Sojourn)). It writes the sum into each packet of ATP, if no node before was slower.
//!
//! A node that has sent nothing for a while knows nothing. Then the packet itself is the measure, times η, since its
//! fellows will not find the medium idle. What it took is known only when it is over: the node marks the packet, and
//! the next one, which has it then, writes the time in.

use std::sync::Arc;

use super::config::AtpConfig;
use super::wire::Header;
use crate::units::{Dur, FlowId};

/// Writes into the packets that one node sends on.
#[derive(Clone, Debug)]
pub struct Meter {
    idle_factor: f64,
    /// Packets written into.
    stamped: u64,
}

impl Meter {
    /// Name of its counter.
    pub const NAME: &'static str = "atp.stamped";

    /// One that has written nothing.
    #[must_use]
    pub const fn new(config: &AtpConfig) -> Self {
        Self { idle_factor: config.idle_factor, stamped: 0 }
    }

    /// Packets written into.
    #[must_use]
    pub const fn stamped(&self) -> u64 {
        self.stamped
    }

    /// Tells its counter.
    pub fn each_counter(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell(Self::NAME, self.stamped);
    }

    /// The header of a packet that is about to be sent on, which the hop before took so long to bring, by a node whose
    /// packets take so many microseconds, none while it is idle; none if it stays as it is.
    pub fn stamp(
        &mut self,
        flow: FlowId,
        bytes: &[u8],
        hop: Option<Dur>,
        average: Option<f64>,
    ) -> Option<Arc<[u8]>> {
        let mut header = Header::parse(bytes).ok()?; // its receiver counts what makes no sense
        if matches!(header.body, super::Body::Report { .. }) {
            return None;
        }
        let before = header.clone();
        header.delay = settle(&header, hop, self.idle_factor);
        header.idle = average.is_none();
        if let Some(average) = average {
            header.delay = header.delay.max(average as u32); // `as` saturates
        }
        self.stamped += 1;
        (header != before).then(|| header.emit(flow))
    }
}

/// The delay of a packet that has come: with the time of its last hop, if the node there was idle.
pub(super) fn settle(header: &Header, hop: Option<Dur>, idle_factor: f64) -> u32 {
    match hop {
        // `as` saturates.
        Some(hop) if header.idle => header.delay.max((hop.as_ns() as f64 / 1e3 * idle_factor) as u32),
        _ => header.delay,
    }
}
