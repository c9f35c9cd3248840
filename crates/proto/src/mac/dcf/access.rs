//! Channel access: when may this station start to send?
//!
//! IEEE 802.11-2020 §10.3.2.1 (carrier sense, physical and virtual), §10.3.4 (DCF access, back-off with
//! freezing), §10.3.2.3.7 (EIFS). All by arithmetic on instants: the driver says until when the medium will be
//! busy, and the back-off's end follows; there is no NAV timer, no idle event and no slot event.
//!
//! Deviation (`eifs = "ns2"`): the hold after an undecodable frame is a NAV that a correct frame does not
//! cancel, and DIFS follows it.

use crate::mac::config::EifsRule;
use crate::units::{Dur, SimTime};

/// Medium and back-off state of one station. What every signal touches comes first, on as few cache lines as can be.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Access {
    /// Maximum of the three below: when the medium falls idle as far as is known now.
    busy_until: SimTime,
    carrier_until: SimTime,
    nav_until: SimTime,
    eifs_until: SimTime,
    /// End of the undecodable frame behind `eifs_until`, and what that was before.
    eifs_frame_end: SimTime,
    eifs_before: SimTime,
    /// When the back-off ends as far as is known now; `SimTime::MAX` while none runs or an exchange holds it.
    deadline: SimTime,
    /// A reservation by an RTS is valid only if something is heard by then.
    nav_check: SimTime,
    /// Time for which signals were or will be on the air, the own ones not counted \[ns\].
    busy_ns: u64,
    rules: AccessRules,
    /// That reservation.
    nav_claim: SimTime,
    /// End of what the station sends or has sent last.
    sending_until: SimTime,
    /// Back-off: from when slots count, how many are left, and whether one runs.
    start: SimTime,
    slots: u32,
    counting: bool,
    /// The frame waits for DIFS alone, and whether the medium has turned busy meanwhile.
    deferring: bool,
    interrupted: bool,
    /// The station's own exchange holds the medium.
    held: bool,
}

/// The constants that access needs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AccessRules {
    /// How EIFS acts.
    pub eifs_rule: EifsRule,
    /// How long the medium counts as busy after a frame that could not be decoded: EIFS, or what of it comes before
    /// DIFS.
    pub hold: Dur,
    /// Slot time.
    pub slot: Dur,
    /// DIFS.
    pub difs: Dur,
    /// A back-off that ends within this time after another station has started still fires.
    pub cca: Dur,
}

impl Access {
    /// A station on an idle medium.
    #[must_use]
    pub const fn new(rules: AccessRules) -> Self {
        Self {
            rules,
            busy_until: SimTime::ZERO,
            carrier_until: SimTime::ZERO,
            nav_until: SimTime::ZERO,
            eifs_until: SimTime::ZERO,
            eifs_frame_end: SimTime::ZERO,
            eifs_before: SimTime::ZERO,
            nav_claim: SimTime::ZERO,
            nav_check: SimTime::ZERO,
            counting: false,
            start: SimTime::ZERO,
            slots: 0,
            deferring: false,
            interrupted: false,
            held: false,
            sending_until: SimTime::ZERO,
            deadline: SimTime::MAX,
            busy_ns: 0,
        }
    }

    /// Forgets everything but what is on the air.
    pub const fn restart(&mut self) {
        let fresh = Self::new(self.rules);
        *self = Self {
            busy_until: self.carrier_until,
            carrier_until: self.carrier_until,
            busy_ns: self.busy_ns,
            ..fresh
        };
    }

    /// The medium carries a signal until `until`.
    #[inline]
    pub fn carrier(&mut self, now: SimTime, until: SimTime) {
        self.signal(now, until);
        self.busy(now, self.carrier_until.max(self.nav_until));
    }

    /// A signal lasts until `until`.
    #[inline]
    fn signal(&mut self, now: SimTime, until: SimTime) {
        if until > self.carrier_until {
            self.busy_ns += until.as_ns() - self.carrier_until.max(now).as_ns();
            self.carrier_until = until;
        }
        if self.nav_check >= now && self.nav_claim > self.nav_until {
            self.nav_until = self.nav_claim;
        }
    }

    /// The medium carries a signal until `end` that cannot be decoded: EIFS follows it.
    #[inline]
    pub fn undecodable(&mut self, now: SimTime, end: SimTime) {
        if self.rules.eifs_rule == EifsRule::None {
            return self.carrier(now, end);
        }
        let until = end + self.rules.hold;
        self.signal(now, end);
        if self.eifs_frame_end <= now {
            self.eifs_before = self.eifs_until;
        }
        if until > self.eifs_until {
            self.eifs_until = until;
            self.eifs_frame_end = end;
        }
        self.busy(now, until.max(self.carrier_until).max(self.nav_until));
    }

    /// The station sends until `end` without having waited: what it was hearing and ends by then is never known
    /// to have been there, so its EIFS is void.
    #[inline]
    pub fn deafened(&mut self, now: SimTime, end: SimTime) {
        self.sending_until = end;
        if self.eifs_frame_end > now && self.eifs_frame_end <= end {
            self.eifs_until = self.eifs_before;
            self.eifs_frame_end = now;
            self.fall_idle_early(now);
        }
    }

    /// A frame was received whole: under the standard's rule that ends EIFS. Returns whether it did.
    #[inline]
    pub fn correct_frame(&mut self, now: SimTime) -> bool {
        let ends = self.minds_correct_frame(now);
        if ends {
            self.eifs_until = SimTime::ZERO;
            self.fall_idle_early(now);
        }
        ends
    }

    /// Whether a frame that is received whole would end EIFS.
    #[inline]
    pub(super) fn minds_correct_frame(&self, now: SimTime) -> bool {
        self.rules.eifs_rule == EifsRule::Standard && self.eifs_until > now
    }

    /// Virtual carrier sense: reserved until `until`.
    #[inline]
    pub fn reserve(&mut self, now: SimTime, until: SimTime) {
        if until > self.nav_until {
            self.nav_until = until;
            self.busy(now, until);
        }
    }

    /// A reservation that lapses at `check` unless a signal is heard by then (§10.3.2.4, NAV reset after an RTS).
    pub fn reserve_if_used(&mut self, now: SimTime, until: SimTime, check: SimTime) {
        if until > self.nav_until {
            self.nav_claim = until;
            self.nav_check = check;
            self.reserve(now, check.min(until));
        }
    }

    /// Whether physical and virtual carrier sense say idle.
    #[inline]
    #[must_use]
    pub fn is_idle(&self, now: SimTime) -> bool {
        self.busy_until <= now
    }

    /// When the medium falls idle as far as is known now.
    #[inline]
    #[must_use]
    pub const fn busy_until(&self) -> SimTime {
        self.busy_until
    }

    /// When the signals that are on the air now will have ended.
    #[inline]
    #[must_use]
    pub const fn carrier_until(&self) -> SimTime {
        self.carrier_until
    }

    /// Whether virtual carrier sense says idle.
    #[inline]
    #[must_use]
    pub fn is_unreserved(&self, now: SimTime) -> bool {
        self.nav_until <= now
    }

    /// Until when virtual carrier sense says reserved.
    #[must_use]
    pub const fn reserved_until(&self) -> SimTime {
        self.nav_until
    }

    /// The station's own exchange begins: the back-off is frozen. One that has ended with no frame `waiting` is over.
    #[inline]
    pub fn hold(&mut self, now: SimTime, waiting: bool) {
        if !self.held {
            self.counting &= waiting || self.deadline > now;
            self.consume(now);
            self.held = true;
            self.deadline = SimTime::MAX;
        }
    }

    /// The own exchange is over: the back-off goes on after DIFS.
    #[inline]
    pub fn release(&mut self, now: SimTime) {
        self.held = false;
        self.interrupted |= self.deferring && self.busy_until > now;
        self.count_from(self.busy_until.max(now) + self.rules.difs);
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
        self.counting = true;
        self.slots = slots;
        self.count_from(self.busy_until.max(now) + self.rules.difs);
    }

    /// Asks for access without a back-off: at once if the medium has been idle for DIFS (§10.3.4.2).
    /// Returns whether that is so; nothing changes otherwise.
    pub fn immediate(&mut self, now: SimTime) -> bool {
        // `start` is DIFS after the own last exchange, which the medium's state knows nothing of.
        let ready = !self.held && self.busy_until + self.rules.difs <= now && self.start <= now;
        if ready {
            self.counting = true;
            self.slots = 0;
            self.count_from(now);
        }
        ready
    }

    /// Asks for access as soon as the medium has been idle for DIFS, if it carries nothing now (ns-3). Returns whether
    /// that is so; nothing changes otherwise.
    pub fn if_idle(&mut self, now: SimTime) -> bool {
        let idle = self.carrier_until.max(self.nav_until).max(self.sending_until) <= now;
        if idle {
            self.counting = true;
            self.slots = 0;
            self.count_from((self.busy_until + self.rules.difs).max(self.start).max(now));
        }
        idle
    }

    /// Asks for access after DIFS alone, if the medium is idle now (ns-2 until June 2002). Returns whether that is so;
    /// nothing changes otherwise.
    pub fn defer(&mut self, now: SimTime) -> bool {
        let idle = !self.held && self.busy_until <= now;
        if idle {
            self.counting = true;
            self.deferring = true;
            self.slots = 0;
            self.count_from(now + self.rules.difs);
        }
        idle
    }

    /// Whether the medium turned busy while a frame was waiting for DIFS alone.
    #[inline]
    #[must_use]
    pub const fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// The wait for DIFS alone was in vain: `slots` follow it.
    pub fn extend(&mut self, slots: u32) {
        self.deferring = false;
        self.interrupted = false;
        self.slots = slots;
        self.count_from(self.start);
    }

    /// Whether a back-off runs at `now`. One that ended in the past with nothing to send is over.
    #[inline]
    pub fn is_counting(&mut self, now: SimTime) -> bool {
        if self.deadline <= now {
            self.expire();
        }
        self.counting
    }

    /// When the back-off will end if nothing more is heard; `SimTime::MAX` while it is frozen by an exchange or
    /// absent.
    #[inline]
    #[must_use]
    pub const fn deadline(&self) -> SimTime {
        self.deadline
    }

    /// The back-off has ended and was used.
    #[inline]
    pub const fn expire(&mut self) {
        self.counting = false;
        self.deferring = false;
        self.deadline = SimTime::MAX;
    }

    /// Time for which the medium was busy with signals until `now`.
    #[must_use]
    pub const fn busy_time(&self, now: SimTime) -> Dur {
        Dur::from_ns(self.busy_ns).saturating_sub(self.carrier_until.saturating_since(now))
    }

    /// Slots count from `start` on, unless none are left to count or an exchange holds the medium.
    #[inline]
    fn count_from(&mut self, start: SimTime) {
        self.start = start;
        if self.counting && !self.held {
            self.deadline = start + self.rules.slot * u64::from(self.slots);
        }
    }

    /// The medium is known to be busy until `until`, from now.
    #[inline]
    fn busy(&mut self, now: SimTime, until: SimTime) {
        if until <= self.busy_until {
            return;
        }
        self.busy_until = until;
        // Stations that drew the same slot must collide: who fires now cannot have heard who starts now.
        if self.deadline != SimTime::MAX && self.deadline > now + self.rules.cca {
            self.freeze(now, until);
        }
    }

    /// The back-off that runs goes on when the medium has been idle for DIFS after `until`.
    #[inline(never)]
    fn freeze(&mut self, now: SimTime, until: SimTime) {
        self.interrupted |= self.deferring;
        self.consume(now);
        self.count_from(until + self.rules.difs);
    }

    /// Takes the slots that have passed idle off the back-off.
    #[inline]
    fn consume(&mut self, now: SimTime) {
        if self.counting && now > self.start {
            let passed = (now - self.start).as_ns() / self.rules.slot.as_ns();
            self.slots -= u32::try_from(passed).unwrap_or(u32::MAX).min(self.slots);
        }
    }

    /// The medium turned out to fall idle earlier than thought.
    fn fall_idle_early(&mut self, now: SimTime) {
        let until = self.carrier_until.max(self.nav_until).max(self.eifs_until);
        if until < self.busy_until && self.busy_until > now {
            self.busy_until = until;
            self.count_from(until.max(now) + self.rules.difs);
        }
    }
}
