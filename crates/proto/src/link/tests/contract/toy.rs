//! Toys.

use crate::contract::{Backlog, Cause, Cx, NextHops, Offer, Outcome, Sink, drop_packet};
use crate::link::{Action, End, Input, PacketLink};
use crate::mac::{self, Mac, Timer};
use crate::units::{Bytes, Dur, NodeId, SimTime};
use crate::wire::{BatchId, DropReason, Frame, FrameKind, PacketId, UserPriority};

/// What both toys do: one packet at a time, a while after it has come; every fourth is given up.
#[derive(Debug)]
struct Sending {
    me: NodeId,
    count: u32,
    due: SimTime,
}

impl Sending {
    const fn new(me: NodeId) -> Self {
        Self { me, count: 0, due: SimTime::MAX }
    }

    /// When a packet that comes now is sent.
    fn begin(&mut self, now: SimTime) -> SimTime {
        self.due = now + Dur::from_us(500 + 300 * u64::from(self.me.0));
        self.due
    }

    fn frame(&self, packet: PacketId, to: NodeId, size: Bytes) -> Frame {
        Frame {
            kind: FrameKind::Data,
            retry: false,
            more: false,
            sequence: 0,
            from: self.me,
            to,
            packet,
            second: None,
            batch: BatchId::NONE,
            priority: UserPriority::BEST_EFFORT,
            size,
            duration: Dur::ZERO,
            tx: crate::testing::TX,
            airtime: Dur::from_us(2000),
        }
    }

    fn gives_up(&mut self) -> bool {
        self.count += 1;
        self.count.is_multiple_of(4)
    }

    /// A copy for the network layer of what a frame brings.
    fn receives(&self, cx: &mut Cx<'_>, frame: &Frame) -> Option<PacketId> {
        frame.part_for(self.me).map(|packet| cx.packets.receive(packet))
    }
}

/// A MAC that sends without looking.
#[derive(Debug)]
pub(super) struct ToyMac {
    sending: Sending,
    offer: Option<Offer>,
    up: bool,
}

impl ToyMac {
    pub(super) const fn new(me: NodeId) -> Self {
        Self { sending: Sending::new(me), offer: None, up: true }
    }
}

impl Mac for ToyMac {
    fn handle<B: Backlog, S: Sink<mac::Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: mac::Input<'_>,
        _: &B,
        mut out: S,
    ) {
        use mac::Action::{Arm, Deliver, Transmit};
        match input {
            mac::Input::Send(offer) => {
                self.offer = Some(offer);
                let at = self.sending.begin(cx.now);
                out.put(Arm(Timer::Access, at));
            }
            mac::Input::Timer(Timer::Access) if self.sending.due <= cx.now && self.up => {
                self.sending.due = SimTime::MAX;
                let Some(offer) = self.offer else { return };
                let frame = self.sending.frame(offer.packet, offer.to, offer.size);
                out.put(Transmit(frame));
                out.put(Arm(Timer::Sequence, cx.now + frame.airtime));
                self.sending.due = SimTime::MAX;
            }
            mac::Input::Timer(Timer::Access) if self.sending.due < SimTime::MAX => {
                out.put(Arm(Timer::Access, self.sending.due));
            }
            mac::Input::Timer(Timer::Sequence) if self.sending.due == SimTime::MAX => {
                let Some(offer) = self.offer else { return };
                self.offer = None;
                let outcome = match self.sending.gives_up() {
                    true => Outcome::GaveUp { cause: Cause::DataLimit, rts: 0, attempts: 1 },
                    false => Outcome::Delivered { rts: 0, attempts: 1 },
                };
                out.put(mac::Action::Outcome(offer.packet, outcome));
            }
            mac::Input::Receive(frame) => {
                if let Some(packet) = self.sending.receives(cx, frame) {
                    out.put(Deliver { packet, from: frame.from });
                }
            }
            mac::Input::Power(up) => {
                (self.offer, self.up, self.sending.due) = (None, up, SimTime::MAX);
            }
            mac::Input::Timer(_) => {}
        }
    }

    fn wants_frame(&self) -> bool {
        self.offer.is_none() && self.up
    }
}

/// A link that keeps what it sends.
#[derive(Debug)]
pub(super) struct ToyLink {
    sending: Sending,
    kept: Vec<(PacketId, NodeId, Bytes)>,
    /// The first of these is on the air.
    under_way: bool,
}

impl ToyLink {
    pub(super) const fn new(me: NodeId) -> Self {
        Self { sending: Sending::new(me), kept: Vec::new(), under_way: false }
    }

    fn next(&mut self, now: SimTime, out: &mut dyn Sink<Action>) {
        if !self.kept.is_empty() && !self.under_way && self.sending.due == SimTime::MAX {
            let at = self.sending.begin(now);
            out.put(Action::Arm(Timer::Access, at));
        }
    }

    fn end(&mut self, cx: &mut Cx<'_>, out: &mut dyn Sink<Action>) {
        self.under_way = false;
        let (packet, to, _) = self.kept.remove(0);
        let given_up = self.sending.gives_up();
        let end = match to {
            NodeId::BROADCAST => End::Broadcast,
            to if given_up => End::GaveUp { to, cause: Cause::DataLimit, attempts: 1 },
            _ => End::Delivered { attempts: 1 },
        };
        out.put(Action::Ended(packet, end));
        self.next(cx.now, out);
    }
}

impl PacketLink for ToyLink {
    fn handle<N: NextHops, S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, input: Input<'_>, _: &N, mut out: S) {
        let out = &mut out;
        match input {
            Input::Packet { packet, to, size } => {
                self.kept.push((packet, to, size));
                self.next(cx.now, out);
            }
            Input::Timer(Timer::Access) if self.sending.due <= cx.now => {
                self.sending.due = SimTime::MAX;
                let Some(&(packet, to, size)) = self.kept.first() else { return };
                let frame = self.sending.frame(packet, to, size);
                self.under_way = true;
                out.put(Action::Transmit(frame));
                out.put(Action::Arm(Timer::Sequence, cx.now + frame.airtime));
            }
            Input::Timer(Timer::Access) if self.sending.due < SimTime::MAX => {
                out.put(Action::Arm(Timer::Access, self.sending.due));
            }
            Input::Timer(Timer::Sequence) if self.under_way => self.end(cx, out),
            Input::Timer(_) => {}
            Input::Receive(frame) => {
                if let Some(packet) = self.sending.receives(cx, frame) {
                    out.put(Action::Deliver { packet, from: frame.from });
                }
            }
            Input::Power(_) => {
                (self.under_way, self.sending.due) = (false, SimTime::MAX);
                for (packet, ..) in self.kept.drain(..) {
                    out.put(Action::Dropped(drop_packet(cx, packet, DropReason::NodeDown)));
                }
            }
        }
    }

    fn packets(&self) -> Vec<PacketId> {
        self.kept.iter().map(|&(packet, ..)| packet).collect()
    }

    fn free(&self) -> u32 {
        50
    }

    fn withdraw(&mut self, _: &mut Cx<'_>, neighbour: NodeId) -> (Vec<PacketId>, bool) {
        let skip = usize::from(self.under_way);
        let goes = |place: usize, to: NodeId| place >= skip && to == neighbour;
        let mut given_back = Vec::new();
        let mut place = 0;
        self.kept.retain(|&(packet, to, _)| {
            let back = goes(place, to);
            place += 1;
            given_back.extend(back.then_some(packet));
            !back
        });
        (given_back, false)
    }
}
