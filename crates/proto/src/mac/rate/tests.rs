//! Time lines of rate control.

use super::{Arf, ArfConfig, Attempt, RateRule, Snr, SnrConfig};
use crate::testing::us;
use crate::units::{Decibel, Dur, NodeId, Power, SimTime};

const A: NodeId = NodeId(7);
const B: NodeId = NodeId(9);

fn arf(top: usize) -> Arf {
    Arf::new(ArfConfig::default(), top)
}

/// Ends attempts to a neighbour at an instant, `+` with an ACK and `-` without one; the place of the rate after each.
fn attempts(arf: &mut Arf, now: SimTime, to: NodeId, ends: &str) -> Vec<usize> {
    let end = |end| {
        arf.report(now, to, Attempt::at(0), (1, usize::from(end == '+')));
        arf.choose(now, to).rung
    };
    ends.chars().map(end).collect()
}

#[test]
fn it_begins_at_the_highest_rate_and_stays_there() {
    let mut arf = arf(3);
    assert_eq!(arf.choose(us(0), A).rung, 3);
    assert_eq!(attempts(&mut arf, us(0), A, &"+".repeat(25)), [3; 25]);
}

#[test]
fn two_in_a_row_without_an_ack_and_it_falls() {
    assert_eq!(attempts(&mut arf(3), us(0), A, "-+-+--"), [3, 3, 3, 3, 3, 2]);
    assert_eq!(
        attempts(&mut arf(3), us(0), A, "--------"),
        [3, 2, 2, 1, 1, 0, 0, 0],
        "and no further than 1 Mb/s"
    );
}

#[test]
fn ten_acks_in_a_row_and_the_next_rate_is_tried() {
    let mut arf = arf(3);
    attempts(&mut arf, us(0), A, "----"); // to 2 Mb/s
    assert_eq!(attempts(&mut arf, us(0), A, "+++++++++-"), [1; 10]);
    assert_eq!(attempts(&mut arf, us(0), A, "++++++++++"), [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
}

#[test]
fn a_rate_that_is_tried_falls_at_its_first_loss() {
    let mut arf = arf(3);
    attempts(&mut arf, us(0), A, "--"); // to 5.5 Mb/s
    assert_eq!(attempts(&mut arf, us(0), A, "++++++++++-")[9..], [3, 2]);
    // One ACK there, and it is a rate as any other.
    assert_eq!(attempts(&mut arf, us(0), A, "++++++++++")[9], 3);
    assert_eq!(attempts(&mut arf, us(0), A, "+--"), [3, 3, 2]);
}

#[test]
fn the_timer_tries_the_next_rate_too() {
    let (mut arf, after) = (arf(3), us(0) + Dur::from_ms(60));
    attempts(&mut arf, us(0), A, "--");
    assert_eq!(arf.choose(after - Dur::from_ns(1), A).rung, 2);
    assert_eq!(arf.choose(after, A).rung, 3);
    // It is a try, too.
    assert_eq!(attempts(&mut arf, after, A, "-"), [2]);
    // A fall starts the timer anew.
    assert_eq!(arf.choose(after + Dur::from_ms(59), A).rung, 2);
    assert_eq!(arf.choose(after + Dur::from_ms(60), A).rung, 3);
}

#[test]
fn a_rise_stops_the_timer() {
    let mut arf = arf(3);
    attempts(&mut arf, us(0), A, "----"); // to 2 Mb/s
    assert_eq!(attempts(&mut arf, us(10), A, "++++++++++")[9], 2);
    assert_eq!(arf.choose(SimTime::from_secs(9), A).rung, 2);
}

#[test]
fn each_neighbour_has_its_own_rate_until_the_station_forgets() {
    let mut arf = arf(2);
    attempts(&mut arf, us(0), A, "--");
    assert_eq!((arf.choose(us(0), A).rung, arf.choose(us(0), B).rung), (1, 2));
    arf.forget();
    assert_eq!(arf.choose(us(0), A).rung, 2);
}

/// A noise of 1 W: the power is the ratio.
fn snr(config: SnrConfig, top: usize) -> Snr {
    let mut snr = Snr::new(config, top);
    snr.set_noise(Power::new(1.0));
    snr
}

/// 3, 5 and 8 dB.
fn steps() -> SnrConfig {
    let [least_2mbps, least_5mbps, least_11mbps] = [3.0, 5.0, 8.0].map(Decibel::new);
    SnrConfig { least_2mbps, least_5mbps, least_11mbps, weight: 1.0 }
}

fn at(decibels: f64) -> f64 {
    Decibel::new(decibels).ratio()
}

#[test]
fn the_ratio_says_the_rate() {
    let mut snr = snr(steps(), 3);
    assert_eq!(snr.choose(us(0), A).rung, 0, "never heard");
    for (decibels, rung) in
        [(2.9, 0), (3.1, 1), (4.9, 1), (5.1, 2), (7.9, 2), (8.1, 3), (40.0, 3), (-20.0, 0)]
    {
        snr.heard(A, at(decibels));
        assert_eq!(snr.choose(us(0), A).rung, rung, "{decibels} dB");
    }
    assert_eq!(snr.choose(us(0), B).rung, 0);
    snr.heard(A, at(40.0));
    snr.forget();
    assert_eq!(snr.choose(us(0), A).rung, 0);
}

#[test]
fn no_rate_is_above_the_configured_one() {
    let mut snr = snr(SnrConfig::default(), 1);
    snr.heard(A, at(40.0));
    assert_eq!(snr.choose(us(0), A).rung, 1);
}

#[test]
fn older_frames_count_in_the_average() {
    let mut snr = snr(SnrConfig { weight: 0.5, ..steps() }, 3);
    snr.heard(A, at(10.0)); // the first counts whole
    assert_eq!(snr.choose(us(0), A).rung, 3);
    snr.heard(A, at(4.0)); // 7 dB
    assert_eq!(snr.choose(us(0), A).rung, 2);
    snr.heard(A, at(1.0)); // 4 dB
    assert_eq!(snr.choose(us(0), A).rung, 1);
}
