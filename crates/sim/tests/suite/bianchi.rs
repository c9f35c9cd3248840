//! Saturation throughput of n stations that all hear each other, against G. Bianchi, "Performance Analysis of the
//! IEEE 802.11 Distributed Coordination Function", IEEE JSAC 18(3), 2000.
//!
//! The model has no capture, no retry limit, no propagation delay here, and one wait after a collision. The paper's
//! own is DIFS (equations 14 and 17): stations that hear a collision do not know EIFS (`eifs = "none"`), and that
//! the colliding ones wait for their missing response first is neglected. With `eifs = "standard"` and no slack in
//! the time-out, everyone waits SIFS + response + DIFS: then the model with that wait is exact in this respect.

use crate::common::{Case, Report, on_threads};

/// n stations around the one that they send to. The disk lets all decode all, at equal power: no capture.
const CELL: &str = r#"
profile = "rfc"
[run]
duration = "130 s"
[measure]
warm-up = "30 s"
sample = "0 s"
[air]
propagation = "disk"
reception = "ns2"
capture = "100 dB"
[mac]
data-rate = "2 Mbps"
basic-rate = "1 Mbps"
preamble = "long"
slot = "20 us"
sifs = "10 us"
cw-min = 31
cw-max = 1023
short-retry-limit = 255
long-retry-limit = 255
backoff-draw = "inclusive"
cca-time = "0 s"
post-backoff = true
immediate-access = "never"
timeout-slack = "0 s"
[topology]
kind = "star"
leaves = 1
radius = "50 m"
"#;

/// Times \[us\] and lengths \[B\] of the cell.
const SLOT: f64 = 20.0;
const SIFS: f64 = 10.0;
const DIFS: f64 = 50.0;
const RTS: f64 = 192.0 + 8.0 * 20.0;
const RESPONSE: f64 = 192.0 + 8.0 * 14.0;
const PAYLOAD: f64 = 1460.0;
/// Payload, UDP/IP, LLC/SNAP, MAC header and FCS, at 2 Mb/s.
const DATA: f64 = 192.0 + 4.0 * (PAYLOAD + 28.0 + 36.0);
/// Smallest window in slots, CWmin + 1, and how often it doubles until CWmax + 1.
const WINDOW: f64 = 32.0;
const STAGES: i32 = 5;

/// Probability that a station sends in a slot, given the probability `p` that it then collides (equation 7, with
/// the fraction written as a sum: it has no pole at p = 1/2).
fn attempts(p: f64) -> f64 {
    let doubled: f64 = (0..STAGES).map(|stage| libm::pow(2.0 * p, f64::from(stage))).sum();
    2.0 / (1.0 + WINDOW + p * WINDOW * doubled)
}

/// The fixed point of equations 7 and 9.
fn transmission_probability(stations: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let tau = f64::midpoint(low, high);
        let p = 1.0 - libm::pow(1.0 - tau, stations - 1.0);
        if attempts(p) > tau { low = tau } else { high = tau }
    }
    f64::midpoint(low, high)
}

/// Saturation throughput \[Mb/s of payload\], equation 13; `wait` follows a collision.
fn saturation(stations: f64, rts: bool, wait: f64) -> f64 {
    let tau = transmission_probability(stations);
    let any = 1.0 - libm::pow(1.0 - tau, stations);
    let one = stations * tau * libm::pow(1.0 - tau, stations - 1.0) / any;
    let exchange = DATA + SIFS + RESPONSE + DIFS;
    let (success, collision) =
        if rts { (RTS + SIFS + RESPONSE + SIFS + exchange, RTS + wait) } else { (exchange, DATA + wait) };
    any * one * 8.0 * PAYLOAD / ((1.0 - any) * SLOT + any * one * success + any * (1.0 - one) * collision)
}

/// The same in the simulator. Every station is offered three times its share.
fn simulated(stations: u32, rts: bool, eifs: &str) -> f64 {
    let mut text = CELL.to_owned();
    for station in 1..=stations {
        let rate = 6_000_000 / stations;
        text +=
            &format!("[[flow]]\nkind = \"cbr\"\nfrom = \"{station}\"\nto = \"0\"\nrate = \"{rate} bps\"\n");
    }
    let run = Case::new(&text)
        .set("topology.leaves", stations)
        .set("mac.eifs", eifs)
        .set("mac.rts-threshold", if rts { "0 B" } else { "65535 B" })
        .run(1);
    let given_up = run.over_nodes("given_up_rts") + run.over_nodes("given_up_data");
    assert_eq!(given_up, 0.0, "the model knows no retry limit");
    for station in 1..=stations {
        let busy = run.of_node(station as usize, "queue_busy");
        assert!(busy > 0.999, "station {station} had nothing to send for {} of the time", 1.0 - busy);
    }
    run.goodput() / 1e6
}

fn compare(eifs: &str, wait: f64) {
    let cells: Vec<(u32, bool)> =
        [5, 10, 20, 50].into_iter().flat_map(|stations| [(stations, false), (stations, true)]).collect();
    let measured = on_threads(cells.clone(), |(stations, rts)| simulated(stations, rts, eifs));
    let mut report = Report::default();
    for ((stations, rts), measured) in cells.into_iter().zip(measured) {
        let what = format!("{stations} stations, {}, Mb/s", if rts { "RTS/CTS" } else { "basic" });
        report.near(what, measured, saturation(f64::from(stations), rts, wait), 0.03);
    }
    report.assert_all();
}

#[test]
fn saturation_throughput_is_bianchis() {
    compare("none", DIFS);
}

#[test]
fn saturation_throughput_is_bianchis_with_eifs_in_the_formula() {
    compare("standard", SIFS + RESPONSE + DIFS);
}

/// A station alone never collides and draws 15.5 slots on average; many collide almost always.
#[test]
fn the_formula_has_the_right_limits() {
    assert!((transmission_probability(1.0) - 2.0 / 33.0).abs() < 1e-12);
    let alone = 8.0 * PAYLOAD / (15.5 * SLOT + DATA + SIFS + RESPONSE + DIFS);
    assert!((saturation(1.0, false, DIFS) / alone - 1.0).abs() < 1e-12);
    assert!(transmission_probability(50.0) < transmission_probability(5.0));
}
