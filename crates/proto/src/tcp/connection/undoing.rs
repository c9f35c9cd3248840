//! How a sender takes back what it did for a loss that was none ([`super::spurious`]).

use super::sender::{Phase, Sender};
use super::spurious::{Shown, Standing};
use super::{Action, Event};
use crate::contract::Sink;
use crate::tcp::frto::Heard;
use crate::tcp::sendlog::Measured;
use crate::units::SimTime;
use crate::wire::Segment;

impl Sender {
    /// The window is about to be reduced.
    pub(super) fn note_reduction(&mut self) {
        let probed = self.timing.has_repeated(self.stream.max_sent());
        self.spurious.reduce(self.control.window().before(), self.stream.una(), probed);
    }

    /// The ACK says that these bytes have come twice. Returns whether the loss detector shall know, as it was no probe.
    #[cold]
    #[inline(never)]
    pub(super) fn hear_twice(&mut self, (start, end): (u64, u64)) -> bool {
        let segments = (end - start).div_ceil(self.stream.segment());
        self.spurious.came_twice(end, segments);
        !self.timing.has_repeated(end)
    }

    /// All that was sent again in a recovery has come twice (RFC 3708 §3.2; Linux `tcp_try_undo_dsack`).
    pub(super) fn undo_if_needless<S: Sink<Action>>(&mut self, now: SimTime, ack: u64, out: &mut S) {
        if self.spurious.is_shown() && !self.losses.repairs_timeout(self.stream.una()) {
            self.take_back(false, out);
            if ack <= self.stream.una() {
                self.send_more(now, out);
            }
        }
    }

    /// An ACK echoes a time (Eifel, RFC 3522). `timed`: its round trip is known already.
    #[cold]
    #[inline(never)]
    pub(super) fn hear_times(&mut self, now: SimTime, segment: &Segment, timed: bool) {
        self.timing.hear_clock(segment);
        let advances = segment.ack > self.stream.una();
        self.spurious.hear_echo(if advances { segment.times.echo() } else { 0 });
        if advances && !timed {
            let outstanding = self.stream.outstanding().div_ceil(self.stream.segment());
            self.timing.hear_echo(now, segment, outstanding);
        }
    }

    /// What an ACK says of a timeout (RFC 5682 §3.1).
    #[cold]
    #[inline(never)]
    pub(super) fn judge_timeout<S: Sink<Action>>(
        &mut self,
        segment: &Segment,
        fresh: bool,
        path: Option<&Measured>,
        out: &mut S,
    ) {
        let stream = &self.stream;
        let heard = Heard {
            una: segment.ack.max(stream.una()),
            advanced: segment.ack > stream.una(),
            fresh,
            original: path.and_then(|path| path.original),
            max_sent: stream.max_sent(),
            new: self.room.holds_next(stream),
        };
        if self.spurious.judge_timeout(&heard) {
            self.take_back(true, out);
        }
    }

    /// An ACK advances.
    #[cold]
    #[inline(never)]
    pub(super) fn undo_with_new_ack<S: Sink<Action>>(&mut self, out: &mut S) {
        let standing = Standing {
            repairs_timeout: self.losses.repairs_timeout(self.stream.una()),
            recovering: matches!(self.phase, Phase::Recovery { .. }),
            under_way: self.losses.repairs_are_under_way(),
        };
        match self.spurious.judge(standing) {
            Shown::Nothing => return,
            Shown::NeedlessTimeout => {}
            Shown::OutOfOrder => self.losses.note_late(self.stream.una()),
        }
        self.take_back(true, out);
    }

    /// All that was outstanding as recovery began has arrived.
    pub(super) fn end_recovery<S: Sink<Action>>(&mut self, out: &mut S) {
        if self.spurious.is_shown() {
            return self.take_back(false, out);
        }
        self.spurious.repaired();
        self.losses.end_recovery();
        self.leave_recovery();
    }

    /// The last reduction was needless: the window is as before, and recovery is over. `all`: nothing is believed to be lost
    /// any more.
    pub(super) fn take_back<S: Sink<Action>>(&mut self, all: bool, out: &mut S) {
        let Some(before) = self.spurious.take_back() else { return };
        self.counters.undone += 1;
        out.put(Action::Event(Event::Undone { seq: self.stream.una() }));
        if matches!(self.phase, Phase::Recovery { .. }) {
            self.leave_recovery();
        }
        self.losses.trust(all);
        if all {
            self.stream.go_on();
        }
        self.room.owe_nothing();
        self.control.on_undo(before);
    }
}
