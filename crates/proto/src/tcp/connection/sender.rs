//! The sending end: RFC 9293 (connection), RFC 5681 (congestion control). Here is what it knows; [`super::acked`] says what
//! it makes of an ACK, [`super::transmit`] sends, [`super::loss_detection`] decides what is lost, [`super::recovery`] repairs,
//! [`super::probe`] sees to closed windows, [`super::control`] carries out what shims ask for.
//!
//! The congestion window is counted in segments, sequence numbers in bytes.
//! Not modelled: urgent data, closing handshakes.

use super::ecn::Ecn;
use super::losses::Losses;
use super::room::Room;
use super::spurious::Spurious;
use super::timing::Timing;
use super::{Action, Input, Timer};
use crate::contract::{self, Sink, TcpView};
use crate::tcp::config::{GateKind, Handshake, TcpConfig};
use crate::tcp::loss::LossDetector;
use crate::tcp::recovery::{AnyRecovery, Recovery};
use crate::tcp::stream::Stream;
use crate::tcp::window::{Control, WindowRule};
use crate::units::{FlowId, SimTime, counters};
use crate::wire::Segment;

counters! {
    /// Counters of one sender; monotone.
    pub struct Counters {
        /// Data segments sent, retransmissions included.
        pub sent = "tcp.sent",
        /// Segments sent that start below the highest byte sent before.
        pub retransmissions = "tcp.retransmissions",
        /// Retransmission timeouts of data.
        pub timeouts = "tcp.timeouts",
        /// Timeouts of the first packet, which opens the connection: a SYN, or what ns-2 sends in its place.
        pub opening_timeouts = "tcp.opening-timeouts",
        /// Fast retransmits.
        pub fast_retransmits = "tcp.fast-retransmits",
        /// Segments sent by limited transmit.
        pub limited = "tcp.limited-transmits",
        /// Window reductions for an echo of ECN.
        pub ecn_reductions = "tcp.ecn-reductions",
        /// Segments that the receiver has counted as marked, by accurate ECN.
        pub ecn_marks = "tcp.ecn-marks",
        /// Tail loss probes sent.
        pub tail_probes = "tcp.tail-probes",
        /// Losses that a tail loss probe has repaired.
        pub tail_repairs = "tcp.tail-repairs",
        /// Losses that were found while a tail loss probe was out.
        pub tail_finds = "tcp.tail-finds",
        /// Reductions of the window that were taken back as needless.
        pub undone = "tcp.undone",
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
}

/// One TCP sender.
#[derive(Debug)]
pub struct Sender {
    pub(super) config: TcpConfig,
    flow: FlowId,
    pub(super) phase: Phase,
    pub(super) stream: Stream,
    pub(super) losses: Losses,
    pub(super) recovery: AnyRecovery,
    pub(super) control: Control,
    pub(super) ecn: Ecn,
    pub(super) timing: Timing,
    pub(super) counters: Counters,
    pub(super) room: Room,
    pub(super) spurious: Spurious,
}

impl Sender {
    /// A closed sender.
    #[must_use]
    pub fn new(config: TcpConfig, flow: FlowId) -> Self {
        let mut sender = Self {
            flow,
            phase: Phase::Closed,
            stream: Stream::new(config.segment),
            losses: Losses::new(&config),
            recovery: AnyRecovery::new(&config),
            control: Control::new(&config),
            ecn: Ecn::new(&config),
            timing: Timing::new(&config),
            counters: Counters::default(),
            room: Room::new(&config),
            spurious: Spurious::new(&config),
            config,
        };
        sender.keep_log();
        sender.room.pace(sender.control.quantum());
        sender
    }

    /// Has a closed sender begin with this byte of the stream: an end that goes on for another has no earlier ones.
    pub fn begin_at(&mut self, seq: u64) {
        self.stream.begin_at(seq);
        self.losses.board_mut().clear(seq);
    }

    /// Replaces the configured loss detector. It may need to know more of losses than ns-2's `Sack1` does.
    pub fn set_loss_detector(&mut self, detector: Box<dyn LossDetector>) {
        self.losses.set_detector(detector);
        self.keep_log();
        self.recovery.know_more();
    }

    /// Keeps a log of what is sent, if something asks for it.
    fn keep_log(&mut self) {
        self.losses.keep_log(self.control.wants_path() || self.config.tail_probe.on);
        if self.control.wants_losses() {
            self.losses.note_each();
        }
    }

    /// Moves the window in another way than is configured.
    pub fn set_window(&mut self, rule: Box<dyn WindowRule>) {
        self.control.set_rule(rule);
        self.keep_log();
        self.room.pace(self.control.quantum());
    }

    /// Takes one input.
    #[inline(always)]
    pub fn handle<S: Sink<Action>>(&mut self, now: SimTime, input: Input, out: &mut S) {
        match input {
            Input::Segment(segment) => self.on_segment(now, &segment, out),
            other => self.handle_other(now, other, out),
        }
        if self.losses.detector().observes_all_acks() {
            self.losses.arm(now, self.config.timer_tick, out);
        }
        if self.room.is_paced() {
            self.room.arm(now, out);
        }
        debug_assert!(self.is_awake(), "data are outstanding, and no timer runs");
    }

    #[inline(never)]
    fn handle_other<S: Sink<Action>>(&mut self, now: SimTime, input: Input, out: &mut S) {
        match input {
            Input::Open => self.open(now, out),
            Input::Segment(_) => {} // has been taken
            Input::Write(bytes) => {
                self.stream.write(bytes);
                self.send_more(now, out);
            }
            Input::Stop => self.stream.stop(),
            Input::Timer(Timer::LossDetector) => self.on_loss_detector_timer(now, out),
            Input::Timer(Timer::Pace) => {
                self.room.fired();
                self.send_more(now, out);
            }
            Input::Timer(_) => self.on_timer(now, out),
            Input::Control(control) => self.control(now, control, out),
            Input::Wake => self.send_more(now, out),
        }
    }

    /// The send gate allows this many segments in the next call.
    pub const fn set_budget(&mut self, segments: u32) {
        self.room.set_budget(segments);
    }

    /// The gate before which it is configured to stand.
    #[must_use]
    pub const fn gate(&self) -> GateKind {
        self.config.gate
    }

    /// Whether segments could go if the gate allowed it.
    #[must_use]
    pub fn is_stalled(&self) -> bool {
        self.room.is_shut() && !self.timing.is_frozen() && (self.has_more() || self.room.owed().is_some())
    }

    /// Whether the timer that runs is the persist timer, and not the retransmission timer.
    #[must_use]
    pub const fn is_probing(&self) -> bool {
        self.timing.is_probing()
    }

    /// Whether a timer runs for what is outstanding, or a shim holds it.
    fn is_awake(&self) -> bool {
        let opened = matches!(self.phase, Phase::Open | Phase::Recovery { .. });
        self.timing.is_frozen()
            || !opened
            || self.stream.outstanding() == 0
            || self.timing.deadline() < SimTime::MAX
    }

    /// State for shims, gates and probes.
    #[must_use]
    pub fn view(&self) -> TcpView<'_> {
        TcpView {
            flow: self.flow,
            segment: self.config.segment.0,
            phase: match self.phase {
                Phase::Closed => contract::Phase::Closed,
                Phase::Opening => contract::Phase::Opening,
                Phase::Open => contract::Phase::Open,
                Phase::Recovery { .. } => contract::Phase::Recovery,
            },
            peer_window: self.room.peer_window(),
            sacked: self.losses.board().sacked(),
            doublings: self.timing.rto().doublings(),
            una: self.stream.una(),
            nxt: self.stream.nxt(),
            max_sent: self.stream.max_sent(),
            cwnd: self.window_in_use(),
            ssthresh: self.control.window().ssthresh,
            srtt: self.timing.rto().srtt(),
            rto: self.timing.rto().rto(),
            dupacks: self.losses.dupacks(),
            timer: self.timing.deadline(),
            frozen: self.timing.is_frozen(),
        }
    }

    /// The window that holds now: a recovery may have one of its own.
    fn window_in_use(&self) -> f64 {
        let own = if self.sends_by_recovery() { self.recovery.window() } else { None };
        own.map_or(self.control.window().cwnd, |bytes| self.stream.segments(bytes).max(1.0))
    }

    /// Counters so far.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
        self.control.each_counter(tell);
        self.losses.detector().each_counter(tell);
    }

    /// Sum and number of round-trip samples.
    #[must_use]
    pub const fn rtt_samples(&self) -> (crate::units::Dur, u64) {
        self.timing.rto().samples()
    }

    fn open<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.phase != Phase::Closed {
            return;
        }
        if self.config.handshake == Handshake::None {
            self.phase = Phase::Open;
            self.ecn.agree_at_once();
            self.send_more(now, out);
        } else {
            self.phase = Phase::Opening;
            self.timing.rto_mut().sent(now, 0);
            self.send_syn(now, out);
        }
    }

    pub(super) fn send_syn<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if !self.timing.is_frozen() {
            out.put(Action::Send(self.syn(now)));
            self.timing.start(now, out);
        }
    }

    /// The SYN, with its options.
    pub(super) fn syn(&self, now: SimTime) -> Segment {
        Segment { times: self.timing.stamp(now), scale: self.config.scale(), ..self.ecn.syn() }
    }

    /// The SYN has not been answered. RFC 5681 §3.1: data then begin with one segment.
    fn on_lost_syn<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.counters.opening_timeouts += 1;
        self.control.on_timeout(self.config.handshake != Handshake::Ns2);
        self.timing.rto_mut().back_off();
        self.send_syn(now, out);
    }

    pub(super) fn on_syn_ack<S: Sink<Action>>(&mut self, now: SimTime, answer: &Segment, out: &mut S) {
        self.phase = Phase::Open;
        if self.ecn.hear_offer(answer) {
            self.slow_down(true);
        }
        self.timing.hear_clock(answer);
        let rtt = self.timing.hear_syn_ack(now);
        self.control.on_open(now, rtt);
        self.stream.opened(now);
        if self.config.handshake == Handshake::Syn {
            self.timing.rto_mut().handshake_over();
        }
        self.restart_timer(now, out);
        self.send_more(now, out);
    }

    /// RFC 6298 §5.2, §5.3: the timer runs while data are outstanding and starts afresh with each new ACK.
    pub(super) fn restart_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        self.timing.restart(now, self.stream.outstanding() > 0, out);
        if self.timing.may_probe() {
            self.plan_tail_probe(now, out);
        }
    }

    fn on_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let is_for_probe = self.timing.fires(now);
        match self.phase {
            _ if self.timing.is_frozen() => {}
            Phase::Open if is_for_probe => self.send_tail_probe(now, out),
            Phase::Closed => {}
            Phase::Opening => self.on_lost_syn(now, out),
            Phase::Open | Phase::Recovery { .. } if self.ecn.is_paused() => self.end_pause(now, out),
            Phase::Open | Phase::Recovery { .. } if self.room.is_closed(&self.stream) => {
                self.probe_window(now, out)
            }
            Phase::Open | Phase::Recovery { .. } => self.on_timeout(now, out),
        }
    }
}
