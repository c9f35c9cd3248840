//! The recorder: takes what happens and files it.

use multihop_proto::port::Dropped;
use multihop_proto::tcp::Event;
use multihop_proto::units::{Dur, FlowId, NodeId, SimTime};
use multihop_proto::wire::Frame;

use super::losses::{Belief, LossRecord, LossWatch, Why};
use super::{Fingerprint, FlowProbe};
use crate::scenario::Window;

/// A lost packet with its place and time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DropRecord {
    /// When.
    pub at: SimTime,
    /// Where.
    pub node: NodeId,
    /// What and why.
    pub what: Dropped,
    /// Why its last attempts failed.
    pub why: Why,
}

/// All that is recorded while a run goes on.
#[derive(Debug)]
pub struct Recorder {
    /// By flow.
    pub flows: Vec<FlowProbe>,
    /// Every lost packet.
    pub drops: Vec<DropRecord>,
    /// Every TCP loss event.
    pub losses: Vec<LossRecord>,
    /// Loss events whose truth is to be looked up when the present event is over.
    pub pending: Vec<(FlowId, Belief, u64)>,
    /// Why transmissions fail.
    pub watch: LossWatch,
    /// Hash of all transmissions.
    pub fingerprint: Fingerprint,
    /// Transmissions started.
    pub frames: u64,
    measured: (SimTime, SimTime),
    windows: Vec<Window>,
    limits: (u32, u32),
}

impl Recorder {
    /// A recorder for a run of `nodes` nodes and `flows` flows; `limits` are the MAC's retry limits (short, long).
    #[must_use]
    pub fn new(
        nodes: usize,
        flows: usize,
        measured: (SimTime, SimTime),
        windows: Vec<Window>,
        limits: (u32, u32),
    ) -> Self {
        Self {
            flows: vec![FlowProbe::new(windows.len()); flows],
            drops: Vec::new(),
            losses: Vec::new(),
            pending: Vec::new(),
            watch: LossWatch::new(nodes, flows),
            fingerprint: Fingerprint::new(),
            frames: 0,
            measured,
            windows,
            limits,
        }
    }

    /// A transmission starts.
    #[inline]
    pub fn transmission(&mut self, now: SimTime, frame: &Frame) {
        self.frames += 1;
        self.fingerprint.transmission(now, frame);
    }

    /// A packet was lost; returns why its last attempts failed.
    pub fn dropped(&mut self, now: SimTime, node: NodeId, dropped: Dropped) -> Why {
        let why = self.watch.dropped(node, &dropped, self.limits);
        self.drops.push(DropRecord { at: now, node, what: dropped, why });
        why
    }

    /// Payload arrived for the first time.
    #[inline]
    pub fn arrived(&mut self, now: SimTime, flow: FlowId, readable: u64, delay: Dur) {
        let probe = &mut self.flows[flow.index()];
        probe.since_sample += readable;
        if now > self.measured.0 && now <= self.measured.1 {
            probe.delivered += readable;
            probe.delay.add(delay);
        }
        for (window, delivered) in self.windows.iter().zip(&mut probe.windows) {
            if now > window.from && now <= window.to {
                *delivered += readable;
            }
        }
    }

    /// Something happened at a TCP sender.
    pub fn transport(&mut self, now: SimTime, flow: FlowId, event: Event) {
        match event {
            Event::FastRetransmit { seq } => self.pending.push((flow, Belief::DupAcks, seq)),
            Event::Timeout { seq } => self.pending.push((flow, Belief::Timeout, seq)),
            Event::Completed => self.flows[flow.index()].completed = Some(now),
        }
    }

    /// The measured time, from and to.
    #[must_use]
    pub const fn measured(&self) -> (SimTime, SimTime) {
        self.measured
    }

    /// The windows.
    #[must_use]
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }
}
