//! Why transmissions fail: every attempt of every station, judged where it ended, counted whatever the retry limit.
//!
//! An attempt is an RTS or a unicast data frame with the response that it asks for. It fails because the channel spoilt
//! one of the two, because one of the two met another signal or a receiver that was sending itself, or because a
//! whole frame got no answer (the addressee's medium was busy or reserved).

use multihop_proto::contract::Cause;
use multihop_proto::units::{NodeId, SimTime};
use multihop_proto::wire::{FrameKind, GiveUp};

use super::harms::Harms;
use super::interference::Interferer;
use crate::air::Harm;

/// What kept a frame from being received whole at its addressee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// The channel.
    Harm(Harm),
    /// Another signal, or the addressee's own transmission.
    Interference,
    /// The addressee's radio was dozing.
    Dozing,
}

/// Attempts of one kind since the last that succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Frames that have ended at a station that was there to hear them.
    pub heard: u32,
    /// Attempts that the channel spoilt.
    pub harms: Harms,
    /// Attempts that failed by interference.
    pub interference: u32,
    /// Attempts that failed because the addressee was dozing.
    pub dozing: u32,
}

/// Failed attempts of one station; monotone, so that two readings give the figures of the time between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// By what the channel did to the frame or its response, in the order of [`Harm::ALL`].
    pub harms: [u64; Harm::ALL.len()],
    /// By interference with the frame or its response.
    pub interference: u64,
    /// Because the frame or its response met a radio that was dozing.
    pub dozing: u64,
}

impl Failures {
    /// Those of two stations together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            harms: std::array::from_fn(|harm| self.harms[harm] + other.harms[harm]),
            interference: self.interference + other.interference,
            dozing: self.dozing + other.dozing,
        }
    }
}

/// One station's attempts.
#[derive(Clone, Debug, Default)]
struct Station {
    rts: Tally,
    data: Tally,
    /// Those of the frame that was given up last, of the kind whose limit was reached.
    given_up: Tally,
    /// When that was.
    given_up_at: Option<SimTime>,
    /// The main interferer of these.
    killer: Option<Interferer>,
    /// The interferers of the present attempts, and how often. What is of older ones is thrown away when the first of
    /// the present ones fails, so that frames that get through cost nothing.
    met: Vec<InterfererCount>,
    failures: Failures,
}

/// Attempts of one kind that met the same interferer.
#[derive(Clone, Copy, Debug)]
struct InterfererCount {
    rts: bool,
    by: Interferer,
    n: u32,
}

/// The attempts of all stations.
#[derive(Clone, Debug)]
pub struct Attempts(Vec<Station>);

impl Attempts {
    /// No station has sent anything yet.
    #[must_use]
    pub fn new(stations: usize) -> Self {
        Self(vec![Station::default(); stations])
    }

    /// A unicast frame has arrived whole at its addressee. A response ends the attempts of the station that asked.
    #[inline(always)]
    pub fn arrived(&mut self, kind: FrameKind, from: NodeId, to: NodeId) {
        match kind {
            FrameKind::Rts => self.0[from.index()].rts.heard += 1,
            FrameKind::Data | FrameKind::BlockAckRequest => self.0[from.index()].data.heard += 1,
            // MPDUs of other frames may still be under way, and their attempts count together.
            FrameKind::BlockAck => self.0[to.index()].rts = Tally::default(),
            FrameKind::Cts => self.0[to.index()].rts = Tally::default(),
            FrameKind::Ack => {
                let station = &mut self.0[to.index()];
                (station.rts, station.data) = (Tally::default(), Tally::default());
            }
            FrameKind::CfEnd => {} // is to all
        }
    }

    /// A unicast frame has ended at its addressee, which cannot read it. A response is part of the attempt of the
    /// station that waits for it.
    #[cold]
    pub fn failed(&mut self, kind: FrameKind, from: NodeId, to: NodeId, failure: Failure) {
        let asks = kind.asks();
        let station = &mut self.0[if asks { from } else { to }.index()];
        let rts = matches!(kind, FrameKind::Rts | FrameKind::Cts);
        let tally = if rts { &mut station.rts } else { &mut station.data };
        tally.heard += u32::from(asks);
        match failure {
            Failure::Harm(harm) => {
                tally.harms.add(harm);
                station.failures.harms[harm as usize] += 1;
            }
            Failure::Interference => {
                tally.interference += 1;
                station.failures.interference += 1;
            }
            Failure::Dozing => {
                tally.dozing += 1;
                station.failures.dozing += 1;
            }
        }
    }

    /// The attempt that has just failed by interference met this transmission.
    #[cold]
    pub fn met(&mut self, kind: FrameKind, from: NodeId, to: NodeId, by: Interferer) {
        let asks = kind.asks();
        let station = &mut self.0[if asks { from } else { to }.index()];
        let rts = matches!(kind, FrameKind::Rts | FrameKind::Cts);
        if (if rts { &station.rts } else { &station.data }).interference <= 1 {
            station.met.retain(|met| met.rts != rts);
        }
        match station.met.iter_mut().find(|met| (met.rts, met.by) == (rts, by)) {
            Some(met) => met.n += 1,
            None => station.met.push(InterfererCount { rts, by, n: 1 }),
        }
    }

    /// A station gave its frame up: the next attempts are another frame's, or another round of this one. The packets of
    /// one frame are given up at the same instant, and had the same attempts.
    pub fn gave_up(&mut self, now: SimTime, node: NodeId, cause: Cause) {
        let station = &mut self.0[node.index()];
        let same_frame = station.given_up_at.replace(now) == Some(now);
        if same_frame && (station.rts, station.data) == (Tally::default(), Tally::default()) {
            return;
        }
        let rts = cause == Cause::RtsLimit;
        station.given_up = if rts { station.rts } else { station.data };
        // Of several that interfered equally often the one that did so first.
        let of_these = station.met.iter().rev().filter(|met| met.rts == rts);
        let worst = of_these.max_by_key(|met| met.n).map(|met| met.by);
        station.killer = worst.filter(|_| station.given_up.interference > 0);
        (station.rts, station.data) = (Tally::default(), Tally::default());
    }

    /// Why the frame failed that a station gave up last: the channel if it spoilt at least half of its attempts, dozing
    /// if the addressee slept through as many, no node's answer if no node was there, otherwise the others that were
    /// sending.
    #[must_use]
    pub fn why(&self, node: NodeId) -> GiveUp {
        let Tally { heard, harms, interference, dozing } = self.0[node.index()].given_up;
        if heard == 0 && interference == 0 && harms.is_empty() && dozing == 0 {
            GiveUp::Absent
        } else if dozing > 0 && u64::from(dozing) * 2 >= u64::from(heard) {
            GiveUp::Dozing
        } else {
            harms.most(heard).map_or(GiveUp::Contention, GiveUp::from)
        }
    }

    /// The main interferer of the attempts of the frame that a station gave up last; none if most of them met no
    /// signal, for their receiver's medium was reserved, or if it was not contention.
    #[must_use]
    pub fn killer(&self, node: NodeId) -> Option<Interferer> {
        let station = &self.0[node.index()];
        let Tally { heard, interference, .. } = station.given_up;
        let most = u64::from(interference) * 2 >= u64::from(heard);
        station.killer.filter(|_| most && self.why(node) == GiveUp::Contention)
    }

    /// The failed attempts of a station so far.
    #[must_use]
    pub fn failures(&self, node: NodeId) -> Failures {
        self.0[node.index()].failures
    }
}

#[cfg(test)]
mod tests {
    use multihop_proto::units::Dur;

    use super::*;

    const A: NodeId = NodeId(0);
    const B: NodeId = NodeId(1);

    fn ended(attempts: &mut Attempts, kind: FrameKind, from: NodeId, to: NodeId, failure: Option<Failure>) {
        match failure {
            Some(failure) => attempts.failed(kind, from, to, failure),
            None => attempts.arrived(kind, from, to),
        }
    }

    /// The station gives a frame up, later than the one before.
    fn gave_up(attempts: &mut Attempts, cause: Cause) {
        let last = attempts.0[A.index()].given_up_at;
        attempts.gave_up(last.map_or(SimTime::ZERO, |last| last + Dur::from_us(1)), A, cause);
    }

    fn of_rts(failures: &[Option<Failure>]) -> GiveUp {
        let mut attempts = Attempts::new(2);
        for &failure in failures {
            ended(&mut attempts, FrameKind::Rts, A, B, failure);
        }
        gave_up(&mut attempts, Cause::RtsLimit);
        attempts.why(A)
    }

    #[test]
    fn counts_do_not_forget_whatever_the_limit() {
        assert_eq!(of_rts(&[Some(Failure::Harm(Harm::Bits)); 255]), GiveUp::BitErrors);
        let mut mixed = [Some(Failure::Interference); 200];
        mixed[..99].fill(Some(Failure::Harm(Harm::Bits)));
        assert_eq!(of_rts(&mixed), GiveUp::Contention);
        mixed[99] = Some(Failure::Harm(Harm::Bits));
        assert_eq!(of_rts(&mixed), GiveUp::BitErrors);
    }

    #[test]
    fn whole_frames_without_an_answer_are_contention_and_silence_is_an_absent_neighbour() {
        assert_eq!(of_rts(&[None; 7]), GiveUp::Contention);
        assert_eq!(of_rts(&[]), GiveUp::Absent);
    }

    #[test]
    fn a_lost_response_is_the_failure_of_who_waits_for_it() {
        let mut attempts = Attempts::new(2);
        for _ in 0..4 {
            ended(&mut attempts, FrameKind::Rts, A, B, None);
            ended(&mut attempts, FrameKind::Cts, B, A, None);
            ended(&mut attempts, FrameKind::Data, A, B, None);
            ended(&mut attempts, FrameKind::Ack, B, A, Some(Failure::Harm(Harm::Bits)));
        }
        gave_up(&mut attempts, Cause::DataLimit);
        assert_eq!(attempts.why(A), GiveUp::BitErrors);
        assert_eq!(attempts.failures(A), Failures { harms: [4, 0, 0, 0], ..Failures::default() });
        assert_eq!(attempts.failures(B), Failures::default());
    }

    /// So many attempts of a frame that interference ended, by which node, and then it is given up.
    fn killer_of(attempts: &mut Attempts, kind: FrameKind, by: &[u32]) -> Option<u32> {
        for &by in by {
            attempts.failed(kind, A, B, Failure::Interference);
            attempts.met(kind, A, B, Interferer { node: NodeId(by), hidden: by > 5 });
        }
        gave_up(attempts, if kind == FrameKind::Rts { Cause::RtsLimit } else { Cause::DataLimit });
        let killer = attempts.killer(A);
        assert!(killer.is_none_or(|by| by.hidden == (by.node.0 > 5)));
        killer.map(|by| by.node.0)
    }

    #[test]
    fn who_interfered_most_with_a_frame_is_its_killer() {
        let attempts = &mut Attempts::new(2);
        assert_eq!(killer_of(attempts, FrameKind::Rts, &[6, 2, 6, 2, 2, 6, 2]), Some(2));
        // The next frame's own, however often the first has met others.
        assert_eq!(killer_of(attempts, FrameKind::Rts, &[7, 2, 7]), Some(7));
        assert_eq!(killer_of(attempts, FrameKind::Rts, &[3, 4, 4, 3]), Some(3), "the first of two");
        assert_eq!(killer_of(attempts, FrameKind::Rts, &[]), None);
    }

    #[test]
    fn rts_and_data_have_killers_of_their_own() {
        let mut attempts = Attempts::new(2);
        for by in [6, 6, 6] {
            attempts.failed(FrameKind::Rts, A, B, Failure::Interference);
            attempts.met(FrameKind::Rts, A, B, Interferer { node: NodeId(by), hidden: true });
        }
        attempts.arrived(FrameKind::Cts, B, A);
        assert_eq!(killer_of(&mut attempts, FrameKind::Data, &[9, 9]), Some(9));
        // An RTS that got its CTS: what it had met before is no longer of the present attempts.
        assert_eq!(killer_of(&mut attempts, FrameKind::Rts, &[8]), Some(8));
    }

    #[test]
    fn a_reserved_receiver_has_no_interferer() {
        let mut attempts = Attempts::new(2);
        attempts.arrived(FrameKind::Rts, A, B);
        attempts.arrived(FrameKind::Rts, A, B);
        assert_eq!(killer_of(&mut attempts, FrameKind::Rts, &[6]), None, "two of three met no interferer");
        attempts.arrived(FrameKind::Rts, A, B);
        assert_eq!(killer_of(&mut attempts, FrameKind::Rts, &[6]), Some(6), "one of two");
        attempts.failed(FrameKind::Rts, A, B, Failure::Harm(Harm::Bits));
        assert_eq!(killer_of(&mut attempts, FrameKind::Rts, &[6]), None, "bit errors");
    }

    #[test]
    fn frames_do_not_mix() {
        let mut attempts = Attempts::new(2);
        for _ in 0..7 {
            ended(&mut attempts, FrameKind::Rts, A, B, Some(Failure::Harm(Harm::Bits)));
        }
        gave_up(&mut attempts, Cause::RtsLimit);
        for _ in 0..7 {
            ended(&mut attempts, FrameKind::Rts, A, B, Some(Failure::Interference));
        }
        gave_up(&mut attempts, Cause::RtsLimit);
        assert_eq!(attempts.why(A), GiveUp::Contention);
    }

    #[test]
    fn packets_of_one_frame_are_given_up_for_the_same_reason() {
        let mut attempts = Attempts::new(2);
        assert_eq!(killer_of(&mut attempts, FrameKind::Rts, &[6, 6, 6]), Some(6));
        let at = attempts.0[A.index()].given_up_at.expect("it has just given up");
        attempts.gave_up(at, A, Cause::RtsLimit);
        assert_eq!(
            (attempts.why(A), attempts.killer(A).map(|by| by.node)),
            (GiveUp::Contention, Some(NodeId(6)))
        );
        gave_up(&mut attempts, Cause::RtsLimit);
        assert_eq!(attempts.why(A), GiveUp::Absent, "the next frame met no node at all");
    }
}
