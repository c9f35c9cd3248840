//! Which node interferes with which: attempts that met another signal, by link, frame and interferer.

use std::collections::BTreeMap;

use multihop_proto::units::NodeId;
use multihop_proto::wire::FrameKind;
use serde_json::{Value, json};

/// The strongest transmission that overlapped a frame where it was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interferer {
    /// The node that sent it; the station itself at which the frame was lost, if that was sending.
    pub node: NodeId,
    /// Whether the frame's sender is out of its carrier sense.
    pub hidden: bool,
}

/// What lost frames have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    /// The station whose attempt failed, and the one it addressed.
    from: NodeId,
    to: NodeId,
    frame: u8,
    by: Option<NodeId>,
}

/// How many, and of how many of them the interferer was hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    n: u64,
    hidden: u64,
}

/// Frames that interference destroyed at their addressees: what happened to each station's attempts, a few cases each.
#[derive(Clone, Debug)]
pub struct Interference(Vec<Vec<(Key, Count)>>);

impl Interference {
    /// Nothing has happened to so many nodes yet.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self(vec![Vec::new(); nodes])
    }

    /// A frame between two nodes was lost to this interferer; `None` if whose the other signal was is not known.
    pub fn add(&mut self, kind: FrameKind, (from, to): (NodeId, NodeId), by: Option<Interferer>) {
        let (from, to) = if kind.asks() { (from, to) } else { (to, from) };
        let key = Key { from, to, frame: number(kind), by: by.map(|by| by.node) };
        let cases = &mut self.0[from.index()];
        let place = cases.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            cases.push((key, Count::default()));
            cases.len() - 1
        });
        let count = &mut cases[place].1;
        count.n += 1;
        count.hidden += u64::from(by.is_some_and(|by| by.hidden));
    }

    /// As JSON, sorted by the names of the nodes: their numbers must not matter.
    #[must_use]
    pub fn json<'a>(&self, name: impl Fn(NodeId) -> &'a str) -> Vec<Value> {
        let named = self
            .0
            .iter()
            .flatten()
            .map(|(key, count)| ((name(key.from), name(key.to), key.frame, key.by.map(&name)), count));
        let sorted: BTreeMap<_, _> = named.collect();
        let row = |((from, to, frame, by), count): ((&str, &str, u8, Option<&str>), &Count)| {
            json!({
                "from": from,
                "to": to,
                "frame": FRAMES[usize::from(frame)],
                "by": by,
                "n": count.n,
                "hidden": count.hidden,
            })
        };
        sorted.into_iter().map(row).collect()
    }
}

/// Public names of the frames of an exchange, by [`number`].
const FRAMES: [&str; FrameKind::COUNT] =
    ["rts", "cts", "data", "ack", "block-ack", "block-ack-request", "cf-end"];

const fn number(kind: FrameKind) -> u8 {
    match kind {
        FrameKind::Rts => 0,
        FrameKind::Cts => 1,
        FrameKind::Data => 2,
        FrameKind::Ack => 3,
        FrameKind::BlockAck => 4,
        FrameKind::BlockAckRequest => 5,
        FrameKind::CfEnd => 6,
    }
}
