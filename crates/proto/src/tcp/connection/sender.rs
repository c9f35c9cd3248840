//! The sending end: RFC 9293 (connection), RFC 5681 (congestion control). Here is what it is told and what it shows;
//! [`super::acked`] says what it makes of an ACK, [`super::control`] carries out what shims ask for, [`super::sending`]
//! sends. What is lost and how much may be sent, [`super::flight`] knows.
//!
//! The congestion window is counted in segments, sequence numbers in bytes.
//! Not modelled: urgent data, closing handshakes.

use std::sync::Arc;

use super::sending::{Counters, Sending};
use super::{Action, Input, Timer};
use crate::contract::{self, Sink, TcpView};
use crate::tcp::config::{GateKind, TcpConfig};
use crate::tcp::loss::LossDetector;
use crate::tcp::sendlog::SendLog;
use crate::tcp::window::WindowRule;
use crate::units::{Bitrate, Dur, FlowId, SimTime};

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

/// What a sender knows of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathView {
    /// Rate at which segments leave; none where the window alone lets them out.
    pub send_rate: Option<Bitrate>,
    /// The rate of delivery that the window rule goes by, if it goes by one.
    pub delivery_rate: Option<Bitrate>,
    /// Bytes that are known to have arrived, from the first one of the stream on.
    pub arrived: u64,
    /// Least round-trip time: that of the window rule, if it goes by one, else the least of all measured.
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
    pub(super) sending: Sending,
}

impl Sender {
    /// A closed sender.
    #[must_use]
    pub fn new(config: TcpConfig, flow: FlowId) -> Self {
        let config = Arc::new(config);
        Self { flow, phase: Phase::Closed, sending: Sending::new(Arc::clone(&config)), config }
    }

    /// Has a closed sender begin with this byte of the stream: an end that goes on for another has no earlier ones.
    pub fn begin_at(&mut self, seq: u64) {
        self.sending.flight_mut().begin_at(seq);
    }

    /// Replaces the configured loss detector.
    pub fn set_loss_detector(&mut self, detector: Box<dyn LossDetector>) {
        self.sending.flight_mut().set_detector(detector);
    }

    /// Moves the window in another way than is configured.
    pub fn set_window(&mut self, rule: Box<dyn WindowRule>) {
        self.sending.set_rule(rule);
    }

    /// Takes one input.
    #[inline(always)]
    pub fn handle<S: Sink<Action>>(&mut self, now: SimTime, input: Input, out: &mut S) {
        match input {
            Input::Segment(segment) => self.on_segment(now, &segment, out),
            other => self.handle_other(now, other, out),
        }
        self.sending.arm(now, out);
    }

    #[inline(never)]
    fn handle_other<S: Sink<Action>>(&mut self, now: SimTime, input: Input, out: &mut S) {
        match input {
            Input::Open => self.open(now, out),
            Input::Segment(_) => {} // has been taken
            Input::Write(bytes) => {
                self.sending.flight_mut().stream_mut().write(bytes);
                self.go(now, out);
            }
            Input::Stop => self.sending.flight_mut().stream_mut().stop(),
            Input::Timer(Timer::LossDetector) => {
                if self.is_open() {
                    self.sending.on_loss_detector_timer(now, out);
                }
            }
            Input::Timer(Timer::Pace) => {
                self.sending.room_mut().fired();
                self.go(now, out);
            }
            Input::Timer(_) => self.on_timer(now, out),
            Input::Control(control) => self.control(now, control, out),
            Input::Wake => self.go(now, out),
        }
    }

    /// Data may go, once the connection is open.
    fn go<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if self.is_open() {
            self.sending.send_more(now, out);
        }
    }

    fn on_timer<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        let is_for_probe = self.sending.timing_mut().fires(now);
        match self.phase {
            _ if self.sending.timing().is_frozen() => {}
            Phase::Closed => {}
            Phase::Opening => self.on_lost_syn(now, out),
            Phase::Open => self.sending.on_timer(now, is_for_probe, out),
        }
    }

    /// Whether the handshake is over.
    pub(super) fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// The send gate allows this many segments in the next call.
    pub const fn set_budget(&mut self, segments: u32) {
        self.sending.room_mut().set_budget(segments);
    }

    /// The gate before which it is configured to stand.
    #[must_use]
    pub fn gate(&self) -> GateKind {
        self.config.gate
    }

    /// Whether segments could go if the gate allowed it.
    #[must_use]
    pub fn is_stalled(&self) -> bool {
        let (flight, room) = (self.sending.flight(), self.sending.room());
        let waits = flight.has_more(room) || room.owed().is_some();
        waits && room.is_held_back() && !self.sending.timing().is_frozen()
    }

    /// Whether the timer that runs is the persist timer, and not the retransmission timer.
    #[must_use]
    pub const fn is_probing(&self) -> bool {
        self.sending.timing().is_probing()
    }

    /// State for shims, gates and probes.
    #[must_use]
    pub fn view(&self) -> TcpView<'_> {
        let (flight, timing) = (self.sending.flight(), self.sending.timing());
        let (stream, rto) = (flight.stream(), timing.rto());
        TcpView {
            flow: self.flow,
            segment: self.config.segment.0,
            phase: match self.phase {
                Phase::Closed => contract::Phase::Closed,
                Phase::Opening => contract::Phase::Opening,
                Phase::Open if flight.is_recovering() => contract::Phase::Recovery,
                Phase::Open => contract::Phase::Open,
            },
            peer_window: self.sending.room().peer_window(),
            sacked: flight.losses().board().sacked(),
            doublings: rto.doublings(),
            una: stream.una(),
            nxt: stream.nxt(),
            max_sent: stream.max_sent(),
            cwnd: flight.window_in_use(),
            ssthresh: flight.control().window().ssthresh,
            srtt: rto.srtt(),
            rto: rto.rto(),
            dupacks: flight.losses().dupacks(),
            timer: timing.deadline(),
            frozen: timing.is_frozen(),
        }
    }

    /// What it knows of the path.
    #[must_use]
    pub fn path_view(&self) -> PathView {
        let (flight, timing) = (self.sending.flight(), self.sending.timing());
        let losses = flight.losses();
        let rule = flight.control().view();
        let least = || losses.log().and_then(SendLog::min_rtt).or_else(|| timing.rto().least());
        PathView {
            send_rate: flight.send_rate(timing.srtt()).filter(|_| self.sending.room().is_paced()),
            delivery_rate: rule.delivery_rate,
            arrived: flight.stream().una() + losses.board().held(),
            min_rtt: rule.min_rtt.or_else(least),
            phase: rule.phase,
        }
    }

    /// Counters so far.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.sending.counters()
    }

    /// Tells every counter by its public name.
    pub fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.sending.counters().each(tell);
        self.sending.flight().control().each_counter(tell);
        self.sending.flight().losses().detector().each_counter(tell);
    }

    /// Sum and number of round-trip samples.
    #[must_use]
    pub const fn rtt_samples(&self) -> (crate::units::Dur, u64) {
        self.sending.timing().rto().samples()
    }
}
