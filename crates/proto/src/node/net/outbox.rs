//! What a node does later: messages and packets that routing wants delayed, and the timers of what is below the
//! transport layer.

use super::interfaces::IfIndex;
use crate::routing::Outgoing;
use crate::units::{NodeId, SimTime, counters};
use crate::wire::PacketId;

/// Something that goes to the queue when its time has come.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::node) enum Later {
    /// A message, which is made then.
    Message(Outgoing),
    /// A packet, in the node's custody until then.
    Packet { packet: PacketId, to: NodeId },
    /// Nothing: the end of the hold that ends first, when the MAC of the interface may be offered what was held.
    HoldEnds(IfIndex),
    /// Nothing: the timer of the interface's queue.
    QueueTimer(IfIndex),
    /// Nothing: the release timer of the interface's MAC.
    MacTimer(IfIndex),
    /// A packet that looks up an address for the interface; it is made then.
    Resolution(IfIndex, Outgoing),
    /// Nothing: the notifier has asked to be woken.
    Notifier,
    /// Nothing: hop-by-hop rate control has asked to be woken.
    HopRate,
    /// Nothing: a wired link has asked to be woken.
    Wires,
}

/// What is to be sent later, in the order of the requests.
#[derive(Debug)]
pub(in crate::node) struct Outbox {
    entries: Vec<(SimTime, Later)>,
    /// The earliest of them; `SimTime::MAX` if there is none.
    next: SimTime,
    /// When the driver will wake the node for this timer, as the node last asked; `SimTime::MAX` if it did not.
    armed: SimTime,
    /// What is due; kept for its memory.
    due: Vec<Later>,
    /// What routing has sent, at once or later.
    pub(super) sent: Sent,
}

counters! {
    /// Messages of the routing protocol that a node has handed to its link, made here or passed on.
    pub(super) struct Sent {
        pub(super) messages = "routing.messages",
        /// Their sizes, from IP's header on.
        pub(super) bytes = "routing.message-bytes",
    }
}

impl Outbox {
    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            next: SimTime::MAX,
            armed: SimTime::MAX,
            due: Vec::new(),
            sent: Sent::default(),
        }
    }

    /// When the next thing is due.
    #[inline]
    pub(super) const fn next(&self) -> SimTime {
        self.next
    }

    pub(super) fn push(&mut self, at: SimTime, what: Later) {
        self.entries.push((at, what));
        self.next = self.next.min(at);
    }

    /// A machine asks to be woken. It has one timer: this request replaces the one before, and `SimTime::MAX` only ends
    /// that.
    pub(super) fn arm(&mut self, at: SimTime, timer: Later) {
        let same = |(_, other): &(SimTime, Later)| *other == timer;
        self.entries.retain(|entry| !same(entry));
        if at < SimTime::MAX {
            self.entries.push((at, timer));
        }
        self.find_next();
    }

    fn find_next(&mut self) {
        self.next = self.entries.iter().map(|&(at, _)| at).min().unwrap_or(SimTime::MAX);
    }

    /// The upper timer shall fire at this instant. Returns whether that is to be asked for: it stands later, or not at
    /// all.
    #[inline(always)]
    pub(super) fn wakes_before(&mut self, at: SimTime) -> bool {
        let earlier = at < self.armed;
        if earlier {
            self.armed = at;
        }
        earlier
    }

    /// The upper timer has fired. What is due, in the order of the requests; the list goes back by
    /// [`Outbox::take_back`].
    pub(in crate::node) fn take_due(&mut self, now: SimTime) -> Vec<Later> {
        self.armed = SimTime::MAX;
        let mut due = std::mem::take(&mut self.due);
        if self.next > now {
            return due;
        }
        due.extend(self.entries.extract_if(.., |(at, _)| *at <= now).map(|(_, what)| what));
        self.find_next();
        due
    }

    /// Takes an empty list back.
    pub(in crate::node) fn take_back(&mut self, due: Vec<Later>) {
        self.due = due;
    }

    /// Forgets everything; returns the packets that waited here.
    pub(super) fn flush(&mut self) -> Vec<PacketId> {
        let packets = self.packets().collect();
        self.entries.clear();
        self.find_next();
        packets
    }

    /// How much waits here, timers included.
    #[cfg(test)]
    pub(super) const fn len(&self) -> usize {
        self.entries.len()
    }

    /// The packets that wait here.
    pub(super) fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.entries.iter().filter_map(|(_, what)| match what {
            Later::Packet { packet, .. } => Some(*packet),
            Later::Message(_)
            | Later::Resolution(..)
            | Later::HoldEnds(_)
            | Later::QueueTimer(_)
            | Later::MacTimer(_)
            | Later::Notifier
            | Later::HopRate
            | Later::Wires => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Later, Outbox};
    use crate::units::SimTime;

    const fn ms(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    #[test]
    fn each_machine_has_one_timer_and_the_last_request_counts() {
        let mut outbox = Outbox::new();
        for at in [30, 10, 20] {
            outbox.arm(ms(at), Later::HopRate);
            outbox.arm(ms(at + 5), Later::Notifier);
        }
        assert_eq!((outbox.len(), outbox.next()), (2, ms(20)));
        assert_eq!(outbox.take_due(ms(22)), [Later::HopRate]);
        outbox.arm(SimTime::MAX, Later::Notifier);
        assert_eq!((outbox.len(), outbox.next()), (0, SimTime::MAX));
    }

    #[test]
    fn the_nodes_timer_is_asked_for_only_when_it_stands_later() {
        let mut outbox = Outbox::new();
        let asked = [20, 30, 20, 10].map(|at| outbox.wakes_before(ms(at)));
        assert_eq!(asked, [true, false, false, true]);
        assert!(outbox.take_due(ms(10)).is_empty(), "it fires, and nothing is due");
        assert!(outbox.wakes_before(ms(30)), "it stands no more");
        assert!(!outbox.wakes_before(SimTime::MAX), "never is no instant");
    }
}
