//! What is sent in a slot, to whom, and which two packets go together.

use super::config::{LifetimeStart, NextHop, Postpone, Queues};
use super::entry::{Entry, Lane, State};
use super::hear::sequence;
use super::machine::Frn;
use crate::link::{Action, End};
use crate::port::{Cx, Sink, Ways};
use crate::units::{Bytes, Dur, NodeId};
use crate::wire::{Frame, FrameKind, PacketId, Part};

/// Long PLCP preamble and header, IEEE 802.11-2020 §15.2.3.
const PREAMBLE: Dur = Dur::from_us(192);

impl Frn {
    /// Whether it sends in this slot whatever others do: an FRN ACK, or a packet on its way.
    pub(super) fn goes_ahead(&self, slot: u64) -> bool {
        self.answers.iter().any(|answer| answer.slot <= slot)
            || self.entries.iter().any(|entry| entry.goes_on(slot))
    }

    /// The packet that it would send if nobody else does: one that is due again, else the first that has not been sent.
    pub(super) fn contender(&self, slot: u64) -> Option<usize> {
        if slot < self.free_from {
            return None;
        }
        let again = (0..self.entries.len()).filter(|&place| self.entries[place].is_due_again(slot));
        again.min_by_key(|&place| self.entries[place].state.due()).or_else(|| {
            let open = self.open_lanes();
            self.entries.iter().position(|entry| entry.state == State::Ready && open[entry.lane as usize])
        })
    }

    /// Whether a packet of each lane may be sent that has not been sent before.
    pub(super) fn open_lanes(&self) -> [bool; 2] {
        let mut open = [true; 2];
        if self.config.stop_and_wait {
            for entry in self.entries.iter().filter(|entry| entry.is_under_way()) {
                match self.config.queues {
                    Queues::One => open = [false; 2],
                    Queues::Two => open[entry.lane as usize] = false,
                }
            }
        }
        open
    }

    /// Sends what goes first.
    pub(super) fn send(&mut self, cx: &mut Cx<'_>, slot: u64, ways: &dyn Ways, out: &mut dyn Sink<Action>) {
        if let Some(place) = self.answers.iter().position(|answer| answer.slot <= slot) {
            let answer = self.answers.remove(place);
            self.counters.acks += 1;
            let frame = self.frame(FrameKind::Ack, answer.to, self.config.overhead, answer.uid);
            return self.transmit(cx, frame, out);
        }
        let on = (0..self.entries.len()).filter(|&place| self.entries[place].goes_on(slot));
        let lead = on.min_by_key(|&place| self.entries[place].state.due()).or_else(|| self.contender(slot));
        let Some(lead) = lead else { return };
        self.free_from = slot + u64::from(self.config.hold_off);
        self.counters.frames += 1;
        if self.entries[lead].to.is_broadcast() {
            let Entry { packet, size, uid, .. } = self.leave(lead);
            let size = size + self.config.overhead;
            let frame = Frame { packet, ..self.frame(FrameKind::Data, NodeId::BROADCAST, size, uid) };
            self.transmit(cx, frame, out);
            out.put(Action::Ended(packet, End::Broadcast));
            return self.tell_room(out);
        }
        let companion = self.companion(lead, slot);
        let (data, ack) = match companion {
            Some(other) if self.entries[lead].lane == Lane::Ack => (other, Some(lead)),
            other => (lead, other),
        };
        let postponed = match (self.config.postpone, ack) {
            (_, None) => None,
            (Postpone::Ack, Some(ack)) => Some(ack),
            (Postpone::Data, Some(_)) => Some(data),
        };
        for place in [Some(data), ack].into_iter().flatten() {
            let echo = slot + 1 + u64::from(postponed == Some(place));
            self.prepare(cx, place, (slot, echo), ways);
        }
        let Entry { packet, to, size, uid, attempts, .. } = self.entries[data];
        let mut frame = self.frame(FrameKind::Data, to, size + self.config.overhead, uid);
        if let Some(ack) = ack {
            let Entry { packet, to, size: more, uid: beside, .. } = self.entries[ack];
            frame = self.frame(FrameKind::Data, frame.to, frame.size + more + self.config.overhead, uid);
            frame.second = Some(Part { to, packet });
            self.counters.combined += 1;
            self.entries[ack].beside = uid;
            self.entries[data].beside = beside;
        }
        (frame.packet, frame.retry) = (packet, attempts > 1);
        self.transmit(cx, frame, out);
    }

    /// A packet is about to be sent, and its echo due.
    fn prepare(&mut self, cx: &mut Cx<'_>, place: usize, (slot, echo): (u64, u64), ways: &dyn Ways) {
        let to = self.next_hop(place, slot, ways);
        let late_start = self.config.lifetime_start == LifetimeStart::FirstTransmission;
        let entry = &mut self.entries[place];
        self.counters.retransmissions += u64::from(entry.attempts > 0);
        let begins = late_start && entry.dies == u64::MAX && self.config.lifetime > 0;
        (entry.to, entry.sent, entry.beside) = (to, slot, 0);
        entry.state = State::Waiting { echo };
        entry.attempts += 1;
        if begins {
            let packet = entry.packet;
            cx.packets[packet].enqueued = cx.now;
            self.entries[place].dies = self.end_of_life(cx.now);
        }
    }

    /// To whom it goes this time: never back, unless that is the only way.
    fn next_hop(&mut self, place: usize, slot: u64, ways: &dyn Ways) -> NodeId {
        let Entry { destination, from, attempts, to, .. } = self.entries[place];
        let mut all = std::mem::take(&mut self.ways);
        all.clear();
        ways.each_way(destination, &mut |way| all.push(way));
        if all.iter().any(|way| way.neighbour != from) {
            all.retain(|way| way.neighbour != from);
        }
        let best = all.iter().take_while(|way| way.class == all[0].class).count();
        let ways = match self.config.next_hop {
            NextHop::All => &all[..],
            NextHop::Forward | NextHop::LeastFailing => &all[..best],
        };
        let count = u32::try_from(ways.len()).unwrap_or(u32::MAX);
        if attempts == 0 && count > 1 {
            // Equally good ones share the beginnings.
            self.entries[place].first = self.rng.below(u32::try_from(best).unwrap_or(1));
        }
        let best = u32::try_from(best).unwrap_or(1).max(1);
        let turn = |more: u32| {
            let turn = (attempts + more) % count;
            let turn = if turn < best { (self.entries[place].first + turn) % best } else { turn };
            ways[turn as usize].neighbour
        };
        let hop = match count {
            0 => to,
            1 => ways[0].neighbour,
            _ if self.config.next_hop == NextHop::LeastFailing => {
                let failing = |&to: &NodeId| {
                    let (failed, all) = self.history.failures_to(to, slot);
                    u64::from(failed) * 1_000_000 / u64::from(all.max(1))
                };
                (0..count).map(turn).min_by_key(failing).unwrap_or(to)
            }
            _ => turn(0),
        };
        self.counters.spread += u64::from(count > 1 && hop != turn(0));
        self.ways = all;
        hop
    }

    /// The packet of the other lane that goes along.
    fn companion(&self, lead: usize, slot: u64) -> Option<usize> {
        if !self.config.combine {
            return None;
        }
        let Entry { lane, size, .. } = self.entries[lead];
        let open = self.open_lanes();
        let config = &self.config;
        let fits = |other: Bytes| {
            let size = size + other + config.overhead + config.overhead;
            airtime(config.rate.airtime(size)) <= self.longest()
        };
        let may = |entry: &Entry| match entry.state {
            State::Ready => open[entry.lane as usize],
            State::On(due) => due <= slot,
            State::Backoff(due) => due <= slot || config.combine_waiting,
            State::Waiting { .. } => false,
        };
        let goes =
            |entry: &Entry| entry.lane != lane && !entry.to.is_broadcast() && may(entry) && fits(entry.size);
        self.entries.iter().position(goes)
    }

    /// Where one queue holds combined frames whole, the first echo ends both packets (section 3.2).
    pub(super) fn end_beside(&mut self, uid: u64, slot: u64, out: &mut dyn Sink<Action>) {
        if uid == 0 || self.config.queues == Queues::Two {
            return;
        }
        let beside = |entry: &Entry| entry.uid == uid && matches!(entry.state, State::Waiting { .. });
        if let Some(place) = self.entries.iter().position(beside) {
            self.through(place, slot, out);
        }
    }

    /// The longest frame that fits in a slot wherever in it a node begins.
    fn longest(&self) -> Dur {
        let sensing = self.config.guard * 2 + self.config.mini_slot * u64::from(self.config.mini_slots);
        self.clock.slot().saturating_sub(sensing)
    }

    fn frame(&self, kind: FrameKind, to: NodeId, size: Bytes, uid: u64) -> Frame {
        Frame {
            kind,
            retry: false,
            more: false,
            sequence: sequence(uid),
            from: self.me,
            to,
            packet: PacketId::NONE,
            second: None,
            size,
            duration: Dur::ZERO,
            airtime: airtime(self.config.rate.airtime(size)),
        }
    }

    fn transmit(&mut self, cx: &Cx<'_>, frame: Frame, out: &mut dyn Sink<Action>) {
        self.sending_until = cx.now + frame.airtime;
        out.put(Action::Transmit(frame));
    }
}

/// Time on the air with the preamble.
fn airtime(payload: Dur) -> Dur {
    PREAMBLE + payload
}
