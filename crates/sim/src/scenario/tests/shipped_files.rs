//! Everything that is shipped works.

use super::super::{Kind, Resolved, Sources, shipped};
use super::{Layer, MINIMAL, good, sources};
use crate::resolve;

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

const REFUSALS: [&str; 3] =
    ["cannot act: it ", "does not go with what standard 802.11", "the slotted link has one radio"];

/// The scenario with a technique on top; none if the technique cannot act there, or not with frames of 802.11n and
/// later.
#[track_caller]
fn able(base: &Sources, beneath: Option<&str>, technique: &str) -> Option<Resolved> {
    let techniques = beneath.into_iter().chain([technique]).map(|name| (name.into(), None)).collect();
    match resolve(&Sources { techniques, ..base.clone() }) {
        Err(error) if REFUSALS.iter().any(|refusal| error.to_string().contains(refusal)) => None,
        other => Some(other.unwrap_or_else(|error| panic!("{error}"))),
    }
}

#[test]
fn scenarios_resolve_under_every_profile_and_technique() {
    for (name, text) in shipped(Kind::Scenarios) {
        // The slotted link has ranges that are fixed, and no fading.
        let fits = |technique: &str| name != "fading" || !technique.starts_with("frn");
        for (technique, _) in shipped(Kind::Techniques).into_iter().filter(|(technique, _)| fits(technique)) {
            for (profile, _) in shipped(Kind::Profiles) {
                let scenario = Layer { name: name.into(), text: text.into() };
                let sets = vec![format!("profile={profile}")];
                able(&Sources { scenario, techniques: Vec::new(), sets }, None, technique);
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
        let beneath = [None, Some("frn"), Some("aodv")].into_iter();
        let it = beneath.filter_map(|beneath| able(&base, beneath, technique)).next();
        let it = it.unwrap_or_else(|| panic!("{technique} acts on nothing that is shipped"));
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
    for name in ["linux", "linux24", "ns2", "ns2-21b8", "ns3", "ns3-wifi", "openwrt", "rfc"] {
        assert!(names(Kind::Profiles).contains(&name), "{name}");
    }
}
