//! Two saturated senders and the step at 250 m, as ns-2.35 has it (`studies/validation/ns2-pair.csv`).
//!
//! Senders that decode each other stay in step, draw equal slots now and then, and lose both RTS. Senders that
//! only sense each other, and so find every frame of the other undecodable, wait EIFS after each of them and hardly
//! ever start in the same slot.

use crate::common::{Case, Report, median};

/// 0 → 1 ← 2, or 0 ⇄ 1; more than the air can carry, 200 s measured.
const PAIR: &str = r#"
profile = "ns2"
[run]
duration = "300 s"
[measure]
warm-up = "100 s"
sample = "0 s"
[topology]
kind = "chain"
hops = 2
spacing = "100 m"
[mac]
data-rate = "2 Mbps"
rts-threshold = "0 B"
[routing]
kind = "static"
[[flow]]
kind = "cbr"
from = "0"
to = "1"
rate = "2 Mbps"
packet = "1460 B"
[[flow]]
kind = "cbr"
from = "2"
to = "1"
rate = "2 Mbps"
packet = "1460 B"
"#;

/// Share of RTS without CTS, median of three runs.
fn share(case: &Case) -> f64 {
    median(case.runs(1..=3).iter().map(crate::common::Outcome::rts_failure_share))
}

/// The receiver stands half-way between senders `distance` apart.
fn senders_apart(distance: u32) -> Case {
    Case::new(PAIR).set("topology.spacing", format_args!("{} m", distance / 2))
}

#[test]
fn senders_that_decode_each_other_collide_as_in_ns2() {
    let mut report = Report::default();
    for (distance, wanted) in [(150, 0.0609), (200, 0.0617), (248, 0.0618)] {
        report.near(format!("{distance} m"), share(&senders_apart(distance)), wanted, 0.15);
    }
    let delayed = senders_apart(200).set("air.propagation-delay", "0.67 us");
    report.near("200 m, signals travel", share(&delayed), 0.0617, 0.15);
    let both_ways = Case::new(PAIR)
        .set("topology.hops", 1)
        .set("topology.spacing", "200 m")
        .set("flow.1.from", 1)
        .set("flow.1.to", 0);
    report.near("both ways, 200 m", share(&both_ways), 0.0627, 0.15);
    report.assert_all();
}

#[test]
fn senders_that_only_sense_each_other_hardly_collide() {
    let mut report = Report::default();
    for distance in [252, 320, 400, 480] {
        report.close(format!("{distance} m"), share(&senders_apart(distance)), 0.0, 0.001);
    }
    report.assert_all();
}
