//! What MPDUs die of, and how long those behind them are held back.

use serde_json::Value;

use crate::common::{Case, Outcome, number};

/// A flow from each of two nodes to the one between them, over 802.11n.
fn pair(spacing: &str, more: &str) -> Case {
    let flow = |from: u32| {
        format!(
            "[[flow]]\nkind = \"cbr\"\nfrom = \"{from}\"\nto = \"1\"\nrate = \"20 Mbps\"\npacket = \"1472 B\"\n"
        )
    };
    Case::new(&format!(
        "profile = \"rfc\"\n[run]\nduration = \"1 s\"\n[measure]\nwarm-up = \"0.2 s\"\n\
         [topology]\nkind = \"chain\"\nhops = 2\nspacing = \"{spacing}\"\n[air]\nreception = \"sinr\"\n\
         [mac]\nstandard = \"802.11n\"\nslot-count = \"exact\"\n[routing]\nkind = \"static\"\n{more}{}{}",
        flow(0),
        flow(2)
    ))
}

fn rows(outcome: &Outcome) -> &[Value] {
    outcome.json["mpdus"].as_array().expect("they are recorded")
}

fn sum(rows: &[Value], key: &str) -> f64 {
    rows.iter().map(|row| row.pointer(key).map_or(0.0, number)).sum()
}

/// 0 and 2 do not sense each other: each hits the other's frames at 1, and only the MPDUs that it overlaps.
#[test]
fn hidden_stations_hit_the_mpdus_that_they_overlap() {
    let far = pair("240 m", "").set("air.sense-threshold", "-64.5 dBm").run(1);
    let rows = rows(&far);
    assert_eq!(rows.len(), 2, "{rows:?}");
    let (sent, lost) = (sum(rows, "/mpdus"), sum(rows, "/lost"));
    assert!(lost > 0.05 * sent && lost < 0.95 * sent, "{lost} of {sent}");
    assert!(sum(rows, "/lost_by/interference") > 0.99 * lost, "{rows:?}");
    for (row, other) in rows.iter().zip(["2", "0"]) {
        let worst = &row["killers"][0];
        assert_eq!((&worst["by"], &worst["hidden"]), (&Value::from(other), &Value::from(true)), "{row}");
    }
    // What came through in part leaves gaps, and those behind them wait.
    assert!(sum(rows, "/held") > 0.0 && sum(rows, "/held_s") > 0.0);
    assert!(sum(rows, "/delivered") <= sent - lost);
}

/// Near each other they take turns: what is left are frames that begin in the same slot.
#[test]
fn stations_that_sense_each_other_collide_in_the_open() {
    let near = pair("20 m", "").run(1);
    let rows = rows(&near);
    let lost = sum(rows, "/lost");
    assert!(lost > 0.0 && lost < 0.2 * sum(rows, "/mpdus"), "{rows:?}");
    let hidden = rows.iter().flat_map(|row| row["killers"].as_array().expect("a list"));
    assert!(hidden.into_iter().all(|killer| killer["hidden"] == false), "{rows:?}");
}

/// 3 of 10 MPDUs, each by itself: a missing one comes in the next frame, so others wait for about one exchange.
#[test]
fn bit_errors_are_counted_by_mpdu_and_those_behind_wait_an_exchange() {
    let flow =
        "[[flow]]\nkind = \"cbr\"\nfrom = \"0\"\nto = \"1\"\nrate = \"80 Mbps\"\npacket = \"1472 B\"\n";
    let case = Case::new(&format!(
        "profile = \"rfc\"\n[run]\nduration = \"1 s\"\n[measure]\nwarm-up = \"0.2 s\"\n\
         [topology]\nkind = \"chain\"\nhops = 1\nspacing = \"10 m\"\n[air]\nbit-error-rate = 2.9e-5\n\
         [mac]\nstandard = \"802.11n\"\n{flow}"
    ));
    let outcome = case.run(1);
    let rows = rows(&outcome);
    let (sent, lost) = (sum(rows, "/mpdus"), sum(rows, "/lost"));
    assert!((lost / sent - 0.3).abs() < 0.02, "{lost} of {sent}");
    assert_eq!(sum(rows, "/lost_by/bit errors"), lost);
    let wait_ms = 1e3 * sum(rows, "/held_s") / sum(rows, "/held");
    assert!((5.0..12.0).contains(&wait_ms), "an exchange takes 5.6 ms: {wait_ms}");
    let off = case.set("measure.sample", "0 s").run(1);
    assert_eq!(off.json["mpdus"], Value::Null);
    assert_eq!(off.json["fingerprint"], outcome.json["fingerprint"], "probes change nothing");
}

/// Voice beside a download: each category has a row of its own on each link, and a radio a channel.
#[test]
fn categories_and_radios_are_told_apart() {
    let voip = Case::new(include_str!("../../../../scenarios/voip-over-mesh.toml"))
        .set("run.duration", "7 s")
        .run(1);
    let of = |name: &str| -> Vec<Value> {
        rows(&voip).iter().filter(|row| row["category"] == name).cloned().collect()
    };
    let (voice, best) = (of("voice"), of("best-effort"));
    assert!(voice.len() == 8 && best.len() == 8, "both ways over four hops");
    let mean = |rows: &[Value]| sum(rows, "/delay_s") / sum(rows, "/delivered");
    assert!(mean(&voice) * 3.0 < mean(&best), "voice waits less: {} {}", mean(&voice), mean(&best));
    assert_eq!(sum(&voice, "/mpdus"), sum(&voice, "/frames"), "voice is not aggregated");
    let radios =
        Case::new(include_str!("../../../../scenarios/backhaul-11ac.toml")).set("run.duration", "6 s").run(1);
    let channels: std::collections::BTreeSet<_> =
        rows(&radios).iter().map(|row| row["channel"].as_u64().expect("a number")).collect();
    assert_eq!(channels.len(), 4, "{channels:?}");
}
