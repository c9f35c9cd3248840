//! Snoop at a relay for TCP of Linux: the agent of the simulator, one for each connection of a flow. The agent works on
//! segments; they are read from the datagrams that pass.

use multihop_proto::contract::{Cx, NodeState};
use multihop_proto::proxy::{Action, Agent, Input, Snoop, SnoopConfig, Towards, Verdict};
use multihop_proto::units::SimTime;
use multihop_proto::wire::{PacketId, Segment, flags};

use crate::datagram::{TcpSeen, read};
use crate::stream::Stream;

/// The agents of one flow at one relay.
#[derive(Debug)]
pub(crate) struct Snooping {
    config: SnoopConfig,
    connections: Vec<Connection>,
}

/// The agent of one connection.
#[derive(Debug)]
struct Connection {
    /// Port of the source, and of the destination.
    ports: (u16, u16),
    stream: Stream,
    /// Byte of the latest segment: numbers of 32 bits mean the nearest one.
    near: u64,
    agent: Snoop,
}

impl Snooping {
    pub(crate) const fn new(config: SnoopConfig) -> Self {
        Self { config, connections: Vec::new() }
    }

    /// The connection of a segment. A SYN towards the destination opens one; what is first seen in the middle does so
    /// too.
    fn connection(&mut self, towards: Towards, tcp: &TcpSeen) -> Option<&mut Connection> {
        let is_data = towards == Towards::Destination;
        let ports = if is_data { tcp.ports } else { (tcp.ports.1, tcp.ports.0) };
        let known = self.connections.iter().rposition(|connection| connection.ports == ports);
        let opens =
            |number: &usize| is_data && tcp.syn && self.connections[*number].stream != Stream::of(tcp);
        match known.filter(|number| !opens(number)) {
            Some(number) => self.connections.get_mut(number),
            None if is_data => {
                let agent = Snoop::new(self.config, false);
                self.connections.push(Connection { ports, stream: Stream::of(tcp), near: 0, agent });
                self.connections.last_mut()
            }
            None => None,
        }
    }

    /// A packet passes.
    fn passing(
        &mut self,
        cx: &mut Cx<'_>,
        state: &NodeState,
        id: PacketId,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let towards = cx.packets[id].towards;
        let seen = cx.packets.message(id).and_then(|bytes| read(bytes));
        let Some((seen, tcp)) = seen.and_then(|seen| Some((seen, seen.tcp?))) else { return Verdict::Pass };
        let Some(connection) = self.connection(towards, &tcp) else { return Verdict::Pass };
        let number = if towards == Towards::Destination { Some(tcp.seq) } else { tcp.ack };
        let Some(byte) = number.and_then(|number| connection.stream.offset(number, connection.near)) else {
            return Verdict::Pass;
        };
        connection.near = connection.near.max(byte);
        // Data towards the source are no plain acknowledgment: they pass, and so does what ends the connection.
        let plain = seen.len == 0 && !tcp.fin && !tcp.rst && !tcp.syn;
        let bits = if plain { flags::ACK } else { flags::ACK | flags::SYN };
        let segment = Segment { seq: byte, ack: byte, len: seen.len, flags: bits, ..Segment::default() };
        connection.agent.passing(cx, state, id, &segment, out)
    }
}

impl Agent for Snooping {
    fn handle(&mut self, cx: &mut Cx<'_>, state: &NodeState, input: Input, out: &mut Vec<Action>) -> Verdict {
        let mut wanted = Vec::new();
        let verdict = match input {
            Input::Passing(id) => self.passing(cx, state, id, &mut wanted),
            Input::Signal(_) | Input::Timer | Input::Notice(_) => Verdict::Pass,
        };
        for connection in &mut self.connections {
            connection.agent.expire(cx.now, &mut wanted);
        }
        // The segment is in the copy, byte by byte.
        let again = wanted.into_iter().filter_map(|action| match action {
            Action::Resend(copy, _) => Some(Action::Forward(cx.packets.copy(copy))),
            _ => None,
        });
        out.extend(again);
        let due = self.connections.iter().map(|connection| connection.agent.due());
        out.push(Action::Arm(due.min().unwrap_or(SimTime::MAX)));
        verdict
    }

    fn packets(&self) -> Vec<PacketId> {
        self.connections.iter().flat_map(|connection| connection.agent.packets()).collect()
    }

    fn flush(&mut self, cx: &mut Cx<'_>) -> Vec<PacketId> {
        self.connections.iter_mut().flat_map(|connection| connection.agent.flush(cx)).collect()
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.connections.iter().for_each(|connection| connection.agent.each_counter(tell));
    }
}
