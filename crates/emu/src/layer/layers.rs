//! The layers of all connections, and which of them a technique means.

use std::collections::BTreeMap;
use std::sync::Arc;

use multihop_proto::shim::{Beginning, Counters, ShimConfig, ShimKind};
use multihop_proto::signals::SignalsConfig;
use multihop_proto::units::{NodeId, SimTime};

use super::atcp::Atcp;
use super::closing::Closing;
use super::contract::{HostEvent, Output, Step, Times, Verdict};
use super::held::Held;
use super::steered::Steered;
use crate::datagram::{Named, Seen, Way, read_named};
use crate::icmp;

/// Whether this shim has a form for Linux.
pub(crate) fn is_there(shim: &ShimConfig) -> bool {
    matches!(shim.kind, ShimKind::Atcp | ShimKind::Elfn | ShimKind::TcpF | ShimKind::FreezeTcp)
}

/// Whether a real host tells this shim what it needs. Nothing there says what the network says to ELFN and TCP-F, or
/// how strong a signal is (Freeze-TCP).
pub(crate) fn is_told(shim: &ShimConfig) -> bool {
    shim.kind == ShimKind::Atcp
}

/// The signals that neither this shim nor an emulation hears.
pub(crate) fn unheard(shim: &ShimConfig, signals: &SignalsConfig) -> SignalsConfig {
    let mut left = SignalsConfig { unreachable: false, ..signals.clone() };
    match shim.kind {
        ShimKind::Elfn => left.elfn = false,
        ShimKind::TcpF => left.rfn = false,
        _ => {}
    }
    left
}

/// The layers of all connections, each at both ends.
#[derive(Debug)]
pub(crate) struct Layers {
    shim: ShimConfig,
    beginning: Beginning,
    /// Which node an address means.
    named: Named,
    layers: BTreeMap<Way, Layer>,
    /// What they have counted, also those of connections that are over.
    pub(crate) counts: BTreeMap<Way, Counters>,
}

/// The layer of one connection at one end.
#[derive(Debug)]
enum Layer {
    /// At a source that is stopped while there is no route.
    Stopping(Held, Technique),
    /// At a receiver that closes its window.
    Closing(Closing),
}

/// What decides when a source is stopped.
#[derive(Debug)]
enum Technique {
    Atcp(Atcp),
    Steered(Steered),
}

impl Layers {
    /// None for a technique that has no form for Linux.
    pub(crate) fn new(shim: &ShimConfig, beginning: Beginning, named: Named) -> Option<Self> {
        let (layers, counts) = (BTreeMap::new(), BTreeMap::new());
        is_there(shim).then(|| Self { shim: shim.clone(), beginning, named, layers, counts })
    }

    /// The connections that have a layer.
    pub(crate) fn ways(&self) -> impl Iterator<Item = Way> {
        self.layers.keys().copied()
    }

    /// Whether this connection has a layer.
    pub(crate) fn knows(&self, way: Way) -> bool {
        self.layers.contains_key(&way)
    }

    /// Whether something is in the hands of the layer of this connection alone.
    pub(crate) fn is_at_work(&self, way: Way) -> bool {
        self.layers.get(&way).is_some_and(Layer::is_at_work)
    }

    /// Ends the layer of a connection. What it has in its hands is lost, so TCP hears then that its peer has reset the
    /// connection.
    pub(crate) fn end(&mut self, now: SimTime, way: Way, out: &mut Vec<Output>) {
        if let Some(Layer::Stopping(held, _)) = self.layers.remove(&way)
            && held.is_stopped()
        {
            let counts = self.counts.entry(way).or_default();
            held.reset(&mut Step { now, host: way.0, times: None, counts, out });
        }
    }

    /// The run is over, and with it each pause.
    pub(crate) fn close(&mut self, now: SimTime) {
        for (way, layer) in std::mem::take(&mut self.layers) {
            if let Some(since) = layer.stopped_since() {
                self.counts.entry(way).or_default().thawed(now, since);
            }
        }
    }

    /// When something is due next.
    pub(crate) fn next_at(&self) -> SimTime {
        self.layers.values().map(Layer::next_at).min().unwrap_or(SimTime::MAX)
    }

    /// The layer of a connection, and what it needs.
    fn at<'a>(
        &'a mut self,
        way: Way,
        now: SimTime,
        times: Option<Times>,
        out: &'a mut Vec<Output>,
    ) -> Option<(&'a mut Layer, Step<'a>)> {
        let layer = self.layers.get_mut(&way)?;
        let counts = self.counts.entry(way).or_default();
        Some((layer, Step { now, host: way.0, times, counts, out }))
    }

    /// A host opens a connection.
    fn open(&mut self, way: Way, first: u32, syn: &Arc<[u8]>) {
        let (source, sink) = self.shim.ends(self.beginning);
        let (held, syn) = (Held::new(first, Arc::clone(syn)), Arc::clone(syn));
        let layer = match self.shim.kind {
            ShimKind::FreezeTcp => Layer::Closing(Closing::new(sink, syn)),
            ShimKind::Atcp => Layer::Stopping(held, Technique::Atcp(Atcp::new(self.shim.atcp))),
            _ => Layer::Stopping(held, Technique::Steered(Steered::new(source))),
        };
        self.layers.insert(way, layer);
    }

    /// A host sends a datagram.
    pub(crate) fn leaving(
        &mut self,
        now: SimTime,
        seen: &Seen,
        bytes: &Arc<[u8]>,
        out: &mut Vec<Output>,
    ) -> Verdict {
        let Some(tcp) = seen.tcp else { return Verdict::Pass };
        let way = seen.way();
        if tcp.syn || tcp.rst {
            self.layers.remove(&way);
            if tcp.syn {
                self.open(way, tcp.seq.wrapping_add(1), bytes);
            }
            return Verdict::Pass;
        }
        let length = seen.len + u32::from(tcp.fin);
        match self.at(way, now, None, out) {
            Some((Layer::Closing(closing), _)) => closing.leaving(bytes),
            Some((Layer::Stopping(held, _), mut step)) => held.leaving(&mut step, tcp.seq, length, bytes),
            None => Verdict::Pass,
        }
    }

    /// Something arrives at a host, with this power \[W\]. `times` tells of a connection.
    pub(crate) fn arriving(
        &mut self,
        now: SimTime,
        (node, power): (NodeId, f64),
        bytes: &[u8],
        times: impl Fn(Way) -> Option<Times>,
        out: &mut Vec<Output>,
    ) -> Verdict {
        if let Some(way) = icmp::about(bytes, self.named).filter(|way| way.0 == node) {
            return self.unreachable(now, way, times(way), out);
        }
        let Some((seen, tcp)) = read_named(bytes, self.named).and_then(|seen| Some((seen, seen.tcp?))) else {
            return Verdict::Pass;
        };
        let way = (node, seen.source, (tcp.ports.1, tcp.ports.0));
        if tcp.rst {
            self.layers.remove(&way);
        }
        let Some(ack) = tcp.ack.filter(|_| !tcp.syn) else { return Verdict::Pass };
        let carries = seen.len > 0 || tcp.fin;
        let times = self.layers.get(&way).filter(|layer| layer.is_at_work()).and_then(|_| times(way));
        let Some((layer, mut step)) = self.at(way, now, times, out) else { return Verdict::Pass };
        match layer {
            Layer::Stopping(held, technique) => {
                let before = held.is_stopped();
                held.acknowledged(&mut step, ack, bytes);
                match technique {
                    Technique::Atcp(atcp) => atcp.answered(&mut step, held),
                    Technique::Steered(steered) => steered.answered(&mut step, held),
                }
                held.passes_on(&mut step, before, bytes, carries)
            }
            Layer::Closing(closing) => {
                if carries {
                    closing.arriving(&mut step, power);
                }
                Verdict::Pass
            }
        }
    }

    /// A host hears that a connection has no way.
    pub(crate) fn unreachable(
        &mut self,
        now: SimTime,
        way: Way,
        times: Option<Times>,
        out: &mut Vec<Output>,
    ) -> Verdict {
        match self.at(way, now, times, out) {
            Some((Layer::Stopping(held, Technique::Atcp(atcp)), mut step)) => {
                atcp.unreachable(&mut step, held);
                Verdict::Swallow
            }
            _ => Verdict::Pass,
        }
    }

    /// Something happened in the network that a host must know.
    pub(crate) fn event(
        &mut self,
        now: SimTime,
        event: HostEvent,
        times: impl Fn(Way) -> Option<Times>,
        out: &mut Vec<Output>,
    ) {
        match event {
            HostEvent::Signal { way, signal, from } => {
                if let Some((Layer::Stopping(held, Technique::Steered(steered)), mut step)) =
                    self.at(way, now, times(way), out)
                {
                    steered.signal(&mut step, held, &signal, from);
                }
            }
            HostEvent::Outage { node, peer, ahead } => {
                let between = (node, peer, (0, 0))..=(node, peer, (u16::MAX, u16::MAX));
                for (&way, layer) in self.layers.range_mut(between) {
                    if let Layer::Closing(closing) = layer {
                        let counts = self.counts.entry(way).or_default();
                        closing.outage(&mut Step { now, host: node, times: None, counts, out }, ahead);
                    }
                }
            }
        }
    }

    /// Does what is due.
    pub(crate) fn due(&mut self, now: SimTime, times: impl Fn(Way) -> Option<Times>, out: &mut Vec<Output>) {
        for (&way, layer) in self.layers.iter_mut().filter(|(_, layer)| layer.next_at() <= now) {
            let counts = self.counts.entry(way).or_default();
            layer.due(&mut Step { now, host: way.0, times: times(way), counts, out });
        }
    }
}

impl Layer {
    fn next_at(&self) -> SimTime {
        match self {
            Self::Stopping(held, Technique::Atcp(atcp)) => held.next_at().min(atcp.next_at()),
            Self::Stopping(held, Technique::Steered(steered)) => held.next_at().min(steered.next_at()),
            Self::Closing(_) => SimTime::MAX,
        }
    }

    /// Whether it has stopped TCP: only then it needs times.
    const fn is_at_work(&self) -> bool {
        matches!(self, Self::Stopping(held, _) if held.is_stopped())
    }

    /// Since when TCP is stopped, or its window closed.
    fn stopped_since(&self) -> Option<SimTime> {
        match self {
            Self::Stopping(held, _) => held.stopped_since(),
            Self::Closing(closing) => closing.closed_since(),
        }
    }

    fn due(&mut self, step: &mut Step<'_>) {
        let Self::Stopping(held, technique) = self else { return };
        match technique {
            Technique::Atcp(atcp) => atcp.due(step, held),
            Technique::Steered(steered) => steered.due(step, held),
        }
        held.due(step);
    }
}
