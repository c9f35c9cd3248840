//! A trace of the air, by the names of the nodes: every frame with its beginning and end and whether its addressee got
//! it, and every packet lost.

use std::sync::{Arc, Mutex};

use multihop_proto::contract::Dropped;
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::{DropReason, Frame, FrameKind, GiveUp, PacketKind, PacketStore};
use multihop_sim::network::{Ended, Handle, run};
use multihop_sim::probe::{Tap, Traced};
use multihop_sim::scenario::Resolved;
use serde_json::Value;

use crate::common::Case;

/// A unicast frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sent {
    pub(crate) kind: FrameKind,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) begins: SimTime,
    pub(crate) ends: SimTime,
    /// For how long it reserves the medium after its end.
    pub(crate) reserves: Dur,
    /// What it carries; none in a control frame.
    pub(crate) carries: Option<PacketKind>,
    /// Whether its addressee received it whole.
    pub(crate) received: bool,
    /// The node that received it besides.
    pub(crate) overheard: Vec<String>,
}

/// A packet lost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lost {
    pub(crate) at: SimTime,
    pub(crate) node: String,
    pub(crate) kind: PacketKind,
    pub(crate) reason: DropReason,
    pub(crate) why: Option<GiveUp>,
}

/// All of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) sent: Vec<Sent>,
    pub(crate) dropped: Vec<Lost>,
    /// What the engine says of the run.
    pub(crate) record: Value,
}

impl Trace {
    /// The trace of a run, which the engine's own record goes with. Its ledger has been checked.
    pub(crate) fn of(case: &Case, number: u64) -> Self {
        let scenario = case.resolve();
        let watch = Watch::new(&scenario);
        match run(&scenario, number, &Handle::default(), Some(Box::new(watch.clone()))) {
            Ok(Ended::Done(output)) => {
                let mut trace = std::mem::take(&mut *watch.trace.lock().expect("one thread"));
                trace.record = serde_json::from_str(&output.json).expect("the output is JSON");
                trace
            }
            Ok(Ended::Cancelled) => unreachable!("nobody cancels"),
            Err(message) => panic!("{message}"),
        }
    }

    /// Frames of this kind from one node to another.
    pub(crate) fn frames(&self, kind: FrameKind, from: &str, to: &str) -> Vec<&Sent> {
        self.sent.iter().filter(|sent| (sent.kind, &*sent.from, &*sent.to) == (kind, from, to)).collect()
    }

    /// What of these nodes was on the air while a frame was; the frame itself, if it is of these.
    pub(crate) fn over(&self, frame: &Sent, nodes: &[&str]) -> Vec<&Sent> {
        let longest = Dur::from_ms(10);
        let first = self.sent.partition_point(|other| other.begins + longest < frame.begins);
        let begun = self.sent[first..].iter().take_while(|other| other.begins < frame.ends);
        begun.filter(|other| other.ends > frame.begins && nodes.contains(&&*other.from)).collect()
    }
}

/// Writes the trace.
#[derive(Clone, Debug)]
struct Watch {
    names: Vec<String>,
    trace: Arc<Mutex<Trace>>,
}

impl Watch {
    fn new(scenario: &Resolved) -> Self {
        let names = scenario.nodes.iter().map(|place| place.name.clone()).collect();
        Self { names, trace: Arc::default() }
    }
}

impl Tap for Watch {
    fn sent(&mut self, now: SimTime, frame: &Frame, packets: &PacketStore) {
        if frame.to == NodeId::BROADCAST {
            return;
        }
        self.trace.lock().expect("one thread").sent.push(Sent {
            kind: frame.kind,
            from: self.names[frame.from.index()].clone(),
            to: self.names[frame.to.index()].clone(),
            begins: now,
            ends: now + frame.airtime,
            reserves: frame.duration,
            carries: (frame.packets() > 0).then(|| packets[frame.packet].kind()),
            received: false,
            overheard: Vec::new(),
        });
    }

    fn received(&mut self, now: SimTime, node: NodeId, _: f64, frame: &Frame, _: &PacketStore) {
        let (from, at) = (&self.names[frame.from.index()], &self.names[node.index()]);
        let mut trace = self.trace.lock().expect("one thread");
        let found = trace.sent.iter_mut().rev().find(|sent| sent.from == *from && sent.ends == now);
        let Some(sent) = found else { return }; // a broadcast
        if frame.to == node {
            sent.received = true;
        } else {
            sent.overheard.push(at.clone());
        }
    }

    fn dropped(&mut self, now: SimTime, node: NodeId, dropped: &Dropped, why: Option<GiveUp>) {
        let node = self.names[node.index()].clone();
        let lost = Lost { at: now, node, kind: dropped.kind, reason: dropped.reason, why };
        self.trace.lock().expect("one thread").dropped.push(lost);
    }

    fn pause(&mut self, _: SimTime, _: &PacketStore) {}

    fn finish(self: Box<Self>, _: &PacketStore) -> Result<Option<Traced>, String> {
        Ok(None)
    }
}

/// The paper's chain: A to G, 80 m apart, heard and disturbed over 100 m; 2 Mb/s, RTS before more than 256 bytes.
/// Frames that meet destroy each other, as the paper takes it. Routes are fixed and connections open at once, so that
/// nothing but what a test sends is on the air.
pub(crate) fn chain(seconds: u32, tcp: &str, flows: &[String]) -> Case {
    let node = |(name, number)| format!("{{ name = \"{name}\", x = \"{} m\" }}", 80 * number);
    let nodes: Vec<String> = ('A'..='G').zip(0..).map(node).collect();
    Case::new(&format!(
        "profile = \"opnet\"\n[run]\nduration = \"{seconds} s\"\n\
         [air]\npropagation = \"disk\"\nrange = \"100 m\"\nsense-range = \"100 m\"\ninterference-range = \"100 m\"\n\
         error-curve = \"none\"\n\
         [routing]\nkind = \"static\"\n[tcp]\nhandshake = \"none\"\n{tcp}\n\
         [topology]\nkind = \"explicit\"\nnode = [{}]\n{}",
        nodes.join(", "),
        flows.concat()
    ))
}

/// A flow between two nodes: `bulk` without end, or a `segment`.
pub(crate) fn flow(from: &str, to: &str, kind: &str, start: &str) -> String {
    let kind = if kind == "segment" { "kind = \"file\"\nsize = \"1460 B\"" } else { "kind = \"bulk\"" };
    format!("[[flow]]\n{kind}\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{start}\"\n")
}

/// Microseconds.
pub(crate) const fn us(count: u64) -> Dur {
    Dur::from_us(count)
}
