//! The machine: what it is told, the beginning of a slot, and when it wakes.

use std::collections::VecDeque;

use super::clock::Clock;
use super::config::{FrnConfig, LifetimeStart};
use super::counters::Counters;
use super::entry::{Entry, Lane, State};
use super::history::{History, Record};
use super::interval::upper_end;
use crate::link::{Action, CustomLink, End, Input};
use crate::mac::{Sensed, Timer};
use crate::port::{Cause, Cx, Sink, Way, Ways, drop_packet};
use crate::units::{Bytes, Dur, NodeId, Rng, SimTime};
use crate::wire::{DropReason, PacketId, PacketKind};

/// Packets that have gone on, or were taken in: so many are remembered to count duplicates.
const REMEMBERED: usize = 64;
/// In the header: no limit on retransmissions.
const NO_LIMIT: u16 = 0xff;

/// An FRN ACK that is to be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) slot: u64,
    pub(super) to: NodeId,
    pub(super) uid: u64,
}

/// A packet that has just been handed up and may come back to be sent on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) packet: PacketId,
    pub(super) uid: u64,
    pub(super) from: NodeId,
    /// In which slot it goes on.
    pub(super) slot: u64,
}

/// One node's data link.
#[derive(Clone, Debug)]
pub struct Frn {
    pub(super) config: FrnConfig,
    pub(super) me: NodeId,
    pub(super) rng: Rng,
    pub(super) clock: Clock,
    /// In the order in which they came.
    pub(super) entries: Vec<Entry>,
    pub(super) answers: Vec<Answer>,
    pub(super) arrivals: Vec<Arrival>,
    pub(super) passed: VecDeque<u64>,
    /// Slot in which it is silent.
    pub(super) silent: u64,
    /// When the last signal began, and the one before.
    heard: [SimTime; 2],
    /// Until when the medium is busy with it.
    busy_until: SimTime,
    /// When its own frame ends.
    pub(super) sending_until: SimTime,
    /// The first slot in which it may send what it has not just received.
    pub(super) free_from: u64,
    /// Slot for which it has asked to be woken.
    armed: u64,
    full: bool,
    pub(super) history: History,
    /// Failures since the last success.
    in_a_row: u32,
    pub(super) ways: Vec<Way>,
    pub(super) counters: Counters,
}

impl Frn {
    /// The link of node `me`; `rng` draws its waits and the error of its clock.
    #[must_use]
    pub fn new(config: FrnConfig, me: NodeId, mut rng: Rng) -> Self {
        let late = match config.clock_error {
            Dur::ZERO => Dur::ZERO,
            error => rng.range_dur(Dur::ZERO, error * 2),
        };
        Self {
            clock: Clock::new(config.slot, late),
            history: History::new(config.history as usize, config.history_age.into()),
            config,
            me,
            rng,
            entries: Vec::new(),
            answers: Vec::new(),
            arrivals: Vec::new(),
            passed: VecDeque::new(),
            silent: 0,
            heard: [SimTime::ZERO; 2],
            busy_until: SimTime::ZERO,
            sending_until: SimTime::ZERO,
            free_from: 0,
            armed: u64::MAX,
            full: false,
            in_a_row: 0,
            ways: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// What it has done.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Its last transmissions.
    #[must_use]
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// A packet from above: made here, or just received and to be sent on.
    fn take_in(
        &mut self,
        cx: &mut Cx<'_>,
        (packet, to, size): (PacketId, NodeId, Bytes),
        out: &mut dyn Sink<Action>,
    ) {
        if self.entries.len() >= self.config.limit as usize {
            self.full = true;
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::QueueFull)));
        }
        let kept = &mut cx.packets[packet];
        let arrival = self.arrivals.iter().position(|it| it.packet == packet && it.uid == kept.uid);
        let arrival = arrival.map(|place| self.arrivals.swap_remove(place));
        if arrival.is_none() && kept.source == self.me {
            let limit = self.config.max_retransmissions.and_then(|most| u16::try_from(most).ok());
            kept.mac_sequence = limit.unwrap_or(NO_LIMIT) << 8;
            kept.enqueued = cx.now;
        }
        let begun = kept.source != self.me || self.config.lifetime_start == LifetimeStart::Enqueue;
        let entry = Entry {
            packet,
            uid: kept.uid,
            lane: if kept.kind() == PacketKind::TcpAck { Lane::Ack } else { Lane::Data },
            size,
            destination: kept.destination,
            from: arrival.map_or(NodeId::BROADCAST, |it| it.from),
            to,
            first: 0,
            attempts: 0,
            sent: 0,
            beside: 0,
            state: arrival.map_or(State::Ready, |it| State::On(it.slot)),
            dies: if begun { self.end_of_life(kept.enqueued) } else { u64::MAX },
        };
        self.entries.push(entry);
        self.wake(self.clock.number(cx.now), out);
    }

    /// The slot in which a packet is discarded whose life began at an instant.
    pub(super) fn end_of_life(&self, began: SimTime) -> u64 {
        if self.config.lifetime == 0 {
            return u64::MAX;
        }
        self.clock.number(began).saturating_add(self.config.lifetime.into())
    }

    /// A slot begins: what has failed or lived too long is settled, and who may send decides when.
    fn begin_slot(&mut self, cx: &mut Cx<'_>, ways: &dyn Ways, out: &mut dyn Sink<Action>) {
        let slot = self.clock.number(cx.now);
        if self.armed <= slot {
            self.armed = u64::MAX;
        }
        if cx.now == self.clock.start(slot) {
            self.arrivals.clear();
            self.settle(cx, slot, out);
            if let Some(at) = self.begins_at(cx.now, slot) {
                if at > cx.now {
                    return out.put(Action::Arm(Timer::Access, at));
                }
                self.send(cx, slot, ways, out);
            }
        }
        self.wake(slot, out);
    }

    /// When in this slot it begins to send, if it does.
    fn begins_at(&mut self, now: SimTime, slot: u64) -> Option<SimTime> {
        if now < self.sending_until {
            return None;
        }
        let ahead = self.goes_ahead(slot);
        if self.silent == slot {
            self.counters.silences += u64::from(ahead || self.contender(slot).is_some());
            return None;
        }
        let start = now + self.config.guard;
        if ahead {
            return Some(start);
        }
        self.contender(slot)?;
        let turn = match self.config.mini_slots {
            1 => 0,
            many => 1 + self.rng.below(many),
        };
        Some(start + self.config.mini_slot * u64::from(turn))
    }

    /// Its turn in the slot has come.
    fn access(&mut self, cx: &mut Cx<'_>, ways: &dyn Ways, out: &mut dyn Sink<Action>) {
        let slot = self.clock.number(cx.now);
        if cx.now >= self.sending_until && self.silent != slot {
            if self.goes_ahead(slot) || !self.hears_another(cx.now, slot) {
                self.send(cx, slot, ways, out);
            } else {
                self.counters.deferrals += 1;
            }
        }
        self.wake(slot, out);
    }

    /// Whether somebody has begun to send before this instant, in this slot or still from before.
    fn hears_another(&self, now: SimTime, slot: u64) -> bool {
        let last = if self.heard[0] < now { self.heard[0] } else { self.heard[1] };
        last < now && (last >= self.clock.start(slot) && slot > 0 || self.busy_until > now)
    }

    /// Packets that have lived too long, and those whose echo did not come.
    fn settle(&mut self, cx: &mut Cx<'_>, slot: u64, out: &mut dyn Sink<Action>) {
        let mut place = 0;
        while let Some(entry) = self.entries.get(place) {
            let missed = matches!(entry.state, State::Waiting { echo } if echo < slot);
            if missed {
                self.miss(cx, place, slot);
            }
            let Entry { packet, to, dies, attempts, .. } = self.entries[place];
            let header = cx.packets[packet].mac_sequence;
            let (most, count) = (header >> 8, header & 0xff);
            if dies <= slot {
                self.counters.outlived += 1;
                self.leave(place);
                out.put(Action::Dropped(drop_packet(cx, packet, DropReason::Expired)));
            } else if missed && most != NO_LIMIT && count > most {
                self.counters.given_up += 1;
                self.leave(place);
                out.put(Action::Ended(packet, End::GaveUp { to, cause: Cause::DataLimit, attempts }));
            } else {
                place += 1;
            }
        }
        self.tell_room(out);
    }

    /// The echo of a packet did not come: it is to be sent again.
    fn miss(&mut self, cx: &mut Cx<'_>, place: usize, slot: u64) {
        self.counters.missed += 1;
        let Entry { uid, to, sent, packet, .. } = self.entries[place];
        self.history.add(Record { uid, to, slot, ok: false });
        let header = &mut cx.packets[packet].mac_sequence;
        *header += u16::from(*header & 0xff < 0xff);
        let upper = upper_end(&self.config, self.history.failures(slot), self.in_a_row);
        self.in_a_row += 1;
        self.counters.widened_slots += u64::from(upper.saturating_sub(self.config.retry_to));
        let least = self.config.retry_from;
        let wait = least + self.rng.below(upper.saturating_sub(least) + 1);
        self.entries[place].state = State::Backoff(sent + u64::from(wait));
    }

    /// A packet has got through.
    pub(super) fn through(&mut self, place: usize, slot: u64, out: &mut dyn Sink<Action>) {
        let Entry { packet, uid, to, attempts, .. } = self.leave(place);
        self.counters.echoes += 1;
        self.in_a_row = 0;
        self.history.add(Record { uid, to, slot, ok: true });
        out.put(Action::Ended(packet, End::Delivered { attempts }));
        self.tell_room(out);
    }

    /// Takes out a packet that leaves the link.
    pub(super) fn leave(&mut self, place: usize) -> Entry {
        let entry = self.entries.remove(place);
        self.remember(entry.uid);
        entry
    }

    /// Remembers a packet, to know it when it comes again.
    pub(super) fn remember(&mut self, uid: u64) {
        if self.passed.len() == REMEMBERED {
            self.passed.pop_front();
        }
        self.passed.push_back(uid);
    }

    /// Those who waited for room go on.
    pub(super) fn tell_room(&mut self, out: &mut dyn Sink<Action>) {
        if self.full && self.entries.len() < self.config.limit as usize {
            self.full = false;
            out.put(Action::Room);
        }
    }

    /// Asks to be woken at the next slot in which there is something to do.
    pub(super) fn wake(&mut self, slot: u64, out: &mut dyn Sink<Action>) {
        let answers = self.answers.iter().map(|answer| answer.slot);
        let open = self.open_lanes();
        let entries = self.entries.iter().map(|entry| self.next_step(entry, open).min(entry.dies));
        let Some(next) = answers.chain(entries).min() else { return };
        let next = next.max(slot + 1);
        if next < self.armed {
            self.armed = next;
            out.put(Action::Arm(Timer::Sequence, self.clock.start(next)));
        }
    }

    /// The slot in which a packet is next to be thought of.
    fn next_step(&self, entry: &Entry, open: [bool; 2]) -> u64 {
        match entry.state {
            State::On(due) => due,
            State::Waiting { echo } => echo + 1,
            State::Backoff(due) => due.max(self.free_from),
            State::Ready if open[entry.lane as usize] => self.free_from,
            State::Ready => u64::MAX,
        }
    }

    fn power_off(&mut self, cx: &mut Cx<'_>, out: &mut dyn Sink<Action>) {
        for entry in std::mem::take(&mut self.entries) {
            out.put(Action::Dropped(drop_packet(cx, entry.packet, DropReason::NodeDown)));
        }
        self.answers.clear();
        self.arrivals.clear();
        self.passed.clear();
        self.history = History::new(self.config.history as usize, self.config.history_age.into());
        (self.silent, self.free_from, self.in_a_row, self.full) = (0, 0, 0, false);
        (self.busy_until, self.heard) = (SimTime::ZERO, [SimTime::ZERO; 2]);
        self.armed = u64::MAX;
        out.put(Action::Arm(Timer::Access, SimTime::MAX));
        out.put(Action::Arm(Timer::Sequence, SimTime::MAX));
    }
}

impl CustomLink for Frn {
    fn handle(&mut self, cx: &mut Cx<'_>, input: Input<'_>, ways: &dyn Ways, out: &mut dyn Sink<Action>) {
        match input {
            Input::Packet { packet, to, size } => self.take_in(cx, (packet, to, size), out),
            Input::Receive(frame) => self.hear(cx, frame, out),
            Input::Timer(Timer::Sequence) => self.begin_slot(cx, ways, out),
            Input::Timer(Timer::Access) => self.access(cx, ways, out),
            Input::Power(false) => self.power_off(cx, out),
            Input::Power(true) => {}
        }
    }

    fn sense(&mut self, now: SimTime, sensed: Sensed) -> Option<SimTime> {
        if let Sensed::Carrier(until) | Sensed::Captured(until) | Sensed::Undecodable(until) = sensed
            && until > now
        {
            if now > self.heard[0] {
                self.heard = [now, self.heard[0]];
            }
            self.busy_until = self.busy_until.max(until);
        }
        None
    }

    fn packets(&self) -> Vec<PacketId> {
        self.entries.iter().map(|entry| entry.packet).collect()
    }

    fn free(&self) -> u32 {
        let held = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.config.limit.saturating_sub(held)
    }

    fn withdraw(&mut self, _: &mut Cx<'_>, neighbour: NodeId) -> Vec<PacketId> {
        let waits = |entry: &Entry| entry.to == neighbour && !matches!(entry.state, State::Waiting { .. });
        self.entries.extract_if(.., |entry| waits(entry)).map(|entry| entry.packet).collect()
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
