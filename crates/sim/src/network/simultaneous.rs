//! Which of several signals that begin at one instant is the first at a listener.
//!
//! Time on the air is counted from the sender, and yet propagation delays decide this where receivers keep what came
//! first (reception `ns2`): a station counts its slots from the end of the last frame that it heard, so they begin
//! later the farther away that frame was sent; its signal then takes its own way. Of two that arrive together the one
//! that left first is the first.

use std::cmp::Ordering;
use std::ops::Range;

use multihop_proto::node::Timer;
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::Network;
use super::signal_start::senses;
use super::stations::Nodes;
use super::world::{Transmission, World};
use crate::air::{Arrival, Link, Links, Position, Radios};

/// How much later than others a station begins to send in a slot, as the way of light \[mm\], and where it is.
type Lag = (u64, Option<Position>);

/// Stations that begin to send together, and which node hears more than one of them.
#[derive(Debug, Default)]
pub(super) struct SimultaneousStarts {
    starting: Vec<NodeId>,
    /// The places of their nodes in the order of names.
    ranks: Vec<u32>,
    /// Of each node the signals that reach it; none outside of the instant.
    reached: Vec<Reached>,
    /// Of those that start; empty where they do not matter.
    lags: Vec<Lag>,
    /// Signals that are not alone at their listeners: those of each listener in a row, in their order there.
    meeting: Vec<Beginning>,
}

impl SimultaneousStarts {
    /// No node sends yet.
    pub(super) fn new(nodes: usize) -> Self {
        Self { reached: vec![Reached::default(); nodes], ..Self::default() }
    }

    /// Takes those whose transmissions begin to arrive now.
    pub(super) fn take(&mut self, world: &mut World, nodes: &Nodes) {
        world.starting.take_into(&mut self.starting);
        self.starting.retain(|node| world.on_air[node.index()].beginning().is_some());
        self.ranks.clear();
        self.ranks.extend(self.starting.iter().map(|&station| nodes.rank(station)));
        self.lags.clear();
    }

    /// Those that it has taken.
    pub(super) fn stations(&self) -> &[NodeId] {
        &self.starting
    }

    /// Finds out which node hears several of them, and, where it matters, by how much they lag.
    pub(super) fn overlap(&mut self, links: &mut Links, radios: &Radios, now: SimTime) {
        let meet = self.count_signals(links, now);
        let Self { starting, lags, .. } = self;
        if meet && matches!(radios, Radios::Ns2 { .. }) {
            // The node that sends hears nothing of it.
            let heard = |place| !starting.contains(&links.at(place).to);
            if starting.iter().any(|&from| links.range(from).0.any(heard)) {
                lags.extend(
                    starting.iter().map(|&from| (lag(from, links, radios, now), links.place(from, now))),
                );
            }
        }
    }

    /// Counts of each node how many of the signals reach it; returns whether several reach any.
    pub(super) fn count_signals(&mut self, links: &mut Links, now: SimTime) -> bool {
        let mut meet = false;
        for &from in &self.starting {
            for link in links.begin(from, now) {
                let reached = &mut self.reached[link.to.index()];
                reached.signals += 1;
                meet |= reached.signals > 1;
            }
        }
        meet
    }

    /// Lets the signals begin, all at once. A listener of more than one takes them in an order that the senders'
    /// numbers do not change ([`Beginning::cmp`]).
    pub(super) fn begin(
        &mut self,
        links: &mut Links,
        on_air: &[Transmission],
        now: SimTime,
        mut begin_at: impl FnMut(NodeId, &Arrival),
    ) {
        let Self { starting, ranks, reached, lags, meeting } = self;
        for (which, (&from, &rank)) in starting.iter().zip(&*ranks).enumerate() {
            let Some(&frame) = on_air[from.index()].beginning() else { continue };
            let Frame { tx, size, airtime, .. } = frame;
            let (end, parted) = (now + airtime, frame.is_parted());
            let lag = lags.get(which);
            for place in links.range(from).0 {
                let Link { to, power, sensed, decodable } = links.at(place);
                let arrival = Arrival { from, power, end, tx, size, parted, decodable, sensed };
                let reached = &mut reached[to.index()];
                if reached.signals == 1 {
                    *reached = Reached::default();
                    begin_at(to, &arrival);
                    continue;
                }
                let order =
                    lag.map_or((0, 0), |&(lag, here)| (lag + millimetres(here, links.place(to, now)), lag));
                if let Some(row) = reached.line_up(meeting, Beginning { arrival, order, rank }) {
                    meeting[row].iter().for_each(|beginning| begin_at(to, &beginning.arrival));
                }
            }
        }
        meeting.clear();
    }
}

/// How many signals reach a node, how many of them are in a row, and where that begins.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    signals: u32,
    lined_up: u32,
    row: u32,
}

impl Reached {
    /// Puts one of several signals in its place in their row. Returns the row if that was the last one; then nothing
    /// reaches the node any more.
    fn line_up(&mut self, meeting: &mut Vec<Beginning>, beginning: Beginning) -> Option<Range<usize>> {
        let signals = self.signals as usize;
        if self.lined_up == 0 {
            self.row = meeting.len() as u32; // far fewer signals than 2^32
            meeting.resize(meeting.len() + signals, beginning);
        }
        let (row, mut place) = (self.row as usize, self.lined_up as usize);
        let own = &mut meeting[row..row + signals];
        while place > 0 && beginning.cmp(&own[place - 1]) == Ordering::Less {
            own[place] = own[place - 1];
            place -= 1;
        }
        own[place] = beginning;
        self.lined_up += 1;
        (self.lined_up == self.signals).then(|| {
            *self = Self::default();
            row..row + signals
        })
    }
}

/// A signal at one of its listeners, and when it arrived and left, counted from the slot \[mm\].
#[derive(Clone, Copy, Debug)]
struct Beginning {
    arrival: Arrival,
    order: (u64, u64),
    /// The place of the sender's node in the order of names.
    rank: u32,
}

impl Beginning {
    /// Which of two a listener takes first. Without lags, or if all that is the same, the stronger, of equally strong
    /// ones the shorter, and of equal ones that of the node whose name comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (&self.arrival, &other.arrival);
        let stronger = || b.power.total_cmp(&a.power).then(a.end.cmp(&b.end));
        self.order.cmp(&other.order).then_with(stronger).then(self.rank.cmp(&other.rank))
    }
}

impl Network {
    /// Whether a station whose back-off ends now has just heard another one begin. Both count their slots from the end
    /// of the other's last frame, the station from when it heard it: the way of light is in that as in what it hears
    /// now. If the way has become shorter, the signal is there before the station's slot is over.
    pub(super) fn hears_first(&mut self, station: NodeId) -> bool {
        let now = self.world.now;
        let Some(other) = self.radios.last_heard(station) else { return false };
        // What is sent now arrives now, or after the delay: which of the two stations is asked first must not matter.
        let arrives_at_once = self.world.delay == Dur::ZERO;
        let begins = matches!(self.world.on_air[other.index()], Transmission::Beginning(_))
            || arrives_at_once && self.nodes.interface(other).sends_at(now);
        begins
            && self.radios.last_heard(other).is_none()
            && self.nodes.interface(station).sends_at(now)
            && self.links.approach(other, station, now)
    }

    /// The slot in which a station hears another one begin does not count.
    pub(super) fn lose_slot(&mut self, station: NodeId) {
        if let Some(at) = self.nodes.interface(station).lose_slot() {
            self.world.timers.arm(station, Timer::Access, at);
        }
    }

    /// Several stations begin to send now. Each interrupts others; those that heard it last count their slots in
    /// seconds. A station that begins alone does the same as its signal begins.
    pub(super) fn cut_slots(&mut self) {
        if !self.needs.cut_slots() {
            return;
        }
        let now = self.world.now;
        for from in self.world.starting.iter() {
            if self.world.on_air[from.index()].beginning().is_none() {
                continue;
            }
            for link in self.links.begin(from, now) {
                if self.radios.last_heard(link.to) == Some(from) {
                    self.nodes.interface(link.to).cut_slot(now);
                }
            }
        }
    }

    /// The signals of several stations begin.
    pub(super) fn begin_signals(&mut self, simultaneous: &mut SimultaneousStarts) {
        let Self { world, nodes, links, radios, .. } = self;
        let World { now, on_air, timers, .. } = world;
        simultaneous.begin(links, on_air, *now, |listener, arrival| {
            let heard = radios.begin(listener, *now, arrival);
            if let Some(sensed) = senses(heard, arrival.end) {
                let arm = |at| timers.arm(listener, Timer::Access, at);
                nodes.interface(listener).sense(*now, sensed, arm);
            }
        });
    }
}

/// How far from a station the last frame that it heard was sent \[mm\]; 0 if that was its own. Of two that ended
/// together the farther one fell silent there last.
fn lag(station: NodeId, links: &mut Links, radios: &Radios, now: SimTime) -> u64 {
    let over = |node| Some(radios.sent_until(node)).filter(|&end| end <= now);
    let here = links.place(station, now);
    let (range, _) = links.range(station);
    let mut last = over(station);
    let mut lag = 0;
    for index in range {
        let link = links.at(index);
        let ended = over(link.to);
        if link.sensed && ended.is_some() && ended >= last && (ended > last || lag > 0) {
            let way = millimetres(links.place(link.to, now), here);
            lag = if ended > last { way } else { lag.max(way) };
            last = ended;
        }
    }
    lag
}

/// The distance between two nodes \[mm\]; 0 if nodes have no places.
fn millimetres(one: Option<Position>, other: Option<Position>) -> u64 {
    match (one, other) {
        (Some(one), Some(other)) => libm::round(one.distance(&other) * 1000.0) as u64, // far below 2^53
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning(from: u32, order: (u64, u64), power: f64) -> Beginning {
        let from = NodeId(from);
        let (tx, size) = Arrival::UNREAD;
        let (end, parted, decodable, sensed) = (SimTime::ZERO, false, true, true);
        let arrival = Arrival { from, power, end, tx, size, parted, decodable, sensed };
        Beginning { arrival, order, rank: from.0 }
    }

    #[test]
    fn signals_line_up_at_each_of_two_listeners() {
        let mut meeting = Vec::new();
        let mut one = Reached { signals: 4, ..Reached::default() };
        let mut other = Reached { signals: 2, ..Reached::default() };
        assert!(one.line_up(&mut meeting, beginning(1, (5, 0), 1.0)).is_none());
        assert!(other.line_up(&mut meeting, beginning(1, (0, 0), 1.0)).is_none());
        assert!(one.line_up(&mut meeting, beginning(2, (5, 0), 2.0)).is_none());
        assert!(one.line_up(&mut meeting, beginning(3, (4, 9), 1.0)).is_none());
        let last = other.line_up(&mut meeting, beginning(2, (0, 0), 1.0));
        let row = one.line_up(&mut meeting, beginning(4, (5, 0), 1.0));
        let senders = |row: Option<Range<usize>>| -> Vec<u32> {
            meeting[row.expect("all are there")].iter().map(|signal| signal.arrival.from.0).collect()
        };
        assert_eq!(
            senders(row),
            [3, 2, 1, 4],
            "the earliest, the stronger, and of equals in the order of names"
        );
        assert_eq!(senders(last), [1, 2]);
        assert_eq!((one.signals, one.lined_up), (0, 0), "ready for the next instant");
    }
}
