//! Channel access: when may this station start to send?
//!
//! IEEE 802.11-2020 §10.3.2.1 (carrier sense, physical and virtual), §10.3.4 (DCF access, back-off with freezing),
//! §10.3.2.3.7 (EIFS). All by arithmetic on instants: the driver says until when the medium will be busy, and the
//! back-off's end follows; there is no NAV timer, no idle event and no slot event. Slots are counted when a medium that
//! was idle turns busy; what then keeps it busy for longer moves the back-off's end by itself.
//!
//! Deviation (`eifs = "ns2"`): the hold after an undecodable frame is a NAV that a correct frame does not
//! cancel, and DIFS follows it.

mod back_off;
mod medium;
mod others;

use crate::mac::config::EifsRule;
use crate::units::{Dur, SimTime};

pub use back_off::BackOff;
pub use medium::Medium;
pub use others::{Alone, Others};

/// The medium and the back-offs of one station: one of the DCF; of a QoS station the one that is on turn, and `others`.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Access<O = Alone> {
    /// Instant for which the access timer stands in the queue; it is moved only to earlier instants.
    pub(in crate::mac) armed: SimTime,
    pub(in crate::mac) back_off: BackOff,
    pub(in crate::mac) medium: Medium,
    pub(in crate::mac) others: O,
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
    /// Whether a slot counts as soon as it begins, among QoS stations (§10.23.2.4): the one in which another station
    /// starts to send counts, too. In the DCF a slot counts when it has passed idle (§10.3.4.3).
    pub begun_slots: bool,
    /// A back-off that ends within this time after another station has started still fires.
    pub cca: Dur,
}

impl<O: Others> Access<O> {
    /// A station on an idle medium.
    #[must_use]
    pub const fn new(rules: AccessRules, others: O) -> Self {
        Self { armed: SimTime::MAX, back_off: BackOff::new(rules.difs), medium: Medium::new(rules), others }
    }

    /// Forgets everything but what is on the air.
    pub fn restart(&mut self) {
        self.medium.restart();
        self.back_off.restart();
        self.others.each(|other, _| other.restart());
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
        let until = self.medium.spoil(now, end);
        self.busy(now, until);
    }

    /// A signal lasts until `until`.
    #[inline(always)]
    fn signal(&mut self, now: SimTime, until: SimTime) {
        self.medium.signal(now, until);
        if self.medium.claimed {
            self.confirm(now);
        }
    }

    /// Something is heard after a reservation that needs it.
    #[cold]
    fn confirm(&mut self, now: SimTime) {
        self.medium.claimed = false;
        if self.medium.nav_check >= now {
            self.reserve(now, self.medium.nav_claim);
        }
    }

    /// The station sends until `end` without having waited: what it was hearing and ends by then is never known
    /// to have been there, so its EIFS is void.
    #[inline]
    pub fn deafened(&mut self, now: SimTime, end: SimTime) {
        let medium = &mut self.medium;
        medium.sending_until = end;
        if medium.eifs_after > now && medium.eifs_after <= end {
            medium.eifs_after = medium.eifs_before;
            self.fall_idle_early(now);
        }
    }

    /// A frame was received whole: under the standard's rule that ends EIFS. Returns whether it did.
    #[inline]
    pub fn correct_frame(&mut self, now: SimTime) -> bool {
        let ends = self.medium.minds_correct_frame(now);
        if ends {
            self.medium.eifs_after = SimTime::ZERO;
            self.fall_idle_early(now);
        }
        ends
    }

    /// Whether a frame that is received whole would end EIFS.
    #[inline]
    pub(super) fn minds_correct_frame(&self, now: SimTime) -> bool {
        self.medium.minds_correct_frame(now)
    }

    /// Virtual carrier sense: reserved until `until`.
    #[inline]
    pub fn reserve(&mut self, now: SimTime, until: SimTime) {
        if until > self.medium.nav_until {
            self.medium.nav_until = until;
            self.busy(now, until);
        }
    }

    /// A CF-End: the medium is reserved no more (§10.3.2.4).
    pub fn end_reservation(&mut self, now: SimTime) {
        self.medium.claimed = false;
        self.medium.nav_until = self.medium.nav_until.min(now);
        self.fall_idle_early(now);
    }

    /// A reservation that lapses at `check` unless a signal is heard by then (§10.3.2.4, NAV reset after an RTS).
    pub fn reserve_if_used(&mut self, now: SimTime, until: SimTime, check: SimTime) {
        if until > self.medium.nav_until {
            self.medium.claimed = true;
            self.medium.nav_claim = until;
            self.medium.nav_check = check;
            self.reserve(now, check.min(until));
        }
    }

    /// The medium is known to be busy until `until`, from now.
    #[inline(always)]
    fn busy(&mut self, now: SimTime, until: SimTime) {
        let before = self.medium.prolong(until);
        let Self { back_off, medium, others, .. } = self;
        back_off.turn_busy(medium, now, before);
        others.each(|other, _| other.turn_busy(medium, now, before));
    }

    /// The medium turned out to fall idle earlier than thought.
    fn fall_idle_early(&mut self, now: SimTime) {
        if let Some(since) = self.medium.falls_idle_early(now) {
            self.back_off.count_from(since);
            self.others.each(|other, _| other.count_from(since));
        }
    }

    /// The station's own exchange begins: the back-offs are frozen. One that has ended with no frame `waiting` is over.
    #[inline]
    pub fn hold(&mut self, now: SimTime, waiting: bool) {
        let Self { back_off, medium, others, .. } = self;
        back_off.hold(medium, now, waiting);
        others.each(|other, waiting| other.hold(medium, now, waiting));
    }

    /// The own exchange is over: the back-offs go on after DIFS.
    #[inline]
    pub fn release(&mut self, now: SimTime) {
        self.back_off.release(now);
        self.others.each(|other, _| other.release(now));
    }

    /// The station's own exchange is over when what it sends now ends, at `end`.
    #[inline]
    pub fn release_at(&mut self, now: SimTime, end: SimTime) {
        self.medium.carrier_until = self.medium.carrier_until.max(end);
        self.medium.prolong(end);
        self.release(now);
    }

    /// When the first back-off with a frame behind it will end if nothing more is heard; `SimTime::MAX` while they are
    /// frozen by an exchange or absent.
    #[inline]
    #[must_use]
    pub fn deadline(&self) -> SimTime {
        self.back_off.deadline(&self.medium).min(self.others.deadline(&self.medium))
    }

    /// The same without the back-off that is on turn.
    #[inline]
    #[must_use]
    pub fn others_deadline(&self) -> SimTime {
        self.others.deadline(&self.medium)
    }

    /// Whether the back-off on turn ends now, and its frame goes out.
    #[inline]
    #[must_use]
    pub fn sends_at(&self, now: SimTime) -> bool {
        self.back_off.ends_at(&self.medium, now) && !self.is_interrupted()
    }

    /// A back-off of `slots` slots begins on turn.
    #[inline]
    pub fn back_off(&mut self, now: SimTime, slots: u32) {
        self.back_off.start(&self.medium, now, slots);
    }

    /// Whether the medium turned busy while a frame was waiting for DIFS alone.
    #[inline]
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.back_off.is_interrupted(&self.medium)
    }
}
