//! Radios on different channels in whole runs.

use crate::common::Case;

/// Two pairs of nodes side by side, all in reach of each other, each with a stream that fills more than half of a channel.
fn pairs(more: &str) -> Case {
    Case::new(&format!(
        r#"
run.duration = "20 s"
measure = {{ warm-up = "5 s", sample = "0 s" }}
routing.kind = "static"
topology = {{ kind = "explicit", node = [
  {{ name = "a", x = "0 m", y = "0 m" }}, {{ name = "b", x = "100 m", y = "0 m" }},
  {{ name = "c", x = "0 m", y = "100 m" }}, {{ name = "d", x = "100 m", y = "100 m" }},
] }}
flow = [
  {{ kind = "bulk", from = "a", to = "b" }},
  {{ kind = "bulk", from = "c", to = "d" }},
]
{more}
"#
    ))
}

/// Pairs on different channels each have what a pair has alone; on the same channel they share it.
#[test]
fn channels_do_not_disturb_each_other() {
    let apart = pairs("node = [{ names = [\"c\", \"d\"], radio = [{ channel = 6 }] }]").run(1);
    let shared = pairs("").run(1);
    let alone = pairs("").set("flow.1.start", "\"19.999 s\"").run(1);
    let goodput =
        |run: &crate::common::Outcome, flow: usize| run.flows()[flow]["goodput_bps"].as_f64().unwrap();
    let whole = goodput(&alone, 0);
    for flow in 0..2 {
        let share = goodput(&apart, flow) / whole;
        assert!((share - 1.0).abs() < 0.03, "{share} of a channel");
    }
    let sum = (goodput(&shared, 0) + goodput(&shared, 1)) / whole;
    assert!((0.8..1.1).contains(&sum), "{sum} of a channel");
}

/// Nodes that say that they are on channel 1 are where all others are.
#[test]
fn the_channel_of_all_others_changes_nothing() {
    let said = pairs("node = [{ names = [\"c\", \"d\"], radio = [{ channel = 1 }] }]").run(1);
    let all = pairs("node = [{ names = [\"a\", \"b\", \"c\", \"d\"], radio = [{ channel = 36 }] }]").run(1);
    let none = pairs("").run(1);
    assert_eq!(said.json["fingerprint"], none.json["fingerprint"]);
    assert_eq!(all.json["fingerprint"], none.json["fingerprint"]);
}

/// No frame passes between channels, with any routing, over places as over listed links; `check` says so.
#[test]
fn nothing_passes_between_channels() {
    let listed = r#"{ kind = "links", link = [{ from = "a", to = "b" }, { from = "b", to = "c" }] }"#;
    for kind in ["static", "dsdv", "aodv", "dsr"] {
        let other = "node = [{ names = [\"b\"], radio = [{ channel = 11 }] }]";
        let case = pairs(other).set("routing.kind", format!("\"{kind}\"").as_str());
        for case in [
            case.clone(),
            case.set("topology", listed).set("flow", "[{ kind = \"bulk\", from = \"a\", to = \"b\" }]"),
        ] {
            let run = case.run(1);
            assert_eq!(run.flows()[0]["goodput_bps"].as_f64(), Some(0.0), "{kind}");
            let remarks = case.resolve().warnings.join("\n");
            assert!(remarks.contains("cannot be reached") && remarks.contains("same channel"), "{remarks}");
        }
    }
}

#[test]
fn channels_that_are_none_are_refused() {
    for (channel, said) in [("0", "channel"), ("234", "channel"), ("\"six\"", "channel")] {
        let node = format!("node = [{{ names = [\"c\"], radio = [{{ channel = {channel} }}] }}]");
        let error = pairs(&node).try_resolve().expect_err("no channel");
        assert!(error.contains(said) && error.contains("radio"), "{error}");
    }
}
