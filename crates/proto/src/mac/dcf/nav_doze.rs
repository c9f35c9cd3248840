//! Dozing through the exchanges of others (Seok, Park & Choi §II: neighbours may turn their power off for the time that
//! the duration field states).
//!
//! ```text
//!   IDLE ──RTS or CTS of others──► DOZING ──the NAV ends──► IDLE
//! ```
//!
//! A station in an exchange of its own stays awake. Asleep it hears nothing: no frame for it, no later reservation.

use super::Others;
use super::machine::Dcf;
use super::sequence::Sequence;
use crate::contract::Sink;
use crate::mac::Action;
use crate::units::SimTime;

/// What is counted of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NavDoze {
    /// How often it has dozed.
    pub(super) naps: u64,
}

impl NavDoze {
    /// Name of its counter.
    pub(super) const NAME: &'static str = "mac.nav-dozes";

    /// If it is on.
    pub(super) fn new(on: bool) -> Option<Box<Self>> {
        on.then(Box::default)
    }
}

impl<O: Others> Dcf<O> {
    /// Others have reserved the medium until an instant: whether the radio dozes until then.
    #[cold]
    #[inline(never)]
    pub(super) fn doze_through<S: Sink<Action> + ?Sized>(
        &mut self,
        now: SimTime,
        until: SimTime,
        out: &mut S,
    ) -> bool {
        let Some(doze) =
            self.nav_doze.as_mut().filter(|_| self.exchange.sequence() == Sequence::Idle && until > now)
        else {
            return false;
        };
        doze.naps += 1;
        self.exchange.access.reserve(now, until);
        let wakes = self.exchange.access.medium.reserved_until();
        self.exchange.enter(now, Sequence::Dozing, wakes, self.job.is_some(), out);
        out.put(Action::Doze(true));
        true
    }

    /// The reservation is over.
    #[cold]
    #[inline(never)]
    pub(super) fn wake<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        self.exchange.free(now, self.job.is_some(), out);
        out.put(Action::Doze(false));
    }
}
