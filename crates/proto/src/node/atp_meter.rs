//! A node of ATP measures what it sends, and writes it into the packets that it sends on. Others have no meter.

use super::stack::Node;
use crate::atp::{AtpConfig, Meter};
use crate::contract::Cx;
use crate::queue::Sojourn;
use crate::units::Dur;
use crate::wire::{PacketId, Payload, Protocol};

impl Node {
    /// Has it measure, and tell packets of ATP.
    pub fn set_meter(&mut self, config: &AtpConfig) {
        for interface in self.interfaces.iter_mut() {
            interface.link_mut().measure(&Sojourn::new(config.memory, config.idle_after));
        }
        self.meter = Some(Box::new(Meter::new(config)));
        self.update_roles();
    }

    /// A packet is about to be sent on; from a neighbour, after a hop that took so long.
    pub(super) fn stamp(&mut self, cx: &mut Cx<'_>, id: PacketId, hop: Option<Dur>) {
        let (Some(meter), Payload::Transport(datagram)) = (&mut self.meter, cx.packets[id].payload) else {
            return;
        };
        if datagram.protocol != Protocol::Atp {
            return;
        }
        let Some(bytes) = cx.packets.message(id) else { return };
        let average = self.interfaces.sojourn(cx.now);
        if let Some(bytes) = meter.stamp(cx.packets[id].flow, bytes, hop, average) {
            cx.packets.rewrite(id, bytes);
        }
    }
}
