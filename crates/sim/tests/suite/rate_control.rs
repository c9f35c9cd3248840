//! Rate control in whole runs: rates by distance, and what a frame's own rate costs.

use crate::common::Case;

/// Two nodes so far apart, with a path loss by the distance.
fn two_nodes(metres: u32) -> Case {
    let text = r#"
profile = "rfc"
[measure]
warm-up = "2 s"
sample = "0 s"
[topology]
kind = "chain"
hops = 1
[air]
propagation = "log-distance"
[[flow]]
from = 0
to = 1
"#;
    Case::new(text).set("topology.spacing", format!("{metres} m"))
}

/// The same as in the scenario `rate-zones`.
fn pair(metres: u32, reception: &str) -> Case {
    two_nodes(metres)
        .sets(&[
            "run.duration=8 s",
            "air.frequency=2.412 GHz",
            "air.tx-power=31.6 mW",
            "air.receive-threshold=2e-13 W",
            "air.sense-threshold=1e-13 W",
            "air.sinr-threshold=-4 dB",
            "mac.data-rate=11 Mbps",
        ])
        .set("air.reception", reception)
        .set("air.noise-errors", reception == "ns2")
}

/// Goodput \[Mb/s\] and data frames at each rate of the sender.
fn told(case: &Case) -> (f64, [f64; 4]) {
    let run = case.run(1);
    let node = &run.json["nodes"][0]["data_by_rate"];
    let at = |name: &str| node[name].as_f64().unwrap_or(0.0);
    (run.goodput() / 1e6, ["at_1_mbps", "at_2_mbps", "at_5_5_mbps", "at_11_mbps"].map(at))
}

/// In each zone the fastest fixed rate is another one; what chooses comes near it, wherever it is. By the ratio it
/// takes one rate alone.
#[test]
fn the_rate_follows_the_distance() {
    for reception in ["sinr", "ns2"] {
        for (metres, best, mbps) in [(60, 3, "11"), (120, 3, "11"), (155, 2, "5.5"), (200, 0, "1")] {
            let fixed = ["1", "2", "5.5", "11"].map(|mbps| {
                (told(&pair(metres, reception).set("mac.data-rate", format!("\"{mbps} Mbps\""))).0, mbps)
            });
            let (most, fastest) = fixed.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            assert_eq!(fastest, mbps, "{reception}, {metres} m: {fixed:?}");
            for (control, least) in [("arf", 0.75), ("snr", 0.95)] {
                let case = pair(metres, reception).set("mac.rate-control", format!("\"{control}\""));
                let (goodput, frames) = told(&case);
                let said =
                    format!("{control}, {reception}, {metres} m: {goodput} of {most} Mb/s, {frames:?}");
                assert!(goodput > least * most && goodput < 1.03 * most, "{said}");
                let sum: f64 = frames.iter().sum();
                assert!(frames[best] > if control == "arf" { 0.6 } else { 0.99 } * sum, "{said}");
            }
        }
    }
}

/// The run counts what its nodes count; of a fixed rate neither says anything.
#[test]
fn the_run_has_the_frames_of_all_nodes_by_rate() {
    let chosen = pair(155, "ns2").set("mac.rate-control", "\"arf\"").run(1).json;
    for rate in ["at_1_mbps", "at_2_mbps", "at_5_5_mbps", "at_11_mbps"] {
        let of = |node: usize| chosen["nodes"][node]["data_by_rate"][rate].as_f64().unwrap_or(0.0);
        assert_eq!(chosen[format!("data_frames_{rate}")].as_f64(), Some(of(0) + of(1)), "{rate}");
    }
    let most = &chosen["data_frames_at_5_5_mbps"];
    assert!(most.as_f64() > Some(100.0), "{most}");
    let fixed = pair(60, "ns2").run(1).json;
    assert!(fixed["data_frames_at_11_mbps"].is_null(), "{fixed}");
}

/// Where the highest rate is lost, a fixed rate gets nothing.
#[test]
fn a_fixed_rate_dies_where_the_others_go_on() {
    let (fixed, _) = told(&pair(200, "sinr"));
    let (arf, _) = told(&pair(200, "sinr").set("mac.rate-control", "\"arf\""));
    assert!(fixed < 0.01 && arf > 0.5, "{fixed} {arf}");
}

#[test]
fn what_makes_no_sense_is_named() {
    let wrong = |case: Case| case.try_resolve().expect_err("wrong");
    let said = wrong(pair(60, "sinr").set("air.noise-errors", true));
    assert!(said.contains("`noise-errors` is for reception = \"ns2\""), "{said}");
    let said = wrong(pair(60, "sinr").set("mac.rate-control", "\"arf\"").set("mac.data-rate", "\"3 Mbps\""));
    assert!(said.contains("be 1, 2, 5.5 or 11 Mb/s"), "{said}");
    let event = "[[event]]\nat = \"1 s\"\nkind = \"rate\"\nnode = \"0\"\nrate = \"2 Mbps\"\n";
    let case = Case::new(&format!("topology = {{ kind = \"chain\", hops = 1 }}\n{event}"));
    let said = wrong(case.set("mac.data-rate", "\"11 Mbps\"").set("mac.rate-control", "\"snr\""));
    assert!(said.contains("are not set by an event"), "{said}");
}

/// Saturated 802.11n over so many metres.
fn modern(metres: u32) -> Case {
    two_nodes(metres).sets(&[
        "run.duration=6 s",
        "air.frequency=5.2 GHz",
        "air.tx-power=100 mW",
        "air.receive-threshold=-95 dBm",
        "air.sense-threshold=-97 dBm",
        "air.sinr-threshold=0 dB",
        "air.reception=sinr",
        "air.error-curve=dsss",
        "air.noise=-94 dBm",
        "mac.standard=802.11n",
        "queue.limit=300",
        "flow.0.kind=cbr",
        "flow.0.rate=100 Mbps",
        "flow.0.packet=1472 B",
    ])
}

/// At each distance another MCS is the best, and Minstrel-HT comes near it without knowing the distance.
#[test]
fn minstrel_ht_comes_near_the_best_mcs() {
    for (metres, best) in [(50, 4), (150, 0)] {
        let fixed: Vec<f64> = (0..8).map(|mcs| modern(metres).set("mac.mcs", mcs).run(1).goodput()).collect();
        let most = fixed.iter().copied().fold(0.0, f64::max);
        assert_eq!(fixed.iter().position(|&it| it == most), Some(best), "{metres} m: {fixed:?}");
        let case = modern(metres).set("mac.rate-control", "\"minstrel-ht\"");
        let (one, again) = (case.run(1), case.run(1));
        assert!(one.goodput() > 0.93 * most, "{metres} m: {} of {fixed:?}", one.goodput());
        assert_eq!(one.json["fingerprint"], again.json["fingerprint"]);
    }
}

/// So does every other rule, among the MCS and among the rates of OFDM; ARF loses a frame of ten to its trials.
#[test]
fn each_rule_comes_near_the_best_fixed_rate() {
    let best = |cases: Vec<Case>| cases.iter().map(|case| case.run(1).goodput()).fold(0.0, f64::max);
    for metres in [50, 150] {
        let of_mcs = best((0..8).map(|mcs| modern(metres).set("mac.mcs", mcs)).collect());
        let legacy = |mbps: u32| {
            modern(metres).set("mac.standard", "802.11a").set("mac.data-rate", format!("\"{mbps} Mbps\""))
        };
        let of_ofdm = best([6, 9, 12, 18, 24, 36, 48, 54].map(legacy).to_vec());
        for (rule, least) in [("ideal", 0.8), ("snr", 0.85), ("arf", 0.5), ("minstrel-ht", 0.85)] {
            for (case, most) in [(modern(metres), of_mcs), (legacy(54), of_ofdm)] {
                let goodput = case.clone().set("mac.rate-control", rule).run(1).goodput();
                let standard = case.resolve().config.mac.standard().name();
                assert!(
                    goodput > least * most && goodput < 1.05 * most,
                    "{rule}, {standard}, {metres} m: {goodput} of {most}"
                );
            }
        }
        // One frame in ten tries another rate.
        let goodput = legacy(54).set("mac.rate-control", "minstrel").run(1).goodput();
        assert!(
            goodput > 0.85 * of_ofdm && goodput < of_ofdm,
            "minstrel, {metres} m: {goodput} of {of_ofdm}"
        );
    }
}

/// Minstrel-HT is for MPDUs and what is older, but for 802.11b; Minstrel is for what is older.
#[test]
fn each_minstrel_says_for_which_stations_it_is_not() {
    for (standard, rule, why) in [
        ("802.11b", "minstrel-ht", "Minstrel-HT is not for stations of 802.11b"),
        ("802.11n", "minstrel", "Minstrel is for stations of 802.11a, b and g"),
    ] {
        let case = modern(50).set("mac.standard", standard).set("mac.rate-control", rule);
        let said = case.try_resolve().expect_err("it is refused");
        assert!(said.contains(why), "{said}");
    }
}
