//! What TCP believed against what had happened, and why transmissions failed.

use multihop_proto::port::Dropped;
use multihop_proto::units::{FlowId, NodeId, SimTime};
use multihop_proto::wire::{DropReason, FrameKind, PacketKind};

/// Why TCP believes that a segment is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Belief {
    /// Duplicate ACKs, or SACK.
    DupAcks,
    /// The retransmission timer.
    Timeout,
}

/// Why the last attempts of a packet that was given up failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// Other transmissions: collisions, hidden terminals, busy or reserved receivers.
    Contention,
    /// Bit errors in most of the attempts.
    BitErrors,
    /// It was not a matter of the air.
    Other,
}

impl Why {
    /// Public name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Contention => "contention",
            Self::BitErrors => "bit-errors",
            Self::Other => "other",
        }
    }
}

/// What had happened to the segment that TCP believes lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    match (reason, why) {
        (DropReason::RetryLimitRts | DropReason::RetryLimitData, Why::BitErrors) => "bit errors".to_owned(),
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

/// What became of the last attempts of each node, and of the last dropped packets of each flow.
#[derive(Clone, Debug)]
pub struct LossWatch {
    /// Per node, one bit for each of the last frames that began an attempt, newest lowest: 1 = bit error.
    attempts: Vec<u32>,
    /// Per flow, the last dropped packets.
    dropped: Vec<std::collections::VecDeque<(Dropped, Why)>>,
}

/// Dropped packets that are remembered for each flow: more than a window's worth.
const REMEMBERED: usize = 512;

impl LossWatch {
    /// Nothing has been lost yet.
    #[must_use]
    pub fn new(nodes: usize, flows: usize) -> Self {
        Self { attempts: vec![0; nodes], dropped: vec![std::collections::VecDeque::new(); flows] }
    }

    /// A unicast frame has ended at its addressee.
    #[inline]
    pub fn attempt(&mut self, kind: FrameKind, from: NodeId, to: NodeId, received: bool, bit_error: bool) {
        match kind {
            FrameKind::Rts | FrameKind::Data => {
                let attempts = &mut self.attempts[from.index()];
                *attempts = *attempts << 1 | u32::from(bit_error);
            }
            // The response is part of the attempt of the node that waits for it.
            FrameKind::Cts | FrameKind::Ack if !received => self.attempts[to.index()] |= u32::from(bit_error),
            FrameKind::Cts | FrameKind::Ack => {}
        }
    }

    /// A packet was lost at `node`; returns why its attempts failed.
    pub fn dropped(&mut self, node: NodeId, dropped: &Dropped, limits: (u32, u32)) -> Why {
        // A data attempt under RTS/CTS leaves two marks, of which the RTS's cannot be the failing one.
        let why = match dropped.reason {
            DropReason::RetryLimitRts => self.judge(node, limits.0, limits.0),
            DropReason::RetryLimitData => self.judge(node, limits.1 * 2, limits.1),
            _ => Why::Other,
        };
        if let Some(ring) = self.dropped.get_mut(dropped.flow.index()) {
            if ring.len() == REMEMBERED {
                ring.pop_front();
            }
            ring.push_back((*dropped, why));
        }
        why
    }

    /// What had happened to the segment at `seq`, which `arrived` or not.
    #[must_use]
    pub fn truth(&self, flow: FlowId, seq: u64, arrived: bool) -> Truth {
        let ring = self.dropped.get(flow.index()).map(|ring| ring.iter().rev());
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

    /// Bit errors if they hit at least half of the last attempts, which left this many marks.
    fn judge(&self, node: NodeId, marks: u32, attempts: u32) -> Why {
        let mask = u32::MAX >> (32 - marks.clamp(1, 32));
        let hit = (self.attempts[node.index()] & mask).count_ones();
        if hit * 2 >= attempts { Why::BitErrors } else { Why::Contention }
    }
}
