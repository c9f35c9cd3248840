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
    let ack = AckSample { now: SimTime::from_ms(ms), ..AckSample::default() };
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
