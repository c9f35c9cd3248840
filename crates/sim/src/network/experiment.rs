//! What experiments do to a network from outside: nodes that go down, machines of their own.

use multihop_proto::mac::Sensed;
use multihop_proto::node::{Input, Node};
use multihop_proto::routing::AnyRouting;

use multihop_proto::units::{FlowId, NodeId, SimTime};

use super::Network;
use super::sample::END;
use crate::air::Ending;

impl Network {
    /// A node, to give it a gate, a shim, a proxy or a medium access of its own before the run.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn node_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.index()]
    }

    /// Gives a node a routing machine of its own before the run, and starts it.
    ///
    /// # Panics
    /// If there is no such node, or its present machine has packets in its custody.
    pub fn set_routing(&mut self, node: NodeId, routing: AnyRouting) {
        self.nodes[node.index()].set_routing(routing);
        self.tell(node, Input::Start);
    }

    /// When something happens next: now, if a transmission is about to begin; `SimTime::MAX` for never.
    #[must_use]
    pub fn next_at(&mut self) -> SimTime {
        if self.world.starting.is_empty() { self.world.timers.earliest().0 } else { self.world.now }
    }

    /// Has an end of a flow look for what was left for it ([`multihop_proto::endpoint::Input::Wake`]), at an instant up
    /// to which the network has [advanced](Self::advance). An instant before the present one counts as the present one.
    ///
    /// # Panics
    /// If there is no such node, or something that is due earlier has not happened yet.
    pub fn wake(&mut self, at: SimTime, node: NodeId, flow: FlowId, peer: NodeId) {
        assert!(self.next_at() >= at, "what is due earlier happens earlier");
        self.world.now = at.max(self.world.now);
        self.tell(node, Input::Wake(flow, peer));
        self.finish_event();
    }

    /// Ends the run at the present instant, and with it the measured time, unless that is over.
    pub fn end_now(&mut self) {
        let now = self.world.now;
        self.end = now;
        if now < self.world.recorder.measured().1 {
            self.world.recorder.end_measuring(now);
            self.run_probe(END);
        }
        for flow in &mut self.flows {
            flow.stop = flow.stop.min(now);
        }
    }

    /// Takes a node down or brings it back. What it was sending turns into noise that no node can decode.
    pub fn power(&mut self, node: NodeId, up: bool) {
        for station in self.nodes.stations_of(node) {
            self.power_radio(station, up);
        }
        self.tell(node, Input::Power(up));
    }

    fn power_radio(&mut self, station: NodeId, up: bool) {
        self.end_doze(station);
        self.meter.power(station, self.world.now, up);
        if up {
            return self.end_cut(station);
        }
        let unsent = self.world.still_to_send(station);
        let (was, behind) = self.world.silence(station);
        for frame in was.iter().map(|(frame, _)| frame).chain(&behind) {
            self.packets.release(frame);
        }
        self.cut_off.cut(station, unsent, was.is_some_and(|(_, heard)| heard));
    }

    /// A transmission ends whose sender went down in the middle of it.
    pub(super) fn end_cut(&mut self, from: NodeId) {
        if !self.cut_off.end(from) {
            return;
        }
        let (links, decodable) = self.links.range(from);
        let heard = if self.radios.sums_interference() { links.end } else { decodable };
        for index in links.start..heard {
            let link = self.links.at(index);
            // The node that did not listen to it has lost nothing.
            let missed = self.radios.end(link.to, self.world.now, from, link.power) != Ending::Overlapped;
            if missed && index < decodable && self.nodes.station(link.to).0.is_up() {
                self.sense(link.to, Sensed::Undecodable(self.world.now));
            }
        }
    }
}
