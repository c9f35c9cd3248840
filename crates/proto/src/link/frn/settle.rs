//! What has become of a packet: its echo came, or did not, or it has lived too long.

use super::config::Queues;
use super::entry::{Entry, Phase, State};
use super::history::Record;
use super::interval::upper_end;
use super::machine::Frn;
use super::slot_header::SlotHeader;
use crate::contract::{Cause, Cx, Sink, drop_packet};
use crate::link::{Action, End};
use crate::units::SimTime;
use crate::wire::DropReason;

impl Frn {
    /// Settles packets that have lived too long, and those whose echo did not come.
    #[inline]
    pub(super) fn settle<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, slot: u64, out: &mut S) {
        if self.outlook().settles() <= slot {
            self.settle_each(cx, slot, out);
        }
    }

    #[inline(never)]
    fn settle_each<S: Sink<Action>>(&mut self, cx: &mut Cx<'_>, slot: u64, out: &mut S) {
        let mut place = 0;
        while let Some(entry) = self.entries.get(place) {
            let missed = entry.has_missed(slot);
            if missed {
                self.miss(cx, place, slot);
            }
            let Entry { packet, to, dies, attempts, state, .. } = self.entries[place];
            if dies <= slot {
                self.counters.outlived += 1;
                self.counters.unawaited += u64::from(state.phase == Phase::Waiting);
                self.leave(place, cx.now);
                out.put(Action::Dropped(drop_packet(cx, packet, DropReason::LifetimeOver)));
            } else if missed && SlotHeader::of(&cx.packets[packet]).is_spent() {
                self.counters.given_up += 1;
                self.leave(place, cx.now);
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
        self.remember(Record { uid, to, slot, ok: false });
        let packet = &mut cx.packets[packet];
        let header = SlotHeader::of(packet);
        SlotHeader { count: header.count.saturating_add(1), ..header }.put(packet);
        let upper = upper_end(&self.config, || self.history.failures(slot), self.in_a_row);
        self.in_a_row += 1;
        self.counters.widened_slots += u64::from(upper.saturating_sub(self.config.retry_to));
        let least = self.config.retry_from;
        let wait = least + self.rng.below(upper.saturating_sub(least) + 1);
        self.entries[place].state = State::backoff(sent + u64::from(wait));
        self.look_again();
    }

    /// Remembers a transmission where intervals or next hops depend on it.
    #[inline]
    fn remember(&mut self, record: Record) {
        if self.config.remembers() {
            self.history.add(record);
        }
    }

    /// A packet has got through.
    pub(super) fn through<S: Sink<Action>>(
        &mut self,
        place: usize,
        (now, slot): (SimTime, u64),
        out: &mut S,
    ) {
        let Entry { packet, uid, to, attempts, .. } = self.leave(place, now);
        self.counters.echoes += 1;
        self.in_a_row = 0;
        self.remember(Record { uid, to, slot, ok: true });
        out.put(Action::Ended(packet, End::Delivered { attempts }));
        self.tell_room(out);
    }

    /// Where one queue holds combined frames whole, the first echo ends both packets (section 3.2).
    pub(super) fn end_beside<S: Sink<Action>>(&mut self, uid: u64, at: (SimTime, u64), out: &mut S) {
        if uid == 0 || self.config.queues == Queues::Two {
            return;
        }
        let beside = |entry: &Entry| entry.uid == uid && entry.state.phase == Phase::Waiting;
        if let Some(place) = self.entries.iter().position(beside) {
            self.through(place, at, out);
        }
    }

    /// Takes out a packet that leaves the link.
    pub(super) fn leave(&mut self, place: usize, now: SimTime) -> Entry {
        self.look_again();
        let entry = self.entries.remove(place);
        self.held.went(now, self.entries.len());
        self.passed.note(entry.uid);
        entry
    }

    /// Those who waited for room go on.
    #[inline]
    pub(super) fn tell_room<S: Sink<Action>>(&mut self, out: &mut S) {
        if self.has_room_again() {
            out.put(Action::Room);
        }
    }

    /// Whether there is room, and was none when it was asked for last.
    #[inline]
    pub(super) fn has_room_again(&mut self) -> bool {
        let again = self.full && self.entries.len() < self.config.limit as usize;
        self.full &= !again;
        again
    }
}
