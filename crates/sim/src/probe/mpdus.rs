//! What became of MPDUs: how many data frames ended at each receiver, how many MPDUs they carried, and what the lost
//! ones died of.

use std::collections::BTreeMap;

use multihop_proto::contract::Stations;
use multihop_proto::mac::PeerCounters;
use multihop_proto::phy::{Mode, TxVector};
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{Category, GiveUp};
use serde_json::{Value, json};

use super::attempts::Failure;
use super::interference::Interferer;
use super::series::{Rows, Table, Thinned};
use crate::air::Harm;

/// What an MPDU died of: how it failed, and the station that interfered with it, if that is known.
pub type Death = (Failure, Option<Interferer>);

/// An MPDU that did not come through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostMpdu {
    /// Its place in its frame, the first is 0.
    pub place: u16,
    /// Its sequence number.
    pub number: u16,
    /// The number of its packet in the run, or of the first of its A-MSDU.
    pub packet: u64,
    /// The flow of that packet.
    pub flow: FlowId,
    /// How many packets it carried.
    pub packets: u16,
    /// What it died of.
    pub death: Death,
}

/// A data frame that has ended at its addressee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedFrame<'a> {
    /// The station that sent it, and the one that it was for.
    pub way: (NodeId, NodeId),
    /// Its access category.
    pub category: Category,
    /// What it was sent with, and for how long.
    pub sent: (TxVector, Dur),
    /// MPDUs in it.
    pub mpdus: u16,
    /// Packets in them.
    pub packets: u32,
    /// Those of them that were lost.
    pub lost: &'a [LostMpdu],
}

/// A row of the series: an MPDU and its frame.
#[derive(Clone, Copy, Debug)]
struct Row {
    at: SimTime,
    way: (NodeId, NodeId),
    category: Category,
    frame: u64,
    of: u16,
    lost: LostMpdu,
}

/// MPDUs of one category from one station to another.
#[derive(Clone, Debug)]
struct Count {
    to: NodeId,
    category: Category,
    frames: u64,
    mpdus: u64,
    packets: u64,
    airtime: Dur,
    /// Frames in each mode; a few.
    modes: Vec<(Mode, u64)>,
    deaths: Vec<(Death, u64)>,
}

/// The MPDUs of all data frames with one addressee.
#[derive(Debug)]
pub struct Mpdus {
    stations: Stations,
    /// By sender, those of the measured time; a few cases each.
    counts: Vec<Vec<Count>>,
    /// Lost MPDUs of the whole run, one by one.
    rows: Thinned<Row>,
    /// Data frames that have ended.
    frames: u64,
}

impl Mpdus {
    /// No frame has ended yet; at most `rows` lost MPDUs are kept one by one.
    #[must_use]
    pub fn new(stations: Stations, rows: usize) -> Self {
        let counts = vec![Vec::new(); stations.count()];
        Self { stations, counts, rows: Thinned::new(rows), frames: 0 }
    }

    /// A data frame has ended at its addressee; `measured`: in the measured time.
    pub fn ended(&mut self, at: SimTime, frame: &EndedFrame<'_>, measured: bool) {
        let EndedFrame { way, category, sent: (tx, airtime), mpdus, packets, lost } = *frame;
        self.frames += 1;
        for &lost in lost {
            self.rows.push(Row { at, way, category, frame: self.frames, of: mpdus, lost });
        }
        if !measured {
            return;
        }
        let cases = &mut self.counts[way.0.index()];
        let known = cases.iter().position(|it| (it.to, it.category) == (way.1, category));
        let place = known.unwrap_or_else(|| {
            cases.push(Count::none(way.1, category));
            cases.len() - 1
        });
        let count = &mut cases[place];
        count.frames += 1;
        count.mpdus += u64::from(mpdus);
        count.packets += u64::from(packets);
        count.airtime += airtime;
        let mode = tx.named();
        match count.modes.iter_mut().find(|(known, _)| *known == mode) {
            Some((_, n)) => *n += 1,
            None => count.modes.push((mode, 1)),
        }
        for it in lost {
            match count.deaths.iter_mut().find(|(death, _)| *death == it.death) {
                Some((_, n)) => *n += 1,
                None => count.deaths.push((it.death, 1)),
            }
        }
    }

    /// Data frames of a station by mode.
    #[must_use]
    pub fn modes(&self, from: NodeId) -> BTreeMap<Mode, u64> {
        sum_by_mode(self.counts[from.index()].iter().flat_map(|count| &count.modes).copied())
    }

    /// As JSON, sorted by the names of the nodes: their numbers must not matter. `expected` is what rate control
    /// expects of the way from one station to another \[bit/s\].
    #[must_use]
    pub fn json<'a>(
        &self,
        peers: &BTreeMap<(NodeId, NodeId, Category), PeerCounters>,
        expected: impl Fn(NodeId, NodeId) -> Option<f64>,
        name: impl Fn(NodeId) -> &'a str,
    ) -> Vec<Value> {
        let node = |station| name(self.stations.node_of(station));
        let mut rows = BTreeMap::new();
        for (from, counts) in (0..).map(NodeId).zip(&self.counts) {
            for count in counts {
                let channel = self.stations.channel(from);
                let key = (node(from), node(count.to), channel, std::cmp::Reverse(count.category));
                let peer = peers.get(&(from, count.to, count.category)).copied().unwrap_or_default();
                let mut row = count.json(&peer, &name);
                row["expected_bps"] = json!(expected(from, count.to));
                rows.insert(key, row);
            }
        }
        let row = |((from, to, channel, category), mut row): (
            (&str, &str, u16, std::cmp::Reverse<Category>),
            Value,
        )| {
            row["from"] = json!(from);
            row["to"] = json!(to);
            row["channel"] = json!(channel);
            row["category"] = json!(category.0.name());
            row
        };
        rows.into_iter().map(row).collect()
    }

    /// The lost MPDUs one by one.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut rows = Rows::<1, 14>::default();
        for Row { at, way, category, frame, of, lost } in self.rows.rows() {
            let LostMpdu { place, number, packet, flow, packets, death: (failure, by) } = *lost;
            let node = |station| i64::from(self.stations.node_of(station).0);
            let flow = if flow.is_none() { -1 } else { i64::from(flow.0) };
            let by = by.map_or([-1, -1], |by| [i64::from(by.node.0), i64::from(by.hidden)]);
            rows.push(
                [at.as_secs_f64()],
                [
                    node(way.0),
                    node(way.1),
                    i64::from(self.stations.channel(way.0)),
                    category.index() as i64,
                    *frame as i64,
                    i64::from(place),
                    i64::from(*of),
                    flow,
                    packet as i64,
                    i64::from(number),
                    cause(failure) as i64,
                    by[0],
                    by[1],
                    i64::from(packets),
                ],
            );
        }
        let columns = [
            "from", "to", "channel", "category", "frame", "place", "of", "flow", "packet", "number", "cause",
            "by", "hidden", "packets",
        ];
        rows.table(["time_s"], columns)
    }

    /// The lost MPDUs kept one by one: one in so many, and of how many.
    #[must_use]
    pub const fn kept(&self) -> (u64, u64) {
        (self.rows.every(), self.rows.seen())
    }
}

/// Counts by mode, those of the same mode added.
fn sum_by_mode(counts: impl Iterator<Item = (Mode, u64)>) -> BTreeMap<Mode, u64> {
    let mut sum = BTreeMap::new();
    for (mode, n) in counts {
        *sum.entry(mode).or_default() += n;
    }
    sum
}

/// Frames by mode as JSON, by the names of the modes, the slowest first; those without a frame are left out.
#[must_use]
pub fn modes_json(counts: &BTreeMap<Mode, u64>) -> Value {
    let some = counts.iter().filter(|&(_, &n)| n > 0);
    Value::Object(some.map(|(mode, n)| (mode.to_string(), json!(n))).collect())
}

impl Count {
    /// None yet.
    const fn none(to: NodeId, category: Category) -> Self {
        let (frames, mpdus, packets, airtime) = (0, 0, 0, Dur::ZERO);
        Self { to, category, frames, mpdus, packets, airtime, modes: Vec::new(), deaths: Vec::new() }
    }

    fn json<'a>(&self, peer: &PeerCounters, name: &impl Fn(NodeId) -> &'a str) -> Value {
        let names = mpdu_causes();
        let mut causes: BTreeMap<&str, u64> = BTreeMap::new();
        let mut by: Vec<(Interferer, u64)> = Vec::new();
        for &((failure, interferer), n) in &self.deaths {
            *causes.entry(&names[cause(failure)]).or_default() += n;
            by.extend(interferer.map(|it| (it, n)));
        }
        by.sort_by_key(|&(it, n)| (std::cmp::Reverse(n), name(it.node), it.hidden));
        let killer = |(it, n): (Interferer, u64)| json!({ "by": name(it.node), "hidden": it.hidden, "n": n });
        json!({
            "frames": self.frames,
            "mpdus": self.mpdus,
            "packets": self.packets,
            "airtime_s": self.airtime.as_secs_f64(),
            "modes": modes_json(&sum_by_mode(self.modes.iter().copied())),
            "lost": causes.values().sum::<u64>(),
            "lost_by": causes,
            "delivered": peer.delivered,
            "given_up": peer.given_up,
            "delay_s": peer.delay.as_secs_f64(),
            "held": peer.held,
            "held_s": peer.held_for.as_secs_f64(),
            "released": peer.released,
            "killers": by.into_iter().map(killer).collect::<Vec<_>>(),
        })
    }
}

/// Public names of what MPDUs die of, by [`cause`]: as packets are dropped for the same.
#[must_use]
pub fn mpdu_causes() -> [String; 6] {
    let drop = |made: GiveUp| made.facts().name();
    let of_air = [GiveUp::BitErrors, GiveUp::LinkLoss, GiveUp::Jamming, GiveUp::Fading].map(drop);
    let [bits, link, jam, fade] = of_air;
    ["interference".to_owned(), bits, link, jam, fade, "dozing".to_owned()]
}

/// Names of the access categories as the series numbers them.
pub const CATEGORIES: [&str; Category::COUNT] = {
    let [first, second, third, fourth] = Category::ALL;
    [fourth.name(), third.name(), second.name(), first.name()]
};

/// The place of a failure among [`mpdu_causes`].
const fn cause(failure: Failure) -> usize {
    match failure {
        Failure::Interference => 0,
        Failure::Harm(Harm::Bits) => 1,
        Failure::Harm(Harm::Link) => 2,
        Failure::Harm(Harm::Jam) => 3,
        Failure::Harm(Harm::Fade) => 4,
        Failure::Dozing => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multihop_proto::phy::{Band, DurationRule, Generation, GuardInterval, McsVector, Width};

    const A: NodeId = NodeId(0);
    const B: NodeId = NodeId(1);

    fn sent(mcs: u8) -> (TxVector, Dur) {
        let vector = McsVector {
            generation: Generation::Ht,
            mcs,
            streams: 2,
            width: Width::Mhz20,
            guard: GuardInterval::Ns800,
            band: Band::Ghz5,
            durations: DurationRule::Standard,
        };
        (TxVector::Mcs(vector), Dur::from_ms(2))
    }

    fn lost(place: u16, death: Death) -> LostMpdu {
        LostMpdu { place, number: place, packet: 7, flow: FlowId(0), packets: 1, death }
    }

    #[test]
    fn the_measured_time_is_counted_and_each_lost_mpdu_has_a_row() {
        let radios: [&[u16]; 3] = [&[36], &[36], &[36]];
        let mut mpdus = Mpdus::new(Stations::new(radios.into_iter()), 100);
        let hidden = (Failure::Interference, Some(Interferer { node: NodeId(2), hidden: true }));
        let all = [lost(0, hidden), lost(3, (Failure::Harm(Harm::Bits), None))];
        let category = Category::BestEffort;
        let frame = EndedFrame { way: (A, B), category, sent: sent(7), mpdus: 9, packets: 20, lost: &all };
        mpdus.ended(SimTime::from_ms(1), &frame, false);
        mpdus.ended(SimTime::from_ms(2), &frame, true);
        mpdus.ended(SimTime::from_ms(3), &EndedFrame { sent: sent(5), lost: &[], ..frame }, true);
        mpdus.ended(
            SimTime::from_ms(4),
            &EndedFrame { category: Category::Voice, lost: &[], mpdus: 1, packets: 1, ..frame },
            true,
        );
        let rows = mpdus.json(&BTreeMap::new(), |_, _| None, |node| ["a", "b", "c"][node.index()]);
        assert_eq!(rows.len(), 2, "a row for each category");
        assert_eq!(
            (&rows[0]["category"], &rows[0]["mpdus"], &rows[0]["lost"]),
            (&json!("voice"), &json!(1), &json!(0))
        );
        assert_eq!((&rows[1]["frames"], &rows[1]["mpdus"]), (&json!(2), &json!(18)));
        assert_eq!((&rows[0]["packets"], &rows[1]["packets"]), (&json!(1), &json!(40)));
        assert_eq!(rows[1]["airtime_s"], json!(0.004));
        let modes = r#"{"MCS 5, 2 streams":1,"MCS 7, 2 streams":1}"#;
        assert_eq!(rows[1]["modes"].to_string(), modes, "the slower one first");
        let all: Vec<u64> = mpdus.modes(A).into_values().collect();
        assert_eq!(all, [1, 2], "of all neighbours and categories");
        assert_eq!(rows[1]["lost_by"], json!({ "bit errors": 1, "interference": 1 }));
        assert_eq!(rows[1]["killers"], json!([{ "by": "c", "hidden": true, "n": 1 }]));
        assert_eq!(mpdus.kept(), (1, 4), "the series has the whole run");
    }
}
