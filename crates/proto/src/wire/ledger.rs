//! The ledger: for every flow and the whole network
//! `created + copied = delivered + dropped{reason} + absorbed{by} + inside`.

use super::causes::DropReason;
use crate::units::FlowId;

/// What took a packet in without handing it to a user for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Absorbed {
    /// A MAC filter that had seen the frame before.
    MacDuplicate,
    /// A transport endpoint that had the bytes already.
    SecondArrival,
    /// The sender's own copy of a broadcast, ended when it has been sent.
    Broadcast,
    /// A proxy at which the packet's journey ends.
    Proxy,
    /// A shim or gate that suppressed it.
    Suppressed,
    /// Nothing: the copy was lost, and the packet was not, for another had arrived or was still on its way. Only over
    /// links that repeat what has gone on, see [`super::PacketStore::tell_copies`].
    Spare,
}

impl Absorbed {
    /// All kinds, in the order of the counters.
    pub const ALL: [Self; 6] = [
        Self::MacDuplicate,
        Self::SecondArrival,
        Self::Broadcast,
        Self::Proxy,
        Self::Suppressed,
        Self::Spare,
    ];

    /// Public name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::MacDuplicate => "mac-duplicate",
            Self::SecondArrival => "second-arrival",
            Self::Broadcast => "broadcast",
            Self::Proxy => "proxy",
            Self::Suppressed => "suppressed",
            Self::Spare => "spare-copy",
        }
    }
}

/// How the custody of one copy ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// First arrival at its user.
    Delivered,
    /// The next hop has it and the MAC Ack said so: custody has moved on.
    HandedOver,
    /// Taken in, see [`Absorbed`].
    Absorbed(Absorbed),
    /// Lost, see [`DropReason`].
    Dropped(DropReason),
}

impl Fate {
    /// Whether the packet has come to the node that it was for, this time or before.
    #[inline]
    pub(super) const fn is_arrival(self) -> bool {
        match self {
            Self::Delivered => true,
            Self::Absorbed(by) => {
                matches!(by, Absorbed::SecondArrival | Absorbed::Proxy | Absorbed::Suppressed)
            }
            Self::HandedOver | Self::Dropped(_) => false,
        }
    }
}

/// Counters of one flow (or of the network).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowLedger {
    /// Packets made.
    pub created: u64,
    /// Receptions. Each makes a copy of the sender's packet.
    pub received: u64,
    /// Copies whose custody moved on.
    pub handed_over: u64,
    /// First arrivals.
    pub delivered: u64,
    /// By [`Absorbed`].
    pub absorbed: [u64; Absorbed::ALL.len()],
    /// By [`DropReason`].
    pub dropped: [u64; DropReason::ALL.len()],
}

impl FlowLedger {
    /// Second custodies: receptions that were not simply a hand-over (yet).
    #[must_use]
    pub const fn copied(&self) -> u64 {
        self.received.saturating_sub(self.handed_over)
    }

    /// Copies that the counters say must still be in the network; none if more have gone than there ever were.
    #[must_use]
    pub fn inside(&self) -> Option<u64> {
        let gone: u64 = self.delivered + self.absorbed.iter().sum::<u64>() + self.dropped.iter().sum::<u64>();
        (self.created + self.received).checked_sub(self.handed_over)?.checked_sub(gone)
    }

    fn add(&mut self, other: &Self) {
        self.created += other.created;
        self.received += other.received;
        self.handed_over += other.handed_over;
        self.delivered += other.delivered;
        for (sum, value) in self.absorbed.iter_mut().zip(other.absorbed) {
            *sum += value;
        }
        for (sum, value) in self.dropped.iter_mut().zip(other.dropped) {
            *sum += value;
        }
    }
}

/// The ledgers of all flows; routing traffic has one of its own.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    flows: Vec<FlowLedger>,
    other: FlowLedger,
}

impl Ledger {
    /// Ledgers for `flows` flows.
    #[must_use]
    pub fn new(flows: usize) -> Self {
        Self { flows: vec![FlowLedger::default(); flows], other: FlowLedger::default() }
    }

    /// The ledger of one flow; `FlowId::NONE` and unknown ids share that of the routing traffic.
    #[inline]
    #[must_use]
    pub fn flow(&self, flow: FlowId) -> &FlowLedger {
        self.flows.get(flow.index()).unwrap_or(&self.other)
    }

    /// Sum over all flows and the routing traffic.
    #[must_use]
    pub fn total(&self) -> FlowLedger {
        let mut total = self.other;
        for flow in &self.flows {
            total.add(flow);
        }
        total
    }

    #[inline]
    pub(super) fn entry(&mut self, flow: FlowId) -> &mut FlowLedger {
        self.flows.get_mut(flow.index()).unwrap_or(&mut self.other)
    }

    #[inline(always)]
    pub(super) fn end(&mut self, flow: FlowId, fate: Fate) {
        let entry = self.entry(flow);
        match fate {
            Fate::Delivered => entry.delivered += 1,
            Fate::HandedOver => entry.handed_over += 1,
            Fate::Absorbed(by) => entry.absorbed[by as usize] += 1,
            Fate::Dropped(reason) => entry.dropped[reason as usize] += 1,
        }
    }
}
