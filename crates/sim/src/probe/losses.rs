//! What TCP believed against what had happened.

use multihop_proto::contract::Dropped;
use multihop_proto::units::{FlowId, SimTime};
use multihop_proto::wire::causes::cause;
use multihop_proto::wire::{DropReason, GiveUp, Packet, PacketKind};

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

/// Public names of what is no drop of the segment, and before the cause of a dropped ACK.
pub(super) const DELIVERED: &str = "delivered";
/// See [`DELIVERED`].
pub(super) const DELAYED: &str = "delayed";
/// See [`DELIVERED`].
pub(super) const REPAIR_DELIVERED: &str = "repair delivered";
/// See [`DELIVERED`].
pub(super) const REPAIR_DELAYED: &str = "repair delayed";
/// See [`DELIVERED`].
pub(super) const ACK_LOST: &str = "ack lost: ";

/// What had happened to the segment that TCP believes lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// Dropped on its way, for this reason.
    Dropped(DropReason, Option<GiveUp>),
    /// It had arrived; an ACK for it was dropped for this reason.
    AckDropped(DropReason, Option<GiveUp>),
    /// It had arrived, and no ACK was lost: its ACK is late, or segments were reordered.
    Arrived,
    /// It is still on its way.
    Delayed,
    /// As [`Truth::Arrived`], but what arrived is a repair: it had been lost before.
    RepairArrived,
    /// As [`Truth::Delayed`], but what is on its way is a repair: it had been lost before.
    RepairDelayed,
}

impl Truth {
    /// Public name.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Dropped(reason, why) => cause(reason, why).name(),
            Self::AckDropped(reason, why) => format!("{ACK_LOST}{}", cause(reason, why).name()),
            Self::Arrived => DELIVERED.to_owned(),
            Self::Delayed => DELAYED.to_owned(),
            Self::RepairArrived => REPAIR_DELIVERED.to_owned(),
            Self::RepairDelayed => REPAIR_DELAYED.to_owned(),
        }
    }

    /// The same of a segment that had been lost before, and sent again.
    #[must_use]
    pub const fn of_repair(self) -> Self {
        match self {
            Self::Arrived => Self::RepairArrived,
            Self::Delayed => Self::RepairDelayed,
            other => other,
        }
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
pub struct LossWatch(Vec<std::collections::VecDeque<(Dropped, Option<GiveUp>)>>);

/// Dropped packets that are remembered for each flow: more than a window's worth.
pub(super) const REMEMBERED: usize = 512;

impl LossWatch {
    /// Nothing has been lost yet.
    #[must_use]
    pub fn new(flows: usize) -> Self {
        Self(vec![std::collections::VecDeque::new(); flows])
    }

    /// A packet was lost.
    pub fn dropped(&mut self, dropped: &Dropped, why: Option<GiveUp>) {
        // UDP has no beliefs about datagrams.
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

    /// What had happened by `now` to the segment at `seq`, which `arrived` or not: the fate of its latest copy, or of
    /// the latest ACK for it if that is younger. What is made only `now` is the sender's answer and no cause. `live`
    /// are the packets on their way.
    #[must_use]
    pub fn truth<'a>(
        &self,
        flow: FlowId,
        seq: u64,
        arrived: bool,
        now: SimTime,
        live: impl Iterator<Item = &'a Packet>,
    ) -> Truth {
        let matters = |kind, position: Option<u64>| match kind {
            PacketKind::TcpData => position == Some(seq),
            PacketKind::TcpAck => arrived && position > Some(seq),
            _ => false,
        };
        let ring = self.0.get(flow.index()).into_iter().flatten();
        let lost = ring
            .filter(|(it, _)| it.created < now && matters(it.kind, it.position))
            .map(|(it, why)| ((it.created, it.uid), it.kind, Some((it.reason, *why))));
        let alive = live
            .filter(|it| it.flow == flow && it.created < now && matters(it.kind(), it.position()))
            .map(|it| ((it.created, it.uid), it.kind(), None));
        let known: Vec<_> = lost.chain(alive).collect();
        let answered = known.iter().any(|&(_, kind, _)| kind == PacketKind::TcpAck);
        // A segment and an ACK of one instant were made at two nodes: the ACK is not younger, whatever their numbers.
        let age =
            |&((created, uid), kind, _): &(_, PacketKind, _)| (created, kind == PacketKind::TcpData, uid);
        // Of several copies of one packet one that lives, else the one that was lost last.
        match known.into_iter().max_by_key(age) {
            _ if arrived && !answered => Truth::Arrived,
            Some((_, PacketKind::TcpAck, Some((reason, why)))) => Truth::AckDropped(reason, why),
            Some((_, PacketKind::TcpAck, None)) => Truth::Arrived,
            Some((_, _, Some((reason, why)))) => Truth::Dropped(reason, why),
            Some((_, _, None)) | None => Truth::Delayed,
        }
    }
}

#[cfg(test)]
mod tests {
    use multihop_proto::units::{Bytes, NodeId};
    use multihop_proto::wire::{LinkHeader, PacketId, Payload, Segment, Towards, UserPriority};

    use super::*;

    const FLOW: FlowId = FlowId(0);
    const HARMED: Option<GiveUp> = Some(GiveUp::BitErrors);

    /// A data segment at 1000, or an ACK for it; its number is the second in which it is made.
    fn packet(uid: u64, towards: Towards) -> Packet {
        Packet {
            uid,
            flow: FLOW,
            source: NodeId(0),
            maker: NodeId(0),
            destination: NodeId(1),
            towards,
            size: Bytes(1040),
            ttl: 64,
            forced: false,
            priority: UserPriority::BEST_EFFORT,
            link: LinkHeader::default(),
            header: None,
            payload: Payload::Tcp(Segment { seq: 1000, ack: 2000, len: 1000, ..Segment::default() }),
            created: SimTime::from_secs(uid),
            enqueued: SimTime::ZERO,
        }
    }

    fn lost(watch: &mut LossWatch, uid: u64, towards: Towards, reason: DropReason, why: Option<GiveUp>) {
        let it = packet(uid, towards);
        let dropped = Dropped {
            loss: 1,
            copy: PacketId(0),
            uid,
            created: it.created,
            flow: FLOW,
            kind: it.kind(),
            position: it.position(),
            payload: 0,
            reason,
            spare: false,
        };
        watch.dropped(&dropped, why);
    }

    /// The truth at ten seconds.
    fn truth(watch: &LossWatch, arrived: bool, live: &[Packet]) -> Truth {
        watch.truth(FLOW, 1000, arrived, SimTime::from_secs(10), live.iter())
    }

    #[test]
    fn the_latest_copy_decides_not_an_earlier_one() {
        let watch = &mut LossWatch::new(1);
        assert_eq!(truth(watch, false, &[]), Truth::Delayed);
        lost(watch, 1, Towards::Destination, DropReason::QueueFull, None);
        assert_eq!(truth(watch, false, &[]), Truth::Dropped(DropReason::QueueFull, None));
        // Sent again, and still on its way.
        assert_eq!(truth(watch, false, &[packet(3, Towards::Destination)]), Truth::Delayed);
        lost(watch, 3, Towards::Destination, DropReason::RetryLimitRts, HARMED);
        let last = Truth::Dropped(DropReason::RetryLimitRts, HARMED);
        assert_eq!(truth(watch, false, &[packet(2, Towards::Destination)]), last, "an older one lives");
        assert_eq!(
            truth(watch, false, &[packet(3, Towards::Destination)]),
            Truth::Delayed,
            "its duplicate lives"
        );
    }

    #[test]
    fn what_is_sent_at_that_moment_is_no_cause() {
        let watch = &mut LossWatch::new(1);
        lost(watch, 1, Towards::Destination, DropReason::QueueFull, None);
        let first = Truth::Dropped(DropReason::QueueFull, None);
        assert_eq!(truth(watch, false, &[packet(10, Towards::Destination)]), first);
        lost(watch, 10, Towards::Destination, DropReason::NoRoute, None);
        assert_eq!(truth(watch, false, &[]), first);
    }

    #[test]
    fn of_a_segment_that_arrived_the_latest_ack_decides_or_a_copy_after_it() {
        let watch = &mut LossWatch::new(1);
        lost(watch, 1, Towards::Destination, DropReason::QueueFull, None);
        assert_eq!(truth(watch, true, &[]), Truth::Arrived, "a second copy arrived, its ACK is yet to come");
        lost(watch, 3, Towards::Source, DropReason::QueueFull, None);
        assert_eq!(truth(watch, true, &[]), Truth::AckDropped(DropReason::QueueFull, None));
        assert_eq!(truth(watch, true, &[packet(4, Towards::Source)]), Truth::Arrived);
        assert_eq!(truth(watch, true, &[packet(5, Towards::Destination)]), Truth::Delayed);
        lost(watch, 6, Towards::Destination, DropReason::RetryLimitRts, HARMED);
        assert_eq!(truth(watch, true, &[]), Truth::Dropped(DropReason::RetryLimitRts, HARMED));
    }

    #[test]
    fn of_a_segment_and_an_ack_of_one_instant_the_segment_decides() {
        let watch = &LossWatch::new(1);
        let created = SimTime::from_secs(3);
        for (segment, ack) in [(3, 4), (4, 3)] {
            let segment = Packet { created, ..packet(segment, Towards::Destination) };
            let ack = Packet { created, ..packet(ack, Towards::Source) };
            assert_eq!(truth(watch, true, &[segment, ack]), Truth::Delayed);
        }
    }
}
