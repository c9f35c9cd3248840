//! The one timer of a machine: when it is due, and what is done then.

use super::machine::Dsr;
use crate::contract::{Cx, Sink};
use crate::routing::contract::Action;
use crate::units::SimTime;

impl Dsr {
    pub(super) fn on_timer<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, out: &mut S) {
        self.waiting.expire(cx, out);
        self.send_answers(cx.now, out);
        if !self.waiting.is_polled() {
            self.search_for_all(cx, out);
        } else if self.waiting.polls(cx.now, &mut self.rng) {
            self.release(cx, out);
            self.search_for_all(cx, out);
        }
    }

    pub(super) fn arm<S: Sink<Action> + ?Sized>(&self, cx: &Cx<'_>, out: &mut S) {
        let at = self.waiting.next(|| self.next_search(cx)).min(self.answers.next());
        out.put(Action::Arm(if at == SimTime::MAX { at } else { at.max(cx.now) }));
    }
}
