//! What routing wants sent later: messages and packets with a delay.

use super::interfaces::IfIndex;
use super::stack::{Action, Node};
use super::wires;
use crate::contract::{Cx, Sink};
use crate::hop_rate;
use crate::mac;
use crate::queue;
use crate::routing::Outgoing;
use crate::signals;
use crate::units::{NodeId, SimTime, counters};
use crate::wire::PacketId;

/// Something that goes to the queue when its time has come.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Later {
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
pub(super) struct Outbox {
    entries: Vec<(SimTime, Later)>,
    /// The earliest of them; `SimTime::MAX` if there is none.
    next: SimTime,
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
        Self { entries: Vec::new(), next: SimTime::MAX, due: Vec::new(), sent: Sent::default() }
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

    /// A machine asks to be woken. It has one timer: this request replaces the one before, and `SimTime::MAX` only ends that.
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

    /// What is due, in the order of the requests.
    fn take_due(&mut self, now: SimTime) -> Vec<Later> {
        let mut due = std::mem::take(&mut self.due);
        due.extend(self.entries.extract_if(.., |(at, _)| *at <= now).map(|(_, what)| what));
        self.find_next();
        due
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

impl Node {
    /// Sends what is due.
    pub(super) fn empty_outbox<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        if self.outbox.next() > cx.now {
            return;
        }
        let mut due = self.outbox.take_due(cx.now);
        for what in due.drain(..) {
            match what {
                Later::Message(message) => self.send_message(cx, message, out),
                Later::Packet { packet, to } => self.pass_on(cx, packet, to, out),
                Later::Resolution(via, message) => self.send_resolution(cx, via, message, out),
                Later::HoldEnds(via) => self.end_holds(cx, via, out),
                Later::QueueTimer(via) => self.feed_queue_cold(cx, via, queue::Input::Timer, out),
                Later::MacTimer(via) => {
                    self.feed_mac(cx, via, || mac::Input::Timer(mac::Timer::Release), out)
                }
                Later::HopRate => self.tell_hop_rate(cx, hop_rate::Input::Timer, out),
                Later::Wires => {
                    self.tell_wires(cx, wires::Input::Timer, out);
                }
                Later::Notifier => self.tell_notifier(cx, signals::Input::Timer, out),
            }
        }
        self.outbox.due = due;
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
}
