//! The ends of a UDP flow.

use super::contract::{Action, App, Input};
use crate::contract::{Arrival, Cx, Sink as Out};
use crate::udp::{Sink, Source};
use crate::wire::{PacketId, Payload};

impl Source {
    pub(super) fn handle<S: Out<Action>>(&mut self, input: Input<'_>, out: &mut S) {
        if let Input::App(App::Datagram(len)) = input {
            out.put(Action::Send(Payload::Udp(self.next(len))));
        }
    }
}

impl Sink {
    pub(super) fn receive(&mut self, cx: &Cx<'_>, packet: PacketId) -> Arrival {
        match cx.packets[packet].payload {
            Payload::Udp(datagram) if self.take(&datagram) => {
                Arrival::New { readable: u64::from(datagram.len) }
            }
            Payload::Udp(_) => Arrival::Duplicate,
            _ => Arrival::Unacceptable,
        }
    }
}
