//! The one timer of a machine: when it is due, and what is done then.

use super::machine::Dsr;
use crate::contract::{Cx, Sink};
use crate::routing::contract::Action;
use crate::units::{Dur, SimTime};

impl Dsr {
    pub(super) fn on_timer<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.buffer.expire(cx, out);
        self.send_answers(cx.now, out);
        if self.config.poll == Dur::ZERO {
            self.search_for_all(cx, out);
        } else if self.poll_at <= cx.now {
            self.poll_at = cx.now + self.rng.range_dur(self.config.poll, self.config.poll * 2);
            self.release(cx, out);
            self.search_for_all(cx, out);
        }
    }

    /// Time to the next poll seen from any instant: polls go on whether packets wait or not. The interval around an instant
    /// is a long one more often than a short one, in proportion to its length, and the instant lies anywhere in it.
    pub(super) fn rest_of_poll(&mut self) -> Dur {
        let interval = self.config.poll.mul_f64(libm::sqrt(3.0_f64.mul_add(self.rng.f64(), 1.0)));
        self.rng.range_dur(Dur::ZERO, interval)
    }

    pub(super) fn arm<S: Sink<Action> + ?Sized>(&self, cx: &Cx<'_>, out: &mut S) {
        let answers = self.answers.iter().map(|&(at, _)| at).min().unwrap_or(SimTime::MAX);
        let searches = match (self.buffer.is_empty(), self.config.poll == Dur::ZERO) {
            (true, _) => SimTime::MAX,
            (false, true) => self.next_search(cx),
            (false, false) => self.poll_at,
        };
        let at = self.buffer.next_expiry().min(answers).min(searches);
        out.put(Action::Arm(if at == SimTime::MAX { at } else { at.max(cx.now) }));
    }
}
