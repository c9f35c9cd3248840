//! What TCP believed against what had happened.

use multihop_proto::port::Dropped;
use multihop_proto::units::{FlowId, SimTime};
use multihop_proto::wire::{DropReason, PacketKind};

use crate::air::Harm;

/// Why TCP believes that a segment is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Belief {
    /// Duplicate ACKs, or SACK.
    DupAcks,
    /// The retransmission timer.
    Timeout,
}

impl Belief {
    /// Public name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::DupAcks => "dup-acks",
            Self::Timeout => "timeout",
        }
    }
}

/// Why the attempts of a packet that was given up failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// Other transmissions: collisions, hidden terminals, busy or reserved receivers.
    Contention,
    /// The channel spoilt at least half of the attempts, mostly so.
    Harm(Harm),
    /// The next hop's radio was dozing in at least half of the attempts.
    Dozing,
    /// Nobody was there to answer: the next hop is out of reach, or down.
    Nobody,
    /// It was not a matter of the air.
    Other,
}

impl Why {
    /// Public name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Contention => "contention",
            Self::Harm(Harm::Bits) => "bit-errors",
            Self::Harm(Harm::Link) => "link-loss",
            Self::Harm(Harm::Jam) => "jamming",
            Self::Harm(Harm::Fade) => "fading",
            Self::Dozing => "dozing",
            Self::Nobody => "nobody",
            Self::Other => "other",
        }
    }
}

/// What had happened to the segment that TCP believes lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// Dropped on its way, for this reason.
    Dropped(DropReason, Why),
    /// It had arrived; an ACK for it was dropped for this reason.
    AckDropped(DropReason, Why),
    /// It had arrived, and no ACK was lost: its ACK is late, or segments were reordered.
    Arrived,
    /// It is still on its way.
    Delayed,
}

impl Truth {
    /// Public name.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Dropped(reason, why) => cause(reason, why),
            Self::AckDropped(reason, why) => format!("ack lost: {}", cause(reason, why)),
            Self::Arrived => "delivered".to_owned(),
            Self::Delayed => "delayed".to_owned(),
        }
    }
}

/// A drop in words.
#[must_use]
pub fn cause(reason: DropReason, why: Why) -> String {
    let given_up = matches!(reason, DropReason::RetryLimitRts | DropReason::RetryLimitData);
    match (reason, why) {
        (_, Why::Harm(_)) if given_up => why.label().replace('-', " "),
        (_, Why::Dozing) if given_up => "neighbour dozing".to_owned(),
        (_, Why::Nobody) if given_up => "nobody there".to_owned(),
        (DropReason::RetryLimitRts, _) => "contention (rts)".to_owned(),
        (DropReason::RetryLimitData, _) => "contention (data)".to_owned(),
        (other, _) => other.label().replace('-', " "),
    }
}

/// One TCP loss event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossRecord {
    /// When TCP decided.
    pub at: SimTime,
    /// Its flow.
    pub flow: FlowId,
    /// First byte of the segment.
    pub seq: u64,
    /// Why it believed so.
    pub belief: Belief,
    /// What had happened.
    pub truth: Truth,
}

/// The last dropped packets of each flow, by which TCP's beliefs are judged.
#[derive(Clone, Debug)]
pub struct LossWatch(Vec<std::collections::VecDeque<(Dropped, Why)>>);

/// Dropped packets that are remembered for each flow: more than a window's worth.
const REMEMBERED: usize = 512;

impl LossWatch {
    /// Nothing has been lost yet.
    #[must_use]
    pub fn new(flows: usize) -> Self {
        Self(vec![std::collections::VecDeque::new(); flows])
    }

    /// A packet was lost.
    pub fn dropped(&mut self, dropped: &Dropped, why: Why) {
        // Nobody has beliefs about datagrams.
        if dropped.kind == PacketKind::Udp {
            return;
        }
        if let Some(ring) = self.0.get_mut(dropped.flow.index()) {
            if ring.len() == REMEMBERED {
                ring.pop_front();
            }
            ring.push_back((*dropped, why));
        }
    }

    /// What had happened to the segment at `seq`, which `arrived` or not.
    #[must_use]
    pub fn truth(&self, flow: FlowId, seq: u64, arrived: bool) -> Truth {
        let ring = self.0.get(flow.index()).map(|ring| ring.iter().rev());
        let mut ring = ring.into_iter().flatten();
        if arrived {
            let ack = |dropped: &Dropped| dropped.kind == PacketKind::TcpAck && dropped.position > Some(seq);
            return ring
                .find(|(dropped, _)| ack(dropped))
                .map_or(Truth::Arrived, |(dropped, why)| Truth::AckDropped(dropped.reason, *why));
        }
        let data = |dropped: &Dropped| dropped.kind == PacketKind::TcpData && dropped.position == Some(seq);
        ring.find(|(dropped, _)| data(dropped))
            .map_or(Truth::Delayed, |(dropped, why)| Truth::Dropped(dropped.reason, *why))
    }
}
