//! Sinks inside a node: what a layer answers goes straight to the driver where it can, and is kept for the
//! node where another layer has to act.

use std::collections::VecDeque;

use crate::contract::{Hold, Outcome, Sink};
use crate::link::{self, End};
use crate::mac;
use crate::node::contract::{Action, Timer};
use crate::queue;
use crate::units::{NodeId, SimTime};
use crate::wire::{FramePart, PacketId};

/// What the MAC tells the layers above it. The kind stands in a place of its own, where it is read at once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub(in crate::node) enum MacEvent {
    /// A packet for the network layer, from this neighbour.
    Deliver(PacketId, NodeId),
    /// What became of an offered packet.
    Outcome(PacketId, Outcome),
    /// The next of [`Answers::holds`].
    Hold,
    /// It wants to be offered a frame.
    Ready,
    /// It wants to be woken at [`MacAnswers::release`].
    Release,
    /// A link that keeps its packets itself has handed one to the next hop, after so many transmissions.
    HandedOver(PacketId, u32),
    /// The next of [`Answers::ends`].
    Ended,
    /// There is room again in a link that keeps its packets itself.
    Room,
}

/// What a MAC answered in the call under way. It stays with the node, so that the usual call, which answers nothing,
/// touches nothing; the lists are allocated when a call first has more than one answer of a kind.
#[derive(Debug)]
pub(in crate::node) struct MacAnswers {
    /// The station that answers.
    pub(super) station: NodeId,
    /// Whether there is any.
    pub(super) any: bool,
    /// What the transmission carries that begins now.
    pub(super) sent: PacketId,
    pub(super) more_sent: Vec<PacketId>,
    pub(in crate::node) event: Option<MacEvent>,
    pub(in crate::node) more_events: Vec<MacEvent>,
    pub(super) holds: VecDeque<Hold>,
    /// When its release timer is to fire.
    pub(super) release: SimTime,
    /// Packets that leave a link that keeps them itself in another way than to the next hop.
    pub(super) ends: VecDeque<(PacketId, End)>,
}

impl MacAnswers {
    /// None yet.
    pub(super) const fn new(station: NodeId) -> Self {
        Self {
            station,
            any: false,
            sent: PacketId::NONE,
            more_sent: Vec::new(),
            event: None,
            more_events: Vec::new(),
            holds: VecDeque::new(),
            release: SimTime::MAX,
            ends: VecDeque::new(),
        }
    }

    /// Takes what the MAC had to tell, in order; the list is to be given back.
    pub(in crate::node) fn take_events(&mut self) -> Vec<MacEvent> {
        let mut events = std::mem::take(&mut self.more_events);
        if let Some(first) = self.event.take() {
            events.insert(0, first);
        }
        events
    }

    /// Takes a list back, for its memory.
    pub(in crate::node) fn take_back(&mut self, mut events: Vec<MacEvent>) {
        if self.more_events.is_empty() {
            events.clear();
            self.more_events = events;
        }
    }

    #[inline(always)]
    fn event(&mut self, event: MacEvent) {
        self.any = true;
        if self.event.is_none() {
            self.event = Some(event);
        } else {
            self.more_events.push(event);
        }
    }

    #[inline(always)]
    fn sent(&mut self, packet: PacketId, second: Option<FramePart>) {
        self.any = true;
        if self.sent != PacketId::NONE || second.is_some() {
            self.sent_too(second);
        }
        self.sent = packet;
    }

    #[cold]
    fn sent_too(&mut self, second: Option<FramePart>) {
        self.more_sent.push(self.sent);
        self.more_sent.extend(second.map(|part| part.packet));
    }
}

/// Takes the MAC's answers.
pub(super) struct FromMac<'a, S> {
    pub(super) out: &'a mut S,
    pub(super) answers: &'a mut MacAnswers,
}

impl<S: Sink<Action>> Sink<mac::Action> for FromMac<'_, S> {
    #[inline(always)]
    fn put(&mut self, action: mac::Action) {
        match action {
            mac::Action::Transmit(frame) => {
                if frame.packet != PacketId::NONE {
                    self.answers.sent(frame.packet, frame.second);
                }
                self.out.put(Action::Transmit(frame));
            }
            mac::Action::Arm(mac::Timer::Access, at) => {
                self.out.put(Action::Arm(self.answers.station, Timer::Access, at))
            }
            mac::Action::Arm(mac::Timer::Sequence, at) => {
                self.out.put(Action::Arm(self.answers.station, Timer::Sequence, at));
            }
            mac::Action::Arm(mac::Timer::Release, at) => {
                self.answers.release = at;
                self.answers.event(MacEvent::Release);
            }
            mac::Action::Dropped(dropped) => self.out.put(Action::Dropped(dropped)),
            mac::Action::Deliver { packet, from } => self.answers.event(MacEvent::Deliver(packet, from)),
            mac::Action::Outcome(packet, outcome) => self.answers.event(MacEvent::Outcome(packet, outcome)),
            mac::Action::Hold(hold) => {
                self.answers.holds.push_back(hold);
                self.answers.event(MacEvent::Hold);
            }
            mac::Action::Doze(doze) => self.out.put(Action::Doze(self.answers.station, doze)),
            mac::Action::Ready => self.answers.event(MacEvent::Ready),
        }
    }
}

impl<S: Sink<Action>> Sink<link::Action> for FromMac<'_, S> {
    #[inline(always)]
    fn put(&mut self, action: link::Action) {
        match action {
            link::Action::Transmit(frame) => self.put(mac::Action::Transmit(frame)),
            link::Action::Arm(timer, at) => self.put(mac::Action::Arm(timer, at)),
            link::Action::Deliver { packet, from } => self.put(mac::Action::Deliver { packet, from }),
            link::Action::Ended(packet, End::Delivered { attempts }) => {
                self.answers.event(MacEvent::HandedOver(packet, attempts));
            }
            link::Action::Ended(packet, end) => {
                self.answers.ends.push_back((packet, end));
                self.answers.event(MacEvent::Ended);
            }
            link::Action::Dropped(dropped) => self.out.put(Action::Dropped(dropped)),
            link::Action::Room => self.answers.event(MacEvent::Room),
        }
    }
}

/// Takes the queue's answers.
pub(super) struct FromQueue<'a, S> {
    pub(super) out: &'a mut S,
    /// [`SPACE`], [`WAKE`].
    pub(super) flags: u8,
}

/// There is room again in the queue.
pub(super) const SPACE: u8 = 1;
/// The queue wants to be woken at [`queue::Queue::wake_at`].
pub(super) const WAKE: u8 = 2;

impl<S: Sink<Action>> Sink<queue::Action> for FromQueue<'_, S> {
    #[inline(always)]
    fn put(&mut self, action: queue::Action) {
        match action {
            queue::Action::Dropped(dropped) => self.out.put(Action::Dropped(dropped)),
            queue::Action::Space => self.flags |= SPACE,
            queue::Action::Wake => self.flags |= WAKE,
        }
    }
}
