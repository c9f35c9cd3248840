//! A closed window (RFC 9293 §3.8.6.1): window updates, and the probes that ask for one.

use super::Action;
use super::sender::Sender;
use crate::contract::Sink;
use crate::units::SimTime;
use crate::wire::Segment;

impl Sender {
    /// The receiver has changed its window.
    pub(super) fn on_window_update<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.timing.is_probing() && self.room.peer_window() > 0 {
            if self.stream.outstanding() <= 1 {
                self.send_all_again(); // the byte of the probe goes along with what follows
            }
            self.restart_timer(now, out);
        }
        self.send_more(now, out);
    }

    /// Starts the persist timer if nothing else will ever wake this sender. Data that are outstanding have the
    /// retransmission timer, which becomes the persist timer when it fires.
    pub(super) fn watch_window<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.timing.is_off()
            && self.stream.una() == self.stream.max_sent()
            && self.room.is_closed(&self.stream)
        {
            self.timing.start_probing(now, out);
        }
    }

    /// The timer has fired while the window was closed. No sign of congestion: nothing is backed off but the probes.
    pub(super) fn probe_window<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.room.peer_window() > 0 {
            return self.use_small_window(now, out);
        }
        let end = self.stream.una() + 1;
        self.timing.probed(now, out);
        let before = self.ecn.silence();
        self.transmit(now, self.stream.una(), end, out);
        self.ecn = before;
        self.stream.sent_to(end);
    }

    /// RFC 9293 §3.8.6.2.1: a window too small for a full segment is filled when it has stayed so for a while.
    fn use_small_window<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.timing.stop_probing();
        let seq = self.stream.nxt();
        let end = self.stream.next_end_before(self.stream.una() + self.room.peer_window());
        self.transmit(now, seq, end, out);
        self.timing.rto_mut().sent(now, end);
        self.stream.sent_to(end);
    }

    /// A segment without data just below the window: unacceptable, so that it is answered (RFC 9293 §3.10.7.4). Below
    /// the first byte lies the SYN.
    pub(super) fn send_header<S: Sink<Action>>(&self, now: SimTime, out: &mut S) {
        let seq = self.stream.una().wrapping_sub(1);
        let (flags, ae) = (self.ecn.bare(), self.ecn.ae());
        let times = self.timing.stamp(now);
        out.put(Action::Send(Segment { seq, flags, times, ae, ..Segment::default() }));
    }
}
