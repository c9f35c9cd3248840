//! The machine: what it is told, the beginning of a slot, and when it wakes.

use super::airtimes::Airtimes;
use super::clock::Clock;
use super::config::{FrnConfig, LifetimeStart};
use super::counters::Counters;
use super::entry::{Entry, Lane, Phase, State};
use super::held::Held;
use super::history::History;
use super::memory::Memory;
use super::slot_header::SlotHeader;
use super::turn::{Lanes, Outlook};
use crate::contract::{Cx, NextHops, Sink, drop_packet};
use crate::link::{Action, PacketLink};
use crate::mac::Timer;
use crate::units::{Bytes, Dur, NodeId, Rng, SimTime};
use crate::wire::{DropReason, PacketId, PacketKind};

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
    /// In which slot it was handed up: if it comes back in a later one, it is a packet like others.
    pub(super) heard: u64,
    /// In which slot it goes on.
    pub(super) slot: u64,
    /// In which it is discarded.
    pub(super) dies: u64,
}

/// The slot in which a packet is discarded that was sent with this header in a slot.
pub(super) const fn end_of_life(slot: u64, header: SlotHeader) -> u64 {
    if header.life == SlotHeader::NO_END { u64::MAX } else { slot.saturating_add(header.life as u64) }
}

/// One node's data link.
#[derive(Clone, Debug)]
pub struct Frn {
    pub(super) config: FrnConfig,
    pub(super) me: NodeId,
    pub(super) rng: Rng,
    pub(super) clock: Clock,
    pub(super) airtimes: Airtimes,
    /// By the lanes that have packets under way: those that may begin with another.
    pub(super) open: [Lanes; 4],
    /// In the order in which they came.
    pub(super) entries: Vec<Entry>,
    pub(super) held: Held,
    pub(super) answers: Vec<Answer>,
    pub(super) arrivals: Vec<Arrival>,
    /// Packets that have gone on, or were taken in: to count duplicates.
    pub(super) passed: Memory,
    /// Slot in which it is silent.
    pub(super) silent: u64,
    /// When the last signal began.
    pub(super) heard: SimTime,
    /// Until when the medium is busy with it.
    pub(super) busy_until: SimTime,
    /// For how long the medium was or will be busy with the signals of others while it does not send \[ns\].
    pub(super) busy_ns: u64,
    /// When its own frame ends.
    pub(super) sending_until: SimTime,
    /// The first slot in which it may send what it has not just received.
    pub(super) free_from: u64,
    /// Slot for which it has asked to be woken; `u64::MAX` for none.
    pub(super) armed: u64,
    /// If its instant in that slot has been drawn already: the generator as it was before.
    pub(super) undrawn: Option<Rng>,
    /// Whether the instants that it draws come after the beginning of the slot.
    pub(super) draws_later: bool,
    /// What stood out among the entries when it last looked.
    pub(super) outlook: Outlook,
    /// Whether they have changed since.
    pub(super) stale: bool,
    pub(super) full: bool,
    /// Its last transmissions, if they are asked for.
    pub(super) history: History,
    /// Failures since the last success.
    pub(super) in_a_row: u32,
    pub(super) counters: Counters,
    /// For how long it has sent.
    pub(super) airtime: Dur,
    /// Bytes of all frames.
    pub(super) bytes: u64,
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
            airtimes: Airtimes::new(&config),
            open: Lanes::open(&config),
            draws_later: config.guard > Dur::ZERO || config.mini_slots > 1 && config.mini_slot > Dur::ZERO,
            history: History::new(config.history as usize, config.history_age.into()),
            config,
            me,
            rng,
            entries: Vec::new(),
            held: Held::default(),
            answers: Vec::new(),
            arrivals: Vec::new(),
            passed: Memory::new(),
            silent: 0,
            heard: SimTime::ZERO,
            busy_until: SimTime::ZERO,
            busy_ns: 0,
            sending_until: SimTime::ZERO,
            free_from: 0,
            armed: u64::MAX,
            undrawn: None,
            outlook: Outlook::NONE,
            stale: false,
            full: false,
            in_a_row: 0,
            counters: Counters::default(),
            airtime: Dur::ZERO,
            bytes: 0,
        }
    }

    /// What it has done.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// A packet from above: made here, or just received and to be sent on.
    pub(super) fn take_in<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        (packet, to, size): (PacketId, NodeId, Bytes),
        out: &mut S,
    ) {
        if self.entries.len() >= self.config.limit as usize {
            self.full = true;
            return out.put(Action::Dropped(drop_packet(cx, packet, DropReason::QueueFull)));
        }
        let kept = &mut cx.packets[packet];
        let slot = self.clock.number(cx.now);
        let back = |it: &Arrival| it.packet == packet && it.uid == kept.uid && it.heard == slot;
        let arrival = self.arrivals.iter().position(back);
        let arrival = arrival.map(|place| self.arrivals.swap_remove(place));
        let dies = match arrival {
            Some(arrival) => arrival.dies,
            // Its source sets the limits, or the agent that has made it here.
            None if kept.source == self.me || SlotHeader::of(kept) == SlotHeader::NEW => {
                let most = self.config.max_retransmissions.and_then(|most| u8::try_from(most).ok());
                SlotHeader { most: most.unwrap_or(SlotHeader::NO_LIMIT), ..SlotHeader::NEW }.put(kept);
                match self.config.lifetime_start {
                    LifetimeStart::Enqueue => self.config.end_of_life(slot),
                    LifetimeStart::FirstTransmission => u64::MAX,
                }
            }
            None => end_of_life(slot, SlotHeader::of(kept)),
        };
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
            state: arrival.map_or(State::READY, |it| State::on(it.slot)),
            dies,
        };
        self.entries.push(entry);
        self.held.came(cx.now, self.entries.len());
        self.wake_for(&entry, slot, out);
    }

    /// A slot begins: what has failed or lived too long is settled, and the node that may send decides when.
    pub(super) fn begin_slot<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        next_hops: &impl NextHops,
        out: &mut S,
    ) {
        let slot = self.clock.woken(self.armed, cx.now);
        if self.undrawn.is_some() {
            return; // no node has asked for this
        }
        if self.armed <= slot {
            self.armed = u64::MAX;
        }
        if cx.now == self.clock.begins() {
            self.settle(cx, slot, out);
            if let Some(at) = self.begins_at(cx.now, slot) {
                if at > cx.now {
                    self.armed = slot;
                    return out.put(Action::Arm(Timer::Access, at));
                }
                self.send(cx, slot, next_hops, out);
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
        if !ahead && !self.contends(slot) {
            return None;
        }
        if self.silent == slot {
            self.counters.silences += 1;
            return None;
        }
        Some(if ahead { now + self.config.guard } else { self.draw(now) })
    }

    /// Draws an instant of the slot that begins then.
    pub(super) fn draw(&mut self, start: SimTime) -> SimTime {
        let mini_slot = match self.config.mini_slots {
            1 => 0,
            many => 1 + self.rng.below(many),
        };
        start + self.config.guard + self.config.mini_slot * u64::from(mini_slot)
    }

    /// Its instant in the slot has come.
    pub(super) fn access<S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        next_hops: &impl NextHops,
        out: &mut S,
    ) {
        let slot = self.clock.number(cx.now);
        if self.armed <= slot {
            (self.armed, self.undrawn) = (u64::MAX, None);
            if cx.now >= self.sending_until && self.silent != slot {
                if !self.hears_another(cx.now, slot) || self.goes_ahead(slot) {
                    self.send(cx, slot, next_hops, out);
                } else {
                    self.counters.deferrals += 1;
                }
            }
        }
        self.wake(slot, out);
    }

    /// Whether an FRN ACK is to be sent in this slot, or what has just been received.
    fn goes_ahead(&mut self, slot: u64) -> bool {
        self.sends_on(slot) || self.answers.iter().any(|answer| answer.slot <= slot)
    }

    /// Whether a node has begun to send before this instant, in this slot or still from before. The node that begins at
    /// this very instant is heard after its timers.
    fn hears_another(&self, now: SimTime, slot: u64) -> bool {
        self.heard < now && (self.heard >= self.clock.begins() && slot > 0 || self.busy_until > now)
    }

    pub(super) fn power_off<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        (0..self.entries.len()).rev().for_each(|left| self.held.went(cx.now, left));
        for entry in std::mem::take(&mut self.entries) {
            self.counters.unawaited += u64::from(entry.state.phase == Phase::Waiting);
            out.put(Action::Dropped(drop_packet(cx, entry.packet, DropReason::NodeDown)));
        }
        self.answers.clear();
        self.arrivals.clear();
        self.passed = Memory::new();
        self.history = History::new(self.config.history as usize, self.config.history_age.into());
        (self.silent, self.free_from, self.in_a_row, self.full) = (0, 0, 0, false);
        self.busy_ns = self.busy_time(cx.now).as_ns();
        (self.busy_until, self.heard) = (SimTime::ZERO, SimTime::ZERO);
        // In a slot that has not begun it would not have drawn yet.
        if self.clock.start(self.armed) > cx.now {
            self.put_back();
        }
        (self.armed, self.undrawn) = (u64::MAX, None);
        (self.outlook, self.stale) = (Outlook::NONE, false);
        out.put(Action::Arm(Timer::Access, SimTime::MAX));
        out.put(Action::Arm(Timer::Sequence, SimTime::MAX));
    }

    /// What it sends itself covers some of what it hears from this instant on.
    #[cold]
    pub(super) fn hear_less(&mut self, from: SimTime) {
        self.busy_ns -= self.busy_until.min(self.sending_until).saturating_since(from).as_ns();
    }
}
