//! Lost packets, counted: by flow, node, kind and cause, each with its place in the measured time.

use std::collections::BTreeMap;

use multihop_proto::contract::Dropped;
use multihop_proto::units::{FlowId, NodeId, SimTime};
use multihop_proto::wire::causes::cause;
use multihop_proto::wire::{DropReason, GiveUp, PacketKind};
use serde_json::{Value, json};

use super::interference::Interferer;

/// Equal parts of the measured time in which lost packets are counted.
const PARTS: usize = 24;

/// What lost packets have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    flow: FlowId,
    node: NodeId,
    kind: u8,
    reason: DropReason,
    why: Option<GiveUp>,
}

/// How many, and when.
#[derive(Clone, Debug)]
struct Count {
    n: u64,
    first: SimTime,
    last: SimTime,
    parts: [u64; PARTS],
    /// Of how many packets, by the main interferer of their last attempts: few, as many as a node has neighbours'
    /// neighbours.
    killers: Vec<(Interferer, u64)>,
}

impl Count {
    /// The interferers, the most frequent first, by name where that does not decide: numbers must not matter.
    fn killers_json<'a>(&self, name: &impl Fn(NodeId) -> &'a str) -> Vec<Value> {
        let mut killers = self.killers.clone();
        killers.sort_by_key(|&(by, n)| (std::cmp::Reverse(n), name(by.node), by.hidden));
        let row = |(by, n): (Interferer, u64)| json!({ "by": name(by.node), "hidden": by.hidden, "n": n });
        killers.into_iter().map(row).collect()
    }
}

/// The packets lost within the measured time.
#[derive(Clone, Debug)]
pub struct Drops {
    measured: (SimTime, SimTime),
    counts: Vec<Count>,
    /// Where losses that have this in common are counted.
    places: BTreeMap<Key, usize>,
    /// Of each node where its last loss was counted: mostly the next one is alike.
    latest: Vec<Option<(Key, usize)>>,
}

impl Drops {
    /// Nothing was lost yet; those of this time are counted, its beginning excluded.
    #[must_use]
    pub const fn new(measured: (SimTime, SimTime)) -> Self {
        Self { measured, counts: Vec::new(), places: BTreeMap::new(), latest: Vec::new() }
    }

    /// Where losses of this kind are counted.
    fn place(&mut self, now: SimTime, key: Key) -> usize {
        let node = key.node.index();
        if let Some(&Some((last, place))) = self.latest.get(node)
            && last == key
        {
            return place;
        }
        let Self { counts, places, latest, .. } = self;
        let place = *places.entry(key).or_insert_with(|| {
            counts.push(Count { n: 0, first: now, last: now, parts: [0; PARTS], killers: Vec::new() });
            counts.len() - 1
        });
        if latest.len() <= node {
            latest.resize(node + 1, None);
        }
        latest[node] = Some((key, place));
        place
    }

    /// A packet was lost at `node`.
    pub fn add(
        &mut self,
        now: SimTime,
        node: NodeId,
        dropped: &Dropped,
        why: Option<GiveUp>,
        by: Option<Interferer>,
    ) {
        let (from, to) = self.measured;
        if now > to || (now <= from && from > SimTime::ZERO) {
            return;
        }
        let (kind, reason) = (kind_number(dropped.kind), dropped.reason);
        let key = Key { flow: dropped.flow, node, kind, reason, why };
        let place = self.place(now, key);
        let count = &mut self.counts[place];
        count.n += 1;
        count.last = now;
        if let Some(by) = by {
            match count.killers.iter_mut().find(|(known, _)| *known == by) {
                Some((_, n)) => *n += 1,
                None => count.killers.push((by, 1)),
            }
        }
        let (passed, whole) = ((now - from).as_ns(), (to - from).as_ns().max(1));
        let part = u128::from(passed) * PARTS as u128 / u128::from(whole);
        count.parts[(part as usize).min(PARTS - 1)] += 1;
    }

    /// Combinations that have occurred.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// As JSON, with the names of flows (`None`: routing) and nodes.
    #[must_use]
    pub fn json<'a>(
        &self,
        flow: impl Fn(FlowId) -> Option<&'a str>,
        name: impl Fn(NodeId) -> &'a str,
    ) -> Vec<Value> {
        let named = self.places.iter().map(|(key, &place)| {
            let cause = cause(key.reason, key.why).name();
            ((flow(key.flow), name(key.node), key.kind, cause, key.reason), &self.counts[place])
        });
        // By name: the numbers of nodes must not matter.
        let sorted: BTreeMap<_, _> = named.collect();
        let row = |((flow, node, kind, cause, reason), count): ((_, _, u8, String, DropReason), &Count)| {
            json!({
                "flow": flow,
                "node": node,
                "kind": PACKET_KINDS[usize::from(kind)],
                "cause": cause,
                "reason": reason.label(),
                "n": count.n,
                "first_s": count.first.as_secs_f64(),
                "last_s": count.last.as_secs_f64(),
                "when": count.parts,
                "killers": count.killers_json(&name),
            })
        };
        sorted.into_iter().map(row).collect()
    }
}

/// Public names of the kinds of packets, by [`kind_number`].
pub const PACKET_KINDS: [&str; 7] = ["tcp-data", "tcp-ack", "udp", "routing", "signal", "transport", "arp"];

/// A kind of packet as tables have it.
#[must_use]
pub const fn kind_number(kind: PacketKind) -> u8 {
    match kind {
        PacketKind::TcpData => 0,
        PacketKind::TcpAck => 1,
        PacketKind::Udp => 2,
        PacketKind::Routing => 3,
        PacketKind::Signal => 4,
        PacketKind::Transport => 5,
        PacketKind::Arp => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::wire::PacketId;

    fn lost(reason: DropReason) -> Dropped {
        Dropped {
            loss: 1,
            copy: PacketId(0),
            uid: 1,
            created: SimTime::ZERO,
            flow: FlowId(0),
            kind: PacketKind::Udp,
            position: None,
            payload: 0,
            reason,
            spare: false,
        }
    }

    #[test]
    fn only_the_measured_time_counts_and_every_packet_in_its_part() {
        let at = SimTime::from_secs;
        let mut drops = Drops::new((at(10), at(34)));
        let lost = lost(DropReason::QueueFull);
        for second in [0, 10, 11, 34, 35] {
            drops.add(at(second), NodeId(0), &lost, None, None);
        }
        let [row] = &drops.json(|_| Some("1"), |_| "a")[..] else { panic!("one row") };
        assert_eq!((&row["n"], &row["first_s"], &row["last_s"]), (&json!(2), &json!(11.0), &json!(34.0)));
        assert_eq!((&row["when"][1], &row["when"][23]), (&json!(1), &json!(1)));
        assert_eq!(row["cause"], "queue full");
    }

    /// Losses that alternate at a node, and those of two nodes: each is counted with its like.
    #[test]
    fn each_kind_of_loss_is_counted_by_itself() {
        let mut drops = Drops::new((SimTime::ZERO, SimTime::from_secs(9)));
        let (full, late) = (lost(DropReason::QueueFull), lost(DropReason::NoRoute));
        for (second, node, what) in [(1, 0, full), (2, 1, full), (3, 0, late), (4, 0, full), (5, 0, full)] {
            drops.add(SimTime::from_secs(second), NodeId(node), &what, None, None);
        }
        let rows = drops.json(|_| Some("1"), |node| if node == NodeId(0) { "a" } else { "b" });
        let found: Vec<_> = rows.iter().map(|row| (&row["node"], &row["cause"], &row["n"])).collect();
        let (a, b, full, none) = (json!("a"), json!("b"), json!("queue full"), json!("no route"));
        let (one, three) = (json!(1), json!(3));
        assert_eq!(found, [(&a, &none, &one), (&a, &full, &three), (&b, &full, &one)]);
    }

    #[test]
    fn without_warm_up_the_first_instant_counts() {
        let mut drops = Drops::new((SimTime::ZERO, SimTime::from_secs(1)));
        drops.add(SimTime::ZERO, NodeId(0), &lost(DropReason::NoRoute), None, None);
        assert_eq!(drops.len(), 1);
    }
}
