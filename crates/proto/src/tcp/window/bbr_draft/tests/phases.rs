//! When phases begin and end, and what rate and window are in each.

use super::*;
use crate::tcp::window::bbr_draft::cycle::Cycle;

fn near(value: f64, other: f64) {
    assert!((value - other).abs() < 1e-6 * other.abs().max(1.0), "{value}, expected {other}");
}

/// A.1: three rounds without a quarter more. The rate is raised at once, and lowered only then.
#[test]
fn startup_ends_with_the_rate() {
    let mut drive = Drive::new();
    for rate in [200.0, 400.0, 850.0] {
        assert_eq!(drive.ack(Ack { rate, ..Ack::default() }), State::Startup);
        near(drive.rule.sending, (2.77 * rate * 0.99).max(2.77 * 10.0 / 0.05));
    }
    assert_eq!((drive.round(), drive.round()), (State::Startup, State::Startup));
    assert!(!drive.rule.full.ever);
    assert_eq!(drive.ack(Ack { rate: 1010.0, ..Ack::default() }), State::Drain);
    assert!(drive.rule.full.ever && drive.rule.full.now);
    near(drive.rule.path.max_rate(), 1010.0);
    near(drive.rule.sending, 0.5 * 1010.0 * 0.99);
}

/// A.3 and A.4: what is in flight ends Drain, or the fourth round of it.
#[test]
fn drain_ends_with_the_queue_or_in_time() {
    let states = |in_flight| {
        let mut drive = Drive::new();
        for rate in [850.0, RATE, RATE, RATE] {
            drive.ack(Ack { rate, ..Ack::default() });
        }
        let states = (0..4).map(|_| drive.ack(Ack { in_flight, ..Ack::default() })).collect::<Vec<_>>();
        (states, drive.rule.sending)
    };
    // What is drained is drained enough for Cruise as well.
    assert_eq!(states(50).0, [State::Cruise; 4]);
    let (slowly, rate) = states(55);
    assert_eq!(slowly, [State::Drain, State::Drain, State::Drain, State::Down]);
    near(rate, 0.9 * RATE * 0.99);
}

/// A.5: the rate does not grow in Up. The window is 2.25 times what the path holds, and two segments.
#[test]
fn up_ends_with_the_rate() {
    let mut drive = Drive::new();
    drive.until_up();
    near(drive.rule.sending, 1.25 * RATE * 0.99);
    assert_eq!((drive.round(), drive.round()), (State::Up, State::Up));
    assert!(drive.congestion.cwnd > 2.25 * HOLDS && drive.congestion.cwnd <= 2.25 * HOLDS + 52.0);
    assert_eq!(drive.round(), State::Down);
}

/// A.7: nothing is known of a path that is not filled.
#[test]
fn nothing_ends_while_the_application_has_too_little() {
    let mut drive = Drive::new();
    let limited = Ack { limited: true, rate: 100.0, in_flight: 5, sent_in_flight: 5, ..Ack::default() };
    assert!((0..50).all(|_| drive.ack(limited) == State::Startup));
    let mut drive = Drive::new();
    drive.until_up();
    assert!((0..20).all(|_| drive.ack(Ack { rate: 900.0, ..limited }) == State::Up));
}

/// A.8 and A.9: Down ends with the queue, or with the time for a probe.
#[test]
fn down_ends_with_the_queue_or_in_time() {
    let mut drive = Drive::new();
    drive.until_cruise();
    near(drive.rule.sending, RATE * 0.99);
    let mut drive = Drive::new();
    drive.until_down();
    let began = drive.now;
    let full = Ack { in_flight: 55, ..Ack::default() };
    while drive.ack(full) == State::Down {}
    assert_eq!(drive.rule.state, State::Refill);
    assert!((drive.now - began).as_secs_f64() > 1.9);
    // Headroom: the bound keeps it in Down though the path would hold more.
    let mut drive = Drive::new();
    drive.until_down();
    drive.rule.bounds.limits.long = 50.0;
    assert_eq!(drive.ack(Ack { in_flight: 45, sent_in_flight: 45, ..Ack::default() }), State::Down);
    assert_eq!(drive.ack(Ack { in_flight: 42, sent_in_flight: 42, ..Ack::default() }), State::Cruise);
    assert!(drive.congestion.cwnd <= 42.5);
}

/// §5.3.3.8: a window of few segments is probed as often as Reno would fill it.
#[test]
fn a_small_window_is_probed_often() {
    let mut cycle = Cycle::default();
    cycle.wait_from(SimTime::from_ms(1));
    for _ in 0..7 {
        assert!(!cycle.is_over(SimTime::from_ms(900), 9.0));
        cycle.count_round();
    }
    (0..2).for_each(|_| cycle.count_round());
    assert!(cycle.is_over(SimTime::from_ms(900), 9.0) && !cycle.is_over(SimTime::from_ms(900), 500.0));
    assert!(cycle.is_over(SimTime::from_ms(3002), 500.0) && !cycle.is_over(SimTime::from_ms(1999), 500.0));
}

/// A.10: the least round trip was not seen for five seconds: half of what the path holds, for 200 ms and a round.
#[test]
fn the_round_trip_is_probed() {
    let mut drive = Drive::new();
    drive.until_cruise();
    let began = drive.now;
    let slower = Ack { rtt: 60, in_flight: 50, sent_in_flight: 50, ..Ack::default() };
    while drive.ack(slower) != State::ProbeRtt {}
    assert!((4.5..5.2).contains(&(drive.now - began).as_secs_f64()), "{:?}", drive.now - began);
    assert!(drive.rule.holds_back());
    near(drive.congestion.cwnd, 0.5 * HOLDS);
    let low =
        Ack { in_flight: 25, sent_in_flight: 25, newly: 25, limited: true, rate: 500.0, ..Ack::default() };
    drive.ack(low);
    let since = drive.now;
    while drive.ack(low) == State::ProbeRtt {}
    assert_eq!(drive.rule.state, State::Cruise);
    assert!((0.2..0.3).contains(&(drive.now - since).as_secs_f64()), "{:?}", drive.now - since);
    near(drive.rule.path.max_rate(), RATE);
    assert!(drive.congestion.cwnd > 1.9 * HOLDS);
}

/// A.11: a pause of the application has drained the queue.
#[test]
fn a_pause_spares_the_probe_of_the_round_trip() {
    let mut drive = Drive::new();
    drive.until_cruise();
    drive.now += Dur::from_secs(6);
    drive.rule.on_restart(&mut drive.congestion, drive.now);
    near(drive.rule.sending, RATE * 0.99);
    assert_ne!(
        drive.ack(Ack { rtt: 60, in_flight: 5, sent_in_flight: 5, ..Ack::default() }),
        State::ProbeRtt
    );
}

/// A.20: out of Startup and back.
#[test]
fn startup_goes_on_after_a_probe_of_the_round_trip() {
    let mut drive = Drive::new();
    let slow = Ack {
        limited: true,
        rate: 50.0,
        newly: 4,
        in_flight: 4,
        sent_in_flight: 4,
        rtt: 60,
        ..Ack::default()
    };
    drive.ack(Ack { rtt: 50, ..slow });
    while drive.ack(slow) != State::ProbeRtt {}
    while drive.ack(slow) == State::ProbeRtt {}
    assert_eq!(drive.rule.state, State::Startup);
}

/// A.12 and A.13: what comes at once beyond the rate is in the window: for ten rounds, for one in Startup.
#[test]
fn acks_that_come_together_make_the_window_larger() {
    let mut drive = Drive::new();
    drive.until_cruise();
    (0..11).for_each(|_| _ = drive.round());
    let plain = drive.congestion.cwnd;
    for _ in 0..6 {
        drive.ack(Ack { newly: 10, round: false, in_flight: 45, ..Ack::default() });
    }
    assert!(drive.congestion.cwnd > plain + 30.0, "{} after {plain}", drive.congestion.cwnd);
}

/// A.14: a path that holds one segment.
#[test]
fn the_window_has_a_floor() {
    let mut drive = Drive::new();
    let thin = Ack { rate: 20.0, newly: 1, in_flight: 2, sent_in_flight: 2, ..Ack::default() };
    (0..12).for_each(|_| _ = drive.ack(thin));
    assert!(drive.rule.full.ever);
    assert!((4.0..=6.0).contains(&drive.congestion.cwnd), "{}", drive.congestion.cwnd);
    assert!(drive.rule.sending <= 1.25 * 20.0);
}

/// A.15: the bound grows by 1, 2, 4, 8 segments a round.
#[test]
fn the_bound_grows_ever_faster() {
    let mut cycle = Cycle::default();
    cycle.refill();
    cycle.probe(64.0);
    let mut growth = Vec::new();
    for _ in 0..5 {
        let steps: f64 = (0..64).map(|ack| cycle.grow(1.0, ack == 63, 64.0)).sum();
        growth.push(steps);
    }
    assert_eq!(growth, [1.0, 2.0, 4.0, 8.0, 16.0]);
}

/// A.16: two cycles later the old rate is forgotten.
#[test]
fn a_lower_rate_counts_after_two_cycles() {
    let mut drive = Drive::new();
    drive.until_cruise();
    let slower = Ack { rate: 100.0, newly: 5, in_flight: 5, sent_in_flight: 5, ..Ack::default() };
    let (mut cycles, mut rounds) = (0, 0);
    while drive.rule.path.max_rate() > 500.0 {
        let before = drive.rule.state;
        rounds += 1; // a round trip that becomes ever shorter needs no probe
        let ack = Ack { rtt: RTT - rounds / 50, ..slower };
        cycles += u32::from(drive.ack(ack) == State::Down && before == State::Up);
        assert!(cycles <= 3);
    }
    assert_eq!(cycles, 2);
}

/// A.22: rates of a time without data count only if they are larger.
#[test]
fn rates_of_an_idle_application_do_not_count() {
    let mut drive = Drive::new();
    drive.until_refill();
    let idle =
        Ack { limited: true, rate: 100.0, newly: 2, in_flight: 2, sent_in_flight: 2, ..Ack::default() };
    assert_eq!(drive.ack(idle), State::Up);
    near(drive.rule.path.max_rate(), RATE);
    drive.ack(Ack { rate: 1200.0, ..idle });
    near(drive.rule.path.max_rate(), 1200.0);
}
