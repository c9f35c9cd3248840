//! When a host hears that another one is unreachable: a node that drops a datagram for want of a route says so to its
//! source, as a router does (RFC 1812 §5.2.7.1).

use std::collections::HashMap;
use std::sync::PoisonError;

use multihop_proto::contract::Dropped;
use multihop_proto::signals::{SignalsConfig, Unreachable};
use multihop_proto::units::{Dur, NodeId, SimTime};
use multihop_proto::wire::{DropReason, Frame, GiveUp, PacketId, PacketStore};
use multihop_sim::probe::{Tap, Traced};

use crate::datagram::Seen;
use crate::exchange::{Lost, Shared};

/// Errors that a node may say to one host at once, and the time until it may say one more: the limits of Linux
/// (`icmp_ratelimit`), as RFC 1812 §4.3.2.8 asks for some.
const AT_ONCE: u64 = 6;
const PACE: Dur = Dur::from_secs(1);

/// Which losses are told to the source.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Packets that the MAC gave up are reported too.
    with_the_link: bool,
    /// Whether routing looks for a route when its source needs one.
    on_demand: bool,
    /// For each node and the host that it speaks to: up to when what it has said counts.
    said: HashMap<(NodeId, NodeId), SimTime>,
}

impl Rule {
    pub(crate) fn new(signals: &SignalsConfig, on_demand: bool) -> Self {
        let with_the_link = signals.unreachable && signals.unreachable_when == Unreachable::Lost;
        Self { with_the_link, on_demand, said: HashMap::new() }
    }

    /// Whether the source of this datagram hears of its loss now.
    pub(crate) fn tells(&mut self, now: SimTime, lost: &Lost, seen: &Seen) -> bool {
        self.is_unreachable(lost, seen) && self.may_speak(now, (lost.node, seen.source))
    }

    fn is_unreachable(&self, lost: &Lost, seen: &Seen) -> bool {
        // Under routing on demand a node on the way without a route leaves the search to the source.
        let last_word = !self.on_demand || lost.node == seen.source;
        match lost.reason {
            // Linux gives a connection up for this that is only being opened. So it is said after a search, not for
            // want of one.
            DropReason::NoRoute if seen.tcp.is_some_and(|tcp| tcp.syn) => self.on_demand && last_word,
            _ if seen.tcp.is_some_and(|tcp| tcp.syn) => false,
            DropReason::NoRoute | DropReason::RouteTimeout if last_word => true,
            reason => self.with_the_link && reason.facts().path,
        }
    }

    fn may_speak(&mut self, now: SimTime, between: (NodeId, NodeId)) -> bool {
        let said = self.said.entry(between).or_default();
        let next = (*said).max(now) + PACE;
        let may = next.saturating_since(now) <= PACE * AT_ONCE;
        if may {
            *said = next;
        }
        may
    }
}

/// Sees what is lost, and shows all to another tap.
pub(crate) struct Watch {
    pub(crate) shared: Shared,
    pub(crate) other: Option<Box<dyn Tap>>,
    /// Lost packets whose bytes are still to be read: number of the packet, node, cause.
    pub(crate) noted: Vec<(u64, NodeId, DropReason)>,
}

impl Tap for Watch {
    fn sent(&mut self, now: SimTime, frame: &Frame, packets: &PacketStore) {
        if let Some(other) = &mut self.other {
            other.sent(now, frame, packets);
        }
    }

    fn received(&mut self, now: SimTime, node: NodeId, power: f64, frame: &Frame, packets: &PacketStore) {
        if let Some(other) = &mut self.other {
            other.received(now, node, power, frame, packets);
        }
    }

    fn over_wire(
        &mut self,
        now: SimTime,
        ends: (NodeId, NodeId),
        sent: bool,
        packet: PacketId,
        packets: &PacketStore,
    ) {
        if let Some(other) = &mut self.other {
            other.over_wire(now, ends, sent, packet, packets);
        }
    }

    fn dropped(&mut self, now: SimTime, node: NodeId, dropped: &Dropped, why: Option<GiveUp>) {
        self.noted.push((dropped.loss, node, dropped.reason));
        if let Some(other) = &mut self.other {
            other.dropped(now, node, dropped, why);
        }
    }

    fn pause(&mut self, now: SimTime, packets: &PacketStore) {
        if !self.noted.is_empty() {
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            for (loss, node, reason) in self.noted.drain(..) {
                let lost = packets.lost().iter().find(|lost| lost.loss == loss);
                let bytes = lost.and_then(|lost| lost.message.clone());
                shared.lost.extend(bytes.map(|bytes| Lost { node, reason, bytes }));
            }
        }
        if let Some(other) = &mut self.other {
            other.pause(now, packets);
        }
    }

    fn finish(self: Box<Self>, packets: &PacketStore) -> Result<Option<Traced>, String> {
        self.other.map_or(Ok(None), |other| other.finish(packets))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::datagram::TcpSeen;

    const SOURCE: NodeId = NodeId(0);
    const RELAY: NodeId = NodeId(1);

    fn seen(syn: bool) -> Seen {
        let tcp = TcpSeen { ports: (1, 2), seq: 1, ack: None, syn, ..TcpSeen::default() };
        Seen { source: SOURCE, destination: NodeId(2), protocol: 6, ecn: 0, len: 0, tcp: Some(tcp) }
    }

    fn tells(on_demand: bool, signals: &SignalsConfig, node: NodeId, reason: DropReason, syn: bool) -> bool {
        let lost = Lost { node, reason, bytes: Arc::from([]) };
        Rule::new(signals, on_demand).tells(SimTime::ZERO, &lost, &seen(syn))
    }

    #[test]
    fn a_relay_speaks_where_nothing_else_looks_for_a_route() {
        use DropReason::{NoRoute, QueueFull, RetryLimitRts, RouteTimeout};
        let plain = SignalsConfig::default();
        for (on_demand, node, reason, expected) in [
            (false, RELAY, NoRoute, true),
            (true, RELAY, NoRoute, false),
            (true, SOURCE, NoRoute, true),
            (true, SOURCE, RouteTimeout, true),
            (false, RELAY, RetryLimitRts, false),
            (false, RELAY, QueueFull, false),
        ] {
            assert_eq!(
                tells(on_demand, &plain, node, reason, false),
                expected,
                "{on_demand} {node:?} {reason:?}"
            );
        }
        let with_links = SignalsConfig { unreachable: true, ..plain.clone() };
        assert!(tells(false, &with_links, RELAY, RetryLimitRts, false));
        assert!(!tells(false, &with_links, RELAY, QueueFull, false));
        let no_route =
            SignalsConfig { unreachable: true, unreachable_when: Unreachable::NoRoute, ..plain.clone() };
        assert!(!tells(false, &no_route, RELAY, RetryLimitRts, false));
    }

    #[test]
    fn a_connection_that_is_being_opened_waits_for_the_search() {
        use DropReason::{NoRoute, RetryLimitRts, RouteTimeout};
        let all = SignalsConfig { unreachable: true, ..SignalsConfig::default() };
        for (on_demand, node, reason, expected) in [
            (false, SOURCE, NoRoute, false),
            (false, RELAY, RetryLimitRts, false),
            (true, SOURCE, RouteTimeout, false),
            (true, RELAY, NoRoute, false),
            (true, SOURCE, NoRoute, true),
        ] {
            assert_eq!(
                tells(on_demand, &all, node, reason, true),
                expected,
                "{on_demand} {node:?} {reason:?}"
            );
        }
    }

    #[test]
    fn six_at_once_and_then_one_a_second() {
        let mut rule = Rule::new(&SignalsConfig::default(), false);
        let lost = Lost { node: RELAY, reason: DropReason::NoRoute, bytes: Arc::from([]) };
        let mut at = |ms, of: NodeId| {
            let lost = Lost { node: of, ..lost.clone() };
            rule.tells(SimTime::from_ms(ms), &lost, &seen(false))
        };
        assert_eq!((0..9).filter(|_| at(0, RELAY)).count(), 6);
        assert!(at(0, NodeId(3)), "another node has limits of its own");
        assert!(!at(999, RELAY));
        assert!(at(1000, RELAY));
        assert!(!at(1001, RELAY));
        assert_eq!((0..9).filter(|_| at(60_000, RELAY)).count(), 6);
    }
}
