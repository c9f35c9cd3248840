//! What can only be known by looking at both ends: the truth behind TCP's beliefs, and the balance of the ledger.

use multihop_proto::node::EndpointKind;

use super::Network;
use crate::probe::LossRecord;

impl Network {
    /// Finds out what had happened to the segments that senders have just declared lost.
    pub(super) fn look_up_truths(&mut self) {
        for (flow, belief, seq) in std::mem::take(&mut self.world.recorder.pending) {
            let sink = self.flows[flow.index()].to;
            let arrived = self.nodes[sink.index()].endpoints().iter().any(|endpoint| {
                endpoint.flow == flow
                    && matches!(&endpoint.kind, EndpointKind::TcpReceiver(end) if end.has(seq))
            });
            let truth = self.world.recorder.watch.truth(flow, seq, arrived);
            self.world.recorder.judged(LossRecord { at: self.world.now, flow, seq, belief, truth });
        }
    }

    /// Checks that every copy that the ledger says is inside is in some node's custody, and no other.
    ///
    /// # Errors
    /// A sentence with both figures; it means that the engine has lost or invented a packet.
    pub fn check_ledger(&self) -> Result<(), String> {
        let inside = self.packets.ledger().inside();
        let held: u64 = self.nodes.iter().map(|node| node.held() as u64).sum();
        let live = self.packets.live() as u64;
        if inside == held && held == live {
            return Ok(());
        }
        Err(format!(
            "the ledger says that {inside} packets are inside, the nodes hold {held}, the store {live}"
        ))
    }
}
