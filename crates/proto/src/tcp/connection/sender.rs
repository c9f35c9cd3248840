//! The sending end: RFC 9293 (connection), RFC 5681 (congestion control), RFC 3042 (limited transmit).
//!
//! The congestion window is counted in segments, sequence numbers in bytes; only whole segments are sent unless
//! the data run out.
//! Not modelled: urgent data, window scaling, silly-window avoidance (segments are whole), closing handshakes.

use super::{Action, Event, Input, Timer};
use crate::port::{Control, Sink, TcpView};
use crate::tcp::config::{Loss, TcpConfig};
use crate::tcp::loss::{DUP_THRESH, Scoreboard};
use crate::tcp::rto::RtoEstimator;
use crate::tcp::window::Congestion;
use crate::units::{FlowId, SimTime};
use crate::wire::{Segment, flags};

/// Counters of one sender; monotone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Data segments sent, retransmissions included.
    pub sent: u64,
    /// Segments sent that start below the highest byte sent before.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Segments sent by limited transmit.
    pub limited: u64,
}

impl Counters {
    /// Tells every counter by its public name.
    pub fn each(&self, tell: &mut impl FnMut(&'static str, u64)) {
        tell("tcp.sent", self.sent);
        tell("tcp.retransmissions", self.retransmissions);
        tell("tcp.timeouts", self.timeouts);
        tell("tcp.fast-retransmits", self.fast_retransmits);
        tell("tcp.limited-transmits", self.limited);
    }
}

/// Where the connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Not opened yet.
    Closed,
    /// SYN sent, or about to be.
    Opening,
    /// Sending, no loss known.
    Open,
    /// Fast recovery until `recover` is acknowledged.
    Recovery {
        /// Highest byte sent when recovery began.
        recover: u64,
        /// Whether a partial ACK has restarted the timer already.
        restarted: bool,
    },
    /// Stopped by a shim; remembers nothing but that.
    Frozen,
}

/// One TCP sender.
#[derive(Clone, Debug)]
pub struct Sender {
    pub(super) config: TcpConfig,
    pub(super) flow: FlowId,
    pub(super) phase: Phase,
    pub(super) una: u64,
    pub(super) nxt: u64,
    /// Next byte that has never been sent.
    pub(super) max_sent: u64,
    pub(super) dupacks: u32,
    /// Highest byte sent at the last loss event: no second reaction below it (RFC 6582 "careful").
    pub(super) recover_mark: Option<u64>,
    /// First byte of the segment that timed out last, until it is acknowledged.
    pub(super) timed_out: Option<u64>,
    pub(super) congestion: Congestion,
    pub(super) rto: RtoEstimator,
    pub(super) scoreboard: Scoreboard,
    pub(super) deadline: SimTime,
    pub(super) counters: Counters,
    /// Bytes that the application has given so far.
    written: u64,
    /// Last window that the receiver advertised \[bytes\].
    peer_window: u64,
    /// Most segments that one call may send; set by the send gate before each call.
    budget: u32,
    /// A lost segment that the gate has not let through yet.
    pub(super) owed: Option<u64>,
    completed: bool,
}

impl Sender {
    /// A closed sender.
    #[must_use]
    pub fn new(config: TcpConfig, flow: FlowId) -> Self {
        Self {
            congestion: Congestion::new(config.initial_window, config.max_window),
            rto: RtoEstimator::new(&config),
            peer_window: u64::from(config.max_window) * u64::from(config.segment.0),
            flow,
            phase: Phase::Closed,
            una: 0,
            nxt: 0,
            max_sent: 0,
            dupacks: 0,
            recover_mark: None,
            timed_out: None,
            scoreboard: Scoreboard::default(),
            deadline: SimTime::MAX,
            counters: Counters::default(),
            written: 0,
            budget: u32::MAX,
            owed: None,
            completed: false,
            config,
        }
    }

    /// Takes one input.
    pub fn handle<S: Sink<Action>>(&mut self, now: SimTime, input: Input, out: &mut S) {
        match input {
            Input::Open => self.open(now, out),
            Input::Write(bytes) => {
                self.written = self.written.saturating_add(bytes);
                self.send_more(now, out);
            }
            Input::Stop => self.written = self.written.min(self.max_sent),
            Input::Segment(segment) => self.on_segment(now, &segment, out),
            Input::Timer(_) => self.on_timer(now, out),
            Input::Control(control) => self.control(now, control, out),
            Input::Wake => self.send_more(now, out),
        }
    }

    /// The send gate allows this many segments in the next call.
    pub const fn set_budget(&mut self, segments: u32) {
        self.budget = segments;
    }

    /// Whether segments could go if the gate allowed it.
    #[must_use]
    pub fn is_stalled(&self) -> bool {
        let more = self.nxt < self.una + self.usable() && self.nxt < self.written;
        self.budget == 0 && (more || self.owed.is_some())
    }

    /// State for shims, gates and probes.
    #[must_use]
    pub fn view(&self) -> TcpView {
        TcpView {
            flow: self.flow,
            una: self.una,
            nxt: self.nxt,
            cwnd: self.congestion.cwnd,
            ssthresh: self.congestion.ssthresh,
            srtt: self.rto.srtt(),
            rto: self.rto.rto(),
            dupacks: self.dupacks,
            timer: self.deadline,
        }
    }

    /// Counters so far.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Sum and number of round-trip samples.
    #[must_use]
    pub const fn rtt_samples(&self) -> (crate::units::Dur, u64) {
        self.rto.samples()
    }

    fn open<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.config.handshake {
            self.phase = Phase::Opening;
            self.send_syn(now, out);
        } else {
            self.phase = Phase::Open;
            self.send_more(now, out);
        }
    }

    fn send_syn<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        out.put(Action::Send(Segment { flags: flags::SYN, ..Segment::default() }));
        self.arm(now + self.rto.rto(), out);
    }

    fn on_segment<S: Sink<Action>>(&mut self, now: SimTime, segment: &Segment, out: &mut S) {
        if segment.flags & flags::ACK == 0 || segment.ack > self.max_sent {
            return; // not for a sender, or acknowledges what was never sent (RFC 9293 §3.10.7.4)
        }
        self.peer_window = u64::from(segment.window);
        match self.phase {
            Phase::Opening if segment.flags & flags::SYN != 0 => {
                self.phase = Phase::Open;
                self.rto.handshake_over();
                self.arm(SimTime::MAX, out);
                self.send_more(now, out);
            }
            Phase::Closed | Phase::Opening => {}
            Phase::Frozen => self.una = self.una.max(segment.ack),
            Phase::Open | Phase::Recovery { .. } => {
                for (start, end) in
                    segment.sack.iter().filter(|&(start, end)| start < end && end <= self.max_sent)
                {
                    self.scoreboard.update(start, end);
                }
                if segment.ack > self.una {
                    self.on_new_ack(now, segment.ack, out);
                } else if segment.ack == self.una
                    && self.max_sent > self.una
                    && segment.flags & flags::SYN == 0
                {
                    // RFC 5681 §2: a repeated SYN-ACK is no duplicate ACK.
                    self.on_duplicate_ack(now, out);
                }
            }
        }
    }

    fn on_new_ack<S: Sink<Action>>(&mut self, now: SimTime, ack: u64, out: &mut S) {
        let segments = (ack - self.una) as f64 / f64::from(self.config.segment.0);
        self.rto.acked(now, ack);
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        self.dupacks = 0;
        self.scoreboard.advance(ack);
        self.owed = self.owed.filter(|&seq| seq >= ack);
        match self.phase {
            Phase::Recovery { recover, restarted } if ack < recover => {
                self.on_partial_ack(now, segments, recover, restarted, out);
            }
            Phase::Recovery { .. } => {
                self.phase = Phase::Open;
                self.congestion.leave_recovery();
                self.restart_timer(now, out);
                self.congestion.open();
            }
            _ => {
                self.restart_timer(now, out);
                self.congestion.open();
            }
        }
        self.complete(out);
        self.send_more(now, out);
    }

    /// Reports, once, that all of a finite transfer has been acknowledged.
    fn complete<S: Sink<Action>>(&mut self, out: &mut S) {
        if self.una == self.written && self.una > 0 && !self.completed {
            self.completed = true;
            out.put(Action::Event(Event::Completed));
        }
    }

    fn on_duplicate_ack<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.dupacks += 1;
        if let Phase::Recovery { .. } = self.phase {
            if self.config.loss == Loss::DupAcks {
                self.congestion.inflation += 1;
            }
            self.send_more(now, out);
        } else if self.judges_loss() {
            self.enter_recovery(now, out);
        } else if self.dupacks < DUP_THRESH && self.config.limited_transmit {
            self.limited_transmit(now, out);
        }
    }

    /// The third duplicate ACK, or SACK's equivalent; once per window of data.
    fn judges_loss(&self) -> bool {
        let segment = u64::from(self.config.segment.0);
        let lost = match self.config.loss {
            Loss::DupAcks => self.dupacks == DUP_THRESH,
            Loss::Sack => self.dupacks >= DUP_THRESH || self.scoreboard.is_lost(self.una, segment),
        };
        lost && (!self.config.careful || self.recover_mark.is_none_or(|mark| self.una > mark))
    }

    /// RFC 3042: one new segment for each of the first two duplicate ACKs.
    fn limited_transmit<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let segment = u64::from(self.config.segment.0);
        let most = self.una + self.peer_window.min(u64::from(self.congestion.limit) * segment);
        let window = u64::from(self.congestion.segments() + self.dupacks) * segment;
        let room = self.nxt < (self.una + window).min(most) && self.budget > 0;
        if self.nxt == self.max_sent && room && self.nxt < self.written {
            self.counters.limited += 1;
            self.send_next(now, out);
        }
    }

    /// Sends what window, gate and data allow.
    pub(super) fn send_more<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if let Some(seq) = self.owed {
            self.repair(now, seq, out);
        }
        if self.sends_by_pipe() {
            return self.send_by_pipe(now, out);
        }
        if !matches!(self.phase, Phase::Open | Phase::Recovery { .. }) {
            return;
        }
        let segment = u64::from(self.config.segment.0);
        let edge = self.una + self.usable();
        while self.nxt + segment <= edge && self.nxt < self.written && self.budget > 0 {
            self.send_next(now, out);
        }
    }

    /// Sends the segment at `nxt`.
    pub(super) fn send_next<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let seq = self.nxt;
        let end = self.transmit(now, seq, out);
        self.nxt = end;
        if end > self.max_sent {
            self.max_sent = end;
            self.rto.sent(now, end);
        }
    }

    /// Sends the segment at `seq` and returns its end.
    pub(super) fn transmit<S: Sink<Action>>(&mut self, now: SimTime, seq: u64, out: &mut S) -> u64 {
        let segment = u64::from(self.config.segment.0);
        let end = (seq + segment).min(self.written.max(self.max_sent));
        self.budget = self.budget.saturating_sub(1);
        self.counters.sent += 1;
        if seq < self.max_sent {
            self.counters.retransmissions += 1;
        }
        let len = u32::try_from(end - seq).unwrap_or(self.config.segment.0);
        out.put(Action::Send(Segment { seq, len, flags: flags::ACK, ..Segment::default() }));
        if self.deadline == SimTime::MAX {
            self.arm(now + self.rto.rto(), out);
        }
        end
    }

    /// Bytes beyond `una` that may be outstanding.
    pub(super) fn usable(&self) -> u64 {
        (u64::from(self.congestion.segments()) * u64::from(self.config.segment.0)).min(self.peer_window)
    }

    /// RFC 6298 §5.2, §5.3: the timer runs while data are outstanding and starts afresh with each new ACK.
    pub(super) fn restart_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let deadline = if self.una < self.max_sent { now + self.rto.rto() } else { SimTime::MAX };
        self.arm(deadline, out);
    }

    pub(super) fn arm<S: Sink<Action>>(&mut self, deadline: SimTime, out: &mut S) {
        self.deadline = deadline;
        out.put(Action::Arm(Timer::Retransmit, deadline));
    }

    fn on_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        match self.phase {
            Phase::Opening => {
                self.rto.back_off();
                self.send_syn(now, out);
            }
            Phase::Open | Phase::Recovery { .. } => self.on_timeout(now, out),
            Phase::Closed | Phase::Frozen => {}
        }
    }

    /// Most bytes the application will ever have given so far.
    pub(super) const fn written(&self) -> u64 {
        self.written
    }

    pub(super) const fn peer_window(&self) -> u64 {
        self.peer_window
    }

    pub(super) const fn budget(&self) -> u32 {
        self.budget
    }

    fn control<S: Sink<Action>>(&mut self, now: SimTime, control: Control, out: &mut S) {
        match control {
            Control::Freeze => {
                self.phase = Phase::Frozen;
                self.arm(SimTime::MAX, out);
            }
            Control::Thaw => {
                if self.phase == Phase::Frozen {
                    self.phase = Phase::Open;
                    self.nxt = self.una;
                    self.rto.void();
                    self.restart_timer(now, out);
                    self.complete(out);
                    self.send_more(now, out);
                }
            }
            Control::SetCwnd { segments } => self.congestion.cwnd = segments.max(1.0),
            Control::Retransmit { seq } => {
                if seq >= self.una && seq < self.max_sent {
                    self.rto.void();
                    self.transmit(now, seq, out);
                }
            }
            Control::RestartTimer => self.restart_timer(now, out),
        }
    }
}
