//! Everything that is shipped works.

use super::super::{Kind, Sources, shipped};
use super::{Layer, MINIMAL, good, sources};

#[test]
fn scenarios_resolve_without_warnings_and_say_what_they_show() {
    let files = shipped(Kind::Scenarios);
    assert!(files.len() >= 12);
    for (name, text) in files {
        let layer = Layer { name: format!("{name}.toml"), text: text.into() };
        let it = good(&Sources { scenario: layer, techniques: Vec::new(), sets: Vec::new() });
        assert!(it.config.summary.is_some(), "{name} has no summary");
        assert_eq!(it.warnings, [""; 0], "{name}");
        assert!(!it.flows.is_empty(), "{name} has no flows");
    }
}

#[test]
fn scenarios_resolve_under_every_profile_and_technique() {
    for (name, text) in shipped(Kind::Scenarios) {
        for (technique, _) in shipped(Kind::Techniques) {
            for (profile, _) in shipped(Kind::Profiles) {
                let layer = Layer { name: name.into(), text: text.into() };
                let techniques = vec![(technique.into(), None)];
                good(&Sources { scenario: layer, techniques, sets: vec![format!("profile={profile}")] });
            }
        }
    }
}

#[test]
fn every_technique_but_none_changes_something() {
    // Over the profile `rfc` with SACK and Tahoe beforehand, each technique finds something to change.
    let mut base = sources(MINIMAL);
    base.sets = vec!["profile=ns2".into()];
    for (technique, _) in shipped(Kind::Techniques) {
        let mut with = base.clone();
        with.techniques.push((technique.into(), None));
        let it = good(&with);
        let from = format!("technique {technique}");
        assert_eq!(it.origins.values().any(|origin| *origin == from), technique != "none", "{technique}");
    }
}

#[test]
fn names_are_those_promised() {
    let names = |kind| shipped(kind).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    for name in [
        "drr",
        "persistent-queue",
        "tahoe",
        "reno",
        "newreno",
        "sack",
        "delayed-ack",
        "small-window",
        "none",
        "placebo",
    ] {
        assert!(names(Kind::Techniques).contains(&name), "{name}");
    }
    for name in ["linux24", "ns2", "ns2-21b8", "ns3", "rfc"] {
        assert!(names(Kind::Profiles).contains(&name), "{name}");
    }
}
