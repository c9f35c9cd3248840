//! The cases of the draft's appendix A, by ACKs that are made by hand: one a round, unless it says otherwise.

mod losses;
mod phases;

use super::BbrDraft;
use super::path::State;
use crate::tcp::config::{Loss, TcpConfig};
use crate::tcp::sendlog::{LostSegment, Measured};
use crate::tcp::window::state::Congestion;
use crate::tcp::window::{AckSample, PathSample, WindowRule};
use crate::units::{Dur, SimTime};

/// Bytes of a segment.
const SEGMENT: u64 = 1000;
/// What the path carries, in segments a second, its round trip, and so what it holds.
const RATE: f64 = 1000.0;
const RTT: u64 = 50;
const HOLDS: f64 = 50.0;

/// One ACK.
#[derive(Clone, Copy, Debug)]
struct Ack {
    rate: f64,
    rtt: u64,
    newly: u64,
    in_flight: u64,
    sent_in_flight: u64,
    lost_since: u64,
    limited: bool,
    /// Whether it begins a round.
    round: bool,
}

impl Default for Ack {
    fn default() -> Self {
        Self {
            rate: RATE,
            rtt: RTT,
            newly: 50,
            in_flight: 60,
            sent_in_flight: 60,
            lost_since: 0,
            limited: false,
            round: true,
        }
    }
}

/// A rule, its window, and the time.
struct Drive {
    rule: BbrDraft,
    congestion: Congestion,
    now: SimTime,
    /// Segments delivered, and sent.
    delivered: u64,
    /// Segments lost, one apart from the other.
    lost: u64,
    recovering: bool,
}

impl Drive {
    fn new() -> Self {
        let config =
            TcpConfig { initial_window: 10, max_window: 10_000, loss: Loss::Sack, ..TcpConfig::default() };
        let mut drive = Self {
            rule: BbrDraft::new(10, 1, true),
            congestion: Congestion::new(&config),
            now: SimTime::from_secs(100),
            delivered: 0,
            lost: 0,
            recovering: false,
        };
        drive.rule.on_restart(&mut drive.congestion, drive.now);
        drive
    }

    /// Such an ACK, a round trip after the last one if it begins a round.
    fn ack(&mut self, ack: Ack) -> State {
        self.now += Dur::from_ms(if ack.round { ack.rtt } else { 1 });
        let prior = if ack.round { self.delivered } else { 0 };
        self.delivered += ack.newly;
        let path = Measured {
            newly: ack.newly * SEGMENT,
            delivered: self.delivered * SEGMENT,
            rtt: Some(Dur::from_ms(ack.rtt)),
            rate: Some((1_000_000, Dur::from_ns((1e12 / ack.rate) as u64))),
            limited: ack.limited,
            prior_delivered: Some(prior * SEGMENT),
            sent_in_flight: ack.sent_in_flight * SEGMENT,
            ..Measured::default()
        };
        let top = (self.delivered + ack.in_flight) * SEGMENT;
        let srtt = Some(Dur::from_ms(ack.rtt));
        self.rule.on_path(
            &mut self.congestion,
            &PathSample {
                ack: AckSample {
                    now: self.now,
                    una: self.delivered * SEGMENT,
                    max_sent: top,
                    srtt,
                    ..AckSample::default()
                },
                path,
                in_flight: ack.in_flight * SEGMENT,
                lost: 0,
                lost_since: ack.lost_since * SEGMENT,
                segment: SEGMENT,
                recovering: self.recovering,
                until_next: Dur::ZERO,
            },
        );
        self.rule.state
    }

    /// Acknowledges a round of the path as it is.
    fn round(&mut self) -> State {
        self.ack(Ack::default())
    }

    /// A segment that was sent with so many in flight is lost, with so many since.
    fn lose(&mut self, in_flight: u64, lost_since: u64, limited: bool) {
        self.lost += 1;
        let start = (self.delivered + 2 * self.lost) * SEGMENT;
        let lost = LostSegment {
            start,
            end: start + SEGMENT,
            in_flight: in_flight * SEGMENT,
            lost_since: lost_since * SEGMENT,
            delivered: self.delivered * SEGMENT,
            limited,
        };
        self.rule.on_lost(&self.congestion, self.now, &lost);
    }

    fn recover(&mut self) {
        self.rule.on_loss(&mut self.congestion, 0);
        self.recovering = true;
    }

    /// Goes through Startup and Drain.
    fn until_down(&mut self) {
        for rate in [200.0, 400.0, 850.0, RATE, RATE, RATE] {
            self.ack(Ack { rate, ..Ack::default() });
        }
        assert_eq!(self.rule.state, State::Drain);
        while self.ack(Ack { in_flight: 55, ..Ack::default() }) == State::Drain {}
        assert_eq!(self.rule.state, State::Down);
    }

    fn until_cruise(&mut self) {
        self.until_down();
        assert_eq!(self.ack(Ack { in_flight: 45, sent_in_flight: 45, ..Ack::default() }), State::Cruise);
    }

    /// Waits for the next probe.
    fn until_refill(&mut self) {
        self.until_cruise();
        let began = self.now;
        while self.ack(Ack { in_flight: 50, sent_in_flight: 50, ..Ack::default() }) == State::Cruise {}
        assert_eq!(self.rule.state, State::Refill);
        assert!((1.9..3.1).contains(&(self.now - began).as_secs_f64()), "{:?}", self.now - began);
    }

    fn until_up(&mut self) {
        self.until_refill();
        assert_eq!(self.round(), State::Up);
    }
}
