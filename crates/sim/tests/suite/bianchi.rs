//! Saturation throughput of n stations that all hear each other, against G. Bianchi, "Performance Analysis of the
//! IEEE 802.11 Distributed Coordination Function", IEEE JSAC 18(3), 2000.
//!
//! The model has no capture, no retry limit, no propagation delay here, and one wait after a collision. The paper's
//! own is DIFS (equations 14 and 17): stations that hear a collision do not know EIFS (`eifs = "none"`), and that
//! the colliding ones wait for their missing response first is neglected. With `eifs = "standard"` and no slack in
//! the time-out, everyone waits SIFS + response + DIFS: then the model with that wait is exact in this respect.
//!
//! Stations of 802.11n that send aggregates are the same model: an A-MPDU is the data, its block ack the response, AIFS
//! stands for DIFS, and a collision costs all MPDUs. The model counts a slot for each frame on the air. That is what
//! QoS stations do, whose slots count when they begin (IEEE 802.11-2020 §10.23.2.4). In the DCF they count when they
//! have passed, so that after a frame all others still have a slot to count down; with windows of 32 slots that is
//! little.

use crate::common::{Case, Report, on_threads};

/// n stations around the one that they send to. The disk lets all decode all, at equal power: no capture.
const CELL: &str = r#"
profile = "rfc"
[measure]
sample = "0 s"
[air]
propagation = "disk"
reception = "ns2"
capture = "100 dB"
[mac]
cw-max = 1023
short-retry-limit = 255
long-retry-limit = 255
cca-time = "0 s"
immediate-access = "never"
timeout-slack = "0 s"
[topology]
kind = "star"
leaves = 1
radius = "50 m"
"#;

/// With frames of one packet.
const SINGLE: &[&str] = &[
    "run.duration=130 s",
    "measure.warm-up=30 s",
    "mac.data-rate=2 Mbps",
    "mac.basic-rate=1 Mbps",
    "mac.preamble=long",
    "mac.slot=20 us",
    "mac.sifs=10 us",
    "mac.cw-min=31",
    "mac.backoff-draw=inclusive",
    "mac.post-backoff=true",
];

/// With A-MPDUs of 802.11n: MCS 7 at 20 MHz, one stream, long guard interval.
const AGGREGATES: &[&str] = &[
    "run.duration=41 s",
    "measure.warm-up=1 s",
    "mac.standard=802.11n",
    "mac.mcs=7",
    "mac.streams=1",
    "mac.cw-min=15",
    "mac.aggregation.gives-up=never",
    "queue.limit=1000",
];

/// What the model knows of a cell: times \[us\], and how stations draw.
struct Cell {
    /// What is set in [`CELL`].
    keys: &'static [&'static str],
    /// So much is offered by all together \[Mb/s\]: enough for a station that wins many times in a row.
    offered: u32,
    /// Bytes of a packet.
    packet: u32,
    slot: f64,
    sifs: f64,
    /// DIFS, or AIFS of best effort.
    idle: f64,
    rts: f64,
    cts: f64,
    data: f64,
    answer: f64,
    /// Payload of a frame \[bit\].
    bits: f64,
    /// Smallest window in slots, CWmin + 1, and how often it doubles until CWmax + 1.
    window: f64,
    stages: i32,
}

/// 2 Mb/s, responses at 1 Mb/s, long preambles. Data: payload, UDP/IP, LLC/SNAP, MAC header and FCS.
const DSSS: Cell = Cell {
    keys: SINGLE,
    offered: 6,
    packet: 1460,
    slot: 20.0,
    sifs: 10.0,
    idle: 50.0,
    rts: 192.0 + 8.0 * 20.0,
    cts: 192.0 + 8.0 * 14.0,
    data: 192.0 + 4.0 * (1460.0 + 28.0 + 36.0),
    answer: 192.0 + 8.0 * 14.0,
    bits: 8.0 * 1460.0,
    window: 32.0,
    stages: 5,
};

/// 28 MPDUs of 1538 bytes are what 5.484 ms hold. Each takes 1544 bytes, the last one 1542: 345,862 bits with service
/// and tail, in symbols of 260. RTS and CTS at 6 Mb/s, block acks at 24 Mb/s.
const HT: Cell = Cell {
    keys: AGGREGATES,
    offered: 150,
    packet: 1472,
    slot: 9.0,
    sifs: 16.0,
    idle: 16.0 + 3.0 * 9.0,
    rts: 52.0,
    cts: 44.0,
    data: 36.0 + 4.0 * 1331.0,
    answer: 32.0,
    bits: 28.0 * 8.0 * 1472.0,
    window: 16.0,
    stages: 6,
};

/// The fixed point of equations 7 and 9: how probably each of so many stations sends in a slot, if `attempts` says so
/// for the probability that it then collides.
fn fixed_point(stations: f64, attempts: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let tau = f64::midpoint(low, high);
        let p = 1.0 - libm::pow(1.0 - tau, stations - 1.0);
        if attempts(p) > tau { low = tau } else { high = tau }
    }
    f64::midpoint(low, high)
}

impl Cell {
    /// Probability that a station sends in a slot, given the probability `p` that it then collides (equation 7, with
    /// the fraction written as a sum: it has no pole at p = 1/2).
    fn attempts(&self, p: f64) -> f64 {
        let doubled: f64 = (0..self.stages).map(|stage| libm::pow(2.0 * p, f64::from(stage))).sum();
        2.0 / (1.0 + self.window + p * self.window * doubled)
    }

    /// Saturation throughput \[Mb/s of payload\], equation 13; `wait` follows a collision.
    fn saturation(&self, stations: f64, rts: bool, wait: f64) -> f64 {
        let tau = fixed_point(stations, |p| self.attempts(p));
        let any = 1.0 - libm::pow(1.0 - tau, stations);
        let one = stations * tau * libm::pow(1.0 - tau, stations - 1.0) / any;
        let (success, collision) = self.lengths(rts, wait);
        let cycle = (1.0 - any) * self.slot + any * one * success + any * (1.0 - one) * collision;
        any * one * self.bits / cycle
    }

    /// How long a success and a collision last, with what follows them \[us\].
    fn lengths(&self, rts: bool, wait: f64) -> (f64, f64) {
        let exchange = self.data + self.sifs + self.answer + self.idle;
        if rts {
            (self.rts + self.sifs + self.cts + self.sifs + exchange, self.rts + wait)
        } else {
            (exchange, self.data + wait)
        }
    }

    /// What follows a collision where all wait for as long as its response would take, and then for an idle medium.
    fn whole_wait(&self, rts: bool) -> f64 {
        self.sifs + if rts { self.cts } else { self.answer } + self.idle
    }

    /// The same in the simulator \[Mb/s\].
    fn simulated(&self, stations: u32, rts: bool, eifs: &str) -> f64 {
        let mut text = CELL.to_owned();
        for station in 1..=stations {
            let (rate, packet) = (self.offered * 1_000_000 / stations, self.packet);
            text += &format!(
                "[[flow]]\nkind = \"cbr\"\nfrom = \"{station}\"\nto = \"0\"\nrate = \"{rate} bps\"\npacket = \"{packet} B\"\n"
            );
        }
        let run = Case::new(&text)
            .sets(self.keys)
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

    /// Each number of stations, with and without RTS, is within 3 % of the model; `wait` says what follows a collision.
    fn compare(&self, stations: &[u32], eifs: &str, wait: impl Fn(bool) -> f64) {
        let cells: Vec<(u32, bool)> = stations.iter().flat_map(|&n| [(n, false), (n, true)]).collect();
        let measured = on_threads(cells.clone(), |(stations, rts)| self.simulated(stations, rts, eifs));
        let mut report = Report::default();
        for ((stations, rts), measured) in cells.into_iter().zip(measured) {
            let what = format!("{stations} stations, {}, Mb/s", if rts { "RTS/CTS" } else { "basic" });
            report.near(what, measured, self.saturation(f64::from(stations), rts, wait(rts)), 0.03);
        }
        report.assert_all();
    }
}

#[test]
fn saturation_throughput_is_bianchis() {
    DSSS.compare(&[5, 10, 20, 50], "none", |_| DSSS.idle);
}

#[test]
fn saturation_throughput_is_bianchis_with_eifs_in_the_formula() {
    DSSS.compare(&[5, 10, 20, 50], "standard", |rts| DSSS.whole_wait(rts));
}

#[test]
fn saturation_throughput_of_aggregates_is_bianchis() {
    HT.compare(&[5, 10, 20, 50], "none", |_| HT.idle);
}

#[test]
fn saturation_throughput_of_aggregates_is_bianchis_with_eifs_in_the_formula() {
    HT.compare(&[5, 20, 50], "standard", |rts| HT.whole_wait(rts));
}

/// A station alone never collides and draws 15.5 slots on average; many collide almost always.
#[test]
fn the_formula_has_the_right_limits() {
    let tau = |stations| fixed_point(stations, |p| DSSS.attempts(p));
    assert!((tau(1.0) - 2.0 / 33.0).abs() < 1e-12);
    let alone = DSSS.bits / (15.5 * DSSS.slot + DSSS.data + DSSS.sifs + DSSS.answer + DSSS.idle);
    assert!((DSSS.saturation(1.0, false, DSSS.idle) / alone - 1.0).abs() < 1e-12);
    assert!(tau(50.0) < tau(5.0));
    let alone = HT.bits / (7.5 * HT.slot + HT.data + HT.sifs + HT.answer + HT.idle);
    assert!((HT.saturation(1.0, false, HT.idle) / alone - 1.0).abs() < 0.002);
}
