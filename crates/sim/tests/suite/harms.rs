//! What the channel does to frames is told by its name: fading, jamming, a lossy link, bit errors.

use serde_json::Value;

use crate::common::{Case, Outcome};

/// Two nodes that no node disturbs, with a MAC that soon gives up.
const PAIR: &str = r#"
profile = "rfc"
[run]
duration = "100 s"
[topology]
kind = "chain"
hops = 1
[mac]
short-retry-limit = 1
long-retry-limit = 1
[[flow]]
kind = "cbr"
rate = "100 kbps"
packet = "500 B"
from = 0
to = 1
"#;

/// Packets that the MAC gave up, by what it is said to have been.
fn given_up(run: &Outcome, cause: &str) -> f64 {
    let rows = run.json["drops"].as_array().expect("drops").iter();
    let of_cause = rows.filter(|row| row["reason"].as_str().is_some_and(|it| it.starts_with("retry-limit")));
    let counted = of_cause.filter(|row| cause.is_empty() || row["cause"] == cause);
    counted.filter_map(|row| row["n"].as_f64()).sum()
}

/// Attempts of both nodes that failed so.
fn attempts(run: &Outcome, how: &str) -> f64 {
    let key = format!("attempt_failures/{how}");
    run.of_node(0, &key) + run.of_node(1, &key)
}

/// All that was given up has this cause, and every failed attempt is of this kind.
fn expect_only(run: &Outcome, cause: &str, kind: &str) {
    assert!(given_up(run, "") > 30.0, "{cause}: {}", run.json["drops"]);
    assert_eq!(given_up(run, cause), given_up(run, ""), "{}", run.json["drops"]);
    for other in ["bit_errors", "link_loss", "jamming", "fading", "interference", "no_answer"] {
        let count = attempts(run, other);
        assert_eq!(count > 0.0, other == kind, "{cause}: {other} {count}");
    }
}

#[test]
fn what_fades_between_two_lone_nodes_is_fading() {
    for fading in ["rayleigh", "rician"] {
        for reception in ["ns2", "sinr"] {
            for rts in ["0 B", "3000 B"] {
                let case = Case::new(PAIR).set("air.fading", fading).set("air.reception", reception);
                expect_only(&case.set("mac.rts-threshold", rts).run(1), "fading", "fading");
            }
        }
    }
}

/// Under profile `ns2` a frame that was only sensed keeps its hearer from answering, which is no node's doing.
#[test]
fn fading_is_the_cause_under_the_rules_of_ns2_as_well() {
    let run = Case::new(PAIR).set("profile", "ns2").set("air.fading", "rayleigh").run(1);
    assert_eq!(given_up(&run, "fading") + given_up(&run, "contention (rts)"), given_up(&run, ""));
    assert!(given_up(&run, "fading") > 3.0 * given_up(&run, "contention (rts)"), "{}", run.json["drops"]);
    assert_eq!(attempts(&run, "interference"), 0.0);
}

/// Two stations that send at once meet receivers that send themselves, which are not hidden even where they have faded.
#[test]
fn of_two_nodes_none_is_hidden() {
    let run =
        Case::new(&PAIR.replace("cbr", "bulk").replace("rate = \"100 kbps\"\npacket = \"500 B\"\n", ""));
    let run = run.set("air.fading", "rayleigh").set("mac.short-retry-limit", 2).run(1);
    let rows = run.json["interference"].as_array().expect("rows");
    assert!(rows.iter().filter_map(|row| row["n"].as_f64()).sum::<f64>() > 5.0, "{rows:?}");
    assert!(rows.iter().all(|row| row["hidden"] == 0), "{rows:?}");
}

/// A node that is too far away on average has not faded.
#[test]
fn out_of_reach_is_not_fading() {
    let far = Case::new(PAIR).set("air.fading", "rayleigh").set("topology.spacing", "600 m");
    let run = far.set("mac.rts-threshold", "0 B").run(1);
    assert_eq!(attempts(&run, "fading"), 0.0);
    assert_eq!(given_up(&run, "neighbour absent"), given_up(&run, ""));
}

/// Around node 1, for the whole run.
fn jam(loss: f64) -> String {
    format!(
        "[[event]]\nat = \"0 s\"\nkind = \"jam\"\nx = \"200 m\"\nradius = \"50 m\"\nloss = {loss}\nuntil = \"100 s\"\n"
    )
}

#[test]
fn a_jammed_region_is_jamming() {
    expect_only(&Case::new(&format!("{PAIR}{}", jam(0.6))).run(1), "jamming", "jamming");
}

#[test]
fn what_a_link_is_said_to_lose_is_link_loss() {
    let links = "kind = \"links\"\nlink = [{ from = \"0\", to = \"1\", loss = 0.6 }]";
    let listed = PAIR.replace("kind = \"chain\"\nhops = 1", links);
    expect_only(&Case::new(&listed).run(1), "link loss", "link_loss");
}

#[test]
fn error_rates_are_bit_errors() {
    expect_only(&Case::new(PAIR).set("air.packet-error-rate", 0.6).run(1), "bit errors", "bit_errors");
    expect_only(&Case::new(PAIR).set("air.bit-error-rate", 3e-4).run(1), "bit errors", "bit_errors");
}

/// Noise as strong as the signal, which at 200 m is 0.89 nW, is too much.
#[test]
fn noise_alone_is_bit_errors() {
    let run = Case::new(PAIR).set("air.reception", "sinr").set("air.noise", "8.9e-10 W").run(1);
    expect_only(&run, "bit errors", "bit_errors");
}

/// One cause strikes before the other: shares as of independent chances, one draw for both.
#[test]
fn two_causes_have_their_parts() {
    let run = Case::new(&format!("{PAIR}{}", jam(0.5))).set("air.packet-error-rate", 0.2).run(1);
    // Of what goes to node 1 the errors have 0.2, the jam half of the rest.
    let (bits, jammed) = (attempts(&run, "bit_errors"), attempts(&run, "jamming"));
    assert!(bits > 300.0 && (1.2..2.1).contains(&(jammed / bits)), "{jammed} {bits}");
}

/// Over the slotted link frames and echoes fade.
#[test]
fn a_slotted_link_tells_of_fading_too() {
    let text = "profile = \"ns2-2003\"\n[run]\nduration = \"300 s\"\n[topology]\nkind = \"chain\"\nhops = 2\n[air]\nfading = \"rayleigh\"\n\
                [link]\nkind = \"frn\"\n[frn]\nmax-retransmissions = 2\n[[flow]]\nkind = \"cbr\"\nrate = \"4 kbps\"\npacket = \"500 B\"\nfrom = 0\nto = 2\n";
    for reception in ["ns2", "sinr"] {
        let run = Case::new(text).set("air.reception", reception).run(1);
        let rows = run.json["drops"].as_array().expect("drops");
        let of = |cause: &str| -> f64 {
            rows.iter().filter(|row| row["cause"] == cause).filter_map(|row| row["n"].as_f64()).sum()
        };
        assert!(of("fading") > 20.0 && of("neighbour absent") == 0.0, "{}", Value::from(rows.clone()));
    }
}
