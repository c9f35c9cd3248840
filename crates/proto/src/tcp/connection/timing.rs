//! What a sender learns of the timestamps that ACKs echo (RFC 7323 §4): round trips, and that a repair was needless (Eifel,
//! RFC 3522).

use super::Action;
use super::sender::{Phase, Sender};
use crate::contract::Sink;
use crate::units::SimTime;
use crate::wire::Segment;

impl Sender {
    /// An ACK echoes a time. `timed`: its round trip is known already.
    #[cold]
    #[inline(never)]
    pub(super) fn hear_times(&mut self, now: SimTime, segment: &Segment, timed: bool) {
        self.stamps.hear(segment);
        let advances = segment.ack > self.stream.una();
        self.undo.hear_echo(if advances { segment.times.echo() } else { 0 });
        if advances
            && !timed
            && let Some(rtt) = segment.times.elapsed(now)
        {
            self.rto.echoed(now, rtt, self.stream.outstanding().div_ceil(self.stream.segment()));
        }
    }

    /// A partial ACK shows that what it is for was sent before the first repair. If no repair is under way, nothing was lost: it
    /// came out of order (Linux `tcp_try_undo_partial`).
    pub(super) fn undo_if_late<S: Sink<Action>>(&mut self, out: &mut S) {
        let recovering = matches!(self.phase, Phase::Recovery { .. });
        if recovering && self.undo.is_late() && !self.losses.repairs_are_under_way() {
            self.losses.note_late(self.stream.una());
            self.take_back(true, out);
        }
    }
}
