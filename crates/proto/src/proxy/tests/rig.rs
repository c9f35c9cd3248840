//! An agent alone with its packets.

use crate::contract::{Cx, NodeState};
use crate::proxy::{Action, Agent, Input, Towards, Verdict};
use crate::tcp::{Handshake, TcpConfig};
use crate::units::{Bytes, Dur, FlowId, NodeId, SimTime};
use crate::wire::{
    Absorbed, DropReason, Fate, LinkHeader, Packet, PacketStore, Payload, Segment, UserPriority, flags,
};

/// Payload of a segment.
pub(super) const MSS: u32 = 1000;

/// TCP without a handshake that acknowledges each segment and begins with two.
pub(super) fn tcp() -> TcpConfig {
    TcpConfig {
        segment: Bytes(MSS),
        handshake: Handshake::None,
        initial_window: 2,
        ack_every: 1,
        ..TcpConfig::default()
    }
}

/// The n-th segment of the stream, from 0.
pub(super) fn data(number: u64) -> Segment {
    Segment { seq: number * u64::from(MSS), len: MSS, flags: flags::ACK, ..Segment::default() }
}

/// An ACK of the first so many segments.
pub(super) fn ack(segments: u64) -> Segment {
    Segment { ack: segments * u64::from(MSS), flags: flags::ACK, window: 44_000, ..Segment::default() }
}

/// What an agent did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Did {
    /// What it was asked about goes on.
    Passed,
    /// It has taken it into custody.
    Kept,
    /// It acknowledged so many segments to the source, with a window of so many.
    Acked(u64, u32),
    /// It sent the segment with this number on, as old as what brought it \[ms\].
    Sent(u64, u64),
    /// It sent another segment of its own: its way and its flags.
    Said(Towards, u8),
    /// It lost a packet.
    Lost(DropReason),
}

/// The agent.
pub(super) struct Rig {
    pub(super) agent: Box<dyn Agent>,
    pub(super) node_state: NodeState,
    pub(super) packets: PacketStore,
    now: SimTime,
    pub(super) timer: SimTime,
    /// ELN of what passed last.
    marks: u8,
}

impl Rig {
    pub(super) fn new(agent: impl Agent + 'static) -> Self {
        Self {
            agent: Box::new(agent),
            node_state: NodeState { queue_free: 50, ..NodeState::default() },
            packets: PacketStore::new(1),
            now: SimTime::ZERO,
            timer: SimTime::MAX,
            marks: 0,
        }
    }

    /// A packet passes at this millisecond, made just then.
    pub(super) fn pass(&mut self, ms: u64, towards: Towards, segment: Segment) -> Vec<Did> {
        self.now = SimTime::from_ms(ms);
        let ends = [NodeId(0), NodeId(9)];
        let (source, destination) = match towards {
            Towards::Destination => (ends[0], ends[1]),
            Towards::Source => (ends[1], ends[0]),
        };
        let id = self.packets.create(Packet {
            uid: 0,
            flow: FlowId(0),
            source,
            maker: source,
            destination,
            towards,
            size: Bytes(40 + segment.len),
            ttl: 60,
            priority: UserPriority::BEST_EFFORT,
            link: LinkHeader::default(),
            header: None,
            payload: Payload::Tcp(segment),
            created: self.now,
            enqueued: self.now,
            forced: false,
        });
        let (verdict, mut did) = self.tell(Input::Passing(id));
        match verdict {
            Verdict::Pass => {
                did.insert(0, Did::Passed);
                let Payload::Tcp(passed) = self.packets[id].payload else { panic!("a segment") };
                self.marks = passed.flags & flags::ELN_LOST;
                self.packets.end(id, Fate::HandedOver);
            }
            Verdict::Absorb => self.packets.end(id, Fate::Absorbed(Absorbed::Proxy)),
            Verdict::Keep if self.agent.packets().contains(&id) => did.insert(0, Did::Kept),
            Verdict::Keep => {} // it has forwarded or lost it
        }
        assert_eq!(self.packets.live(), self.agent.packets().len(), "what it has is what it says it has");
        did
    }

    /// ELN of what passed last.
    pub(super) const fn marks(&self) -> u8 {
        self.marks
    }

    pub(super) fn forth(&mut self, ms: u64, segment: Segment) -> Vec<Did> {
        self.pass(ms, Towards::Destination, segment)
    }

    pub(super) fn back(&mut self, ms: u64, segment: Segment) -> Vec<Did> {
        self.pass(ms, Towards::Source, segment)
    }

    /// Its timer fires when it asked for it.
    pub(super) fn fire(&mut self) -> Vec<Did> {
        self.now = self.timer;
        assert!(self.now < SimTime::MAX, "no timer runs");
        self.tell(Input::Timer).1
    }

    /// The node goes down; returns how many packets are lost with it.
    pub(super) fn down(&mut self) -> usize {
        let lost = self.agent.flush(&mut Cx { now: self.now, packets: &mut self.packets });
        for &id in &lost {
            self.packets.end(id, Fate::Dropped(DropReason::NodeDown));
        }
        assert_eq!(self.packets.live(), 0);
        lost.len()
    }

    pub(super) fn count(&self, name: &str) -> u64 {
        let mut found = None;
        self.agent.each_counter(&mut |it, value| found = if it == name { Some(value) } else { found });
        found.unwrap_or_else(|| panic!("no counter {name}"))
    }

    pub(super) fn after(&self, wait: Dur) -> SimTime {
        self.now + wait
    }

    fn tell(&mut self, input: Input) -> (Verdict, Vec<Did>) {
        let mut out = Vec::new();
        let mut cx = Cx { now: self.now, packets: &mut self.packets };
        let verdict = self.agent.handle(&mut cx, &self.node_state, input, &mut out);
        let did = out.into_iter().filter_map(|action| self.did(action)).collect();
        (verdict, did)
    }

    fn did(&mut self, action: Action) -> Option<Did> {
        let number = |bytes: u64| bytes / u64::from(MSS);
        let age = |created: SimTime| created.saturating_since(SimTime::ZERO).as_ns() / 1_000_000;
        Some(match action {
            Action::Arm(at) => {
                self.timer = at;
                return None;
            }
            Action::Send(Towards::Source, it) if it.flags == flags::ACK => {
                Did::Acked(number(it.ack), it.window / MSS)
            }
            Action::Send(towards, it) => Did::Said(towards, it.flags),
            Action::Resend(id, it) => {
                assert!(self.packets.in_custody(id), "it has what it sends");
                Did::Sent(number(it.seq), age(self.packets[id].created))
            }
            Action::Forward(id) => {
                let Payload::Tcp(it) = self.packets[id].payload else { panic!("a segment") };
                let created = self.packets[id].created;
                self.packets.end(id, Fate::HandedOver);
                Did::Sent(number(it.seq), age(created))
            }
            Action::Dropped(dropped) => Did::Lost(dropped.reason),
            Action::Signal { .. } => panic!("no agent here signals"),
        })
    }
}
