//! No text makes the reader panic, and a resolved scenario written out is the same scenario.

use super::super::{Kind, Sources, shipped};
use super::{Layer, MINIMAL, good, sources};
use crate::resolve;
use proptest::prelude::*;

/// Keys, values and signs from which plausible nonsense is made.
fn word() -> impl Strategy<Value = String> {
    let known = vec![
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "=",
        ",",
        ".",
        "\n",
        "\"",
        "#",
        "run",
        "topology",
        "flow",
        "kind",
        "\"chain\"",
        "\"random\"",
        "hops",
        "spacing",
        "\"200 m\"",
        "\"1e308 m\"",
        "1",
        "-1",
        "1e400",
        "tcp",
        "max-window",
        "from",
        "to",
        "\"0\"",
        "duration",
        "\"9999999 h\"",
        "mac",
        "nodes",
        "width",
        "height",
    ];
    prop_oneof![4 => prop::sample::select(known).prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_gives_an_answer(text in "\\PC*") {
        let _ = resolve(&sources(&text));
    }

    #[test]
    fn plausible_nonsense_gives_an_answer(words in prop::collection::vec(word(), 0..40)) {
        let _ = resolve(&sources(&words.join(" ")));
        let _ = resolve(&sources(&format!("{MINIMAL}{}", words.concat())));
    }

    #[test]
    fn any_option_gives_an_answer(set in "\\PC{0,20}", path in "(tcp|flow|mac|topology)(\\.[a-z0-9-]{0,8}){0,3}", value in "\\PC{0,8}", technique in "(drr|small-window|delayed-ack|x\\.toml)?:?\\PC{0,12}") {
        let mut both = sources(MINIMAL);
        both.sets = vec![set];
        let _ = resolve(&both);
        both.sets = vec![format!("{path}={value}")];
        let _ = resolve(&both);
        both.sets.clear();
        both.techniques = vec![(technique, None)];
        let _ = resolve(&both);
    }

    #[test]
    fn any_overlay_gives_an_answer(text in "\\PC*", words in prop::collection::vec(word(), 0..20)) {
        for overlay in [text, format!("summary = \"s\"\n[set]\n{}", words.join(" "))] {
            let mut with = sources(MINIMAL);
            with.techniques = vec![("x.toml".into(), Some(overlay))];
            let _ = resolve(&with);
        }
    }

    #[test]
    fn values_survive_being_written_out(
        hops in 1_u32..50, spacing in 1.0_f64..1e4, ber in 0.0_f64..1.0, power in -120.0_f64..60.0,
        tick in 1_u64..10_000_000_000, window in 1_u32..1_000_000, seed in 0..=i64::MAX.unsigned_abs(),
    ) {
        let mut input = sources("topology = { kind = \"chain\", hops = 2 }\n[[flow]]\nfrom = \"0\"\nto = \"1\"\n");
        input.sets = vec![
            format!("topology.hops={hops}"), format!("topology.spacing={spacing:?} m"), format!("air.bit-error-rate={ber:?}"),
            format!("air.noise={:?} dBm", power - 60.0), format!("tcp.tick={tick} ns"), format!("tcp.max-window={window}"),
            format!("run.seed={seed}"),
        ];
        round_trip(&input);
    }
}

#[track_caller]
fn round_trip(input: &Sources) {
    let first = good(input);
    let text = first.to_toml().expect("TOML");
    let again = good(&sources(&text));
    assert_eq!(again.config, first.config);
    assert_eq!(again.nodes, first.nodes);
    assert_eq!(again.hash(), first.hash());
    assert_eq!(again.to_toml().expect("TOML"), text);
}

#[test]
fn shipped_scenarios_survive_being_written_out() {
    for (name, text) in shipped(Kind::Scenarios) {
        // The slotted link has no interface queue, so no technique can say how one keeps packets.
        let fits = |technique: &&str| !name.starts_with("frn-") || *technique != "persistent-queue";
        for technique in ["none", "persistent-queue", "delayed-ack", "placebo"].into_iter().filter(fits) {
            let layer = Layer { name: name.into(), text: text.into() };
            round_trip(&Sources {
                scenario: layer,
                techniques: vec![(technique.into(), None)],
                sets: Vec::new(),
            });
        }
    }
}
