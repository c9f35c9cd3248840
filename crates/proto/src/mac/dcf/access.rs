//! Channel access: when may this station start to send?
//!
//! IEEE 802.11-2020 §10.3.2.1 (carrier sense, physical and virtual), §10.3.4 (DCF access, back-off with
//! freezing), §10.3.2.3.7 (EIFS). All by arithmetic on instants: the driver says until when the medium will be
//! busy, and the back-off's end follows; there is no NAV timer, no idle event and no slot event. Slots are counted when a
//! medium that was idle turns busy; what then keeps it busy for longer moves the back-off's end by itself.
//!
//! Deviation (`eifs = "ns2"`): the hold after an undecodable frame is a NAV that a correct frame does not
//! cancel, and DIFS follows it.

mod back_off;

use std::hint::select_unpredictable;

use crate::mac::config::EifsRule;
use crate::units::{Dur, SimTime};

/// Medium and back-off state of one station. What every signal touches comes first, on one cache line.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Access {
    /// When the medium falls idle as far as is known now: carrier, reservation and EIFS.
    busy_until: SimTime,
    carrier_until: SimTime,
    /// Time for which signals were or will be on the air, the own ones not counted \[ns\].
    busy_ns: u64,
    /// End of the undecodable frame that EIFS follows, zero if none does; and what that was before it.
    eifs_after: SimTime,
    eifs_before: SimTime,
    /// Instant for which the access timer stands in the queue; it is moved only to earlier instants.
    pub(super) armed: SimTime,
    /// How long the medium counts as busy after an undecodable frame.
    hold: Dur,
    back_off: BackOff,
    /// A reservation, `nav_claim`, is valid only if something is heard by `nav_check`.
    claimed: bool,
    nav_until: SimTime,
    /// The back-off takes this long from then on, if the medium is idle: DIFS, and the slots that are left.
    since: SimTime,
    wait: Dur,
    ended: SimTime,
    nav_check: SimTime,
    nav_claim: SimTime,
    /// End of what the station sends or has sent last.
    sending_until: SimTime,
    /// When packets came up that a frame had brought before its end.
    midst: SimTime,
    rules: AccessRules,
    /// The frame waits for DIFS alone, and whether the medium had turned busy before the station's own exchange.
    deferring: bool,
    interrupted: bool,
}

/// Whether a back-off runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BackOff {
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
            busy_until: SimTime::ZERO,
            carrier_until: SimTime::ZERO,
            busy_ns: 0,
            eifs_after: SimTime::ZERO,
            eifs_before: SimTime::ZERO,
            armed: SimTime::MAX,
            hold: rules.hold,
            back_off: BackOff::Absent,
            claimed: false,
            nav_until: SimTime::ZERO,
            since: SimTime::ZERO,
            wait: rules.difs,
            ended: SimTime::ZERO,
            nav_check: SimTime::ZERO,
            nav_claim: SimTime::ZERO,
            sending_until: SimTime::ZERO,
            midst: SimTime::MAX,
            rules,
            deferring: false,
            interrupted: false,
        }
    }

    /// Forgets everything but what is on the air.
    pub const fn restart(&mut self) {
        let fresh = Self::new(self.rules);
        *self = Self {
            busy_until: self.carrier_until,
            carrier_until: self.carrier_until,
            busy_ns: self.busy_ns,
            armed: self.armed,
            ..fresh
        };
    }

    /// The medium carries a signal until `until`.
    #[inline(always)]
    pub fn carrier(&mut self, now: SimTime, until: SimTime) {
        self.signal(now, until);
        self.busy(now, until);
    }

    /// The medium carries a signal until `end` that cannot be decoded: EIFS follows it.
    #[inline(always)]
    pub fn undecodable(&mut self, now: SimTime, end: SimTime) {
        self.signal(now, end);
        if self.eifs_after <= now {
            self.eifs_before = self.eifs_after;
        }
        self.eifs_after = self.eifs_after.max(end);
        self.busy(now, end + self.hold);
    }

    /// A signal lasts until `until`.
    #[inline(always)]
    fn signal(&mut self, now: SimTime, until: SimTime) {
        if until > self.carrier_until {
            self.busy_ns += until.as_ns() - self.carrier_until.max(now).as_ns();
            self.carrier_until = until;
        }
        if self.claimed {
            self.confirm(now);
        }
    }

    /// Something is heard after a reservation that needs it.
    #[cold]
    fn confirm(&mut self, now: SimTime) {
        self.claimed = false;
        if self.nav_check >= now {
            self.reserve(now, self.nav_claim);
        }
    }

    /// The station sends until `end` without having waited: what it was hearing and ends by then is never known
    /// to have been there, so its EIFS is void.
    #[inline]
    pub fn deafened(&mut self, now: SimTime, end: SimTime) {
        self.sending_until = end;
        if self.eifs_after > now && self.eifs_after <= end {
            self.eifs_after = self.eifs_before;
            self.fall_idle_early(now);
        }
    }

    /// A frame was received whole: under the standard's rule that ends EIFS. Returns whether it did.
    #[inline]
    pub fn correct_frame(&mut self, now: SimTime) -> bool {
        let ends = self.minds_correct_frame(now);
        if ends {
            self.eifs_after = SimTime::ZERO;
            self.fall_idle_early(now);
        }
        ends
    }

    /// Whether a frame that is received whole would end EIFS.
    #[inline]
    pub(super) fn minds_correct_frame(&self, now: SimTime) -> bool {
        self.rules.eifs_rule == EifsRule::Standard && self.eifs_until() > now
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
            self.claimed = true;
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

    /// How long signals have kept the medium busy until `now`.
    #[must_use]
    pub const fn busy_time(&self, now: SimTime) -> Dur {
        Dur::from_ns(self.busy_ns).saturating_sub(self.carrier_until.saturating_since(now))
    }

    /// The medium is known to be busy until `until`, from now.
    #[inline(always)]
    fn busy(&mut self, now: SimTime, until: SimTime) {
        let before = self.busy_until;
        self.busy_until = before.max(until);
        // Few count slots, but half of the stations are idle: one branch for both is mostly guessed right.
        let counting = select_unpredictable(self.back_off == BackOff::Runs, before, SimTime::MAX);
        if counting <= now {
            self.freeze(now, before);
        }
    }

    /// EIFS after the last undecodable frame ends then.
    #[inline]
    fn eifs_until(&self) -> SimTime {
        if self.eifs_after == SimTime::ZERO { SimTime::ZERO } else { self.eifs_after + self.hold }
    }

    /// The medium turned out to fall idle earlier than thought.
    fn fall_idle_early(&mut self, now: SimTime) {
        let until = self.carrier_until.max(self.nav_until).max(self.eifs_until());
        if until < self.busy_until && self.busy_until > now {
            self.busy_until = until;
            self.count_from(until.max(now));
        }
    }
}
