//! What is recorded of one flow.

use std::collections::BTreeMap;

use multihop_proto::tcp::connection::Counters as TcpCounters;
use multihop_proto::units::{Dur, SimTime};

use super::{Belief, DelayHistogram, Repairs, Truth};

/// Arrivals and sender state of one flow.
#[derive(Clone, Debug, Default)]
pub struct FlowProbe {
    /// Payload delivered in order during the measured time \[B\].
    pub delivered: u64,
    /// Payload delivered in order during each window \[B\].
    pub windows: Vec<u64>,
    /// Payload delivered in order since the last sample \[B\].
    pub since_sample: u64,
    /// Packets of payload that arrived for the first time since the last sample, in order or not.
    pub arrived_since_sample: u64,
    /// Age of packets at their first arrival, in the measured time.
    pub delay: DelayHistogram,
    /// Those among them that were made in it too.
    pub in_time: u64,
    /// Hops that they took, in sum, and of how many packets that is known.
    pub hops: (u64, u64),
    /// When something last came back to the network, until the next byte is delivered; `SimTime::MAX` otherwise.
    pub returned: SimTime,
    /// Whether that was in the measured time, and after the flow had begun.
    pub return_counts: bool,
    /// How long that took, in sum, and how often; in the measured time.
    pub resumed: (Dur, u64),
    /// Whether something has failed, and no byte has been delivered since it returned.
    pub outage: bool,
    /// Payload lost in such times, within the measured time \[B\].
    pub lost_in_outages: u64,
    /// Returns of something within the measured time.
    pub returns: u64,
    /// Loss events of the measured time, counted.
    pub lost: BTreeMap<(Belief, Truth), u64>,
    /// Segments that TCP has sent again.
    pub repairs: Repairs,
    /// When the last byte of a finite transfer was acknowledged.
    pub completed: Option<SimTime>,
    /// Sender's state at the start of the measured time.
    pub before: SenderState,
    /// Sender's state at its end.
    pub after: SenderState,
}

/// A reading of a sender, and of the order in which packets reach both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderState {
    /// TCP's counters; for UDP only `sent`.
    pub tcp: TcpCounters,
    /// Sum and number of round-trip samples.
    pub rtt: (Dur, u64),
    /// Packets of the flow that reached either end after one sent later.
    pub reordered: u64,
}

impl FlowProbe {
    /// A flow that is reported for `windows` windows.
    #[must_use]
    pub fn new(windows: usize) -> Self {
        Self { windows: vec![0; windows], returned: SimTime::MAX, ..Self::default() }
    }

    /// Mean time from a return to the next delivered byte [s].
    #[must_use]
    pub fn resume_mean(&self) -> Option<f64> {
        let (sum, count) = self.resumed;
        (count > 0).then(|| sum.as_secs_f64() / count as f64)
    }

    /// A byte is delivered, the first after a return.
    #[cold]
    pub(super) fn resume(&mut self, now: SimTime, counts: bool) {
        if counts && self.return_counts {
            self.resumed.0 += now.saturating_since(self.returned);
            self.resumed.1 += 1;
        }
        self.returned = SimTime::MAX;
        self.outage = false;
    }

    /// Payload that outages cost [B]; none if nothing that had failed returned.
    #[must_use]
    pub fn outage_loss(&self) -> Option<f64> {
        (self.returns > 0).then_some(self.lost_in_outages as f64)
    }

    /// Share of the packets sent in the measured time that arrived in it; none if none was sent.
    #[must_use]
    pub fn delivery_ratio(&self) -> Option<f64> {
        let sent = self.sent();
        (sent > 0).then(|| self.in_time as f64 / sent as f64)
    }

    /// Packets that the transport handed down in the measured time, retransmissions included.
    #[must_use]
    pub const fn sent(&self) -> u64 {
        self.after.tcp.sent - self.before.tcp.sent
    }

    /// Mean number of hops of the packets that arrived.
    #[must_use]
    pub fn hops_mean(&self) -> Option<f64> {
        let (sum, count) = self.hops;
        (count > 0).then(|| sum as f64 / count as f64)
    }

    /// Mean of the round-trip samples of the measured time \[s\].
    #[must_use]
    pub fn rtt_mean(&self) -> Option<f64> {
        let samples = self.after.rtt.1 - self.before.rtt.1;
        (samples > 0).then(|| (self.after.rtt.0 - self.before.rtt.0).as_secs_f64() / samples as f64)
    }
}
