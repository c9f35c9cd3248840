//! The receiving side of aggregation: what a station has of MPDUs from its neighbours, and what it answers.

use super::peer::{Peer, PeerCounters};
use super::recipient::{Reception, Recipient};
use crate::contract::{Cx, Sink, drop_packet};
use crate::mac::{Action, Timer};
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::{Bitmap, DropReason, Frame, PacketId};

/// What the receiving side counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecipientCounters {
    /// Block acks sent.
    pub block_acks: u64,
    /// MPDUs that came after the reordering buffer had given up waiting for them.
    pub late: u64,
}

/// The scoreboards and reordering buffers of a station.
#[derive(Debug)]
pub struct Recipients {
    from: Vec<(Peer, Recipient)>,
    /// What was counted of neighbours before the station went down.
    gone: Vec<(Peer, PeerCounters)>,
    /// How long an MPDU waits for one before it; zero: for ever.
    patience: Dur,
    /// When the release timer was asked for.
    armed: SimTime,
    /// For how long the frame that is answered next reserves the medium.
    reserved: Dur,
    counters: RecipientCounters,
}

impl Recipients {
    /// A station that has received nothing.
    pub(super) fn new(patience: Dur) -> Self {
        Self {
            from: Vec::new(),
            gone: Vec::new(),
            patience,
            armed: SimTime::MAX,
            reserved: Dur::ZERO,
            counters: RecipientCounters::default(),
        }
    }

    /// A frame has come that is answered, and reserves the medium for so long.
    pub(in crate::mac) const fn note_reservation(&mut self, reserved: Dur) {
        self.reserved = reserved;
    }

    /// For how long the frame that is answered next reserves the medium.
    pub(in crate::mac) const fn reserved(&self) -> Dur {
        self.reserved
    }

    /// MPDUs of a neighbour with this window: each goes up in its turn. Returns whether some go up before the frame
    /// ends.
    pub(super) fn receive<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        frame: &Frame,
        window: u16,
        out: &mut S,
    ) -> bool {
        let count = cx.packets.mpdus(frame.batch).len().max(1);
        let packs = cx.packets.packs(frame.batch);
        let (map, last, mut up) = (cx.packets.map(frame.batch), count - 1, Vec::with_capacity(count));
        let (mut early, mut late) = (false, 0);
        let recipient = self.of(sender(frame), window, frame.sequence, cx.now, &mut up);
        for place in 0..=last {
            early |= place == last && !up.is_empty();
            let several = cx.packets.mpdus(frame.batch).get(place);
            let (number, packet) =
                several.map_or((frame.sequence, frame.packet), |it| (it.number, it.packet));
            if several.is_some() && !map.has(place as u16) {
                continue; // no more than 256
            }
            let reception = recipient.receive(number);
            let packed = packs.then(|| cx.packets.packed(frame.batch, place as u16));
            let mut more: Vec<PacketId> = packed.map_or_else(Vec::new, Iterator::collect);
            match reception {
                Reception::New => {
                    let first = cx.packets.receive(packet);
                    more.iter_mut().for_each(|packet| *packet = cx.packets.receive(*packet));
                    recipient.keep(number, (first, more), cx.now, &mut up);
                }
                Reception::Duplicate => {
                    [packet].into_iter().chain(more).for_each(|packet| cx.packets.receive_duplicate(packet));
                }
                Reception::Late => {
                    for packet in [packet].into_iter().chain(more) {
                        let copy = cx.packets.receive(packet);
                        out.put(Action::Dropped(drop_packet(cx, copy, DropReason::TooLate)));
                    }
                }
            }
            late += u64::from(reception == Reception::Late);
        }
        self.counters.late += late;
        self.hand_up(up.into_iter().map(|packet| (packet, frame.from)), cx.now, out);
        early
    }

    /// A neighbour with this window asks for a block ack, and says where its window begins.
    pub(super) fn move_to<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        request: &Frame,
        window: u16,
        out: &mut S,
    ) {
        let mut up = Vec::new();
        self.of(sender(request), window, request.sequence, now, &mut up).move_to(
            request.sequence,
            now,
            &mut up,
        );
        self.hand_up(up.into_iter().map(|packet| (packet, request.from)), now, out);
    }

    /// The release timer ends.
    #[cold]
    pub(in crate::mac) fn release<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        let mut all = Vec::new();
        self.armed = SimTime::MAX;
        for (from, recipient) in &mut self.from {
            let mut up = Vec::new();
            recipient.release(now, self.patience, &mut up);
            all.extend(up.into_iter().map(|packet| (packet, from.node)));
        }
        self.hand_up(all.into_iter(), now, out);
    }

    /// A block ack for a neighbour is sent: what it says.
    pub(in crate::mac) fn answer(&mut self, to: Peer) -> (u16, Bitmap) {
        self.counters.block_acks += 1;
        let of = self.from.iter().find(|(peer, _)| *peer == to);
        of.map_or((0, Bitmap::NONE), |(_, recipient)| recipient.scoreboard())
    }

    /// The copies that wait in reordering buffers.
    pub fn kept(&self) -> impl Iterator<Item = PacketId> {
        self.from.iter().flat_map(|(_, recipient)| recipient.packets())
    }

    /// What was counted.
    #[must_use]
    pub const fn counters(&self) -> RecipientCounters {
        self.counters
    }

    /// Tells what became of the MPDUs from each neighbour; a neighbour may come several times.
    pub(super) fn each_peer(&self, tell: &mut dyn FnMut(Peer, PeerCounters)) {
        self.from.iter().for_each(|(peer, recipient)| tell(*peer, recipient.waits()));
        self.gone.iter().for_each(|(peer, waits)| tell(*peer, *waits));
    }

    /// The station goes down: what waited to go up.
    pub(super) fn restart(&mut self) -> Vec<PacketId> {
        let kept = self.kept().collect();
        self.gone.extend(self.from.drain(..).map(|(peer, recipient)| (peer, recipient.waits())));
        self.armed = SimTime::MAX;
        kept
    }

    /// Scoreboard and buffer for a neighbour, from which a frame or a request with this number as its first has come.
    pub(super) fn of(
        &mut self,
        from: Peer,
        window: u16,
        first: u16,
        now: SimTime,
        up: &mut Vec<PacketId>,
    ) -> &mut Recipient {
        let place = self.from.iter().position(|(peer, _)| *peer == from).unwrap_or_else(|| {
            self.from.push((from, Recipient::new(window, first)));
            self.from.len() - 1
        });
        let recipient = &mut self.from[place].1;
        recipient.meet(first, now, up);
        recipient
    }

    fn hand_up<S: Sink<Action> + ?Sized>(
        &mut self,
        up: impl Iterator<Item = (PacketId, NodeId)>,
        now: SimTime,
        out: &mut S,
    ) {
        for (packet, from) in up {
            out.put(Action::Deliver { packet, from });
        }
        if let Some(at) = self.rearm(now) {
            out.put(Action::Arm(Timer::Release, at));
        }
    }

    /// When the release timer is to end, if that is earlier than was asked for, or not asked for at all. It may end
    /// early. What waits behind a gap may have come long before what stood ahead of it: then it ends at once.
    pub(super) fn rearm(&mut self, now: SimTime) -> Option<SimTime> {
        if self.patience == Dur::ZERO {
            return None;
        }
        let deadlines = self.from.iter().filter_map(|(_, recipient)| recipient.deadline(self.patience));
        let first = deadlines.min()?.max(now);
        let earlier = first < self.armed;
        self.armed = self.armed.min(first);
        earlier.then_some(first)
    }
}

/// Which neighbour sent a frame, and with which priority.
const fn sender(frame: &Frame) -> Peer {
    Peer { node: frame.from, priority: frame.priority }
}
