//! The back-off (IEEE 802.11-2020 §10.3.4.3): what starts it, holds it and ends it.
//!
//! Its end is not kept but follows from when the medium falls idle. Slots are taken off it only where a medium that was
//! idle turns busy.

use std::hint::select_unpredictable;

use super::{AccessRules, Medium};
use crate::units::{Dur, SimTime};

/// One back-off. A station of the DCF has one, a QoS station one for each access category.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct BackOff {
    state: State,
    /// The frame waits for DIFS alone, and whether the medium had turned busy before the station's own exchange.
    deferring: bool,
    interrupted: bool,
    /// The back-off takes `wait` from then on, if the medium is idle: DIFS, and the slots that are left.
    since: SimTime,
    wait: Dur,
    ended: SimTime,
    /// DIFS, or AIFS.
    difs: Dur,
}

/// Whether a back-off runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// There is none.
    Absent,
    /// There is none, and the station's own exchange holds the medium.
    Engaged,
    /// The own exchange holds it.
    Held,
    /// Slots count while the medium is idle.
    Runs,
    /// It ended at `ended`, or will, whatever begins now.
    Over,
}

impl BackOff {
    /// None, of a station that waits for so long before its slots count.
    #[must_use]
    pub const fn new(difs: Dur) -> Self {
        Self {
            state: State::Absent,
            deferring: false,
            interrupted: false,
            since: SimTime::ZERO,
            wait: difs,
            ended: SimTime::ZERO,
            difs,
        }
    }

    /// There is none any more.
    pub const fn restart(&mut self) {
        *self = Self::new(self.difs);
    }

    /// The station's own exchange begins: the back-off is frozen. One that has ended with no frame `waiting` is over.
    #[inline]
    pub fn hold(&mut self, medium: &Medium, now: SimTime, waiting: bool) {
        match self.state {
            State::Absent => self.state = State::Engaged,
            State::Runs if medium.busy_until >= now && !self.deferring => self.state = State::Held,
            State::Runs | State::Over => self.suspend(medium, now, waiting),
            State::Engaged | State::Held => {}
        }
    }

    /// The station's own exchange holds the back-off.
    #[inline(never)]
    fn suspend(&mut self, medium: &Medium, now: SimTime, waiting: bool) {
        self.interrupted = self.is_interrupted(medium);
        let goes_on = waiting || self.deadline(medium) > now;
        self.consume(medium, now, medium.busy_until);
        self.state = if goes_on { State::Held } else { State::Engaged };
    }

    /// The own exchange is over: the back-off goes on after DIFS.
    #[inline]
    pub fn release(&mut self, now: SimTime) {
        self.since = now;
        self.state = match self.state {
            State::Absent | State::Engaged => State::Absent,
            State::Held | State::Runs | State::Over => State::Runs,
        };
    }

    /// Starts a back-off of `slots` slots after DIFS of idle medium.
    #[inline]
    pub fn start(&mut self, medium: &Medium, now: SimTime, slots: u32) {
        self.state = if self.is_engaged() { State::Held } else { State::Runs };
        self.wait = self.difs + medium.rules.slot * u64::from(slots);
        self.count_from(now);
    }

    /// Asks for access without a back-off: at once if the medium has been idle for DIFS (§10.3.4.2).
    /// Returns whether that is so; nothing changes otherwise.
    pub fn immediate(&mut self, medium: &Medium, now: SimTime) -> bool {
        // The medium's state knows nothing of the own last exchange; `since` does.
        let ready = !self.is_engaged() && self.counts_from(medium.busy_until) <= now;
        if ready {
            self.end_at(now);
        }
        ready
    }

    /// Asks for access as soon as the medium has been idle for DIFS, if it carries nothing now (ns-3). Returns whether
    /// that is so; nothing changes otherwise.
    pub fn if_idle(&mut self, medium: &Medium, now: SimTime) -> bool {
        let idle = medium.carrier_until.max(medium.nav_until).max(medium.sending_until) <= now
            && medium.midst != now;
        if idle {
            if !self.is_engaged() && self.counts_from(medium.busy_until) <= now {
                self.end_at(now);
            } else {
                self.state = if self.is_engaged() { State::Held } else { State::Runs };
                self.wait = self.difs;
            }
        }
        idle
    }

    /// Asks for access after DIFS alone, if the medium is idle now (ns-2 until June 2002). Returns whether that is so;
    /// nothing changes otherwise.
    pub fn defer(&mut self, medium: &Medium, now: SimTime) -> bool {
        let idle = !self.is_engaged() && medium.busy_until <= now;
        if idle {
            self.state = State::Runs;
            self.deferring = true;
            self.wait = self.difs;
            self.count_from(now);
        }
        idle
    }

    /// Whether the medium turned busy while a frame was waiting for DIFS alone.
    #[inline]
    #[must_use]
    pub fn is_interrupted(&self, medium: &Medium) -> bool {
        self.deferring && (self.interrupted || self.state != State::Over && medium.busy_until > self.since)
    }

    /// The wait for DIFS alone was in vain: `slots` follow it.
    pub fn extend(&mut self, medium: &Medium, slots: u32) {
        self.deferring = false;
        self.interrupted = false;
        self.wait = self.difs + medium.rules.slot * u64::from(slots);
        self.count_from(self.since);
    }

    /// When the back-off that there is at `now` will end: [`Self::deadline`]. One that ended in the past with nothing
    /// to send is over.
    #[inline]
    pub fn counts_until(&mut self, medium: &Medium, now: SimTime) -> Option<SimTime> {
        match self.state {
            State::Absent | State::Engaged => None,
            State::Held => Some(SimTime::MAX),
            State::Runs | State::Over => {
                let deadline = self.deadline(medium);
                if deadline > now {
                    return Some(deadline);
                }
                self.expire();
                None
            }
        }
    }

    /// When the back-off will end if nothing more is heard; `SimTime::MAX` while it is frozen by an exchange or
    /// absent.
    #[inline]
    #[must_use]
    pub fn deadline(&self, medium: &Medium) -> SimTime {
        match self.state {
            State::Runs => self.ends(medium.busy_until),
            State::Over => self.ended,
            State::Absent | State::Engaged | State::Held => SimTime::MAX,
        }
    }

    /// When the back-off will end if the medium is busy until then.
    #[inline]
    fn ends(&self, busy_until: SimTime) -> SimTime {
        self.since.max(busy_until) + self.wait
    }

    /// From when slots count if the medium is busy until then.
    #[inline]
    fn counts_from(&self, busy_until: SimTime) -> SimTime {
        self.since.max(busy_until) + self.difs
    }

    /// Whether the back-off ends at this very instant, after slots that take time.
    pub fn ends_at(&self, medium: &Medium, now: SimTime) -> bool {
        self.state == State::Runs && self.deadline(medium) == now && medium.rules.slot > Dur::ZERO
    }

    /// The back-off takes a slot more.
    pub fn lose_slot(&mut self, medium: &Medium) {
        self.wait += medium.rules.slot;
    }

    /// Whether the count of slots in seconds leaves one out if the back-off is interrupted now: rounding has made the
    /// last one less than whole. A back-off that ends now is over all the same.
    pub fn counts_short(&self, medium: &Medium, now: SimTime) -> bool {
        let AccessRules { slot, difs, cca, .. } = medium.rules;
        let from = self.since.max(medium.busy_until);
        if self.state != State::Runs || from + difs >= now || self.ends(from) <= now + cca {
            return false;
        }
        let whole = (now - (from + difs)).as_ns() / slot.as_ns();
        let passed = now.as_secs_f64() - (from.as_secs_f64() + difs.as_secs_f64());
        ((passed / slot.as_secs_f64()) as u64) < whole
    }

    /// The back-off has ended and was used.
    #[inline]
    pub const fn expire(&mut self) {
        self.state = State::Absent;
        self.deferring = false;
    }

    /// Whether the station's own exchange holds the medium.
    const fn is_engaged(&self) -> bool {
        matches!(self.state, State::Engaged | State::Held)
    }

    /// DIFS and the slots follow `since`, or what makes the medium idle later.
    #[inline]
    pub(super) fn count_from(&mut self, since: SimTime) {
        self.since = since;
        if self.state == State::Over {
            self.state = State::Runs;
        }
    }

    /// The back-off ends now, whatever begins.
    fn end_at(&mut self, now: SimTime) {
        self.state = State::Over;
        self.ended = now;
        self.wait = self.difs;
    }

    /// The medium, which was busy until `before`, is busy now: slots that count stop if it was idle.
    #[inline(always)]
    pub(super) fn turn_busy(&mut self, medium: &Medium, now: SimTime, before: SimTime) {
        // Few count slots, but half of the stations are idle: one branch for both is mostly guessed right.
        let counting = select_unpredictable(self.state == State::Runs, before, SimTime::MAX);
        if counting <= now {
            self.freeze(medium, now, before);
        }
    }

    /// An idle medium turns busy. Stations that drew the same slot must collide: the node that fires now cannot have
    /// heard the node that starts now.
    #[inline(never)]
    fn freeze(&mut self, medium: &Medium, now: SimTime, before: SimTime) {
        let ends = self.ends(before);
        if ends > now + medium.rules.cca {
            self.consume(medium, now, before);
        } else {
            self.since = self.since.max(before);
            self.state = State::Over;
            self.ended = ends;
        }
    }

    /// Takes the slots that count off the back-off: the medium has been idle since `idle_from`.
    #[inline]
    fn consume(&mut self, medium: &Medium, now: SimTime, idle_from: SimTime) {
        let over = self.state == State::Over;
        let start = self.counts_from(if over { self.since } else { idle_from });
        if now >= start {
            let passed =
                (now - start).as_ns() / medium.rules.slot.as_ns() + u64::from(medium.rules.begun_slots);
            self.wait = self.wait.saturating_sub(medium.rules.slot * passed).max(self.difs);
        }
    }
}
