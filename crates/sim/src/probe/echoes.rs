//! Why a packet is given up over a slotted link, where the packet sent on is the acknowledgement.
//!
//! There a node has several packets under way at once, each with attempts of its own, and what is awaited is a frame
//! for another node. So attempts are told apart by packet. One fails because the frame was destroyed at the next hop,
//! because its echo was destroyed at the node that awaits it, or because a whole frame had no echo in its slot.

use multihop_proto::units::NodeId;
use multihop_proto::wire::GiveUp;

use super::harms::Harms;
use super::interference::Interferer;
use crate::air::Harm;

/// How a frame ended at a node that could have decoded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Whole.
    Whole,
    /// Spoilt by the channel.
    Harm(Harm),
    /// It met another signal, or the node's own transmission; which, if that is asked for.
    Interference(Option<Interferer>),
}

/// A packet that a node has sent and still holds.
#[derive(Clone, Debug)]
struct Sent {
    uid: u64,
    /// To which node it went last.
    to: NodeId,
    /// Attempts whose frame ended at a next hop that was up and in reach.
    heard: u32,
    /// Attempts whose frame or echo the channel spoilt.
    harms: Harms,
    /// Attempts that failed by interference with the frame or its echo.
    interference: u32,
    /// Whether the next hop had the latest frame whole, and nothing is known of its echo.
    open: bool,
    /// The interferers, and how often.
    met: Vec<(Interferer, u32)>,
}

impl Sent {
    fn failed(&mut self, ended: Ended) {
        match ended {
            Ended::Whole => {}
            Ended::Harm(harm) => self.harms.add(harm),
            Ended::Interference(by) => {
                self.interference += 1;
                let Some(by) = by else { return };
                match self.met.iter_mut().find(|(known, _)| *known == by) {
                    Some((_, n)) => *n += 1,
                    None => self.met.push((by, 1)),
                }
            }
        }
    }
}

/// The attempts of all nodes, by packet.
#[derive(Clone, Debug)]
pub struct Echoes(Vec<Vec<Sent>>);

impl Echoes {
    /// No node has sent anything yet.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self(vec![Vec::new(); nodes])
    }

    /// A node has sent a packet to a neighbour, for the first time or again.
    pub fn sent(&mut self, from: NodeId, to: NodeId, uid: u64) {
        let of_node = &mut self.0[from.index()];
        match of_node.iter_mut().find(|sent| sent.uid == uid) {
            Some(sent) => (sent.to, sent.open) = (to, false),
            None => of_node.push(Sent {
                uid,
                to,
                heard: 0,
                harms: Harms::default(),
                interference: 0,
                open: false,
                met: Vec::new(),
            }),
        }
    }

    /// The frame with a packet has ended at the neighbour that it was sent to.
    pub fn arrived(&mut self, from: NodeId, uid: u64, ended: Ended) {
        let Some(sent) = self.0[from.index()].iter_mut().find(|sent| sent.uid == uid) else { return };
        sent.heard += 1;
        sent.open = ended == Ended::Whole;
        sent.failed(ended);
    }

    /// What a neighbour sent has ended at a node that may take it for the echo of a packet; returns that packet if it
    /// has come whole. Whether it came in its slot the link knows.
    pub fn echoed(
        &mut self,
        at: NodeId,
        from: NodeId,
        is: impl Fn(u64) -> bool,
        ended: Ended,
    ) -> Option<u64> {
        let sent = self.0[at.index()].iter_mut().find(|sent| sent.to == from && is(sent.uid))?;
        if ended == Ended::Whole {
            return Some(sent.uid);
        }
        if std::mem::take(&mut sent.open) {
            sent.failed(ended);
        }
        None
    }

    /// A packet has left a node.
    pub fn forget(&mut self, node: NodeId, uid: u64) {
        self.0[node.index()].retain(|sent| sent.uid != uid);
    }

    /// Why the attempts of a packet failed that a node gave up, and the main interferer of them; as [`super::Attempts`]
    /// judges: the channel if it spoilt at least half of those that a node was there to hear, no node if no node was,
    /// else contention; an interferer only if at least half met one.
    #[must_use]
    pub fn why(&self, node: NodeId, uid: u64) -> (GiveUp, Option<Interferer>) {
        let Some(sent) = self.0[node.index()].iter().find(|sent| sent.uid == uid) else {
            return (GiveUp::Absent, None);
        };
        if sent.heard == 0 {
            return (GiveUp::Absent, None);
        }
        if let Some(harm) = sent.harms.most(sent.heard) {
            return (GiveUp::from(harm), None);
        }
        // Of several that interfered equally often the one that did so first.
        let worst = sent.met.iter().rev().max_by_key(|(_, n)| *n).map(|&(by, _)| by);
        let most = u64::from(sent.interference) * 2 >= u64::from(sent.heard);
        (GiveUp::Contention, worst.filter(|_| most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: NodeId = NodeId(0);
    const B: NodeId = NodeId(1);
    const C: NodeId = NodeId(2);
    const D: NodeId = NodeId(3);

    fn by(node: NodeId) -> Ended {
        Ended::Interference(Some(Interferer { node, hidden: true }))
    }

    /// A packet from A to B: of each attempt how the frame ended, if anywhere, and how its echo did, if it was sent.
    fn tried(echoes: &mut Echoes, uid: u64, attempts: &[(Option<Ended>, Option<Ended>)]) {
        for &(frame, echo) in attempts {
            echoes.sent(A, B, uid);
            if let Some(ended) = frame {
                echoes.arrived(A, uid, ended);
            }
            if let Some(ended) = echo {
                let whole = echoes.echoed(A, B, |it| it == uid, ended);
                assert_eq!(whole, (ended == Ended::Whole).then_some(uid));
            }
        }
    }

    fn killed(attempts: &[(Option<Ended>, Option<Ended>)]) -> (GiveUp, Option<NodeId>) {
        let mut echoes = Echoes::new(4);
        tried(&mut echoes, 7, attempts);
        let (why, by) = echoes.why(A, 7);
        (why, by.map(|by| by.node))
    }

    #[test]
    fn a_frame_or_its_echo_is_destroyed_and_who_did_it_most_is_named() {
        let whole = Some(Ended::Whole);
        assert_eq!(killed(&[(Some(by(C)), None), (whole, Some(by(D))), (whole, Some(by(D)))]).1, Some(D));
        assert_eq!(killed(&[(Some(by(C)), None), (whole, Some(by(D)))]).1, Some(C), "the first of two");
        assert_eq!(
            killed(&[(whole, Some(Ended::Harm(Harm::Bits))), (whole, None)]),
            (GiveUp::BitErrors, None)
        );
    }

    #[test]
    fn a_whole_frame_without_an_echo_in_its_slot_has_no_interferer() {
        let (whole, late) = ((Some(Ended::Whole), None), (Some(Ended::Whole), Some(Ended::Whole)));
        assert_eq!(killed(&[whole, late]), (GiveUp::Contention, None));
        assert_eq!(killed(&[whole, late, (Some(by(C)), None)]), (GiveUp::Contention, None), "one of three");
        assert_eq!(killed(&[whole, (Some(by(C)), None)]), (GiveUp::Contention, Some(C)), "one of two");
    }

    #[test]
    fn an_attempt_fails_once() {
        let mut echoes = Echoes::new(4);
        // Destroyed where it went, and B sends an older copy on: that is no second failure.
        tried(&mut echoes, 7, &[(Some(by(C)), Some(by(D))), (Some(Ended::Whole), None)]);
        assert_eq!(echoes.why(A, 7).1.map(|by| by.node), Some(C));
        tried(&mut echoes, 7, &[(Some(Ended::Whole), None)]);
        assert_eq!(echoes.why(A, 7), (GiveUp::Contention, None));
    }

    #[test]
    fn packets_do_not_mix_and_silence_is_an_absent_neighbour() {
        let mut echoes = Echoes::new(4);
        tried(&mut echoes, 7, &[(Some(by(C)), None), (Some(by(C)), None)]);
        tried(&mut echoes, 8, &[(None, None)]);
        tried(&mut echoes, 9, &[(Some(Ended::Harm(Harm::Bits)), None)]);
        assert_eq!(echoes.why(A, 7).1.map(|by| by.node), Some(C));
        assert_eq!(echoes.why(A, 8), (GiveUp::Absent, None));
        assert_eq!(echoes.why(A, 9), (GiveUp::BitErrors, None));
        echoes.forget(A, 7);
        assert_eq!(echoes.why(A, 7), (GiveUp::Absent, None));
        assert_eq!(echoes.why(A, 9), (GiveUp::BitErrors, None));
    }
}
