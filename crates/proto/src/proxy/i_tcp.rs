//! Indirect TCP (Bakre & Badrinath, ICDCS 1995): a relay ends the source's connection and has one of its own to the
//! destination. Bytes that the source holds acknowledged may still be in the relay.
//!
//! ```text
//!             SYN, or the first byte           answer of the
//!             of a stream without one          destination
//!   STRANGER ───────────────────────► OPENING ───────────────► RELAY
//!      ▲                                 │                       │
//!      └─────────────────────────────────┴───────────────────────┘
//!        the node goes down: both connections and the buffer are gone
//! ```
//!
//! A stranger lets everything pass.

use super::contract::{Action, Agent, Input, Towards, Verdict};
use super::splice::{Halves, Joint};
use crate::contract::{Cx, NodeState};
use crate::keys;
use crate::tcp::{Handshake, TcpConfig};
use crate::units::Dur;
use crate::units::range::{LONGEST, MOST};
use crate::units::{FlowId, SimTime};
use crate::wire::{PacketId, Payload, Segment, flags};

keys! {
    /// The relay of Indirect TCP.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ITcpConfig {
        /// Segments that fit between the two connections; what is free is the window that the source sees.
        pub buffer: u32 = 64 => within(1, MOST),
        /// Least retransmission timeout of the connection to the destination; by default `tcp.min-rto`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub min_rto: Option<Dur> = None => if_set(Dur::from_ms(1), LONGEST),
    }
}

/// The relay of one flow.
#[derive(Debug)]
pub struct ITcp {
    /// The two connections; none: a stranger.
    joint: Joint,
    /// Whether the first packet that passes may begin a stream without SYN: later none can be told from others.
    fresh: bool,
}

impl ITcp {
    /// A relay for a flow over this TCP.
    #[must_use]
    pub fn new(config: ITcpConfig, tcp: &TcpConfig, flow: FlowId) -> Self {
        let min_rto = config.min_rto.unwrap_or(tcp.min_rto).min(tcp.max_rto);
        let second = TcpConfig { min_rto, ..tcp.clone() };
        let halves = Halves { first: tcp.clone(), second, flow, buffer: config.buffer, advertises: true };
        Self { joint: Joint::new(halves), fresh: tcp.handshake == Handshake::None }
    }

    fn passing(&mut self, cx: &mut Cx<'_>, id: PacketId, out: &mut Vec<Action>) -> Verdict {
        let Payload::Tcp(segment) = cx.packets[id].payload else { return Verdict::Pass };
        let forth = cx.packets[id].towards == Towards::Destination;
        if self.joint.is_empty() && forth && self.begins(&segment) {
            self.joint.open(cx.now, 0, out);
        }
        self.fresh = false;
        self.joint.take(cx, id, &segment, out)
    }

    /// Whether a segment opens a connection.
    const fn begins(&self, segment: &Segment) -> bool {
        let data = self.fresh && segment.seq == 0 && segment.len > 0;
        segment.flags & flags::SYN != 0 || data
    }
}

impl Agent for ITcp {
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

    fn is_stranded(&self, now: SimTime) -> bool {
        self.joint.is_stranded(now)
    }

    fn flush(&mut self, _: &mut Cx<'_>) -> Vec<PacketId> {
        self.joint.flush()
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.joint.each_counter(tell);
    }
}
