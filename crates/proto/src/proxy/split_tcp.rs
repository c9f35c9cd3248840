//! A proxy of Split TCP (Kopparty, Krishnamurthy, Faloutsos & Tripathi, GLOBECOM 2002): it takes over segments that
//! pass, acknowledges them at once to the node that sent them (a local ACK), and sends them on with a window of its
//! own. Reliability stays with the ends: what a proxy loses is sent again by the source, with a mark, and no proxy
//! touches that.
//!
//! ```text
//!            first segment with payload
//!            (whatever it is, or the first of all if the SYN has passed here)
//!   STRANGER ──────────────────────────► PROXY ──┐ segment: keep, acknowledge, send on
//!      ▲                                   │  ▲  │ local ACK of the next one: free, send on
//!      └───────────────────────────────────┘  └──┘ end-to-end ACK: free what it covers; it passes,
//!                                                   as marked segments and SYNs do
//!              the node goes down
//! ```

use super::contract::{Action, Agent, Input, Towards, Verdict};
use super::splice::{Halves, Joint};
use crate::contract::{Cx, NodeState};
use crate::keys;
use crate::tcp::{Handshake, TcpConfig};
use crate::units::FlowId;
use crate::units::range::MOST;
use crate::wire::{PacketId, Payload, flags};

keys! {
    /// A proxy of Split TCP.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SplitTcpConfig {
        /// Segments that fit into a proxy; one more is lost without a word.
        pub buffer: u32 = 50 => within(1, MOST),
    }
}

/// The proxy of one flow.
#[derive(Debug)]
pub struct SplitTcp {
    /// What it has taken over; none: a stranger.
    joint: Joint,
    /// Whether it has seen the connection being opened: then the stream begins here with its first byte.
    opened: bool,
}

impl SplitTcp {
    /// A proxy for a flow over this TCP.
    #[must_use]
    pub fn new(config: SplitTcpConfig, tcp: &TcpConfig, flow: FlowId) -> Self {
        // A local ACK is for each segment at once, and there is nothing to open.
        let first = TcpConfig { ack_every: 1, ack_steps: Vec::new(), ..tcp.clone() };
        let second = TcpConfig { handshake: Handshake::None, ..tcp.clone() };
        let halves = Halves { first, second, flow, buffer: config.buffer, advertises: false };
        Self { joint: Joint::new(halves), opened: false }
    }

    fn passing(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut Vec<Action>) -> Verdict {
        let Payload::Tcp(segment) = cx.packets[id].payload else { return Verdict::Pass };
        let forth = cx.packets[id].towards == Towards::Destination;
        if segment.flags & (flags::SYN | flags::END_TO_END) != 0 {
            self.opened |= forth && segment.flags & flags::SYN != 0;
            if !forth && segment.flags & flags::SYN == 0 {
                self.joint.learn(cx, &segment, out);
            }
            return Verdict::Pass;
        }
        if self.joint.is_empty() && forth && segment.len > 0 {
            self.joint.open(cx.now, if self.opened { 0 } else { segment.seq }, out);
        }
        self.joint.take(cx, id, &segment, out)
    }
}

impl Agent for SplitTcp {
    fn handle(&mut self, cx: &mut Cx<'_>, _: &NodeState, input: Input, out: &mut Vec<Action>) -> Verdict {
        let verdict = match input {
            Input::Passing(id) => self.passing(cx, id, out),
            Input::Timer | Input::Signal(_) | Input::Notice(_) => Verdict::Pass,
        };
        self.joint.attend(cx.now, out);
        verdict
    }

    fn packets(&self) -> Vec<PacketId> {
        self.joint.packets()
    }

    fn flush(&mut self, _: &mut Cx<'_>) -> Vec<PacketId> {
        self.opened = false;
        self.joint.flush()
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.joint.each_counter(tell);
    }
}
