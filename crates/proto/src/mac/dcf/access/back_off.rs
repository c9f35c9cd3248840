//! The back-off (IEEE 802.11-2020 §10.3.4.3): what starts it, holds it and ends it.
//!
//! Its end is not kept but follows from when the medium falls idle. Slots are taken off it only where a medium that was
//! idle turns busy.

use super::{Access, AccessRules, BackOff};
use crate::units::{Dur, SimTime};

impl Access {
    /// The station's own exchange begins: the back-off is frozen. One that has ended with no frame `waiting` is over.
    #[inline]
    pub fn hold(&mut self, now: SimTime, waiting: bool) {
        match self.back_off {
            BackOff::Absent => self.back_off = BackOff::Engaged,
            BackOff::Runs if self.busy_until >= now && !self.deferring => self.back_off = BackOff::Held,
            BackOff::Runs | BackOff::Over => self.suspend(now, waiting),
            BackOff::Engaged | BackOff::Held => {}
        }
    }

    /// The station's own exchange holds the back-off.
    #[inline(never)]
    fn suspend(&mut self, now: SimTime, waiting: bool) {
        self.interrupted = self.is_interrupted();
        let goes_on = waiting || self.deadline() > now;
        self.consume(now, self.busy_until);
        self.back_off = if goes_on { BackOff::Held } else { BackOff::Engaged };
    }

    /// The own exchange is over: the back-off goes on after DIFS.
    #[inline]
    pub fn release(&mut self, now: SimTime) {
        self.since = now;
        self.back_off = match self.back_off {
            BackOff::Absent | BackOff::Engaged => BackOff::Absent,
            BackOff::Held | BackOff::Runs | BackOff::Over => BackOff::Runs,
        };
    }

    /// The station's own exchange is over when what it sends now ends, at `end`.
    #[inline]
    pub fn release_at(&mut self, now: SimTime, end: SimTime) {
        self.carrier_until = self.carrier_until.max(end);
        self.busy_until = self.busy_until.max(end);
        self.release(now);
    }

    /// Starts a back-off of `slots` slots after DIFS of idle medium.
    #[inline]
    pub fn back_off(&mut self, now: SimTime, slots: u32) {
        self.back_off = if self.is_engaged() { BackOff::Held } else { BackOff::Runs };
        self.wait = self.rules.difs + self.rules.slot * u64::from(slots);
        self.count_from(now);
    }

    /// Asks for access without a back-off: at once if the medium has been idle for DIFS (§10.3.4.2).
    /// Returns whether that is so; nothing changes otherwise.
    pub fn immediate(&mut self, now: SimTime) -> bool {
        // The medium's state knows nothing of the own last exchange; `since` does.
        let ready = !self.is_engaged() && self.counts_from(self.busy_until) <= now;
        if ready {
            self.end_at(now);
        }
        ready
    }

    /// Asks for access as soon as the medium has been idle for DIFS, if it carries nothing now (ns-3). Returns whether
    /// that is so; nothing changes otherwise.
    pub fn if_idle(&mut self, now: SimTime) -> bool {
        let idle = self.carrier_until.max(self.nav_until).max(self.sending_until) <= now && self.midst != now;
        if idle {
            if !self.is_engaged() && self.counts_from(self.busy_until) <= now {
                self.end_at(now);
            } else {
                self.back_off = if self.is_engaged() { BackOff::Held } else { BackOff::Runs };
                self.wait = self.rules.difs;
            }
        }
        idle
    }

    /// What comes up now had come while its frame was still on the air: the medium was not idle then.
    pub const fn came_before_the_end(&mut self, now: SimTime) {
        self.midst = now;
    }

    /// Asks for access after DIFS alone, if the medium is idle now (ns-2 until June 2002). Returns whether that is so;
    /// nothing changes otherwise.
    pub fn defer(&mut self, now: SimTime) -> bool {
        let idle = !self.is_engaged() && self.busy_until <= now;
        if idle {
            self.back_off = BackOff::Runs;
            self.deferring = true;
            self.wait = self.rules.difs;
            self.count_from(now);
        }
        idle
    }

    /// Whether the medium turned busy while a frame was waiting for DIFS alone.
    #[inline]
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.deferring && (self.interrupted || self.back_off != BackOff::Over && self.busy_until > self.since)
    }

    /// The wait for DIFS alone was in vain: `slots` follow it.
    pub fn extend(&mut self, slots: u32) {
        self.deferring = false;
        self.interrupted = false;
        self.wait = self.rules.difs + self.rules.slot * u64::from(slots);
        self.count_from(self.since);
    }

    /// When the back-off that there is at `now` will end: [`Self::deadline`]. One that ended in the past with nothing
    /// to send is over.
    #[inline]
    pub fn counts_until(&mut self, now: SimTime) -> Option<SimTime> {
        match self.back_off {
            BackOff::Absent | BackOff::Engaged => None,
            BackOff::Held => Some(SimTime::MAX),
            BackOff::Runs | BackOff::Over => {
                let deadline = self.deadline();
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
    pub fn deadline(&self) -> SimTime {
        match self.back_off {
            BackOff::Runs => self.ends(self.busy_until),
            BackOff::Over => self.ended,
            BackOff::Absent | BackOff::Engaged | BackOff::Held => SimTime::MAX,
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
        self.since.max(busy_until) + self.rules.difs
    }

    /// Whether the back-off ends at this very instant, after slots that take time.
    pub fn ends_at(&self, now: SimTime) -> bool {
        self.back_off == BackOff::Runs && self.deadline() == now && self.rules.slot > Dur::ZERO
    }

    /// The back-off takes a slot more.
    pub fn lose_slot(&mut self) {
        self.wait += self.rules.slot;
    }

    /// Whether the count of slots in seconds leaves one out if the back-off is interrupted now: rounding has made the
    /// last one less than whole. A back-off that ends now is over all the same.
    pub fn counts_short(&self, now: SimTime) -> bool {
        let AccessRules { slot, difs, cca, .. } = self.rules;
        let from = self.since.max(self.busy_until);
        if self.back_off != BackOff::Runs || from + difs >= now || self.ends(from) <= now + cca {
            return false;
        }
        let whole = (now - (from + difs)).as_ns() / slot.as_ns();
        let passed = now.as_secs_f64() - (from.as_secs_f64() + difs.as_secs_f64());
        ((passed / slot.as_secs_f64()) as u64) < whole
    }

    /// The back-off has ended and was used.
    #[inline]
    pub const fn expire(&mut self) {
        self.back_off = BackOff::Absent;
        self.deferring = false;
    }

    /// Whether the station's own exchange holds the medium.
    const fn is_engaged(&self) -> bool {
        matches!(self.back_off, BackOff::Engaged | BackOff::Held)
    }

    /// DIFS and the slots follow `since`, or what makes the medium idle later.
    #[inline]
    pub(super) fn count_from(&mut self, since: SimTime) {
        self.since = since;
        if self.back_off == BackOff::Over {
            self.back_off = BackOff::Runs;
        }
    }

    /// The back-off ends now, whatever begins.
    fn end_at(&mut self, now: SimTime) {
        self.back_off = BackOff::Over;
        self.ended = now;
        self.wait = self.rules.difs;
    }

    /// An idle medium turns busy. Stations that drew the same slot must collide: the node that fires now cannot have
    /// heard the node that starts now.
    #[inline(never)]
    pub(super) fn freeze(&mut self, now: SimTime, before: SimTime) {
        let ends = self.ends(before);
        if ends > now + self.rules.cca {
            self.consume(now, before);
        } else {
            self.since = self.since.max(before);
            self.back_off = BackOff::Over;
            self.ended = ends;
        }
    }

    /// Takes the slots that have passed off the back-off: the medium has been idle since `idle_from`.
    #[inline]
    fn consume(&mut self, now: SimTime, idle_from: SimTime) {
        let over = self.back_off == BackOff::Over;
        let start = self.counts_from(if over { self.since } else { idle_from });
        if now > start {
            let passed = (now - start).as_ns() / self.rules.slot.as_ns();
            self.wait = self.wait.saturating_sub(self.rules.slot * passed).max(self.rules.difs);
        }
    }
}
