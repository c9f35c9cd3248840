//! The parts of [`Sending`]: what is in flight, the time it keeps, what lets segments out.

use std::sync::Arc;

use super::super::flight::Flight;
use super::super::room::Room;
use super::super::timing::Timing;
use super::super::{Action, Timer};
use crate::contract::Sink;
use crate::tcp::config::TcpConfig;
use crate::tcp::loss::{Input, LossDecision};
use crate::tcp::wheel;
use crate::tcp::window::WindowRule;
use crate::units::{SimTime, counters};

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

/// What one sender sends.
#[derive(Debug)]
pub(crate) struct Sending {
    pub(super) config: Arc<TcpConfig>,
    pub(super) flight: Flight,
    pub(super) timing: Timing,
    pub(super) room: Room,
    pub(super) counters: Counters,
}

impl Sending {
    /// Nothing was sent.
    pub(crate) fn new(config: Arc<TcpConfig>) -> Self {
        let mut sending = Self {
            flight: Flight::new(Arc::clone(&config)),
            timing: Timing::new(&config),
            room: Room::new(&config),
            counters: Counters::default(),
            config,
        };
        sending.room.pace(sending.flight.control().quantum());
        sending
    }

    /// Another window rule than is configured, and its pace.
    pub(crate) fn set_rule(&mut self, rule: Box<dyn WindowRule>) {
        self.flight.set_rule(rule);
        self.room.pace(self.flight.control().quantum());
    }

    /// What is in flight.
    #[inline(always)]
    pub(crate) const fn flight(&self) -> &Flight {
        &self.flight
    }

    /// The same, to hear of ACKs and orders.
    #[inline(always)]
    pub(crate) const fn flight_mut(&mut self) -> &mut Flight {
        &mut self.flight
    }

    /// The time that it keeps.
    #[inline(always)]
    pub(crate) const fn timing(&self) -> &Timing {
        &self.timing
    }

    /// The same, to hear of ACKs and orders.
    #[inline(always)]
    pub(crate) const fn timing_mut(&mut self) -> &mut Timing {
        &mut self.timing
    }

    /// What is in flight and the time that it keeps, to hear of ACKs.
    #[inline(always)]
    pub(crate) const fn parts(&mut self) -> (&mut Flight, &mut Timing) {
        (&mut self.flight, &mut self.timing)
    }

    /// What lets segments out.
    #[inline(always)]
    pub(crate) const fn room(&self) -> &Room {
        &self.room
    }

    /// The same, to hear of gates and windows.
    #[inline(always)]
    pub(crate) const fn room_mut(&mut self) -> &mut Room {
        &mut self.room
    }

    /// Counters so far.
    pub(crate) const fn counters(&self) -> Counters {
        self.counters
    }

    /// Asks for the timers of the loss detector and of the pacer, if they have moved.
    #[inline(always)]
    pub(crate) fn arm<S: Sink<Action>>(&mut self, now: SimTime, out: &mut S) {
        if let Some(at) = self.flight.rearm() {
            out.put(Action::Arm(Timer::LossDetector, wheel::fires(self.config.timer_tick, now, at)));
        }
        if self.room.is_paced() {
            self.room.arm(now, out);
        }
        debug_assert!(self.is_awake(), "data are outstanding, and no timer runs");
    }

    /// Whether a timer runs for what is outstanding, or a shim holds it.
    fn is_awake(&self) -> bool {
        self.timing.is_frozen()
            || self.flight.stream().outstanding() == 0
            || self.timing.deadline() < SimTime::MAX
    }

    /// What the evidence says now.
    #[inline]
    pub(crate) fn detect(&mut self, now: SimTime, input: Input) -> LossDecision {
        self.flight.detect(now, input, self.timing.srtt())
    }

    /// So many segments have newly arrived: the window may grow.
    #[inline]
    pub(crate) fn grow(&mut self, now: SimTime, segments: f64) {
        self.flight.grow(now, segments, self.timing.srtt());
    }
}
