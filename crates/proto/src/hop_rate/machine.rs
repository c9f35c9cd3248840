//! A node's rates: one token bucket a flow, in front of the interface queue.
//!
//! ```text
//!            segment ──► waits ──token──► note: (waiting, leaving) ──► interface queue ──► MAC
//!                          ▲                       │                                      │
//!                          │ rate, each tick       │ heard by the node before             └─► leaving
//!                          │                       ▼
//!              own share ──┴── min ◄── leaving there + (target − waiting there) / time
//! ```
//!
//! What is told is how fast segments leave, not how fast they might: only so does the queue there move towards the
//! target within that time, whichever node holds the flow up. The own share is what the MAC can serve, by the time that
//! its last frames took, over the flows that pass. The last hop, and a node that has not heard the next one lately, has
//! that alone.

use std::collections::VecDeque;

use super::config::HopRateConfig;
use super::wire::Note;
use crate::contract::{Cx, Dropped, NodeState, Overheard, drop_packet};
use crate::units::{Dur, FlowId, NodeId, SimTime, counters};
use crate::wire::{DropReason, PacketId, Payload, Protocol};

/// Segments that may go at once after a pause.
const BURST: f64 = 2.0;
/// How long a flow counts after its last segment, and what was heard of the next node.
const MEMORY: Dur = Dur::from_secs(1);
/// Weight of the newest frame in the average of service times.
const WEIGHT: f64 = 0.125;
/// What a frame is taken to need before one was served \[s\].
const FIRST_SERVICE: f64 = 0.01;

/// What the machine is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// A segment is about to go to the interface queue for this neighbour; it comes into the machine's custody.
    Segment {
        /// The packet.
        packet: PacketId,
        /// The neighbour.
        to: NodeId,
    },
    /// A packet in a frame for another node was heard.
    Overheard(Overheard),
    /// The MAC is done with a segment of this flow, this long after it took it up.
    Served {
        /// The flow.
        flow: FlowId,
        /// How long it took.
        took: Dur,
    },
    /// Its timer fires (it may fire early).
    Timer,
}

/// What the machine asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A packet in its custody goes on to this neighbour.
    Forward {
        /// The packet.
        packet: PacketId,
        /// The neighbour.
        to: NodeId,
    },
    /// A packet was lost here.
    Dropped(Dropped),
    /// Wake it at this instant, and no more at the one that it has named before.
    Arm(SimTime),
}

counters! {
    /// What it has done.
    pub struct Counters {
        /// Segments that had to wait for a token.
        pub waited = "hop-rate.waited",
        /// Notes of the next node that were heard.
        pub heard = "hop-rate.heard",
        /// Settings of a rate below the own share.
        pub slowed = "hop-rate.slowed",
    }
}

/// A flow that passes here.
#[derive(Clone, Debug)]
struct Flow {
    id: FlowId,
    /// The neighbour to which its last segment goes, and whether the flow ends there.
    next: NodeId,
    ends: bool,
    waiting: VecDeque<(PacketId, NodeId)>,
    /// \[segments/s\], set at the last tick.
    rate: f64,
    /// Segments that the MAC was done with since the last tick.
    served: u32,
    /// How many these are lately \[segments/s\]; at first what the rate allows.
    leaving: f64,
    tokens: f64,
    filled: SimTime,
    seen: SimTime,
    /// What was heard last of the next node, from which node, and when.
    heard: Option<(Note, NodeId, SimTime)>,
}

/// The rates of one node.
#[derive(Clone, Debug)]
pub struct HopRate {
    config: HopRateConfig,
    flows: Vec<Flow>,
    /// Average time that the MAC takes for a frame \[s\].
    service: f64,
    tick_at: SimTime,
    /// For when it has asked to be woken; `SimTime::MAX`: not at all.
    armed: SimTime,
    counters: Counters,
}

impl HopRate {
    /// The rates of a configuration, if there are any.
    #[must_use]
    pub fn new(config: &HopRateConfig) -> Option<Box<Self>> {
        let fresh = Self {
            config: *config,
            flows: Vec::new(),
            service: FIRST_SERVICE,
            tick_at: SimTime::MAX,
            armed: SimTime::MAX,
            counters: Counters::default(),
        };
        config.on.then(|| Box::new(fresh))
    }

    /// Whether it takes such a packet: segments with payload.
    #[must_use]
    pub fn takes(&self, cx: &Cx<'_>, packet: PacketId) -> bool {
        matches!(cx.packets[packet].payload, Payload::Tcp(segment) if segment.len > 0)
    }

    /// Takes one input.
    pub fn handle(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, input: Input, out: &mut Vec<Action>) {
        match input {
            Input::Segment { packet, to } => self.queue(cx, node_state, (packet, to), out),
            Input::Overheard(heard) => self.overhear(cx, heard),
            Input::Served { flow, took } => self.serve(flow, took),
            Input::Timer => self.tick(cx, node_state, out),
        }
    }

    /// The packets in its custody.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.flows.iter().flat_map(|flow| flow.waiting.iter().map(|&(packet, _)| packet))
    }

    /// Takes out what waits for a neighbour.
    pub fn withdraw(&mut self, neighbour: NodeId) -> Vec<PacketId> {
        let of = |flow: &mut Flow| -> Vec<PacketId> {
            let gone =
                flow.waiting.iter().filter(|(_, to)| *to == neighbour).map(|&(packet, _)| packet).collect();
            flow.waiting.retain(|(_, to)| *to != neighbour);
            gone
        };
        self.flows.iter_mut().flat_map(of).collect()
    }

    /// The node goes down: all is forgotten; it hands over what it has in custody.
    pub fn flush(&mut self) -> Vec<PacketId> {
        (self.service, self.tick_at, self.armed) = (FIRST_SERVICE, SimTime::MAX, SimTime::MAX);
        self.flows.drain(..).flat_map(|flow| flow.waiting).map(|(packet, _)| packet).collect()
    }

    /// What it has done.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Segments of a flow that begins here which may be handed over now: beyond them they would only wait.
    #[must_use]
    pub fn room(&self, flow: FlowId) -> u32 {
        let waiting = self.flows.iter().find(|one| one.id == flow).map_or(0, |one| one.waiting.len());
        (BURST as u32).saturating_sub(u32::try_from(waiting).unwrap_or(u32::MAX))
    }

    /// The rate at which the segments of a flow go now \[segments/s\].
    #[must_use]
    pub fn rate(&self, flow: FlowId) -> Option<f64> {
        self.flows.iter().find(|one| one.id == flow).map(|one| one.rate)
    }

    /// A segment comes, and goes on at once if it may.
    fn queue(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        (packet, to): (PacketId, NodeId),
        out: &mut Vec<Action>,
    ) {
        let (id, ends) = (cx.packets[packet].flow, cx.packets[packet].destination == to);
        let held: usize = self.flows.iter().map(|flow| flow.waiting.len()).sum();
        if held >= self.config.buffer as usize {
            return out.push(Action::Dropped(drop_packet(cx, packet, DropReason::QueueFull)));
        }
        let share = self.share(cx.now, id);
        let place = self.flows.iter().position(|flow| flow.id == id).unwrap_or_else(|| {
            self.flows.push(Flow {
                id,
                next: to,
                ends,
                waiting: VecDeque::new(),
                rate: share,
                served: 0,
                leaving: share,
                tokens: BURST,
                filled: cx.now,
                seen: cx.now,
                heard: None,
            });
            self.flows.len() - 1
        });
        let flow = &mut self.flows[place];
        (flow.next, flow.ends, flow.seen) = (to, ends, cx.now);
        flow.waiting.push_back((packet, to));
        flow.fill(cx.now);
        self.counters.waited += u64::from(flow.tokens < 1.0);
        flow.release(cx, node_state, out);
        let wake = flow.wake(cx.now);
        if self.tick_at == SimTime::MAX {
            self.tick_at = cx.now + self.config.tick;
        }
        let wake = wake.min(self.tick_at);
        if wake < self.armed {
            self.armed = wake;
            out.push(Action::Arm(wake));
        }
    }

    fn serve(&mut self, id: FlowId, took: Dur) {
        self.service += (took.as_secs_f64() - self.service) * WEIGHT;
        let flow = self.flows.iter_mut().find(|flow| flow.id == id);
        flow.into_iter().for_each(|flow| flow.served += 1);
    }

    /// A neighbour sends a segment on: if it is the next node of the flow, this is how the flow stands there.
    fn overhear(&mut self, cx: &Cx<'_>, heard: Overheard) {
        let id = cx.packets[heard.packet].flow;
        let ours = self.flows.iter_mut().find(|flow| flow.id == id && flow.next == heard.from);
        let its_own =
            cx.packets[heard.packet].header.is_some_and(|header| header.protocol == Protocol::HopRate);
        let bytes = cx.packets.header(heard.packet).filter(|_| its_own);
        if let (Some(flow), Some(Ok(note))) = (ours, bytes.map(|bytes| Note::parse(bytes))) {
            flow.heard = Some((note, heard.from, cx.now));
            self.counters.heard += 1;
        }
    }

    /// Rates are set if it is time, and what has a token goes.
    fn tick(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, out: &mut Vec<Action>) {
        self.flows.iter_mut().for_each(|flow| flow.fill(cx.now));
        if self.tick_at <= cx.now {
            let now = cx.now;
            self.flows.retain(|flow| !flow.waiting.is_empty() || now.saturating_since(flow.seen) < MEMORY);
            for place in 0..self.flows.len() {
                self.set_rate(now, place);
            }
            self.tick_at = if self.flows.is_empty() { SimTime::MAX } else { now + self.config.tick };
        }
        let mut wake = self.tick_at;
        for flow in &mut self.flows {
            flow.release(cx, node_state, out);
            wake = wake.min(flow.wake(cx.now));
        }
        self.armed = wake;
        if wake < SimTime::MAX {
            out.push(Action::Arm(wake));
        }
    }

    fn set_rate(&mut self, now: SimTime, place: usize) {
        let share = self.share(now, self.flows[place].id);
        let HopRateConfig { target, time, tick, least, .. } = self.config;
        let flow = &mut self.flows[place];
        let lately = f64::from(std::mem::take(&mut flow.served)) / tick.as_secs_f64();
        flow.leaving += (lately - flow.leaving) * (tick.as_secs_f64() / time.as_secs_f64()).min(1.0);
        let fresh =
            flow.heard.filter(|(_, from, at)| *from == flow.next && now.saturating_since(*at) < MEMORY);
        flow.rate = match fresh {
            Some((note, ..)) if !flow.ends => {
                let wanted = note.rate + (target - f64::from(note.waiting)) / time.as_secs_f64();
                self.counters.slowed += u64::from(wanted < share);
                share.min(wanted.max(least))
            }
            _ => share,
        };
    }

    /// What the MAC can serve of one flow \[segments/s\].
    fn share(&self, now: SimTime, id: FlowId) -> f64 {
        let active = |flow: &&Flow| flow.id == id || now.saturating_since(flow.seen) < MEMORY;
        let others = self.flows.iter().filter(active).filter(|flow| flow.id != id).count();
        1.0 / (self.service.max(1e-6) * (others + 1) as f64)
    }
}

impl Flow {
    fn fill(&mut self, now: SimTime) {
        let since = now.saturating_since(self.filled).as_secs_f64();
        (self.tokens, self.filled) = (since.mul_add(self.rate, self.tokens).min(BURST), now);
    }

    /// What has a token goes on, with a note of how the flow stands here: what waits for a token, and what is in the
    /// interface queue, which other flows share.
    fn release(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, out: &mut Vec<Action>) {
        let mut queued = node_state.queue_length as usize;
        while self.tokens >= 1.0
            && let Some((packet, to)) = self.waiting.pop_front()
        {
            self.tokens -= 1.0;
            let waiting = u16::try_from(self.waiting.len() + queued).unwrap_or(u16::MAX);
            queued += 1;
            let note = Note { waiting, rate: self.leaving };
            cx.packets.set_header(packet, Some((Protocol::HopRate, note.emit())));
            out.push(Action::Forward { packet, to });
        }
    }

    /// When the next segment may go; never, if none waits.
    fn wake(&self, now: SimTime) -> SimTime {
        if self.waiting.is_empty() {
            return SimTime::MAX;
        }
        // A nanosecond more, so that the token is whole then.
        now + Dur::from_secs_f64((1.0 - self.tokens).max(0.0) / self.rate) + Dur::from_ns(1)
    }
}
