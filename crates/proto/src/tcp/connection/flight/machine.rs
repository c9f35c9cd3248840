//! The parts of [`Flight`], what may be read of them, and what leaves.

use std::sync::Arc;

use super::super::room::Room;
use super::ecn::Ecn;
use super::losses::Losses;
use super::repairing::Episode;
use super::spurious::Spurious;
use crate::tcp::config::{IdleRestart, TcpConfig};
use crate::tcp::loss::LossDetector;
use crate::tcp::recovery::{AnyRecovery, Next, Recovery, Seen};
use crate::tcp::stream::Stream;
use crate::tcp::window::{AckSample, Congestion, Control, WindowRule};
use crate::units::{Bitrate, Dur, SimTime};

/// What a sender has in flight.
#[derive(Debug)]
pub(crate) struct Flight {
    pub(super) config: Arc<TcpConfig>,
    pub(super) stream: Stream,
    pub(super) losses: Losses,
    pub(super) recovery: AnyRecovery,
    /// Whether a recovery, or the answer to a mark, is under way.
    pub(super) episode: Episode,
    pub(super) control: Control,
    pub(super) ecn: Ecn,
    pub(super) spurious: Spurious,
    /// Until when an idle time has made the window smaller.
    decayed: SimTime,
}

/// What is said with a segment that leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving {
    /// Whether it was never sent before.
    pub(crate) new: bool,
    /// Its flags.
    pub(crate) flags: u8,
}

impl Flight {
    /// Nothing is in flight, and nothing was written.
    pub(crate) fn new(config: Arc<TcpConfig>) -> Self {
        let mut flight = Self {
            stream: Stream::new(config.segment),
            losses: Losses::new(&config),
            recovery: AnyRecovery::new(&config),
            episode: Episode::None,
            control: Control::new(&config),
            ecn: Ecn::new(&config),
            spurious: Spurious::new(&config),
            decayed: SimTime::ZERO,
            config,
        };
        flight.keep_log();
        flight
    }

    /// The stream begins with this byte.
    pub(crate) fn begin_at(&mut self, seq: u64) {
        self.stream.begin_at(seq);
        self.losses.board_mut().clear(seq);
    }

    /// Another loss detector than is configured. It may need to know more of losses than ns-2's `Sack1` does.
    pub(crate) fn set_detector(&mut self, detector: Box<dyn LossDetector>) {
        self.losses.set_detector(detector);
        self.keep_log();
        self.recovery.know_more();
    }

    /// Another window rule than is configured.
    pub(crate) fn set_rule(&mut self, rule: Box<dyn WindowRule>) {
        self.control.set_rule(rule);
        self.keep_log();
    }

    /// Keeps a log of what is sent, if something asks for it.
    fn keep_log(&mut self) {
        self.losses.keep_log(self.control.wants_path() || self.config.tail_probe.on);
        if self.control.wants_losses() {
            self.losses.note_each();
        }
    }

    /// Sequence numbers.
    #[inline(always)]
    pub(crate) const fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Sequence numbers, for what the application writes.
    #[inline(always)]
    pub(crate) const fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// What is known of losses.
    #[inline(always)]
    pub(crate) const fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Congestion control.
    #[inline(always)]
    pub(crate) const fn control(&self) -> &Control {
        &self.control
    }

    /// The congestion window, for orders.
    pub(crate) const fn window_mut(&mut self) -> &mut Congestion {
        self.control.window_mut()
    }

    /// What is agreed on of marks.
    #[inline(always)]
    pub(crate) const fn ecn(&self) -> &Ecn {
        &self.ecn
    }

    /// The window that holds now, in segments: a recovery may have one of its own.
    pub(crate) fn window_in_use(&self) -> f64 {
        let own = if self.sends_by_recovery() { self.recovery.window() } else { None };
        own.map_or(self.control.window().cwnd, |bytes| self.stream.segments(bytes).max(1.0))
    }

    /// The congestion window in bytes.
    #[inline]
    pub(crate) fn window(&self) -> u64 {
        u64::from(self.control.window().segments()) * self.stream.segment()
    }

    /// First byte beyond the window, and beyond that of the receiver.
    #[inline]
    pub(crate) fn edge(&self, room: &Room) -> u64 {
        self.stream.una() + room.usable(self.window())
    }

    /// The rate at which segments leave, once it is known.
    pub(crate) fn send_rate(&self, srtt: Option<Dur>) -> Option<Bitrate> {
        self.control.send_rate(srtt, self.stream.segment())
    }

    /// An ACK of so many segments, which the sequence numbers know of already.
    #[inline]
    pub(super) fn ack_sample(&self, now: SimTime, segments: f64, srtt: Option<Dur>) -> AckSample {
        AckSample {
            now,
            segments,
            outstanding: self.stream.segments(self.stream.outstanding()),
            flight: self.stream.segments(self.stream.flight()),
            una: self.stream.una(),
            max_sent: self.stream.max_sent(),
            srtt,
        }
    }

    /// What a recovery may read.
    pub(super) fn seen(&self, room: &Room) -> Seen<'_> {
        let stream = &self.stream;
        Seen {
            una: stream.una(),
            max_sent: stream.max_sent(),
            segment: stream.segment(),
            cwnd: self.control.window().cwnd,
            ssthresh: self.control.window().ssthresh,
            new: room.holds_next(stream),
            new_first: self.spurious.prefers_new(),
            scoreboard: self.losses.board(),
            marks: self.losses.marks(),
        }
    }

    /// Whether the windows would let a segment out.
    pub(crate) fn has_more(&self, room: &Room) -> bool {
        if self.losses.sends_by_pipe() {
            let mut rule = AnyRecovery::PIPE;
            rule.look(&self.seen(room));
            return self.next(&rule, room) != Next::Nothing;
        }
        self.stream.has_next() && self.stream.nxt() < self.edge(room)
    }

    /// An attempt to send begins: the rule that says what goes. Outside of recovery, where losses are marked or a
    /// timeout is repaired with what SACK told, it is what the window has room for.
    pub(crate) fn start_sending(&self, room: &Room) -> AnyRecovery {
        let mut rule = if self.sends_by_recovery() { self.recovery.clone() } else { AnyRecovery::PIPE };
        rule.look(&self.seen(room));
        rule
    }

    /// What goes next by that rule.
    pub(crate) fn next(&self, rule: &AnyRecovery, room: &Room) -> Next {
        rule.next(&self.seen(room))
    }

    /// The attempt is over.
    pub(crate) fn stop_sending(&mut self, rule: AnyRecovery) {
        if self.sends_by_recovery() {
            self.recovery = rule;
        } else if !self.losses.are_marked() {
            self.losses.end_repairs(self.stream.una());
        }
        self.spurious.sent();
    }

    /// `[seq, end)` leaves.
    #[inline]
    pub(crate) fn leaves(&mut self, now: SimTime, seq: u64, end: u64) -> Leaving {
        let new = self.note(now, seq, end);
        Leaving { new, flags: self.ecn.leaving(new) }
    }

    /// `[seq, end)` leaves as a probe of the receiver's window: never marked (RFC 3168 §6.1.6), and no new data that
    /// could say anything of the congestion window.
    pub(crate) fn probes(&mut self, now: SimTime, seq: u64, end: u64) -> Leaving {
        let new = self.note(now, seq, end);
        Leaving { new, flags: self.ecn.bare() }
    }

    #[inline]
    fn note(&mut self, now: SimTime, seq: u64, end: u64) -> bool {
        let new = self.stream.leaves(now, seq);
        let idle = self.stream.outstanding() == 0;
        if self.losses.sent(now, seq, end, idle) {
            self.control.on_restart(now);
        }
        if idle {
            self.control.on_idle_end(now);
        }
        if !new {
            self.spurious.sent_again(now);
        }
        new
    }

    /// After an idle time, longer than this timeout, the window says nothing about the path any more (RFC 5681 §4.1).
    pub(crate) fn restart_after_idleness(&mut self, now: SimTime, rto: Dur) {
        let rule = self.config.idle_restart;
        if rule == IdleRestart::Off || self.stream.outstanding() > 0 || self.stream.una() == 0 {
            return;
        }
        let (since, most) = match rule {
            IdleRestart::Off => return,
            IdleRestart::InitialWindow | IdleRestart::Halving => {
                (self.stream.last_sent().max(self.decayed), f64::from(self.config.initial_window))
            }
            IdleRestart::OneSegment => (self.stream.last_acked(), 1.0),
        };
        let idle = now.saturating_since(since);
        if idle <= rto {
            return;
        }
        let least = self.control.window().cwnd.min(most);
        if rule != IdleRestart::Halving {
            self.control.window_mut().cwnd = least;
        } else if !self.control.sets_rate() {
            self.decayed = now; // if a gate holds the data back, no time counts twice
            self.control.window_mut().decay(idle, rto, least);
        }
    }

    /// All that may go has gone. If the application has no more, rates say nothing of the path.
    #[inline]
    pub(crate) fn note_idleness(&mut self) {
        if self.losses.log().is_some() && !self.stream.has_next() {
            let room = self.window();
            self.losses.note_idleness(&self.stream, room);
        }
    }
}
