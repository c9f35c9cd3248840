//! What a node has to do next: what it would send in a slot, and in which slot there is something to do.

use super::config::{FrnConfig, Queues};
use super::entry::{Entry, Lane, Phase, State};
use super::machine::Frn;
use crate::contract::Sink;
use crate::link::Action;
use crate::mac::Timer;
use crate::units::SimTime;

/// Some of the two lanes, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lanes(u32);

impl Lanes {
    const BOTH: Self = Self::of(Lane::Data).and(Self::of(Lane::Ack));

    const fn of(lane: Lane) -> Self {
        Self(1 << lane as u32)
    }

    const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    const fn of_these(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    const fn has(self, lane: Lane) -> bool {
        self.of_these(Self::of(lane)).0 != 0
    }

    /// For each set of lanes with packets under way: the lanes that may begin another packet all the same.
    pub(super) fn open(config: &FrnConfig) -> [Self; 4] {
        [0, 1, 2, 3].map(|under_way| match config.queues {
            _ if !config.stop_and_wait || under_way == 0 => Self::BOTH,
            Queues::One => Self(0),
            Queues::Two => Self(Self::BOTH.0 & !under_way),
        })
    }
}

/// The entries of one phase: the earliest slot of any, and their lanes.
#[derive(Clone, Copy, Debug)]
struct Seen {
    due: u64,
    lanes: Lanes,
}

/// A summary of the entries. It says in every slot which packet is next, and when the next slot with work comes. It is
/// made once after a change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    /// One for each phase. An array, not a branch: the phase of a packet is as good as random.
    phases: [Seen; 4],
    /// The first slot in which the lifetime of a packet is over.
    dies: u64,
}

impl Outlook {
    /// The summary of no entries.
    pub(super) const NONE: Self =
        Self { phases: [Seen { due: u64::MAX, lanes: Lanes(0) }; 4], dies: u64::MAX };

    /// Adds an entry.
    #[inline]
    fn see(&mut self, entry: &Entry) {
        let State { phase, due } = entry.state;
        let seen = &mut self.phases[phase as usize];
        seen.due = seen.due.min(due);
        seen.lanes = seen.lanes.and(Lanes::of(entry.lane));
        self.dies = self.dies.min(entry.dies);
    }

    const fn due(&self, phase: Phase) -> u64 {
        self.phases[phase as usize].due
    }

    const fn lanes(&self, phase: Phase) -> Lanes {
        self.phases[phase as usize].lanes
    }

    /// The first slot in which the lifetime of a packet is over, or its echo is missing.
    pub(super) fn settles(&self) -> u64 {
        self.dies.min(self.due(Phase::Waiting).saturating_add(1))
    }
}

impl Frn {
    /// The entries have changed.
    #[inline]
    pub(super) const fn look_again(&mut self) {
        self.stale = true;
    }

    #[inline]
    pub(super) fn outlook(&mut self) -> &Outlook {
        if self.stale {
            self.stale = false;
            self.outlook = Outlook::NONE;
            self.entries.iter().for_each(|entry| self.outlook.see(entry));
        }
        &self.outlook
    }

    /// Whether a packet that has just been received is forwarded in a slot, ahead of all others.
    #[inline]
    pub(super) fn sends_on(&mut self, slot: u64) -> bool {
        self.outlook().due(Phase::On) <= slot
    }

    /// Whether it contends for a slot: it has a packet to send if no other node sends first.
    #[inline]
    pub(super) fn contends(&mut self, slot: u64) -> bool {
        self.contends_from() <= slot
    }

    /// The first slot in which it contends, for a retransmission or for a new packet.
    #[inline]
    fn contends_from(&mut self) -> u64 {
        let begins = self.may_begin().of_these(self.outlook().lanes(Phase::Ready));
        let due = if begins == Lanes(0) { self.outlook.due(Phase::Backoff) } else { 0 };
        due.max(self.free_from)
    }

    /// The lanes that may begin a new packet now. Packets in a lane wait for each other as configured.
    fn may_begin(&mut self) -> Lanes {
        let outlook = self.outlook();
        let under_way = outlook.lanes(Phase::Waiting).and(outlook.lanes(Phase::Backoff));
        self.open[under_way.0 as usize % self.open.len()]
    }

    /// Whether a lane may begin a new packet now.
    pub(super) fn is_open(&mut self, lane: Lane) -> bool {
        self.may_begin().has(lane)
    }

    /// The place of the packet that goes first in a slot: one to forward; else the retransmission that has been due for
    /// longest; else the first new packet.
    pub(super) fn first(&mut self, slot: u64) -> Option<usize> {
        let open = self.may_begin();
        let on = self.outlook.due(Phase::On);
        let again = self.outlook.due(Phase::Backoff);
        let in_state = |state| self.entries.iter().position(|entry| entry.state == state);
        if on <= slot {
            in_state(State::on(on))
        } else if slot < self.free_from {
            None
        } else if again <= slot {
            in_state(State::backoff(again))
        } else {
            let begins = |entry: &Entry| entry.state == State::READY && open.has(entry.lane);
            self.entries.iter().position(begins)
        }
    }

    /// Sets the timer for a packet that has just come, when nothing else has changed.
    pub(super) fn wake_for<S: Sink<Action>>(&mut self, entry: &Entry, slot: u64, out: &mut S) {
        self.outlook.see(entry);
        self.wake_anew(slot, out);
    }

    /// [`Self::wake`], after a change that does not call it.
    #[inline(never)]
    pub(super) fn wake_anew<S: Sink<Action>>(&mut self, slot: u64, out: &mut S) {
        self.wake(slot, out);
    }

    /// Sets the timer for the next slot with something to do. If it only contends there, it draws its instant in that
    /// slot now, and the timer fires at that instant: one event a slot instead of two.
    #[inline(always)]
    pub(super) fn wake<S: Sink<Action>>(&mut self, slot: u64, out: &mut S) {
        if self.armed <= slot {
            return; // what is due in this very slot is still to come
        }
        let contends = self.contends_from().max(slot + 1);
        let certain = self.certain_step();
        let (next, start) = match contends.min(certain) {
            u64::MAX => (u64::MAX, SimTime::MAX),
            next => (next.max(slot + 1), self.clock.start(next.max(slot + 1))),
        };
        let draws =
            contends < certain && next != self.silent && self.draws_later && start >= self.sending_until;
        if next != self.armed || draws != self.undrawn.is_some() {
            self.wake_at((next, start), draws, out);
        }
    }

    #[inline(always)]
    fn wake_at<S: Sink<Action>>(&mut self, (next, start): (u64, SimTime), draws: bool, out: &mut S) {
        if self.undrawn.is_some() {
            self.put_back();
            if !draws {
                out.put(Action::Arm(Timer::Access, SimTime::MAX));
            }
        } else if draws && self.armed != u64::MAX {
            out.put(Action::Arm(Timer::Sequence, SimTime::MAX));
        }
        self.armed = next;
        let (timer, at) = if draws {
            self.undrawn = Some(self.rng.clone());
            (Timer::Access, self.draw(start))
        } else {
            (Timer::Sequence, start)
        };
        out.put(Action::Arm(timer, at));
    }

    /// Takes back the instant that it has drawn for a later slot.
    pub(super) fn put_back(&mut self) {
        if let Some(undrawn) = self.undrawn.take() {
            self.rng = undrawn;
        }
    }

    /// After packets were withdrawn: if it no longer contends for the slot that it has drawn for, it takes the draw
    /// back. The access timer then fires in vain.
    pub(super) fn draws_no_more(&mut self, now: SimTime) {
        let (armed, contends) = (self.armed, self.contends_from());
        if self.undrawn.is_some() && self.clock.start(armed) > now && contends > armed {
            self.put_back();
            self.armed = u64::MAX;
        }
    }

    /// A frame ends. If the slot that it has drawn for begins at this very instant, the frame comes before the draw. So
    /// it takes the draw back: the frame may change what it does.
    #[cold]
    pub(super) fn hear_at_beginning<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.clock.start(self.armed) == now {
            self.wake_at((self.armed, now), false, out);
        }
    }

    /// The next slot in which it does more than contend; `u64::MAX` if there is none.
    fn certain_step(&self) -> u64 {
        let next = self.outlook.settles().min(self.outlook.due(Phase::On));
        self.answers.iter().fold(next, |next, answer| next.min(answer.slot))
    }
}
