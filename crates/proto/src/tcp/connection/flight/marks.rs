//! What [`Flight`] makes of marks: an echo reduces the window once for each window of data (RFC 3168 §6.1.2), and
//! counters tell congestion control how much was marked (RFC 9768 §3.2.2.2).

use super::super::room::Room;
use super::accurate::Told;
use super::machine::Flight;
use crate::tcp::recovery::Recovery;
use crate::tcp::window::MarkSample;
use crate::units::{Dur, SimTime};
use crate::wire::Segment;

impl Flight {
    /// The connection opens without a handshake.
    pub(crate) fn open_at_once(&mut self) {
        self.ecn.agree_at_once();
    }

    /// The answer to the SYN has come; opening took one round trip of so long, if it was measured.
    pub(crate) fn opened(&mut self, now: SimTime, answer: &Segment, rtt: Option<Dur>) {
        if self.ecn.hear_offer(answer) {
            self.slow_down(true);
        }
        self.control.on_open(now, rtt);
        self.stream.opened(now);
    }

    /// What an ACK says of marks by its counters: the window rule hears of all. Returns how many packets they add.
    #[cold]
    #[inline(never)]
    pub(crate) fn hear_counts(&mut self, ack: &Segment) -> u32 {
        let board = self.losses.board();
        let held = board.held() - board.held_below(ack.ack);
        let told = self.ecn.hear_counts(ack, ack.ack + held, self.stream.segment());
        let Some(Told::Counts { arrived, packets, bytes }) = told else { return 0 };
        self.control.on_marks(&MarkSample {
            una: ack.ack,
            max_sent: self.stream.max_sent(),
            arrived,
            marked: bytes.min(arrived),
        });
        packets
    }

    /// An ACK echoes that a segment was marked. If that is news, the window shrinks, and the answer is whether the
    /// retransmission timeout is to be doubled.
    pub(crate) fn on_echo(&mut self, ack: u64, room: &Room) -> Option<bool> {
        if self.ecn.ignores_echo(ack) {
            return None;
        }
        let cwnd = self.control.window().cwnd;
        self.slow_down(true);
        let now = self.control.window();
        if self.recovery.spreads_marks() && now.cwnd < cwnd && now.ssthresh <= now.cwnd {
            self.spread_mark(room);
        }
        Some(self.ecn.echoed(cwnd < 2.0, cwnd <= 1.0))
    }

    /// The window shrinks though nothing is to be repaired; `marked`: for an echo.
    pub(crate) fn slow_down(&mut self, marked: bool) {
        self.control.on_echo(marked);
        self.ecn.reduced_for_echo(self.stream.max_sent());
    }

    /// A pause for a mark is over.
    pub(crate) const fn end_pause(&mut self) {
        self.ecn.go_on();
    }
}
