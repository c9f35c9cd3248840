//! The ends of a UDP flow.

use super::contract::{Action, App, Input, Transport};
use crate::contract::{Arrival, Cx, NodeState};
use crate::udp::{Sink, Source};
use crate::wire::{PacketId, Payload, Towards};

impl Transport for Source {
    fn towards(&self) -> Towards {
        Towards::Destination
    }

    fn receive(
        &mut self,
        _cx: &mut Cx<'_>,
        _node_state: &dyn Fn() -> NodeState,
        _packet: PacketId,
        _out: &mut Vec<Action>,
    ) -> Arrival {
        Arrival::Unacceptable
    }

    fn handle(&mut self, _cx: &mut Cx<'_>, _node_state: &NodeState, input: Input<'_>, out: &mut Vec<Action>) {
        if let Input::App(App::Datagram(len)) = input {
            out.push(Action::Send(Payload::Udp(self.next(len))));
        }
    }

    fn sent(&self) -> u64 {
        self.sent()
    }
}

impl Transport for Sink {
    fn towards(&self) -> Towards {
        Towards::Source
    }

    fn receive(
        &mut self,
        cx: &mut Cx<'_>,
        _node_state: &dyn Fn() -> NodeState,
        packet: PacketId,
        _out: &mut Vec<Action>,
    ) -> Arrival {
        match cx.packets[packet].payload {
            Payload::Udp(datagram) if self.take(&datagram) => {
                Arrival::New { readable: u64::from(datagram.len) }
            }
            Payload::Udp(_) => Arrival::Duplicate,
            _ => Arrival::Unacceptable,
        }
    }

    fn handle(
        &mut self,
        _cx: &mut Cx<'_>,
        _node_state: &NodeState,
        _input: Input<'_>,
        _out: &mut Vec<Action>,
    ) {
    }

    fn has(&self, position: u64) -> bool {
        self.has(position)
    }
}
