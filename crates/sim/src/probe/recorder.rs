//! The recorder: takes what happens and files it.

use multihop_proto::contract::{Cause, Dropped};
use multihop_proto::tcp::Event;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::{Frame, FrameKind, GiveUp};

use super::losses::{Belief, LossRecord, LossWatch};
use super::mpdus::{EndedFrame, Mpdus};
use super::repairs::{Known, Repair};
use super::{Attempts, Drops, Echoes, Fingerprint, FlowProbe, Interference, Interferer, Thinned};
use crate::scenario::Window;

/// A lost packet with its place and time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DropRecord {
    /// When.
    pub at: SimTime,
    /// Where.
    pub node: NodeId,
    /// What and why.
    pub what: Dropped,
    /// Why its last attempts failed.
    pub why: Option<GiveUp>,
    /// The main interferer of them.
    pub by: Option<Interferer>,
}

/// A route between the ends of a flow has come or gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteRecord {
    /// When.
    pub at: SimTime,
    /// The end that knows it.
    pub node: NodeId,
    /// The other end.
    pub destination: NodeId,
    /// Whether there is one now.
    pub found: bool,
}

/// What is not known of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// What had happened to it: its sender believes that it is lost.
    Loss(Belief),
    /// Whether it is needless that its sender sends it again.
    Repair,
}

/// All that is recorded while a run goes on.
#[derive(Debug)]
pub struct Recorder {
    /// By flow.
    pub flows: Vec<FlowProbe>,
    /// Lost packets of the whole run, one by one.
    pub drops: Thinned<DropRecord>,
    /// Lost packets of the measured time, counted.
    pub dropped: Drops,
    /// Routes that came and went in the whole run, one by one.
    pub routes: Thinned<RouteRecord>,
    /// TCP's loss events of the whole run, one by one.
    pub losses: Thinned<LossRecord>,
    /// Those of the present instant, which still come in the order of the nodes.
    present: Vec<LossRecord>,
    /// What was lost last, to judge TCP's beliefs.
    pub watch: LossWatch,
    /// Why transmissions fail.
    pub attempts: Attempts,
    /// The same by packet, where a slotted link gives packets up.
    pub echoes: Option<Box<Echoes>>,
    /// What became of MPDUs, where frames carry several.
    pub mpdus: Option<Box<Mpdus>>,
    /// Of each node the station that gave a frame up last.
    gave_up: Vec<NodeId>,
    /// The node that made them fail, in the measured time.
    pub interference: Interference,
    /// Hash of all transmissions.
    pub fingerprint: Fingerprint,
    /// Transmissions started.
    pub frames: u64,
    measured: (SimTime, SimTime),
    windows: Vec<Window>,
}

impl Recorder {
    /// A recorder for a run of so many nodes and stations, and `flows` flows; of the lost packets and of the loss
    /// events it keeps at most `rows` each, one by one.
    #[must_use]
    pub fn new(
        (nodes, stations): (usize, usize),
        flows: usize,
        measured: (SimTime, SimTime),
        windows: Vec<Window>,
        rows: usize,
    ) -> Self {
        Self {
            flows: vec![FlowProbe::new(windows.len()); flows],
            drops: Thinned::new(rows),
            dropped: Drops::new(measured),
            routes: Thinned::new(rows),
            losses: Thinned::new(rows),
            present: Vec::new(),
            watch: LossWatch::new(flows),
            attempts: Attempts::new(stations),
            gave_up: (0..nodes as u32).map(NodeId).collect(), // node counts are 32-bit
            echoes: None,
            mpdus: None,
            interference: Interference::new(nodes),
            fingerprint: Fingerprint::new(),
            frames: 0,
            measured,
            windows,
        }
    }

    /// A transmission starts.
    #[inline]
    pub fn transmission(&mut self, now: SimTime, frame: &Frame) {
        self.frames += 1;
        self.fingerprint.transmission(now, frame);
    }

    /// A unicast frame between two nodes was lost at its addressee because it met this transmission, or one that is not
    /// known.
    pub fn spoilt(
        &mut self,
        now: SimTime,
        kind: FrameKind,
        (from, to): (NodeId, NodeId),
        by: Option<Interferer>,
    ) {
        if self.counts(now) {
            self.interference.add(kind, (from, to), by);
        }
    }

    /// A data frame has ended at its addressee.
    pub fn mpdus_ended(&mut self, now: SimTime, frame: &EndedFrame<'_>) {
        let measured = self.counts(now);
        if let Some(mpdus) = &mut self.mpdus {
            mpdus.ended(now, frame, measured);
        }
    }

    /// A station of a node gave a frame up.
    pub fn gave_up(&mut self, now: SimTime, node: NodeId, station: NodeId, cause: Cause) {
        self.gave_up[node.index()] = station;
        self.attempts.gave_up(now, station, cause);
    }

    /// A packet was lost; returns why its last attempts failed.
    pub fn dropped(&mut self, now: SimTime, node: NodeId, dropped: Dropped) -> Option<GiveUp> {
        let (why, by) = match dropped.reason {
            reason if reason.is_give_up() => match &self.echoes {
                Some(echoes) => {
                    let (why, by) = echoes.why(node, dropped.uid);
                    (Some(why), by)
                }
                None => {
                    let station = self.gave_up[node.index()];
                    (Some(self.attempts.why(station)), self.attempts.killer(station))
                }
            },
            _ => (None, None),
        };
        if let Some(echoes) = &mut self.echoes {
            echoes.forget(node, dropped.uid);
        }
        if dropped.spare {
            return why;
        }
        self.watch.dropped(&dropped, why);
        let counts = self.counts(now);
        if let Some(probe) = self.flows.get_mut(dropped.flow.index()).filter(|probe| probe.outage && counts) {
            probe.lost_in_outages += u64::from(dropped.payload);
        }
        self.dropped.add(now, node, &dropped, why, by);
        self.drops.push(DropRecord { at: now, node, what: dropped, why, by });
        why
    }

    /// A route has come or gone.
    pub fn route(&mut self, route: RouteRecord) {
        self.routes.push(route);
    }

    /// What TCP believed lost turned out to be this.
    pub fn judged(&mut self, loss: LossRecord) {
        if self.counts(loss.at) {
            let lost = &mut self.flows[loss.flow.index()].lost;
            *lost.entry((loss.belief, loss.truth)).or_default() += 1;
        }
        if self.present.first().is_some_and(|before| before.at < loss.at) {
            self.file_losses();
        }
        self.present.push(loss);
    }

    /// Files the loss events of an instant that is over, by flow.
    pub fn file_losses(&mut self) {
        self.present.sort_by_key(|loss| loss.flow);
        for loss in self.present.drain(..) {
            self.losses.push(loss);
        }
    }

    /// Whether an instant lies in the measured time. Its beginning does not, unless it is the run's: what a reading
    /// at that instant has seen already is not counted again.
    fn counts(&self, now: SimTime) -> bool {
        let (from, to) = self.measured;
        now <= to && (now > from || from == SimTime::ZERO)
    }

    /// Payload arrived for the first time.
    #[inline]
    pub fn arrived(&mut self, now: SimTime, flow: FlowId, readable: u64, delay: Dur, hops: u8) {
        let counts = self.counts(now);
        let (from, _) = self.measured;
        let Some(probe) = self.flows.get_mut(flow.index()) else { return }; // of no flow
        probe.since_sample += readable;
        probe.arrived_since_sample += 1;
        if probe.returned <= now && readable > 0 {
            probe.resume(now, counts);
        }
        if counts {
            probe.delivered += readable;
            probe.delay.add(delay);
            // Made at the beginning itself, it stands in the reading of that instant.
            probe.in_time += u64::from(now - delay > from || from == SimTime::ZERO);
            probe.hops.0 += u64::from(hops);
            probe.hops.1 += u64::from(hops > 0);
        }
        for (window, delivered) in self.windows.iter().zip(&mut probe.windows) {
            if now > window.from && now <= window.to {
                *delivered += readable;
            }
        }
    }

    /// A segment was sent again.
    pub fn repaired(&mut self, now: SimTime, flow: FlowId, seq: u64, known: Known) {
        let repair = Repair { seq, sent: now, counts: self.counts(now) };
        self.flows[flow.index()].repairs.sent(repair, known);
    }

    /// Whether earlier copies of segments that this flow has sent again are on their way.
    #[inline]
    #[must_use]
    pub fn has_open_repairs(&self, flow: FlowId) -> bool {
        self.flows.get(flow.index()).is_some_and(|probe| !probe.repairs.are_settled())
    }

    /// Something has failed: a node, a link.
    pub fn failed(&mut self) {
        for probe in &mut self.flows {
            probe.outage = true;
        }
    }

    /// Something has come back to the network, a node, a link; `began` says which flows had begun.
    pub fn returned(&mut self, now: SimTime, began: impl Fn(usize) -> bool) {
        let counts = self.counts(now);
        for (index, probe) in self.flows.iter_mut().enumerate() {
            probe.return_counts = counts && began(index);
            probe.returns += u64::from(probe.return_counts);
            probe.returned = now;
        }
    }

    /// Something happened at a TCP sender; returns the segment that is to be looked up at its receiver, and what for.
    pub fn transport(&mut self, now: SimTime, flow: FlowId, event: Event) -> Option<(u64, Doubt)> {
        match event {
            Event::FastRetransmit { seq } => Some((seq, Doubt::Loss(Belief::DupAcks))),
            Event::Timeout { seq } => Some((seq, Doubt::Loss(Belief::Timeout))),
            Event::SentAgain { seq } => Some((seq, Doubt::Repair)),
            Event::TailProbe { .. } | Event::Undone { .. } => None, // counters of the sender tell of them
            Event::Completed => {
                self.flows[flow.index()].completed = Some(now);
                None
            }
        }
    }

    /// The measured time ends at this instant, which is not over yet.
    pub fn end_measuring(&mut self, now: SimTime) {
        let (from, _) = self.measured;
        self.measured = (from.min(now), now);
    }

    /// The measured time, from and to.
    #[must_use]
    pub const fn measured(&self) -> (SimTime, SimTime) {
        self.measured
    }

    /// The windows.
    #[must_use]
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Truth;

    /// In whatever order the nodes are told their timers, and whichever rows are kept.
    #[test]
    fn loss_events_of_one_instant_are_filed_by_flow() {
        let file = |order: [u32; 4], rows| {
            let mut recorder =
                Recorder::new((4, 4), 4, (SimTime::ZERO, SimTime::from_secs(1)), Vec::new(), rows);
            for second in [1, 2] {
                for flow in order.map(FlowId) {
                    let (at, belief, truth) = (SimTime::from_secs(second), Belief::Timeout, Truth::Arrived);
                    recorder.judged(LossRecord { at, flow, seq: 0, belief, truth });
                }
            }
            recorder.file_losses();
            recorder.losses.rows().iter().map(|loss| (loss.at, loss.flow.0)).collect::<Vec<_>>()
        };
        for rows in [8, 4, 3] {
            assert_eq!(file([2, 0, 3, 1], rows), file([0, 1, 2, 3], rows));
        }
        let flows: Vec<u32> = file([2, 0, 3, 1], 8).into_iter().map(|(_, flow)| flow).collect();
        assert_eq!(flows, [0, 1, 2, 3, 0, 1, 2, 3]);
    }
}
