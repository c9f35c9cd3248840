//! The kick: TCP of Linux that backs off hears at once that its route is back.
//!
//! TCP that hears of an unreachable host while its timer backs off takes one step of the back-off back, and sends again
//! if the timer would then have fired already (RFC 6069, TCP-LCD). So a host that knows of a new route can have its TCP
//! send at once: it says as often as TCP has backed off that the last segment could not be forwarded.

use std::collections::BTreeMap;
use std::sync::Arc;

use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::address::ipv4;

use crate::datagram::{Seen, Way};
use crate::icmp;
use crate::socket::Sockets;

/// Which connections back off, and what they hear.
#[derive(Debug)]
pub(crate) struct Kick {
    /// Time between two looks for connections that back off; each has the way to its destination probed.
    every: Dur,
    /// When it looks next.
    pub(crate) next: SimTime,
    /// The segment that each connection has sent last. While its timer backs off, that is the first one without an
    /// answer.
    last: BTreeMap<Way, Vec<u8>>,
    /// Probes so far.
    pub(crate) probes: u64,
    /// Connections that were told to send again.
    pub(crate) kicks: u64,
}

impl Kick {
    pub(crate) fn new(every: Dur) -> Self {
        Self { every, next: SimTime::ZERO + every, last: BTreeMap::new(), probes: 0, kicks: 0 }
    }

    /// A host sends a datagram.
    pub(crate) fn sent(&mut self, seen: &Seen, bytes: &[u8]) {
        if seen.tcp.is_some_and(|tcp| seen.len > 0 && !tcp.syn) {
            self.last.insert(seen.way(), bytes.to_vec());
        }
    }

    /// The probes that are due: one from each node to each other one to which it has a connection that backs off.
    pub(crate) fn due(&mut self, now: SimTime, sockets: &[Arc<Sockets>]) -> Vec<(NodeId, NodeId, Vec<u8>)> {
        if now < self.next {
            return Vec::new();
        }
        self.next = now + self.every;
        let mut pairs: Vec<(NodeId, NodeId)> = Vec::new();
        self.last.retain(|&(from, to, ports), _| {
            let steps = steps(&sockets[from.index()], (from, to, ports));
            if steps.is_some_and(|steps| steps > 0) && !pairs.contains(&(from, to)) {
                pairs.push((from, to));
            }
            steps.is_some()
        });
        let mut probe = |(from, to)| {
            self.probes += 1;
            (from, to, icmp::probe(from, to, (self.probes & 0xffff) as u16)) // as ping numbers them
        };
        pairs.into_iter().map(&mut probe).collect()
    }

    /// There is a way from one node to another again: what the first one hears.
    pub(crate) fn found(&mut self, from: NodeId, to: NodeId, sockets: &[Arc<Sockets>]) -> Vec<Vec<u8>> {
        let mut told = Vec::new();
        for (&way, segment) in self.last.range((from, to, (0, 0))..=(from, to, (u16::MAX, u16::MAX))) {
            let steps = steps(&sockets[from.index()], way).unwrap_or(0);
            let said = icmp::unreachable(from, segment);
            self.kicks += u64::from(steps > 0);
            told.extend(said.into_iter().flat_map(|said| std::iter::repeat_n(said, steps.into())));
        }
        told
    }
}

/// How often the timer of a connection has backed off since something was acknowledged; none if there is no such
/// connection.
fn steps(sockets: &Sockets, (from, to, ports): Way) -> Option<u8> {
    sockets.ask(ipv4(from), ipv4(to), ports).map(|(info, _)| info.backoff)
}
