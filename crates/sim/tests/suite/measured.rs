//! The measured time: every figure is of it, and of nothing else.

use crate::common::Case;
use serde_json::Value;

/// Three hops with losses of every kind. The first ten seconds do not count.
const LOSSY: &str = r#"
profile = "ns2"
run.duration = "40 s"
measure = { warm-up = "10 s", until = "30 s" }
topology = { kind = "chain", hops = 3 }
air.bit-error-rate = 5e-5
queue.limit = 5
[[flow]]
kind = "bulk"
from = "0"
to = "3"
[[flow]]
kind = "cbr"
rate = "1500 kbps"
from = "3"
to = "1"
"#;

fn total(object: &Value) -> i64 {
    object.as_object().expect("an object").values().map(|n| n.as_i64().expect("a count")).sum()
}

fn sum(list: &Value, of: impl Fn(&Value) -> bool) -> i64 {
    let rows = list.as_array().expect("a list").iter().filter(|row| of(row));
    rows.map(|row| row["n"].as_i64().expect("a count")).sum()
}

#[test]
fn drops_losses_and_frames_are_of_the_measured_time() {
    let run = Case::new(LOSSY).run(1).json;
    for flow in run["flows"].as_array().expect("flows") {
        let (whole, measured) = (&flow["ledger"], &flow["ledger_measured"]);
        let number = |key: &str| measured[key].as_i64().expect("a count");
        assert_eq!(
            number("in_network_before") + number("created") + number("copied"),
            number("delivered")
                + total(&measured["absorbed"])
                + total(&measured["dropped"])
                + number("in_network"),
        );
        assert!(number("created") < whole["created"].as_i64().expect("a count"));
        let lost = sum(&run["drops"], |row| row["flow"] == flow["id"]);
        assert!(lost > 0);
        assert_eq!(lost, total(&measured["dropped"]));
        assert_eq!(sum(&flow["losses"], |_| true), {
            let noticed = |key: &str| flow[key].as_i64().expect("a count");
            noticed("timeouts") + noticed("fast_retransmits")
        });
    }
    assert!(sum(&run["drops"], |_| true) > 50);
    for row in run["drops"].as_array().expect("drops") {
        assert!(row["first_s"].as_f64() > Some(10.0) && row["last_s"].as_f64() <= Some(30.0), "{row}");
        let parts = row["when"].as_array().expect("parts").iter().map(|n| n.as_i64().expect("a count"));
        assert_eq!(Some(parts.sum()), row["n"].as_i64());
    }
    let nodes = run["nodes"].as_array().expect("nodes");
    let sent: i64 = nodes.iter().map(|node| total(&node["frames"])).sum();
    assert_eq!(run["frames"].as_i64(), Some(sent));
    assert!(run["frames_whole_run"].as_i64() > Some(sent));
    for node in nodes {
        let failed = node["rts_failures"].as_i64().expect("n") + node["ack_failures"].as_i64().expect("n");
        // An attempt that a reading falls into may be judged on the other side of it.
        assert!((total(&node["attempt_failures"]) - failed).abs() <= 2, "{node}");
    }
}

#[test]
fn without_warm_up_all_is_measured() {
    let run = Case::new(LOSSY).set("measure.warm-up", "0 s").set("measure.until", "40 s").run(1).json;
    assert_eq!(run["frames"], run["frames_whole_run"]);
    for of in [&run, &run["flows"][0], &run["flows"][1]] {
        for key in ["created", "copied", "delivered", "absorbed", "dropped", "in_network"] {
            assert_eq!(of["ledger"][key], of["ledger_measured"][key], "{key}");
        }
    }
    assert_eq!(run["flows"][1]["sent_packets"], run["flows"][1]["ledger"]["created"]);
}

#[test]
fn nobody_sends_or_hears_for_longer_than_was_measured() {
    // A frame of 1500 bytes lasts 6 ms and more: one always straddles the end.
    for end in ["1.001 s", "1.002 s", "1.003 s", "1.004 s", "1.005 s", "1.006 s"] {
        let run = Case::new(LOSSY)
            .set("air.bit-error-rate", 0)
            .set("measure.warm-up", "1 s")
            .set("measure.until", end)
            .run(1)
            .json;
        let (from, to) = (1.0, end.trim_end_matches(" s").parse::<f64>().expect("a number"));
        for node in run["nodes"].as_array().expect("nodes") {
            let figure = |key: &str| node[key].as_f64().expect("a figure");
            let (sent, heard) = (figure("airtime_tx_s"), figure("airtime_busy_s"));
            assert!(
                sent >= 0.0 && heard >= 0.0 && sent <= to - from + 1e-9 && heard <= to - from + 1e-9,
                "{node}"
            );
        }
    }
}

#[test]
fn the_cause_is_known_at_every_retry_limit() {
    for limit in [7, 64, 65, 66, 255] {
        for limit_of in ["mac.short-retry-limit", "mac.long-retry-limit"] {
            let run = Case::new(LOSSY)
                .set("measure.warm-up", "0 s")
                .set("air.bit-error-rate", 0)
                .set("air.packet-error-rate", 1)
                .set("flow.1.rate", "10 kbps")
                .set("mac.short-retry-limit", 255)
                .set(limit_of, limit)
                .run(1)
                .json;
            let rows = run["drops"].as_array().expect("drops").iter();
            let reason = |row: &Value| row["reason"].as_str().expect("a reason").to_owned();
            let given_up: Vec<_> = rows.filter(|row| reason(row).starts_with("retry-limit")).collect();
            assert!(!given_up.is_empty(), "{limit_of} {limit}");
            for row in given_up {
                assert_eq!(row["cause"], "bit errors", "{limit_of} {limit}");
            }
        }
    }
}

#[test]
fn only_finite_transfers_complete() {
    let flow = |flow: &str| {
        let text = format!(
            "run.duration = \"20 s\"\n[topology]\nkind = \"chain\"\nhops = 1\n[[flow]]\nfrom = \"0\"\nto = \"1\"\n{flow}"
        );
        Case::new(&text).run(1).json["flows"][0]["completion_s"].clone()
    };
    assert_eq!(flow("kind = \"cbr\"\ntransport = \"tcp\"\nrate = \"10 kbps\""), Value::Null);
    assert_eq!(flow("kind = \"bulk\"\nstop = \"5 s\""), Value::Null);
    assert_eq!(flow("kind = \"file\"\nsize = \"10 MB\"\nstop = \"5 s\""), Value::Null);
    let done = flow("kind = \"file\"\nsize = \"100 kB\"\nstart = \"1 s\"").as_f64().expect("a time");
    assert!((0.4..3.0).contains(&done), "{done}");
}

#[test]
fn series_of_losses_are_thinned_and_counts_are_not() {
    let whole = Case::new(LOSSY).run(1);
    let thin = Case::new(LOSSY).set("measure.rows", 10).run(1);
    assert_eq!(whole.json["drops"], thin.json["drops"]);
    assert_eq!(whole.json["thinned"], serde_json::json!({}));
    let (every, of) = (&thin.json["thinned"]["drops"]["every"], &thin.json["thinned"]["drops"]["of"]);
    let rows = |run: &crate::common::Outcome| {
        let (_, table) = run.series.iter().find(|(name, _)| *name == "drops").expect("drops");
        match &table[0].1 {
            multihop_sim::probe::Column::Float(times) => times.clone(),
            multihop_sim::probe::Column::Int(_) => panic!("times are floats"),
        }
    };
    let (all, kept) = (rows(&whole), rows(&thin));
    assert_eq!(of.as_u64(), Some(all.len() as u64));
    let every = usize::try_from(every.as_u64().expect("a number")).expect("small");
    assert!(kept.len() <= 10 && every > 1);
    assert_eq!(kept, all.into_iter().step_by(every).collect::<Vec<_>>());
}
