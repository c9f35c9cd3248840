//! What can only be known by looking at both ends: the truth behind TCP's beliefs, and the balance of the ledger.

use std::collections::HashSet;

use multihop_proto::endpoint::Transport;
use multihop_proto::units::FlowId;

use super::Network;
use super::world::After;
use crate::probe::{Belief, LossRecord};

impl Network {
    /// The present event is over: what has waited for that is done.
    pub(super) fn finish_event(&mut self) {
        while !self.world.after.is_empty() {
            for after in std::mem::take(&mut self.world.after) {
                match after {
                    After::DeclaredLost(flow, belief, seq) => self.audit_loss(flow, belief, seq),
                    After::Doze(node, doze) => self.doze(node, doze),
                    After::Wire(from, to, packet) => self.pass_wire(from, to, packet),
                    After::WireReceived(node, from, packet) => self.show_arrival(node, from, packet),
                }
            }
        }
    }

    /// Finds out what had happened to a segment that its sender has just declared lost.
    fn audit_loss(&mut self, flow: FlowId, belief: Belief, seq: u64) {
        let sink = self.flows[flow.index()].to;
        let arrived = self.nodes[sink.index()]
            .endpoints()
            .iter()
            .any(|endpoint| endpoint.flow == flow && endpoint.kind.has(seq));
        let now = self.world.now;
        let truth = self.world.recorder.watch.truth(flow, seq, arrived, now, self.packets.iter());
        self.world.recorder.judged(LossRecord { at: now, flow, seq, belief, truth });
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
