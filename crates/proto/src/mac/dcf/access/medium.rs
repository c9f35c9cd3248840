//! What a station knows of the medium: until when it is busy, and why. All its back-offs read it.

use super::AccessRules;
use crate::mac::config::EifsRule;
use crate::units::{Dur, SimTime};

/// The medium as one station knows it. What every signal touches comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Medium {
    /// When it falls idle as far as is known now: carrier, reservation and EIFS.
    pub(super) busy_until: SimTime,
    pub(super) carrier_until: SimTime,
    /// A reservation, `nav_claim`, is valid only if something is heard by `nav_check`.
    pub(super) claimed: bool,
    /// Time that signals of other stations occupy the medium, up to the end of those on the air \[ns\].
    pub(super) busy_ns: u64,
    /// End of the undecodable frame that EIFS follows, zero if none does; and what that was before it.
    pub(super) eifs_after: SimTime,
    pub(super) eifs_before: SimTime,
    pub(super) nav_until: SimTime,
    pub(super) nav_check: SimTime,
    pub(super) nav_claim: SimTime,
    /// End of what the station sends or has sent last.
    pub(super) sending_until: SimTime,
    /// When packets came up that a frame had brought before its end.
    pub(super) midst: SimTime,
    pub(super) rules: AccessRules,
}

impl Medium {
    /// An idle one.
    pub(super) const fn new(rules: AccessRules) -> Self {
        Self {
            busy_until: SimTime::ZERO,
            carrier_until: SimTime::ZERO,
            claimed: false,
            busy_ns: 0,
            eifs_after: SimTime::ZERO,
            eifs_before: SimTime::ZERO,
            nav_until: SimTime::ZERO,
            nav_check: SimTime::ZERO,
            nav_claim: SimTime::ZERO,
            sending_until: SimTime::ZERO,
            midst: SimTime::MAX,
            rules,
        }
    }

    /// Forgets everything but what is on the air.
    pub(super) const fn restart(&mut self) {
        let fresh = Self::new(self.rules);
        *self = Self {
            busy_until: self.carrier_until,
            carrier_until: self.carrier_until,
            busy_ns: self.busy_ns,
            ..fresh
        };
    }

    /// A signal lasts until `until`.
    #[inline(always)]
    pub(super) fn signal(&mut self, now: SimTime, until: SimTime) {
        if until > self.carrier_until {
            self.busy_ns += until.as_ns() - self.carrier_until.max(now).as_ns();
            self.carrier_until = until;
        }
    }

    /// It is known to be busy until `until`; returns until when it was before.
    #[inline(always)]
    pub(super) fn prolong(&mut self, until: SimTime) -> SimTime {
        let before = self.busy_until;
        self.busy_until = before.max(until);
        before
    }

    /// What ends at `end` cannot be decoded: EIFS follows it. Returns until when the medium counts as busy.
    #[inline(always)]
    pub(super) fn spoil(&mut self, now: SimTime, end: SimTime) -> SimTime {
        if self.eifs_after <= now {
            self.eifs_before = self.eifs_after;
        }
        self.eifs_after = self.eifs_after.max(end);
        end + self.rules.hold
    }

    /// EIFS after the last undecodable frame ends then.
    #[inline]
    pub(super) fn eifs_until(&self) -> SimTime {
        if self.eifs_after == SimTime::ZERO { SimTime::ZERO } else { self.eifs_after + self.rules.hold }
    }

    /// Whether a frame that is received whole would end EIFS.
    #[inline]
    pub(super) fn minds_correct_frame(&self, now: SimTime) -> bool {
        self.rules.eifs_rule == EifsRule::Standard && self.eifs_until() > now
    }

    /// It may have turned out to fall idle earlier than thought: from when on it is idle, if so.
    pub(super) fn falls_idle_early(&mut self, now: SimTime) -> Option<SimTime> {
        let until = self.carrier_until.max(self.nav_until).max(self.eifs_until());
        let early = until < self.busy_until && self.busy_until > now;
        early.then(|| {
            self.busy_until = until;
            until.max(now)
        })
    }

    /// What comes up now had come while its frame was still on the air: the medium was not idle then.
    pub const fn came_before_the_end(&mut self, now: SimTime) {
        self.midst = now;
    }

    /// Whether physical and virtual carrier sense say idle.
    #[inline]
    #[must_use]
    pub fn is_idle(&self, now: SimTime) -> bool {
        self.busy_until <= now
    }

    /// When it falls idle as far as is known now.
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

    /// How long signals have kept it busy until `now`.
    #[must_use]
    pub const fn busy_time(&self, now: SimTime) -> Dur {
        Dur::from_ns(self.busy_ns).saturating_sub(self.carrier_until.saturating_since(now))
    }
}
