//! The sending end: RFC 9293 (connection), RFC 5681 (congestion control). Here is what it knows; [`super::acked`] says what
//! it makes of an ACK, [`super::transmit`] sends, [`super::repairs`] repairs, [`super::timers`] sees to the timer and to closed
//! windows, [`super::control`] carries out what shims ask for. What is lost and how much may be sent, [`super::flight`] knows.
//!
//! The congestion window is counted in segments, sequence numbers in bytes.
//! Not modelled: urgent data, closing handshakes.

use std::sync::Arc;

use super::flight::Flight;
use super::room::Room;
use super::timing::Timing;
use super::{Action, Input, Timer};
use crate::contract::{self, Sink, TcpView};
use crate::tcp::config::{GateKind, TcpConfig};
use crate::tcp::loss::LossDetector;
use crate::tcp::wheel;
use crate::tcp::window::WindowRule;
use crate::units::{Bitrate, Dur, FlowId, SimTime, counters};

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
    /// Data are sent.
    Open,
}

/// What a sender knows of the path, where it is measured or where segments leave at a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathView {
    /// Rate at which segments leave.
    pub send_rate: Option<Bitrate>,
    /// Largest rate at which they have arrived lately.
    pub delivery_rate: Option<Bitrate>,
    /// Least round-trip time.
    pub min_rtt: Option<Dur>,
    /// What the window rule does, by its own count; 0 for those that have no phases.
    pub phase: u8,
}

/// One TCP sender.
#[derive(Debug)]
pub struct Sender {
    pub(super) config: Arc<TcpConfig>,
    flow: FlowId,
    pub(super) phase: Phase,
    pub(super) flight: Flight,
    pub(super) timing: Timing,
    pub(super) room: Room,
    pub(super) counters: Counters,
}

impl Sender {
    /// A closed sender.
    #[must_use]
    pub fn new(config: TcpConfig, flow: FlowId) -> Self {
        let config = Arc::new(config);
        let mut sender = Self {
            flow,
            phase: Phase::Closed,
            flight: Flight::new(Arc::clone(&config)),
            timing: Timing::new(&config),
            room: Room::new(&config),
            counters: Counters::default(),
            config,
        };
        sender.room.pace(sender.flight.control().quantum());
        sender
    }

    /// Has a closed sender begin with this byte of the stream: an end that goes on for another has no earlier ones.
    pub fn begin_at(&mut self, seq: u64) {
        self.flight.begin_at(seq);
    }

    /// Replaces the configured loss detector.
    pub fn set_loss_detector(&mut self, detector: Box<dyn LossDetector>) {
        self.flight.set_detector(detector);
    }

    /// Moves the window in another way than is configured.
    pub fn set_window(&mut self, rule: Box<dyn WindowRule>) {
        self.flight.set_rule(rule);
        self.room.pace(self.flight.control().quantum());
    }

    /// Takes one input.
    #[inline(always)]
    pub fn handle<S: Sink<Action>>(&mut self, now: SimTime, input: Input, out: &mut S) {
        match input {
            Input::Segment(segment) => self.on_segment(now, &segment, out),
            other => self.handle_other(now, other, out),
        }
        if let Some(at) = self.flight.rearm() {
            out.put(Action::Arm(Timer::LossDetector, wheel::fires(self.config.timer_tick, now, at)));
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
                self.flight.stream_mut().write(bytes);
                self.send_more(now, out);
            }
            Input::Stop => self.flight.stream_mut().stop(),
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
    pub fn gate(&self) -> GateKind {
        self.config.gate
    }

    /// Whether segments could go if the gate allowed it.
    #[must_use]
    pub fn is_stalled(&self) -> bool {
        let waits = self.flight.has_more(&self.room) || self.room.owed().is_some();
        waits && self.room.is_held_back() && !self.timing.is_frozen()
    }

    /// Whether the timer that runs is the persist timer, and not the retransmission timer.
    #[must_use]
    pub const fn is_probing(&self) -> bool {
        self.timing.is_probing()
    }

    /// Whether the handshake is over.
    pub(super) fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// Whether a timer runs for what is outstanding, or a shim holds it.
    fn is_awake(&self) -> bool {
        self.timing.is_frozen()
            || !self.is_open()
            || self.flight.stream().outstanding() == 0
            || self.timing.deadline() < SimTime::MAX
    }

    /// State for shims, gates and probes.
    #[must_use]
    pub fn view(&self) -> TcpView<'_> {
        let (stream, rto) = (self.flight.stream(), self.timing.rto());
        TcpView {
            flow: self.flow,
            segment: self.config.segment.0,
            phase: match self.phase {
                Phase::Closed => contract::Phase::Closed,
                Phase::Opening => contract::Phase::Opening,
                Phase::Open if self.flight.is_recovering() => contract::Phase::Recovery,
                Phase::Open => contract::Phase::Open,
            },
            peer_window: self.room.peer_window(),
            sacked: self.flight.losses().board().sacked(),
            doublings: rto.doublings(),
            una: stream.una(),
            nxt: stream.nxt(),
            max_sent: stream.max_sent(),
            cwnd: self.flight.window_in_use(),
            ssthresh: self.flight.control().window().ssthresh,
            srtt: rto.srtt(),
            rto: rto.rto(),
            dupacks: self.flight.losses().dupacks(),
            timer: self.timing.deadline(),
            frozen: self.timing.is_frozen(),
        }
    }

    /// What it knows of the path; none where nothing is measured and nothing paced.
    #[must_use]
    pub fn path_view(&self) -> Option<PathView> {
        let log = self.flight.losses().log();
        if log.is_none() && !self.room.is_paced() {
            return None;
        }
        let rule = self.flight.control().view();
        Some(PathView {
            send_rate: self.flight.send_rate(self.timing.srtt()),
            delivery_rate: rule.delivery_rate,
            min_rtt: rule.min_rtt.or_else(|| log?.min_rtt()),
            phase: rule.phase,
        })
    }

    /// Counters so far.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
        self.flight.control().each_counter(tell);
        self.flight.losses().detector().each_counter(tell);
    }

    /// Sum and number of round-trip samples.
    #[must_use]
    pub const fn rtt_samples(&self) -> (crate::units::Dur, u64) {
        self.timing.rto().samples()
    }
}
