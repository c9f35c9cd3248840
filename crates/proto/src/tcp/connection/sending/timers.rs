//! What a sender does when its timer fires: the retransmission timeout (RFC 6298), a tail loss probe
//! ([`crate::tcp::tail_probe`]; RFC 8985 §7), or the probe of a closed window (RFC 9293 §3.8.6.1).

use super::super::{Action, Event};
use super::machine::Sending;
use crate::contract::Sink;
use crate::tcp::tail_probe::Verdict;
use crate::units::SimTime;
use crate::wire::Segment;

impl Sending {
    /// The timer has fired; `is_for_probe`: as that of a tail loss probe.
    pub(crate) fn on_timer<S: Sink<Action>>(&mut self, now: SimTime, is_for_probe: bool, out: &mut S) {
        if is_for_probe && !self.flight.is_recovering() {
            self.send_tail_probe(now, out);
        } else if self.flight.ecn().is_paused() {
            self.flight.end_pause(); // what is outstanding is lost, or the next segment goes
            if self.flight.stream().outstanding() > 0 {
                self.on_timeout(now, out);
            } else {
                self.send_more(now, out);
            }
        } else if self.room.is_closed(self.flight.stream()) {
            self.probe_window(now, out);
        } else {
            self.on_timeout(now, out);
        }
    }

    /// RFC 6298 §5.2, §5.3: the timer runs while data are outstanding and starts afresh with each new ACK.
    pub(crate) fn restart_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.timing.restart(now, self.flight.stream().outstanding() > 0, out);
        if self.timing.may_probe() {
            self.plan_tail_probe(now, out);
        }
    }

    /// New data have left, or were acknowledged: a probe is due in two round trips (§7.2). Not while a loss is repaired
    /// or SACK shows a gap.
    #[cold]
    #[inline(never)]
    pub(super) fn plan_tail_probe<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let (stream, timeout) = (self.flight.stream(), self.timing.deadline());
        if self.flight.is_calm()
            && timeout < SimTime::MAX
            && !self.timing.is_probing()
            && !self.room.is_closed(stream)
        {
            self.timing.plan_probe(now, stream.outstanding() <= stream.segment(), out);
        }
    }

    /// A probe is due (§7.3): new data if there are any that the receiver has room for, else the last segment again.
    #[cold]
    #[inline(never)]
    fn send_tail_probe<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.timing.start(now, out);
        if self.room.is_shut() || self.flight.ecn().is_paused() {
            return;
        }
        let Some((seq, end)) = self.flight.tail(&self.room) else { return };
        let fresh = end > self.flight.stream().max_sent();
        self.timing.probe_leaves(end, !fresh);
        self.counters.tail_probes += 1;
        out.put(Action::Event(Event::TailProbe { seq }));
        if fresh {
            self.send_next(now, out);
        } else {
            self.transmit(now, seq, end, out);
        }
    }

    /// An ACK may tell what became of the probe that is out (§7.4): one that has repaired a loss shrinks the window.
    #[cold]
    #[inline(never)]
    pub(crate) fn judge_tail_probe(&mut self, segment: &Segment, twice: Option<(u64, u64)>) {
        let una = self.flight.stream().una();
        let bare = segment.ack == una && segment.sack.is_empty() && segment.len == 0;
        if self.timing.judge_probe(segment.ack, bare, twice.map(|(_, end)| end)) == Some(Verdict::Repaired) {
            self.counters.tail_repairs += 1;
            if !self.flight.is_recovering() {
                self.flight.slow_down(false);
            }
        }
    }

    /// The receiver has changed its window. What it has room for is sent later.
    pub(crate) fn on_window_update<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.timing.is_probing() && self.room.peer_window() > 0 {
            if self.flight.stream().outstanding() <= 1 {
                self.flight.lose_all(); // the byte of the probe goes along with what follows
            }
            self.restart_timer(now, out);
        }
    }

    /// Starts the persist timer if nothing else will ever wake this sender. Data that are outstanding have the
    /// retransmission timer, which becomes the persist timer when it fires.
    pub(super) fn watch_window<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let stream = self.flight.stream();
        if self.timing.is_off() && stream.outstanding() == 0 && self.room.is_closed(stream) {
            self.timing.start_probing(now, out);
        }
    }

    /// The timer has fired while the window was closed. No sign of congestion: nothing is backed off but the probes. A
    /// window too small for a full segment is filled when it has stayed so for a while (RFC 9293 §3.8.6.2.1).
    fn probe_window<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let (stream, window) = (*self.flight.stream(), self.room.peer_window());
        let end = if window > 0 {
            self.timing.stop_probing();
            let end = stream.next_end_before(stream.una() + window);
            self.transmit(now, stream.nxt(), end, out);
            self.timing.rto_mut().sent(now, end);
            end
        } else {
            let end = stream.una() + 1;
            self.timing.probed(now, out);
            let leaving = self.flight.probes(now, stream.una(), end);
            self.put(now, stream.una(), end, leaving, out);
            end
        };
        self.flight.stream_mut().sent_to(end);
    }
}
