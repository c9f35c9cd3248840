//! What can only be known by looking at both ends: the truth behind TCP's beliefs, and the balance of the ledger.

use std::collections::HashSet;

use multihop_proto::endpoint::Transport;
use multihop_proto::units::{FlowId, SimTime};
use multihop_proto::wire::{Packet, PacketKind, PacketStore};

use super::Network;
use super::world::After;
use crate::probe::{Doubt, Known, LossRecord, Repair};

impl Network {
    /// The present event is over: what has waited for that is done. Apart from the loop, which would have fewer
    /// registers left.
    #[inline(never)]
    pub(super) fn finish_event(&mut self) {
        while !self.world.after.is_empty() {
            for after in std::mem::take(&mut self.world.after) {
                match after {
                    After::LookUp(flow, seq, doubt) => self.look_up(flow, seq, doubt),
                    After::SettleRepairs(flow, lost) => self.settle_repairs(flow, lost),
                    After::Doze(node, doze) => self.doze(node, doze),
                    After::Wire(from, to, packet) => self.pass_wire(from, to, packet),
                    After::WireReceived(node, from, packet) => self.show_arrival(node, from, packet),
                }
            }
        }
    }

    /// Finds out about a segment what its sender cannot know.
    fn look_up(&mut self, flow: FlowId, seq: u64, doubt: Doubt) {
        let sink = self.flows[flow.index()].to;
        let arrived = self.nodes[sink.index()]
            .hosts()
            .all()
            .iter()
            .any(|endpoint| endpoint.flow == flow && endpoint.kind.has(seq));
        let (now, packets, recorder) = (self.world.now, &self.packets, &mut self.world.recorder);
        match doubt {
            Doubt::Loss(belief) => {
                let truth = recorder.watch.truth(flow, seq, arrived, now, packets.iter());
                let again = recorder.flows[flow.index()].repairs.were_needed(seq);
                let truth = if again { truth.of_repair() } else { truth };
                recorder.judged(LossRecord { at: now, flow, seq, belief, truth });
            }
            Doubt::Repair => {
                let known = if arrived {
                    Known::Arrived
                } else if has_copy(packets, flow, seq, now) {
                    Known::UnderWay
                } else {
                    Known::Lost
                };
                recorder.repaired(now, flow, seq, known);
            }
        }
    }

    /// A packet of a flow has arrived, or the segment at this position was lost: whether repairs were needless may be
    /// known.
    fn settle_repairs(&mut self, flow: FlowId, lost: Option<u64>) {
        let packets = &self.packets;
        let is_left = |repair: &Repair| has_copy(packets, flow, repair.seq, repair.sent);
        self.world.recorder.flows[flow.index()].repairs.settle(lost, is_left);
    }

    /// Checks, for every flow and for the whole network, that the copies that the ledger says are inside are those
    /// that the nodes have and those that live in the store; that no copy is in two places; and that the
    /// transmissions on the air hold what they carry, and nothing else is held.
    ///
    /// # Errors
    /// A sentence with the figures; it means that the engine has lost or invented a packet.
    pub fn check_ledger(&self) -> Result<(), String> {
        let flows = self.flows.len();
        let mut live = vec![0u64; flows + 1];
        for packet in self.packets.iter() {
            live[packet.flow.index().min(flows)] += 1;
        }
        let mut held = vec![0u64; flows + 1];
        let mut seen = HashSet::new();
        for (node, place) in self.nodes.iter().zip(0..) {
            for id in node.custody() {
                if !self.packets.in_custody(id) || !seen.insert(id) {
                    return Err(format!("node number {place} has a packet that is not its own"));
                }
                held[self.packets[id].flow.index().min(flows)] += 1;
            }
        }
        for flow in 0..=flows {
            let id = self.flows.get(flow).map_or(FlowId::NONE, |flow| flow.id);
            let whose = || self.flows.get(flow).map_or("routing", |flow| flow.name.as_str()).to_owned();
            agree(whose, self.packets.flow_ledger(id).inside(), held[flow], live[flow])?;
        }
        let sum = |counts: &[u64]| counts.iter().sum();
        agree(|| "the network".to_owned(), self.packets.ledger().inside(), sum(&held), sum(&live))?;
        let carried: usize = self.world.transmissions().map(|frame| self.packets.held_by(frame)).sum();
        if carried != self.packets.holds() {
            let holds = self.packets.holds();
            return Err(format!("{carried} packets are on the air, {holds} are held there"));
        }
        Ok(())
    }
}

/// Whether a copy of a segment that was made before this instant is on its way.
fn has_copy(packets: &PacketStore, flow: FlowId, seq: u64, before: SimTime) -> bool {
    let is_copy = |it: &Packet| {
        it.flow == flow
            && it.created < before
            && it.kind() == PacketKind::TcpData
            && it.position() == Some(seq)
    };
    packets.iter().any(is_copy)
}

/// Whether three counts of the copies inside are the same.
fn agree(whose: impl Fn() -> String, ledger: Option<u64>, held: u64, live: u64) -> Result<(), String> {
    if ledger == Some(held) && held == live {
        return Ok(());
    }
    let ledger = ledger.map_or("fewer than none".to_owned(), |inside| inside.to_string());
    let whose = whose();
    Err(format!(
        "packets of {whose}: the ledger says that {ledger} are inside, the nodes have {held}, the store {live}"
    ))
}
