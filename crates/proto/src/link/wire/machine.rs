//! One end of a wired link: a queue, the packet whose bits are leaving, and the packets on their way here.
//!
//! A packet belongs to the sending end until its last bit has left, and then to the receiving end. Neither end hears
//! what became of it: packets that are lost on the way, or while the wire is cut, are lost in silence.

use std::collections::VecDeque;

use super::WireConfig;
use crate::contract::{Cx, Dropped, Outcome, Sink, drop_packet};
use crate::queue::{self, Queue};
use crate::units::{Bitrate, NodeId, Rng, SimTime, counters};
use crate::wire::{DropReason, PacketId, PacketKind};

/// What an end is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// A packet for the other end: from now on in the custody of this one.
    Packet(PacketId),
    /// The last bit of a packet has left the other end; this is the copy of this end.
    Coming(PacketId),
    /// The time that [`Wire::wake_at`] has named.
    Timer,
    /// The wire is cut (`true`) or whole again: packets that would arrive meanwhile are lost.
    Cut(bool),
    /// The node goes down (`false`) or comes back.
    Power(bool),
}

/// What an end asks for, or tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// The last bit of this packet has left. It is held ([`crate::wire::PacketStore::hold`]) until the other end has a
    /// copy.
    Sent(PacketId),
    /// A packet has arrived.
    Deliver(PacketId),
    /// A packet was lost here.
    Dropped(Dropped),
    /// There is room again after the queue had been full.
    Space,
}

counters! {
    /// Counters of one end.
    pub struct Counters {
        /// Packets sent over wires.
        pub packets = "wire.packets",
        /// Their bytes, with `overhead`.
        pub bytes = "wire.bytes",
        /// Packets lost on the way, by chance or because the wire was cut.
        pub lost = "wire.lost",
    }
}

/// One end of a wired link.
#[derive(Debug)]
pub struct Wire {
    to: NodeId,
    pub(super) config: WireConfig,
    queue: Queue,
    /// What is being sent, and when its last bit leaves.
    sending: Option<(PacketId, SimTime)>,
    /// What is on its way here, and when it arrives; the first first.
    coming: VecDeque<(PacketId, SimTime)>,
    cut: bool,
    /// How many of the next packets with data of a user are lost.
    condemned: u32,
    up: bool,
    /// Losses of packets that arrive here.
    draws: Rng,
    counters: Counters,
}

impl Wire {
    /// An idle end of a wire that leads to the node `to`; `draws` are the losses of what comes from there.
    #[must_use]
    pub const fn new(to: NodeId, config: WireConfig, queue: Queue, draws: Rng) -> Self {
        Self {
            to,
            config,
            queue,
            sending: None,
            coming: VecDeque::new(),
            cut: false,
            condemned: 0,
            up: true,
            draws,
            counters: Counters { packets: 0, bytes: 0, lost: 0 },
        }
    }

    /// The node at the other end.
    #[must_use]
    pub const fn to(&self) -> NodeId {
        self.to
    }

    /// Takes one input.
    pub fn handle(&mut self, cx: &mut Cx<'_>, input: Input, out: &mut impl Sink<Action>) {
        match input {
            Input::Packet(packet) => {
                let input = queue::Input::Enqueue { packet, to: self.to };
                self.queue.handle(cx, input, &mut FromQueue(out));
                self.serve(cx, out);
            }
            Input::Coming(packet) => {
                self.expect(packet, cx.packets.kind(packet), cx.now);
                self.receive(cx, out);
            }
            Input::Timer => {
                self.receive(cx, out);
                self.finish(cx, out);
                if self.queue.wake_at() <= cx.now {
                    self.queue.handle(cx, queue::Input::Timer, &mut FromQueue(out));
                }
            }
            Input::Cut(cut) => self.cut = cut,
            Input::Power(up) => {
                self.up = up;
                if !up {
                    self.sending = None;
                    self.queue.handle(cx, queue::Input::Flush, &mut FromQueue(out));
                }
            }
        }
    }

    /// Begins to send the next packet, if nothing is being sent.
    fn serve(&mut self, cx: &mut Cx<'_>, out: &mut impl Sink<Action>) {
        if self.sending.is_none()
            && self.up
            && let Some(offer) = self.queue.offer(cx, &mut FromQueue(out))
        {
            let size = offer.size + self.config.overhead;
            self.counters.packets += 1;
            self.counters.bytes += u64::from(size.0);
            self.sending = Some((offer.packet, cx.now + self.config.rate.airtime(size)));
        }
    }

    /// The last bit of a packet may have left.
    fn finish(&mut self, cx: &mut Cx<'_>, out: &mut impl Sink<Action>) {
        let Some((packet, _)) = self.sending.filter(|&(_, until)| until <= cx.now) else { return };
        self.sending = None;
        cx.packets.hold(packet);
        out.put(Action::Sent(packet));
        let outcome = Outcome::Delivered { rts: 0, attempts: 1 };
        self.queue.handle(cx, queue::Input::Outcome(packet, outcome), &mut FromQueue(out));
        self.serve(cx, out);
    }

    /// A packet is on its way here: after those that arrive no later.
    fn expect(&mut self, packet: PacketId, kind: PacketKind, now: SimTime) {
        let mut at = now + self.config.delay;
        let late = self.config.late > 0.0 && has_data(kind) && self.draws.f64() < self.config.late;
        if late {
            at += self.config.late_by;
        }
        let place = match self.coming.back() {
            Some(&(_, last)) if last > at => self.coming.partition_point(|&(_, other)| other <= at),
            _ => self.coming.len(),
        };
        self.coming.insert(place, (packet, at));
    }

    /// Packets may have arrived.
    fn receive(&mut self, cx: &mut Cx<'_>, out: &mut impl Sink<Action>) {
        while let Some(&(packet, _)) = self.coming.front().filter(|&&(_, at)| at <= cx.now) {
            self.coming.pop_front();
            let lost = self.loses(cx.packets.kind(packet));
            let reason = match (self.up, self.cut, lost) {
                (false, ..) => DropReason::NodeDown,
                (true, true, _) => DropReason::WireCut,
                (true, false, true) => DropReason::WireLoss,
                (true, false, false) => {
                    out.put(Action::Deliver(packet));
                    continue;
                }
            };
            self.counters.lost += u64::from(reason != DropReason::NodeDown);
            out.put(Action::Dropped(drop_packet(cx, packet, reason)));
        }
    }

    /// Whether a packet is lost because an event or chance takes it: only such with data for a user.
    fn loses(&mut self, kind: PacketKind) -> bool {
        if !has_data(kind) {
            return false;
        }
        let condemned = self.condemned > 0;
        self.condemned = self.condemned.saturating_sub(1);
        condemned || self.config.loss > 0.0 && self.draws.f64() < self.config.loss
    }

    /// When the timer shall fire next; `SimTime::MAX`: never.
    #[must_use]
    pub fn wake_at(&self) -> SimTime {
        let sent = self.sending.map_or(SimTime::MAX, |(_, until)| until);
        let comes = self.coming.front().map_or(SimTime::MAX, |&(_, at)| at);
        sent.min(comes).min(self.queue.wake_at())
    }

    /// Takes out all that waits and has not begun to leave.
    pub(crate) fn withdraw(&mut self, cx: &mut Cx<'_>, out: &mut impl Sink<Action>) -> Vec<PacketId> {
        self.queue.withdraw(cx, self.to, &mut FromQueue(out))
    }

    /// Packets leave at this rate from the next one on.
    pub const fn set_rate(&mut self, rate: Bitrate) {
        self.config.rate = rate;
    }

    /// What comes from the other end is lost with this probability from now on.
    pub const fn set_loss(&mut self, loss: f64) {
        self.config.loss = loss;
    }

    /// So many of the packets with data of a user that come next from the other end are lost.
    pub const fn lose_next(&mut self, packets: u32) {
        self.condemned = packets;
    }

    /// Its queue: what waits, and what is being sent.
    #[must_use]
    pub const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The packets in its custody.
    pub fn packets(&self) -> impl Iterator<Item = PacketId> {
        self.queue.held().map(|entry| entry.packet).chain(self.coming.iter().map(|&(packet, _)| packet))
    }

    /// Tells every counter by its public name, as it stands at `now`.
    pub fn each_counter(&self, now: SimTime, tell: &mut impl FnMut(&'static str, u64)) {
        self.counters.each(tell);
        self.queue.counters(now).each(tell);
    }
}

/// Whether a packet may carry data of a user.
const fn has_data(kind: PacketKind) -> bool {
    matches!(kind, PacketKind::TcpData | PacketKind::Udp | PacketKind::Transport)
}

/// Takes the queue's answers.
struct FromQueue<'a, S>(&'a mut S);

impl<S: Sink<Action>> Sink<queue::Action> for FromQueue<'_, S> {
    fn put(&mut self, action: queue::Action) {
        match action {
            queue::Action::Dropped(dropped) => self.0.put(Action::Dropped(dropped)),
            queue::Action::Space => self.0.put(Action::Space),
            queue::Action::Wake => {} // `wake_at` is read after each call
        }
    }
}
