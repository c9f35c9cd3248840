//! What BBR makes of the handshake, and of the pacer's next segment.

use super::aggregation::Aggregation;
use super::machine::Bbr;
use super::path::{Mode, counted};
use crate::tcp::TcpConfig;
use crate::tcp::sendlog::Measured;
use crate::tcp::window::{AckSample, Congestion, PathSample, WindowRule};
use crate::units::{Dur, SimTime};

const SEGMENT: u64 = 1448;

/// An ACK of one segment, at this instant, with this round trip.
fn ack(ms: u64, rtt: u64) -> PathSample {
    let path = Measured { newly: SEGMENT, rtt: Some(Dur::from_ms(rtt)), ..Measured::default() };
    let ack = AckSample { now: SimTime::from_ms(ms), srtt: path.rtt, ..AckSample::default() };
    PathSample { ack, path, segment: SEGMENT, in_flight: 10 * SEGMENT, ..PathSample::default() }
}

/// tcp_bbr.c, `bbr_init`: a SYN is short, and its round trip is the least one until it is ten seconds old.
#[test]
fn the_handshake_is_the_first_round_trip() {
    let (mut bbr, mut congestion) = (Bbr::new(10), Congestion::new(&TcpConfig::default()));
    bbr.on_open(SimTime::from_ms(20), Some(Dur::from_ms(20)));
    for (ms, least, phase) in [(50, 20, 1), (10_020, 20, 1), (10_021, 45, 4)] {
        bbr.on_path(&mut congestion, &ack(ms, 45));
        let view = bbr.view();
        assert_eq!((view.min_rtt, view.phase), (Some(Dur::from_ms(least)), phase), "{ms} ms");
    }
}

/// `bbr_packets_in_net_at_edt`: 4000 segments a second are quanta of three; four arrive until the next one leaves in a
/// millisecond.
#[test]
fn what_is_in_the_network_is_that_of_the_next_departure() {
    let mut bbr = Bbr::new(10);
    bbr.know(4000.0, SEGMENT as f64);
    let sample = PathSample { until_next: Dur::from_us(1001), ..ack(0, 20) };
    for (phase, expected) in [(0, 99.0), (1, 96.0), (2, 96.0)] {
        bbr.probe(phase);
        assert_eq!(bbr.at_departure(100 * SEGMENT, &sample), expected, "phase {phase}");
    }
    assert_eq!(bbr.at_departure(3 * SEGMENT, &sample), 0.0);
    assert_eq!(bbr.view().phase, Mode::ProbeBw.number());
}

/// `bbr_update_bw`, `bbr_update_ack_aggregation`: two segments in 2.4 ms are less than 833.33 a second, and in the same
/// time that rate explains one of the next two. The window is larger by three segments, not by two.
#[test]
fn rates_and_what_they_explain_are_rounded_down() {
    let (interval, mut aggregation) = (Dur::from_us(2400), Aggregation::default());
    let rate = counted(2.0, interval);
    assert!(rate < 2.0 / 0.0024 && rate > 2.0 / 0.0024 - 0.06, "{rate}");
    for number in 1..10 {
        aggregation.add(SimTime::ZERO + interval * number, false, 2.0, rate, 100.0);
    }
    assert_eq!(aggregation.segments(rate), 3.0);
}

/// A path of 1000 segments a second and 40 ms: it holds 40 segments.
struct Path {
    bbr: Bbr,
    congestion: Congestion,
    delivered: u64,
}

impl Path {
    /// An ACK that ends a round: so many segments have arrived, so many are in the network still.
    fn ack(&mut self, ms: u64, rtt: u64, newly: u64, in_flight: u64, recovering: bool) -> (u8, f64) {
        let (prior_delivered, newly) = (Some(self.delivered), newly * SEGMENT);
        self.delivered += newly;
        let (delivered, rate) = (self.delivered, Some((newly, Dur::from_ms(40))));
        let path = Measured { newly, delivered, prior_delivered, rate, ..ack(ms, rtt).path };
        let in_flight = in_flight * SEGMENT;
        self.bbr.on_path(&mut self.congestion, &PathSample { path, in_flight, recovering, ..ack(ms, rtt) });
        (self.bbr.view().phase, self.congestion.cwnd)
    }
}

/// tcp_bbr.c, `bbr_set_cwnd_to_recover_or_restore`: a loss leaves what is in the network, and the end of the recovery
/// brings the window back.
#[test]
fn a_recovery_begins_with_what_is_in_the_network_and_gives_the_window_back() {
    let congestion = Congestion::new(&TcpConfig::default());
    let mut path = Path { bbr: Bbr::new(10), congestion, delivered: 0 };
    path.bbr.on_open(SimTime::ZERO, Some(Dur::from_ms(40)));
    let mut before = 0.0;
    for ms in (40..=400).step_by(40) {
        before = path.ack(ms, 40, 40, 20, false).1;
    }
    assert!(before > 64.0, "{before} segments");
    path.bbr.on_loss(&mut path.congestion, 3);
    assert_eq!(path.congestion.cwnd, 60.0, "20 in the network, and 40 that have just left it");
    path.ack(440, 40, 10, 20, true);
    let (_, after) = path.ack(480, 40, 40, 20, false);
    assert!(after >= before - 4.0, "{before} and then {after} segments");
}

impl Path {
    /// A path whose SYN took 40 ms.
    fn new() -> Self {
        let congestion = Congestion::new(&TcpConfig::default());
        let mut path = Self { bbr: Bbr::new(10), congestion, delivered: 0 };
        path.bbr.on_open(SimTime::ZERO, Some(Dur::from_ms(40)));
        path
    }

    /// An ACK of one segment within a round; `lost`: so many are lost.
    fn within(&mut self, ms: u64, in_flight: u64, lost: u64) -> (u8, f64) {
        self.delivered += SEGMENT;
        let path = Measured { delivered: self.delivered, prior_delivered: Some(0), ..ack(ms, 41).path };
        let (in_flight, lost) = (in_flight * SEGMENT, lost * SEGMENT);
        self.bbr.on_path(&mut self.congestion, &PathSample { path, in_flight, lost, ..ack(ms, 41) });
        (self.bbr.view().phase, self.congestion.cwnd)
    }

    /// Pacing gain, if the rate of the path is 1000 segments a second.
    fn gain(&self) -> f64 {
        let bits = self.bbr.send_rate().unwrap().as_bps() as f64;
        (bits / (0.99 * 1000.0 * SEGMENT as f64 * 8.0) * 1000.0).round() / 1000.0
    }
}

/// `bbr_check_full_bw_reached`, `bbr_check_drain`: three rounds without a quarter more end STARTUP. DRAIN ends with 46
/// in the network: the 40 that the path holds, and three quanta of two.
#[test]
fn startup_ends_after_three_rounds_without_a_quarter_more() {
    let mut path = Path::new();
    for (round, newly) in [10, 20, 24, 32, 40, 40, 40].into_iter().enumerate() {
        let (phase, _) = path.ack(40 * (round as u64 + 1), 40, newly, 100, false);
        assert_eq!(phase, 1, "round {round}: 24 are no quarter more than 20, but 32 are, and 40 than 32");
    }
    assert_eq!(path.gain(), 2.885);
    assert_eq!(path.ack(320, 40, 40, 100, false).0, 2);
    assert_eq!(path.gain(), 0.347);
    assert_eq!(path.ack(360, 40, 40, 47, false).0, 2);
    assert_eq!(path.ack(400, 40, 40, 46, false).0, 3);
}

/// Rounds in which the application had too little to send say nothing of the path.
#[test]
fn rounds_of_an_idle_application_do_not_end_startup() {
    let mut path = Path::new();
    for round in 1..20 {
        let delivered = path.delivered + 10 * SEGMENT;
        let told = Measured {
            newly: 10 * SEGMENT,
            delivered,
            prior_delivered: Some(path.delivered),
            rate: Some((10 * SEGMENT, Dur::from_ms(40))),
            limited: true,
            ..ack(40 * round, 40).path
        };
        path.delivered = delivered;
        path.bbr.on_path(&mut path.congestion, &PathSample { path: told, ..ack(40 * round, 40) });
        assert_eq!(path.bbr.view().phase, 1, "round {round}");
    }
}

/// `bbr_is_next_cycle_phase`: 1.25 lasts for a round trip, and until 58 are in the network or one is lost; 0.75 until
/// 46 are, or for a round trip; each other phase for a round trip.
#[test]
fn the_rate_goes_up_and_down_about_what_the_path_gives() {
    let probing = || {
        let mut path = Path::new();
        path.ack(1, 40, 40, 40, false);
        path.bbr.know(1000.0, SEGMENT as f64);
        path.bbr.know_full();
        path.bbr.probe(0);
        path
    };
    let mut path = probing();
    let mut gains = Vec::new();
    for (ms, in_flight) in [(30, 80), (42, 40), (50, 60), (55, 60), (60, 40), (70, 40)] {
        path.within(ms, in_flight, 0);
        gains.push((ms, path.gain()));
    }
    assert_eq!(gains, [(30, 1.25), (42, 1.25), (50, 0.75), (55, 0.75), (60, 1.0), (70, 1.0)]);
    for phase in 0..6 {
        assert_eq!(path.gain(), 1.0, "phase {phase}");
        path.within(101 + 41 * phase, 40, 0);
    }
    assert_eq!(path.gain(), 1.25);
    let mut path = probing();
    path.within(30, 40, 1);
    assert_eq!(path.gain(), 1.25, "no round trip has passed");
    path.within(42, 40, 1);
    assert_eq!(path.gain(), 0.75);
    path.within(83, 100, 0);
    assert_eq!(path.gain(), 1.0, "a round trip of 0.75 is enough");
}

/// `bbr_update_min_rtt`: the window is four segments, for 200 ms from when no more are in the network, and for a round.
/// Then it is as before.
#[test]
fn the_round_trip_is_measured_for_200_ms_and_a_round() {
    for (round_first, last) in [(true, 10_252), (false, 10_400)] {
        let mut path = Path::new();
        for ms in (40..=400).step_by(40) {
            path.ack(ms, 41, 40, 40, false);
        }
        let before = path.congestion.cwnd;
        assert_eq!(path.within(9_990, 40, 0).0, 3);
        let (phase, window) = path.within(10_001, 40, 0);
        assert_eq!((phase, window), (4, 4.0));
        path.within(10_050, 4, 0);
        if round_first {
            path.ack(10_100, 41, 4, 4, false);
        }
        assert_eq!(path.within(10_249, 4, 0).0, 4, "200 ms have not passed");
        if !round_first {
            assert_eq!(path.within(10_300, 4, 0).0, 4, "the round has not");
        }
        let (phase, window) = path.ack(last, 41, 4, 4, false);
        assert_eq!(phase, 3);
        assert!(window >= before - 4.0, "{before} and then {window} segments");
    }
}
