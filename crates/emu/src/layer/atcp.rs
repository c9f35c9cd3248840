//! The layer of ATCP below a TCP of Linux, for as long as there is no route (Liu & Singh, IEEE JSAC 2001; Sridhara &
//! Subramanya, sections 5 and 7).
//!
//! The papers close the window of TCP, so that it goes into its persist state. Linux does that only with nothing in flight; else
//! its retransmission timer goes on. So the layer acknowledges all that is in flight, closes the window, and answers for what it
//! has acknowledged: it keeps these segments, and sends them itself when the route is back.
//!
//! ```text
//!     OPEN ── host unreachable: acknowledge all, window 0 ──► AWAY   timer: probe; grows as the technique says
//!     ▲                                                       │
//!     │ the receiver has all of it: open the window           │ answer to a probe: send again, in slow start
//!     └──────────────────────────── REPAIR ◄──────────────────┘
//!                      timer: from the first one on; host unreachable: AWAY
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use multihop_proto::shim::{AtcpConfig, BackOff, Counters, Reconnect, ShimConfig, ShimKind};
use multihop_proto::units::{Dur, NodeId, SimTime};

use super::forged::{acknowledgment, probe, stamped, window};
use crate::datagram::{Seen, Way, read};
use crate::icmp;

/// Longest time between probes and between retransmissions (RFC 6298 §2.5).
const LONGEST: Dur = Dur::from_secs(60);

/// What a layer has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// To the TCP of this host.
    Host(NodeId, Vec<u8>),
    /// Into the network, from this host.
    Network(NodeId, Arc<[u8]>),
}

/// What becomes of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    Swallow,
}

/// The layers of all connections.
#[derive(Debug)]
pub(crate) struct Layers {
    config: AtcpConfig,
    layers: BTreeMap<Way, Layer>,
    /// What they have counted, also those of connections that are over.
    pub(crate) counts: BTreeMap<Way, Counters>,
}

impl Layers {
    /// None for another technique.
    pub(crate) fn new(shim: &ShimConfig) -> Option<Self> {
        let is_it = shim.kind == ShimKind::Atcp;
        is_it.then(|| Self { config: shim.atcp, layers: BTreeMap::new(), counts: BTreeMap::new() })
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
        out: &'a mut Vec<Said>,
    ) -> Option<(&'a mut Layer, Cx<'a>)> {
        let layer = self.layers.get_mut(&way)?;
        let counts = self.counts.entry(way).or_default();
        Some((layer, Cx { now, host: way.0, config: self.config, counts, out }))
    }

    /// A host sends a datagram.
    pub(crate) fn leaving(
        &mut self,
        now: SimTime,
        seen: &Seen,
        bytes: &Arc<[u8]>,
        out: &mut Vec<Said>,
    ) -> Verdict {
        let Some(tcp) = seen.tcp else { return Verdict::Pass };
        let way = seen.way();
        if tcp.syn || tcp.rst {
            self.layers.remove(&way);
            if tcp.syn {
                self.layers.insert(way, Layer::new(tcp.seq.wrapping_add(1), Arc::clone(bytes)));
            }
            return Verdict::Pass;
        }
        let Some((layer, mut cx)) = self.at(way, now, out) else { return Verdict::Pass };
        layer.leaving(&mut cx, tcp.seq, seen.len + u32::from(tcp.fin), bytes)
    }

    /// Something arrives at a host. `rto` says the timeout of a connection.
    pub(crate) fn arriving(
        &mut self,
        now: SimTime,
        node: NodeId,
        bytes: &[u8],
        rto: impl Fn(Way) -> Option<Dur>,
        out: &mut Vec<Said>,
    ) -> Verdict {
        if let Some(way) = icmp::about(bytes).filter(|way| way.0 == node) {
            let Some((layer, mut cx)) = self.at(way, now, out) else { return Verdict::Pass };
            if let Some(rto) = rto(way) {
                layer.freeze(&mut cx, rto);
            }
            return Verdict::Swallow;
        }
        let Some((seen, tcp)) = read(bytes).and_then(|seen| Some((seen, seen.tcp?))) else {
            return Verdict::Pass;
        };
        let way = (node, seen.source, (tcp.ports.1, tcp.ports.0));
        if tcp.rst {
            self.layers.remove(&way);
        }
        let Some(ack) = tcp.ack.filter(|_| !tcp.syn) else { return Verdict::Pass };
        let Some((layer, mut cx)) = self.at(way, now, out) else { return Verdict::Pass };
        layer.arriving(&mut cx, ack, bytes, seen.len > 0 || tcp.fin)
    }

    /// Does what is due.
    pub(crate) fn due(&mut self, now: SimTime, out: &mut Vec<Said>) {
        let Self { config, layers, counts } = self;
        for (&way, layer) in layers.iter_mut().filter(|(_, layer)| layer.next_at() <= now) {
            let counts = counts.entry(way).or_default();
            layer.due(&mut Cx { now, host: way.0, config: *config, counts, out });
        }
    }
}

/// What a layer needs for a step.
struct Cx<'a> {
    now: SimTime,
    host: NodeId,
    config: AtcpConfig,
    counts: &'a mut Counters,
    out: &'a mut Vec<Said>,
}

impl Cx<'_> {
    /// To TCP, as from its peer.
    fn tell(&mut self, segment: Option<Vec<u8>>) {
        self.out.extend(segment.map(|segment| Said::Host(self.host, segment)));
    }
}

/// A segment that the receiver has not acknowledged.
#[derive(Debug)]
struct Kept {
    /// The number behind its last byte.
    end: u32,
    bytes: Arc<[u8]>,
}

/// The layer of one connection.
#[derive(Debug)]
struct Layer {
    kept: VecDeque<Kept>,
    /// First byte that the receiver has not acknowledged.
    first: u32,
    /// First byte that has not left.
    next: u32,
    /// The last segment that left.
    own: Arc<[u8]>,
    /// The last segment that arrived.
    answer: Vec<u8>,
    state: State,
    /// Since when TCP is stopped.
    since: SimTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// TCP is stopped; so many probes have gone, and another is due.
    Away {
        probes: u32,
        rto: Dur,
        at: SimTime,
    },
    /// TCP is stopped; so many of the first segments are under way again, at most `window`; from the first on at that instant.
    Repair {
        window: usize,
        again: usize,
        rto: Dur,
        at: SimTime,
    },
}

impl Layer {
    const fn new(first: u32, own: Arc<[u8]>) -> Self {
        Self {
            kept: VecDeque::new(),
            first,
            next: first,
            own,
            answer: Vec::new(),
            state: State::Open,
            since: SimTime::ZERO,
        }
    }

    const fn next_at(&self) -> SimTime {
        match self.state {
            State::Open => SimTime::MAX,
            State::Away { at, .. } | State::Repair { at, .. } => at,
        }
    }

    /// TCP sends so many bytes, counted with the end of its stream.
    fn leaving(&mut self, cx: &mut Cx<'_>, seq: u32, length: u32, bytes: &Arc<[u8]>) -> Verdict {
        let asks = length > 0 || is_before(seq, self.next);
        let end = seq.wrapping_add(length);
        if is_before(self.next, end) {
            self.kept.push_back(Kept { end, bytes: Arc::clone(bytes) });
            self.next = end;
        }
        self.own = Arc::clone(bytes);
        // Without data: an acknowledgment of what the peer sends.
        if self.state == State::Open || !asks {
            return Verdict::Pass;
        }
        // Data that left before TCP heard that it shall stop, or a question whether the window is still closed.
        self.close(cx);
        Verdict::Swallow
    }

    /// TCP hears that all has arrived, and that no more may be sent.
    fn close(&self, cx: &mut Cx<'_>) {
        cx.tell(acknowledgment(&self.answer, self.next, 0, false));
    }

    /// There is no route.
    fn freeze(&mut self, cx: &mut Cx<'_>, rto: Dur) {
        if matches!(self.state, State::Away { .. }) || self.answer.is_empty() {
            return;
        }
        if self.state == State::Open {
            cx.counts.freezes += 1;
            self.since = cx.now;
            self.close(cx);
        }
        self.state = State::Away { probes: 0, rto, at: cx.now + rto };
    }

    /// The receiver acknowledges, and perhaps sends data of its own.
    fn arriving(&mut self, cx: &mut Cx<'_>, ack: u32, bytes: &[u8], carries: bool) -> Verdict {
        let new = is_before(self.first, ack);
        let before = self.kept.len();
        if new {
            self.first = ack;
            self.kept.retain(|kept| is_before(ack, kept.end));
        }
        self.answer = bytes.to_vec();
        match self.state {
            State::Open => return Verdict::Pass,
            // It was under way already, and says nothing of a route.
            State::Away { probes: 0, .. } if cx.config.reconnect == Reconnect::Answer => {}
            State::Away { rto, .. } => {
                self.state = State::Repair { window: 1, again: 0, rto, at: cx.now + rto };
                self.repair(cx);
            }
            State::Repair { window, again, rto, .. } if new => {
                let again = again.saturating_sub(before - self.kept.len());
                self.state = State::Repair { window: window + 1, again, rto, at: cx.now + rto };
                self.repair(cx);
            }
            State::Repair { .. } => {}
        }
        if carries {
            let most = if self.state == State::Open { window(bytes) } else { 0 };
            cx.tell(acknowledgment(bytes, self.next, most, true));
        }
        Verdict::Swallow
    }

    /// Sends what may be sent again; opens the window of TCP if nothing is left of it.
    fn repair(&mut self, cx: &mut Cx<'_>) {
        let State::Repair { window: most, again, .. } = &mut self.state else { return };
        if self.kept.is_empty() {
            self.state = State::Open;
            cx.counts.thawed(cx.now, self.since);
            return cx.tell(acknowledgment(&self.answer, self.next, window(&self.answer), false));
        }
        let until = self.kept.len().min(*most);
        for kept in self.kept.range((*again).min(until)..until) {
            cx.counts.retransmissions += 1;
            cx.out.extend(stamped(&kept.bytes, &self.own).map(|said| Said::Network(cx.host, said.into())));
        }
        *again = until.max(*again);
    }

    /// The timer of the layer.
    fn due(&mut self, cx: &mut Cx<'_>) {
        match self.state {
            State::Open => {}
            State::Away { probes, rto, .. } => {
                cx.counts.probes += 1;
                cx.out.extend(probe(&self.own, self.first).map(|said| Said::Network(cx.host, said.into())));
                let steps = match cx.config.probe_back_off {
                    BackOff::Linear => u64::from(probes) + 2,
                    BackOff::Exponential => 2 << probes.min(16),
                };
                let at = cx.now + (rto * steps).min(LONGEST);
                self.state = State::Away { probes: probes.saturating_add(1), rto, at };
            }
            State::Repair { rto, .. } => {
                let rto = (rto * 2).min(LONGEST);
                self.state = State::Repair { window: 1, again: 0, rto, at: cx.now + rto };
                self.repair(cx);
            }
        }
    }
}

/// Whether a number of TCP comes before another (RFC 9293 §3.4).
const fn is_before(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() < 0
}

#[cfg(test)]
mod tests;
