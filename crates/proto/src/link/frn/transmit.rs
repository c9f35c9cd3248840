//! What is sent in a slot, to which node, and which two packets go together.

use super::config::{LifetimeStart, NextHop, Postpone};
use super::entry::{Entry, Lane, Phase, State};
use super::hear::sequence;
use super::machine::Frn;
use super::slot_header::SlotHeader;
use crate::contract::{Cx, NextHopChoice, NextHops, Sink};
use crate::link::{Action, End};
use crate::units::{Bytes, Dur, NodeId};
use crate::wire::{BatchId, Frame, FrameKind, FramePart, PacketId, UserPriority};

impl Frn {
    /// Sends what goes first.
    pub(super) fn send<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        slot: u64,
        next_hops: &impl NextHops,
        out: &mut S,
    ) {
        if let Some(place) = self.answers.iter().position(|answer| answer.slot <= slot) {
            let answer = self.answers.remove(place);
            self.counters.acks += 1;
            let frame = self.frame(FrameKind::Ack, answer.to, self.config.overhead, answer.uid);
            return self.transmit(cx, frame, out);
        }
        let Some(lead) = self.first(slot) else { return };
        self.free_from = slot + u64::from(self.config.hold_off);
        self.counters.frames += 1;
        if self.entries[lead].to.is_broadcast() {
            return self.broadcast(cx, lead, out);
        }
        let Some(other) = self.companion(lead, slot) else {
            let frame = self.alone(cx, lead, (slot, slot + 1), next_hops);
            return self.transmit(cx, frame, out);
        };
        let data_leads = self.entries[lead].lane == Lane::Data;
        let parts = if data_leads { (lead, other) } else { (other, lead) };
        let frame = self.together(cx, parts, slot, next_hops);
        self.transmit(cx, frame, out);
    }

    #[cold]
    fn broadcast<S: Sink<Action>>(&mut self, cx: &Cx<'_>, place: usize, out: &mut S) {
        let Entry { packet, size, uid, .. } = self.leave(place, cx.now);
        self.counters.broadcasts += 1;
        let size = size + self.config.overhead;
        let frame = Frame { packet, ..self.frame(FrameKind::Data, NodeId::BROADCAST, size, uid) };
        self.transmit(cx, frame, out);
        out.put(Action::Ended(packet, End::Broadcast));
        self.tell_room(out);
    }

    /// The frame of one packet, sent in this slot, whose echo is due in that one.
    #[inline(always)]
    fn alone(
        &mut self,
        cx: &mut Cx<'_>,
        place: usize,
        slots: (u64, u64),
        next_hops: &impl NextHops,
    ) -> Frame {
        self.prepare(cx, place, slots, next_hops);
        let Entry { packet, to, size, uid, attempts, .. } = self.entries[place];
        let retry = attempts > 1;
        Frame { packet, retry, ..self.frame(FrameKind::Data, to, size + self.config.overhead, uid) }
    }

    /// The frame of a data packet and a TCP ACK; one of the two echoes comes a slot later.
    fn together(
        &mut self,
        cx: &mut Cx<'_>,
        (data, ack): (usize, usize),
        slot: u64,
        next_hops: &impl NextHops,
    ) -> Frame {
        let (prompt, postponed) = (slot + 1, slot + 2);
        let [of_data, of_ack] = match self.config.postpone {
            Postpone::Ack => [prompt, postponed],
            Postpone::Data => [postponed, prompt],
        };
        let mut frame = self.alone(cx, data, (slot, of_data), next_hops);
        self.prepare(cx, ack, (slot, of_ack), next_hops);
        let Entry { packet, to, size, uid, .. } = self.entries[ack];
        frame.second = Some(FramePart { to, packet });
        frame.size = frame.size + size + self.config.overhead;
        frame.airtime = self.airtimes.of(frame.size, &self.config);
        self.counters.combined += 1;
        self.entries[ack].beside = self.entries[data].uid;
        self.entries[data].beside = uid;
        frame
    }

    /// A packet is about to be sent, and its echo due.
    #[inline(always)]
    fn prepare(
        &mut self,
        cx: &mut Cx<'_>,
        place: usize,
        (slot, echo): (u64, u64),
        next_hops: &impl NextHops,
    ) {
        let to = self.next_hop(place, slot, next_hops);
        let late_start = self.config.lifetime_start == LifetimeStart::FirstTransmission;
        let entry = &mut self.entries[place];
        self.counters.retransmissions += u64::from(entry.attempts > 0);
        if late_start && entry.dies == u64::MAX {
            entry.dies = self.config.end_of_life(slot);
        }
        let left = u16::try_from(entry.dies.saturating_sub(slot)).unwrap_or(SlotHeader::NO_END);
        let packet = &mut cx.packets[entry.packet];
        SlotHeader { life: left, ..SlotHeader::of(packet) }.put(packet);
        (entry.to, entry.sent, entry.beside) = (to, slot, 0);
        entry.state = State::waiting(echo);
        entry.attempts += 1;
        self.look_again();
    }

    /// To which node it goes this time: never back, unless that is the only way.
    #[inline(always)]
    fn next_hop(&mut self, place: usize, slot: u64, next_hops: &impl NextHops) -> NodeId {
        let Entry { destination, from, to, .. } = self.entries[place];
        let all = next_hops.next_hops(destination);
        if let [way] = all {
            return way.neighbour;
        }
        let mut onward = all.iter().filter(|way| way.neighbour != from);
        match (onward.next(), onward.next()) {
            (None, _) => to,
            (Some(way), None) => way.neighbour,
            (Some(best), Some(next)) if best.class != next.class && self.config.next_hop != NextHop::All => {
                best.neighbour
            }
            _ => self.one_of_several(place, slot, all),
        }
    }

    /// The same where there is a choice.
    #[inline(never)]
    fn one_of_several(&mut self, place: usize, slot: u64, all: &[NextHopChoice]) -> NodeId {
        let Entry { from, attempts, to, .. } = self.entries[place];
        let back = all.iter().position(|way| way.neighbour == from);
        let way = |turn: usize| all[turn + usize::from(back.is_some_and(|back| back <= turn))];
        let count = all.len() - usize::from(back.is_some());
        let best = (1..count).find(|&turn| way(turn).class != way(0).class).unwrap_or(count);
        let count = if self.config.next_hop == NextHop::All { count } else { best };
        let [best, count] = [best, count].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        if attempts == 0 {
            // Equally good ones share the beginnings.
            self.entries[place].first = self.rng.below(best);
        }
        let first = self.entries[place].first;
        let turn = |more: u32| {
            let turn = (attempts + more) % count;
            way(if turn < best { (first + turn) % best } else { turn } as usize).neighbour
        };
        if self.config.next_hop != NextHop::LeastFailing {
            return turn(0);
        }
        let failing = |&to: &NodeId| {
            let (failed, all) = self.history.failures_to(to, slot);
            u64::from(failed) * 1_000_000 / u64::from(all.max(1))
        };
        let hop = (0..count).map(turn).min_by_key(failing).unwrap_or(to);
        self.counters.spread += u64::from(hop != turn(0));
        hop
    }

    /// The packet of the other lane that goes along.
    #[inline]
    fn companion(&mut self, lead: usize, slot: u64) -> Option<usize> {
        if !self.config.combine {
            return None;
        }
        let Entry { lane, size, .. } = self.entries[lead];
        let open = self.is_open(lane.other());
        let config = &self.config;
        let may = |entry: &Entry| match entry.state.phase {
            Phase::Ready => open,
            Phase::On => entry.state.due <= slot,
            Phase::Backoff => entry.state.due <= slot || config.combine_waiting,
            Phase::Waiting => false,
        };
        let goes = |entry: &Entry| {
            let apart = entry.lane != lane && !entry.to.is_broadcast();
            apart && may(entry) && config.fit_together(size, entry.size)
        };
        self.entries.iter().position(goes)
    }

    #[inline(always)]
    fn frame(&mut self, kind: FrameKind, to: NodeId, size: Bytes, uid: u64) -> Frame {
        Frame {
            kind,
            retry: false,
            more: false,
            sequence: sequence(uid),
            from: self.me,
            to,
            packet: PacketId::NONE,
            second: None,
            batch: BatchId::NONE,
            priority: UserPriority::BEST_EFFORT,
            size,
            duration: Dur::ZERO,
            tx: self.airtimes.tx,
            airtime: self.airtimes.of(size, &self.config),
        }
    }

    #[inline(always)]
    fn transmit<S: Sink<Action>>(&mut self, cx: &Cx<'_>, frame: Frame, out: &mut S) {
        self.sending_until = cx.now + frame.airtime;
        if self.busy_until > cx.now {
            self.hear_less(cx.now);
        }
        self.airtime += frame.airtime;
        self.bytes += u64::from(frame.size.get());
        out.put(Action::Transmit(frame));
    }
}
