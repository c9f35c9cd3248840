//! Dozing through the exchanges of others (Seok, Park & Choi §II: neighbours may turn their power off for the time that
//! the duration field states).
//!
//! ```text
//!   IDLE ──RTS or CTS of others──► DOZING ──the NAV ends──► IDLE
//! ```
//!
//! A station in an exchange of its own stays awake. Asleep it hears nothing: no frame for it, no later reservation.

use super::Others;
use super::exchange::Exchange;
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

    /// Others have reserved the medium until an instant: whether the radio dozes until then.
    #[cold]
    #[inline(never)]
    pub(super) fn doze_through<O: Others, S: Sink<Action> + ?Sized>(
        &mut self,
        exchange: &mut Exchange<O>,
        now: SimTime,
        until: SimTime,
        waits: bool,
        out: &mut S,
    ) -> bool {
        if exchange.sequence() != Sequence::Idle || until <= now {
            return false;
        }
        self.naps += 1;
        exchange.access.reserve(now, until);
        let wakes = exchange.access.medium.reserved_until();
        exchange.enter(now, Sequence::Dozing, wakes, waits, out);
        out.put(Action::Doze(true));
        true
    }
}

/// The reservation that a station has dozed through is over.
#[cold]
#[inline(never)]
pub(super) fn wake<O: Others, S: Sink<Action> + ?Sized>(
    exchange: &mut Exchange<O>,
    now: SimTime,
    waits: bool,
    out: &mut S,
) {
    exchange.free(now, waits, out);
    out.put(Action::Doze(false));
}
